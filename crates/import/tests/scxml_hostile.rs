//! SCXML from anywhere: broken, hostile or huge documents give clear errors with their span, never
//! a panic, and nothing is fetched.
//!
//! How long they take and how much memory they need was measured by hand; here bounds on what is
//! reported and built stand for it.

use crate::common::Rng;
use statewright_author::diagnostic::{Diagnostics, Severity};
use statewright_author::graph::Machine;
use statewright_author::render::{Style, render_text};
use statewright_compile::{Options, compile_with};
use statewright_import::{Format, scxml};

const OPEN: &str = "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"1.0\">";

/// Code, line, column and message of every problem of import.
fn said(bytes: &[u8]) -> Vec<String> {
    let (machine, problems) = Format::Scxml.read("bad.scxml", bytes);
    told(&machine, &problems)
}

fn told(machine: &Machine, problems: &Diagnostics) -> Vec<String> {
    let line = |one: &statewright_author::diagnostic::Diagnostic| {
        let (line, column) = machine.source.line_column(one.span.start).unwrap_or((0, 0));
        format!("{} {line}:{column} {}", one.code.info().id, one.message)
    };
    problems.iter().map(line).collect()
}

/// Everything that is said about a document to its end: import, compiler, rendering.
fn survived(bytes: &[u8]) -> (bool, Vec<String>) {
    let (machine, problems) = Format::Scxml.read("bad.scxml", bytes);
    let (output, problems) = compile_with(
        &machine,
        problems,
        &Options {
            strict: false,
            dev: true,
        },
    );
    assert_eq!(output.is_none(), problems.has_errors());
    assert!(
        problems.iter().all(|one| one.code.info().id != "SW0901"),
        "{problems:?}"
    );
    let text = render_text(&problems, &machine.source, Style::default());
    assert_eq!(text.is_empty(), problems.is_empty());
    (output.is_some(), told(&machine, &problems))
}

#[track_caller]
fn refused(text: &str, first: &str) {
    let (compiled, said) = survived(text.as_bytes());
    assert!(!compiled);
    assert_eq!(said.first().map(String::as_str), Some(first), "{said:#?}");
}

#[test]
fn what_is_not_xml_is_an_error_where_it_breaks() {
    for (text, expected) in [
        ("", "SW0801 1:1 this is not well-formed XML"),
        ("\n\n", "SW0801 1:1 this is not well-formed XML"),
        ("\u{feff}", "SW0801 1:1 this is not well-formed XML"),
        ("hello", "SW0801 1:1 this is not well-formed XML"),
        ("<!-- nothing -->", "SW0801 1:1 this is not well-formed XML"),
        ("<scxml>", "SW0801 1:1 this is not well-formed XML"),
        (
            "<scxml>\n<state>\n</scxml>",
            "SW0801 3:1 this is not well-formed XML",
        ),
        (
            "<scxml>\n<state id=a/></scxml>",
            "SW0801 2:11 this is not well-formed XML",
        ),
        (
            "<scxml>\n<state id='a' id='b'/></scxml>",
            "SW0801 2:15 this is not well-formed XML",
        ),
        (
            "<scxml>\n<state id='a</scxml>",
            "SW0801 2:13 this is not well-formed XML",
        ),
        (
            "<scxml/>\n<scxml/>",
            "SW0801 2:1 this is not well-formed XML",
        ),
        ("<scxml>\n<state ", "SW0801 2:8 this is not well-formed XML"),
        (
            "<scxml>&nbsp;</scxml>",
            "SW0801 1:8 this is not well-formed XML",
        ),
        ("<q:scxml/>", "SW0801 1:2 this is not well-formed XML"),
        (
            "<scxml>\u{1}</scxml>",
            "SW0801 1:8 this is not well-formed XML",
        ),
    ] {
        let said = said(text.as_bytes());
        assert_eq!(said.len(), 1, "{text:?}: {said:#?}");
        assert!(said[0].starts_with(expected), "{text:?}: {said:#?}");
        assert!(!survived(text.as_bytes()).0);
    }
}

