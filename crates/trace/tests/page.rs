//! `docs/trace-format.md`, the page for readers in other languages, has every number of a record.

use statewright_kernel::Fault;
use statewright_trace::{Kind, ReasonNumber};

const PAGE: &str = include_str!("../../../docs/trace-format.md");

/// Rows of the table with this head.
fn table(head: &str) -> impl Iterator<Item = Vec<&'static str>> {
    let (_, rows) = PAGE.split_once(head).expect("the table is there");
    rows.lines()
        .skip(2)
        .take_while(|row| row.starts_with('|'))
        .map(|row| row.split('|').map(str::trim).skip(1).collect())
}

/// `13 fail-safe` is number 13, `fail_safe`.
fn number_and_name(text: &str) -> (u8, String) {
    let (number, name) = text.split_once(' ').expect("a number and a name");
    let number = number.parse().expect("a number");
    (number, name.replace([' ', '-'], "_"))
}

#[test]
fn it_has_every_kind_with_its_level() {
    let mut said: Vec<(u8, String, String)> = Vec::new();
    for row in table("| kind | level | meaning |") {
        said.extend(row[0].split(", ").map(|kind| {
            let (number, name) = number_and_name(kind);
            (number, name, row[1].to_owned())
        }));
    }
    said.sort();
    let meant = Kind::ALL.iter().map(|&kind| {
        let level = kind.level() as u8;
        (kind as u8, kind.name().to_owned(), level.to_string())
    });
    assert_eq!(said, meant.collect::<Vec<_>>());
}

#[test]
fn it_has_every_reason_and_fault() {
    let (_, reasons) = PAGE.split_once("\nReasons: ").expect("the list is there");
    let (reasons, _) = reasons.split_once('.').expect("the list ends");
    let reasons = reasons.split(',').map(|one| number_and_name(one.trim()));
    let meant = ReasonNumber::ALL.map(|reason| (reason.number(), reason.name().to_owned()));
    assert_eq!(reasons.collect::<Vec<_>>(), meant);

    let faults = table("| fault | why |").map(|row| (row[0].to_owned(), row[1]));
    let meant = Fault::ALL.map(|fault| (fault.number().to_string(), fault.name()));
    assert_eq!(faults.collect::<Vec<_>>(), meant);
}
