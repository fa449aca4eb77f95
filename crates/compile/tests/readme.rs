//! What the README and the format page show is what the compiler does: their machines, an error
//! message, a report. `BLESS=1` writes the report anew.

use statewright_author::render::{Style, render_text};
use statewright_author::text;
use statewright_compile::{Options, compile_with};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn readme() -> String {
    std::fs::read_to_string(format!("{ROOT}/README.md")).expect("the README is there")
}

/// The first fenced block of a language that contains a text.
fn block(readme: &str, language: &str, contains: &str) -> String {
    readme
        .split(&format!("```{language}\n"))
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .find(|block| block.contains(contains))
        .unwrap_or_else(|| panic!("no {language} block with {contains:?}"))
        .to_owned()
}

/// Compiles a text under a name; returns the rendered problems and the report.
fn compile(name: &str, text: &str) -> (String, Option<String>) {
    let (machine, found) = text::read(name, text);
    let (output, problems) = compile_with(&machine, found, &Options::default());
    let shown = render_text(&problems, &machine.source, Style::default());
    (shown, output.map(|output| output.report.to_string()))
}

#[test]
fn the_first_machine_compiles() {
    let (problems, report) = compile("guard.sw.json", &block(&readme(), "jsonc", "\"Guard\""));
    assert_eq!(problems, "");
    assert!(report.is_some());
}

#[test]
fn the_whole_machines_of_the_format_page_have_no_problems() {
    let page =
        std::fs::read_to_string(format!("{ROOT}/docs/file-format.md")).expect("the page is there");
    let whole = |text: &&str| text.starts_with("{\n  \"machine\"");
    let mut seen = 0;
    for text in page
        .split("```jsonc\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .filter(whole)
    {
        assert_eq!(compile("page.sw.json", text).0, "");
        seen += 1;
    }
    assert_eq!(seen, 2, "the nested and the flat one");
}

#[test]
fn the_error_message_is_the_real_one() {
    let readme = readme();
    let wrong =
        block(&readme, "jsonc", "\"Guard\"").replace("\"to\": \"chase\"", "\"to\": \"chaes\"");
    let (problems, report) = compile("guard.sw.json", &wrong);
    assert!(report.is_none());
    let shown = block(&readme, "text", "SW0101");
    assert!(problems.starts_with(shown.trim_end()), "{problems}");
}

#[test]
fn the_report_of_the_main_command_is_the_real_one() {
    let text = std::fs::read_to_string(format!("{ROOT}/machines/soldier.sw.json"))
        .expect("the sample is there");
    let (_, report) = compile("soldier.sw.json", &text);
    let readme = readme();
    let (before, rest) = readme
        .split_once("<!-- report -->\n")
        .expect("a place for the report");
    let (shown, after) = rest
        .split_once("<!-- /report -->")
        .expect("an end of the report");
    let wanted = format!("```text\n{}```\n", report.expect("the sample compiles"));
    if std::env::var_os("BLESS").is_some() {
        let text = format!("{before}<!-- report -->\n{wanted}<!-- /report -->{after}");
        std::fs::write(format!("{ROOT}/README.md"), text).expect("the README can be written");
    } else {
        assert_eq!(shown, wanted, "run `cargo xtask bless`");
    }
}