/// A DTD is refused before anything in it is looked at, so there is nothing to expand and nothing
/// to fetch.
#[test]
fn entities_are_neither_expanded_nor_fetched() {
    let mut bomb = "<!DOCTYPE lolz [<!ENTITY lol \"lol\">".to_owned();
    for level in 1..=9 {
        let before = if level == 1 {
            "lol".to_owned()
        } else {
            format!("lol{}", level - 1)
        };
        bomb += &format!(
            "<!ENTITY lol{level} \"{}\">",
            format!("&{before};").repeat(10)
        );
    }
    bomb += "]>";
    let long = format!("<!DOCTYPE x [<!ENTITY a \"{}\">]>", "a".repeat(50_000));
    for (dtd, inside) in [
        (bomb.as_str(), "&lol9;"),
        (long.as_str(), &"&a;".repeat(50_000)),
        (
            "<!DOCTYPE x [<!ENTITY x SYSTEM \"file:///etc/hostname\">]>",
            "&x;",
        ),
        (
            "<!DOCTYPE x [<!ENTITY x SYSTEM \"http://127.0.0.1:1/x\">]>",
            "&x;",
        ),
        (
            "<!DOCTYPE x [<!ENTITY % p SYSTEM \"file:///etc/hostname\"> %p;]>",
            "",
        ),
        ("<!DOCTYPE x SYSTEM \"file:///etc/hostname\">", ""),
        (
            "<!DOCTYPE x PUBLIC \"-//W3C//DTD SCXML\" \"http://127.0.0.1:1/x\">",
            "",
        ),
        ("<!DOCTYPE x [<!ENTITY x \"&x;\">]>", "&x;"),
    ] {
        let text =
            format!("<?xml version=\"1.0\"?>\n{dtd}\n{OPEN}<state id=\"a{inside}\"/></scxml>");
        let said = said(text.as_bytes());
        assert_eq!(
            said,
            ["SW0801 2:1 the document has a DTD, which is not read"]
        );
        let (machine, _) = scxml::read("bad.scxml", &text);
        assert!(machine.root.regions.is_empty());
    }
}

#[test]
fn a_state_may_not_refer_to_files_either() {
    let text = format!(
        "{OPEN}\n<datamodel><data id=\"x\" src=\"file:///etc/hostname\"/></datamodel>\n<state id=\"a\"/></scxml>"
    );
    refused(
        &text,
        "SW0802 2:30 data from another file cannot be imported",
    );
    let text = format!("{OPEN}\n<script src=\"file:///etc/hostname\"/>\n<state id=\"a\"/></scxml>");
    refused(&text, "SW0802 2:1 `<script>` cannot be imported");
    let text = format!(
        "{OPEN}\n<xi:include xmlns:xi=\"http://www.w3.org/2001/XInclude\" href=\"file:///etc/hostname\"/></scxml>"
    );
    refused(&text, "SW0803 1:1 the chart has no states");
}

#[test]
fn other_encodings_are_named() {
    let body = "<scxml><state id=\"a\"/></scxml>";
    for (encoding, fits) in [
        ("ISO-8859-1", false),
        ("UTF-16", false),
        ("windows-1252", false),
        ("utf-8", true),
        ("US-ASCII", true),
    ] {
        let text = format!("<?xml version=\"1.0\" encoding=\"{encoding}\"?>\n{body}");
        let expected = format!(
            "SW0801 1:31 the document says that it is written in `{encoding}`, but only UTF-8 is read"
        );
        assert_eq!(
            said(text.as_bytes()),
            if fits { vec![] } else { vec![expected] }
        );
    }
    let little: Vec<u8> = [0xff, 0xfe]
        .into_iter()
        .chain(body.encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    let big: Vec<u8> = [0xfe, 0xff]
        .into_iter()
        .chain(body.encode_utf16().flat_map(u16::to_be_bytes))
        .collect();
    for bytes in [little, big] {
        let (machine, problems) = Format::Scxml.read("bad.scxml", &bytes);
        assert_eq!(
            told(&machine, &problems),
            ["SW0801 1:1 the file is not UTF-8 text: byte 0 cannot be read"]
        );
        assert_eq!(
            problems.iter().next().unwrap().help.as_deref(),
            Some("it looks like UTF-16; save it as UTF-8")
        );
    }
    // Without a mark, UTF-16 is UTF-8 full of zeros.
    let bare: Vec<u8> = body.encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(said(&bare)[0].starts_with("SW0801 1:"), "{:?}", said(&bare));
    let said = said(b"<scxml>\n<state id=\"a\xe9\"/></scxml>");
    assert_eq!(
        said,
        ["SW0801 2:13 the file is not UTF-8 text: byte 20 cannot be read"]
    );
}

#[test]
fn foreign_namespaces_are_named_or_refused() {
    refused(
        "<scxml xmlns=\"urn:other\"><state id=\"a\"/></scxml>",
        "SW0803 1:1 this `<scxml>` is of the namespace `urn:other`, which is not that of SCXML",
    );
    refused(
        "<x:scxml xmlns:x=\"urn:other\"/>",
        "SW0803 1:1 this `<scxml>` is of the namespace `urn:other`, which is not that of SCXML",
    );
    refused(
        "<html/>",
        "SW0803 1:1 the document's element is `<html>`, not `<scxml>`",
    );
    let inside = |text: &str| {
        format!(
            "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" xmlns:q=\"urn:q\">\n{text}</scxml>"
        )
    };
    let left_out = said(inside("<state id=\"a\" q:id=\"b\"/><q:state id=\"c\"/>").as_bytes());
    assert_eq!(
        left_out,
        ["SW0805 2:25 `<state>` belongs to another namespace"]
    );
    refused(
        &inside("<state id=\"a\"><onentry><q:log/></onentry></state>"),
        "SW0802 2:24 `<log>` of another namespace cannot be imported",
    );
    refused(
        &inside("<q:state id=\"c\"/>"),
        "SW0803 1:1 the chart has no states",
    );
    // Things of others inside defaults, data and conditions are no less foreign.
    let text = inside(
        "<state id=\"a\"><initial><q:transition target=\"b\"/></initial><state id=\"b\"/></state>",
    );
    assert!(
        said(text.as_bytes())
            .iter()
            .any(|line| line.starts_with("SW0803 2:")),
        "{:?}",
        said(text.as_bytes())
    );
    let text = inside("<datamodel><q:data id=\"n\" expr=\"1\"/></datamodel><state id=\"a\"/>");
    assert!(
        said(text.as_bytes())
            .iter()
            .any(|line| line.contains(" 2:")),
        "{:?}",
        said(text.as_bytes())
    );
    let text =
        inside("<state id=\"a\"><onentry><if cond=\"true\"><q:else/></if></onentry></state>");
    assert!(
        said(text.as_bytes())
            .iter()
            .any(|line| line.starts_with("SW0802 2:")),
        "{:?}",
        said(text.as_bytes())
    );
}

#[test]
fn deep_nesting_is_refused_without_running_out_of_stack() {
    let nested = |open: &dyn Fn(usize) -> String, close: &str, depth: usize| {
        format!(
            "{OPEN}\n{}{}</scxml>",
            (0..depth).map(open).collect::<String>(),
            close.repeat(depth)
        )
    };
    let state = |n: usize| format!("<state id=\"s{n}\">");
    let elements = "elements are nested more than 256 deep";
    for text in [
        nested(&state, "</state>", 10_000),
        nested(&|_| "<x>".to_owned(), "</x>", 10_000),
        nested(&|_| "<x>".to_owned(), "", 300_000),
        nested(&|_| "<q:x>".to_owned(), "</q:x>", 10_000),
        nested(&|_| "<x a='/>'>".to_owned(), "</x>", 1000),
    ] {
        let said = said(text.as_bytes());
        assert!(
            said.len() == 1 && said[0].starts_with("SW0804 2:") && said[0].ends_with(elements),
            "{said:#?}"
        );
    }
    let ifs = format!(
        "<state id=\"a\"><onentry>{}{}</onentry></state></scxml>",
        "<if cond=\"true\">".repeat(45_000),
        "</if>".repeat(45_000)
    );
    assert_eq!(said(format!("{OPEN}{ifs}").as_bytes()).len(), 1);
    // As deep as XML is read, and deeper than a machine: the compiler has the last word.
    for depth in [16, 17, 39, 41, 200, 254] {
        let (compiled, said) = survived(nested(&state, "</state>", depth).as_bytes());
        assert!(!compiled && !said.is_empty(), "{depth}");
    }
    let (compiled, said) = survived(nested(&state, "</state>", 15).as_bytes());
    assert!(compiled, "{said:#?}");
    let ifs = |depth: usize| {
        let (open, close) = ("<if cond=\"true\">".repeat(depth), "</if>".repeat(depth));
        format!("{OPEN}<state id=\"a\"><onentry>{open}{close}</onentry></state></scxml>")
    };
    for depth in [10, 100, 250] {
        survived(ifs(depth).as_bytes());
    }
    // Conditions nest, too.
    for depth in [10, 1000, 100_000] {
        let cond = format!("{}true{}", "(".repeat(depth), ")".repeat(depth));
        let text = format!(
            "{OPEN}<state id=\"a\"><transition event=\"e\" cond=\"{cond}\" target=\"a\"/></state></scxml>"
        );
        let (compiled, said) = survived(text.as_bytes());
        assert!(
            compiled || said[0].starts_with("SW0802 1:"),
            "{depth}: {said:?}"
        );
        let cond = "!".repeat(depth);
        let text = format!(
            "{OPEN}<state id=\"a\"><transition event=\"e\" cond=\"{cond}true\" target=\"a\"/></state></scxml>"
        );
        let (compiled, said) = survived(text.as_bytes());
        assert!(
            compiled || said[0].starts_with("SW0802 1:"),
            "{depth}: {said:?}"
        );
    }
    // An `elseif` chain is one level of XML, but as deep as it is long as actions.
    let chain = "<elseif cond=\"true\"/>".repeat(40_000);
    let text = format!(
        "{OPEN}<state id=\"a\"><onentry><if cond=\"true\">{chain}</if></onentry></state></scxml>"
    );
    let (compiled, said) = survived(text.as_bytes());
    assert!(
        !compiled && said[0].starts_with("SW0804 1:"),
        "{:?}",
        &said[..1]
    );
}

/// About a megabyte of every kind. What is built and said stays small.
#[test]
fn huge_documents_are_answered() {
    let many =
        |unit: &dyn Fn(usize) -> String, count: usize| (0..count).map(unit).collect::<String>();
    let chart = |body: String| format!("{OPEN}{body}</scxml>");
    let long = "x".repeat(1 << 20);
    for (what, text) in [
        ("an attribute", chart(format!("<state id=\"{long}\"/>"))),
        (
            "an event",
            chart(format!(
                "<state id=\"a\"><transition event=\"{long}\" target=\"a\"/></state>"
            )),
        ),
        (
            "a condition",
            chart(format!(
                "<state id=\"a\"><transition event=\"e\" cond=\"{long}\"/></state>"
            )),
        ),
        (
            "a target",
            chart(format!(
                "<state id=\"a\"><transition event=\"e\" target=\"{long}\"/></state>"
            )),
        ),
        (
            "wrong targets",
            chart(format!(
                "<state id=\"a\">{}</state>",
                many(
                    &|n| format!("<transition event=\"e\" target=\"t{n}\"/>"),
                    25_000
                )
            )),
        ),
        (
            "unknown attributes",
            chart(many(&|n| format!("<state id=\"s{n}\" x{n}=\"\"/>"), 30_000)),
        ),
        ("one id", chart("<state id=\"a\"/>".repeat(60_000))),
        (
            "regions",
            chart(format!(
                "<parallel id=\"p\">{}</parallel>",
                many(&|n| format!("<state id=\"s{n}\"/>"), 40_000)
            )),
        ),
        (
            "wildcards",
            chart(format!(
                "<state id=\"a\">{}{}</state>",
                "<transition event=\"* \" target=\"a\"/>".repeat(10_000),
                many(
                    &|n| format!("<transition event=\"e{n}\"/><send event=\"t\" delay=\"1s\"/>"),
                    10_000
                )
            )),
        ),
        (
            "wildcards and timers",
            chart(format!(
                "<state id=\"a\"><onentry><send event=\"t\" delay=\"1s\"/></onentry>{}{}</state>",
                "<transition event=\"*\"/>".repeat(15_000),
                many(&|n| format!("<transition event=\"e{n}\"/>"), 15_000)
            )),
        ),
        (
            "prefixes",
            chart(format!(
                "<state id=\"a\"><transition event=\"{}\" target=\"b\"/></state>",
                many(
                    &|n| format!("{} ", ["a."; 200].concat() + &n.to_string()),
                    2500
                )
            )),
        ),
        (
            "copies of actions",
            chart(format!(
                "<state id=\"a\"><onentry><send event=\"t\" delay=\"1s\"/></onentry>{}{}</state>",
                format!(
                    "<transition event=\"*\">{}</transition>",
                    "<log label=\"l\"/>".repeat(1000)
                )
                .repeat(30),
                many(&|n| format!("<transition event=\"e{n}\"/>"), 2000)
            )),
        ),
        (
            "copies of conditions",
            chart(format!(
                "<state id=\"a\"><onentry><send event=\"t\" delay=\"1s\"/></onentry>{}{}</state>",
                format!(
                    "<transition event=\"*\" cond=\"{}true\"/>",
                    "true || ".repeat(500)
                )
                .repeat(40),
                many(&|n| format!("<transition event=\"e{n}\"/>"), 1500)
            )),
        ),
        (
            "targets",
            chart(format!(
                "<state id=\"a\"><transition event=\"e\" target=\"{}\"/></state>",
                "a ".repeat(500_000)
            )),
        ),
        (
            "histories",
            chart(format!(
                "<state id=\"o\"><state id=\"a\"/>{}</state>",
                many(
                    &|n| format!("<history id=\"h{n}\"><transition target=\"a\"/></history>"),
                    18_000
                )
            )),
        ),
        (
            "history loops",
            chart(format!(
                "<state id=\"o\"><state id=\"a\"/>{}</state>",
                many(
                    &|n| format!(
                        "<history id=\"h{n}\"><transition target=\"h{}\"/></history>",
                        n + 1
                    ),
                    18_000
                )
            )),
        ),
        (
            "data",
            chart(format!(
                "<datamodel>{}</datamodel><state id=\"a\"/>",
                many(&|n| format!("<data id=\"n{n}\" expr=\"{n}\"/>"), 35_000)
            )),
        ),
        (
            "data of unknown types",
            chart(format!(
                "<datamodel>{}</datamodel><state id=\"a\"><onentry>{}</onentry></state>",
                many(&|n| format!("<data id=\"n{n}\"/>"), 12_000),
                many(
                    &|n| format!("<assign location=\"n{n}\" expr=\"n{}\"/>", n + 1),
                    12_000
                ) + "<assign location=\"n11999\" expr=\"1\"/>"
            )),
        ),
        (
            "data of one key",
            chart(format!(
                "<datamodel>{}</datamodel><state id=\"a\"/>",
                many(
                    &|n| format!(
                        "<data id=\"{}\" expr=\"1\"/>",
                        ["é", "è"][n % 2].repeat(n / 2 + 1)
                    ),
                    700
                )
            )),
        ),
        (
            "timers",
            chart(format!(
                "<state id=\"a\"><onentry>{}</onentry></state>",
                many(
                    &|n| format!("<send event=\"e{n}\" id=\"i\" delay=\"1s\"/>"),
                    20_000
                )
            )),
        ),
        (
            "cancels",
            chart(format!(
                "<state id=\"a\"><onentry>{}{}</onentry></state>",
                many(
                    &|n| format!("<send event=\"e{n}\" id=\"i\" delay=\"1s\"/>"),
                    10_000
                ),
                "<cancel sendid=\"i\"/>".repeat(30_000)
            )),
        ),
        (
            "done events",
            chart(many(
                &|n| {
                    format!(
                        "<state id=\"s{n}\"><transition event=\"d{n}\" target=\"f{n}\"/><final id=\"f{n}\"/></state>"
                    )
                },
                12_000,
            )),
        ),
        (
            "unknown elements",
            chart(many(&|n| format!("<x{n}/>"), 100_000)),
        ),
        (
            "attributes",
            chart(format!(
                "<state {}/>",
                many(&|n| format!("a{n}='' "), 100_000)
            )),
        ),
        (
            "namespaces",
            chart(format!(
                "<state {}/>",
                many(&|n| format!("xmlns:a{n}='u{n}' "), 50_000)
            )),
        ),
        (
            "nested namespaces",
            chart(format!(
                "{}{}",
                many(&|n| format!("<x xmlns:a{n}='{}'>", "u".repeat(4000)), 200),
                "</x>".repeat(200)
            )),
        ),
        (
            "namespaces of each",
            chart(many(
                &|n| format!("<state xmlns:a{n}='u{n}' id=\"s{n}\"/>"),
                20_000,
            )),
        ),
        (
            "namespaces on all levels",
            chart(format!(
                "{}{}{}",
                many(
                    &|n| format!(
                        "<state {}>",
                        many(&|m| format!("xmlns:a{n}b{m}='u{m}' "), 200)
                    ),
                    10
                ),
                many(&|n| format!("<state xmlns:c{n}='c{n}'/>"), 2000),
                "</state>".repeat(10)
            )),
        ),
        (
            "as many namespaces as may be",
            chart(format!(
                "{}{}{}",
                many(
                    &|n| format!("<x {}>", many(&|m| format!("xmlns:a{n}b{m}='u{m}' "), 6)),
                    10
                ),
                many(&|n| format!("<x xmlns:c{n}='c{n}'/>"), 4000),
                "</x>".repeat(10)
            )),
        ),
        (
            "data and histories",
            chart(format!(
                "<datamodel>{}</datamodel><state id=\"a\"><state id=\"b\"/>{}</state>",
                many(&|n| format!("<data id=\"d{n}\" expr=\"1\"/>"), 12_000),
                many(
                    &|n| format!("<history id=\"h{n}\"><transition target=\"b\"/></history>"),
                    12_000
                )
            )),
        ),
        (
            "statements",
            chart(format!(
                "<state id=\"a\"><onentry><script>&#32;{}</script></onentry></state>",
                "f();".repeat(200_000)
            )),
        ),
        ("text", chart(long.clone())),
        ("a tag", format!("{OPEN}<{long}></x>")),
        ("an endless comment", format!("{OPEN}<!--{long}")),
        ("an endless tag", format!("{OPEN}<state {long}")),
        ("open brackets", "<".repeat(1 << 20)),
        ("lines", format!("{OPEN}{}<", "\n".repeat(1 << 20))),
    ] {
        let (compiled, all) = survived(text.as_bytes());
        assert!(all.len() <= 200, "{what}: {} problems", all.len());
        let longest = all.iter().map(String::len).max().unwrap_or_default();
        assert!(longest < 2000, "{what}: a message of {longest} bytes");
        assert!(
            !compiled || ["unknown attributes", "data of one key", "done events"].contains(&what),
            "{what} compiles"
        );
        assert!(
            all.iter().all(|line| !line.contains(" 0:0 ")),
            "{what}: {:?}",
            all.first()
        );
    }
}

/// Large, but nothing is wrong with it; some are more than a machine holds.
#[test]
fn large_documents_that_are_right_are_read() {
    let many =
        |unit: &dyn Fn(usize) -> String, count: usize| (0..count).map(unit).collect::<String>();
    let chart = |body: String| format!("{OPEN}{body}</scxml>");
    let states = chart(many(
        &|n| {
            format!(
                "<state id=\"s{n}\"><transition event=\"e\" target=\"s{}\"/></state>",
                (n + 1) % 10_000
            )
        },
        10_000,
    ));
    let (compiled, said) = survived(states.as_bytes());
    assert!(compiled, "{:?}", said.first());
    let list = chart(format!(
        "<state id=\"a\"><transition event=\"{}\" target=\"a\"/></state>",
        "go ".repeat(300_000)
    ));
    let (compiled, said) = survived(list.as_bytes());
    assert!(compiled, "{:?}", said.first());
    let transitions = chart(format!(
        "<state id=\"a\">{}</state>",
        "<transition/>".repeat(70_000)
    ));
    let (machine, problems) = scxml::read("bad.scxml", &transitions);
    assert!(
        told(&machine, &problems)[0].starts_with("SW0804 1:"),
        "{problems:?}"
    );
    assert!(
        problems
            .iter()
            .filter(|one| one.severity == Severity::Error)
            .count()
            == 1
    );
    let states = chart(many(&|n| format!("<state id=\"s{n}\"/>"), 200_000));
    let (compiled, said) = survived(states.as_bytes());
    assert!(!compiled);
    assert_eq!(
        said,
        ["SW0804 1:1299612 the chart has more than 65534 states"]
    );
    let tiny = chart(format!(
        "<state id=\"a\">{}</state>",
        "<transition event=\"e\"/>".repeat(40_000)
    ));
    survived(tiny.as_bytes());
}

const SAMPLE: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"1.0\" initial=\"p\" datamodel=\"ecmascript\">
<datamodel><data id=\"n\" expr=\"1\"/><data id=\"t\" expr=\"'x'\"/></datamodel><!-- c -->
<parallel id=\"p\"><onentry><if cond=\"n &lt; 2\"><raise event=\"r.é\"/><elseif cond=\"In('b')\"/><assign location=\"n\" expr=\"n + 1\"/><else/><log label=\"l\" expr=\"n\"/></if></onentry>
<history id=\"h\" type=\"deep\"><transition target=\"a b\"/></history>
<state id=\"l\" initial=\"a\"><state id=\"a\"><transition event=\"e.* f *\" cond=\"t == 'x'\" target=\"c\" type=\"internal\"/></state><final id=\"c\"/></state>
<state id=\"r\"><initial><transition target=\"b\"><send event=\"s\" delay=\"1.5s\" id=\"i\"/></transition></initial><state id=\"b\"><onexit><cancel sendid=\"i\"/></onexit><transition event=\"done.state.l\" target=\"h\"/></state></state>
</parallel></scxml>
";

#[test]
fn every_beginning_of_a_document_is_survived() {
    let (compiled, said) = survived(SAMPLE.as_bytes());
    assert!(compiled, "{said:#?}");
    let end = SAMPLE.trim_end().len();
    for length in 0..end {
        let (compiled, said) = survived(&SAMPLE.as_bytes()[..length]);
        assert!(
            !compiled && said.len() == 1 && said[0].starts_with("SW0801 "),
            "{length}: {said:#?}"
        );
    }
}

#[test]
fn flipped_bytes_and_moved_pieces_are_survived() {
    let mut rng = Rng(11);
    let pieces: Vec<&str> = SAMPLE.split_inclusive(['>', ' ', '"']).collect();
    let (mut compiled, mut refused) = (0, 0);
    for round in 0..6000 {
        let bytes = if round % 3 == 0 {
            let mut mixed = pieces.clone();
            for _ in 0..1 + rng.below(3) {
                let (from, to) = (rng.below(mixed.len()), rng.below(mixed.len()));
                let piece = mixed.remove(from);
                mixed.insert(to.min(mixed.len()), piece);
            }
            mixed.concat().into_bytes()
        } else {
            let mut bytes = SAMPLE.as_bytes().to_vec();
            for _ in 0..1 + rng.below(3) {
                let at = rng.below(bytes.len());
                match rng.below(4) {
                    0 => bytes[at] = rng.below(256) as u8,
                    1 => drop(bytes.remove(at)),
                    2 => bytes[at] = b"abehlnprt <>=\"'&;/*.!01"[rng.below(23)],
                    _ => bytes.insert(at, b"abehlnprt <>=\"'&;/*.!01"[rng.below(23)]),
                }
            }
            bytes
        };
        if survived(&bytes).0 {
            compiled += 1
        } else {
            refused += 1
        }
    }
    assert!(compiled > 100 && refused > 1000, "{compiled} {refused}");
}
