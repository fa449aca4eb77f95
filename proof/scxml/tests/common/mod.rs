//! Plays a document and spells what happened in one line per step.

use statewright_scxml_oracle::{Document, Happening, Interpreter, Outcome};

/// A document with this inside.
pub fn scxml(inside: &str) -> String {
    with("", inside)
}

/// A document with these attributes and this inside.
pub fn with(attributes: &str, inside: &str) -> String {
    format!(
        r#"<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" {attributes}>{inside}</scxml>"#
    )
}

/// Starts a document, sends these events (`+10` lets 10 milliseconds pass) and compares a line for
/// the start and for each step: active leaves, then what happened: `-a` exit, `+a` enter, `^e`
/// raise, `>e` send, `~i` cancel, `label` or `label=value` log.
#[track_caller]
pub fn check(text: &str, steps: &[&str], expected: &[&str]) {
    let document = Document::parse(text).unwrap_or_else(|error| panic!("{error}"));
    let mut run = Interpreter::new(&document);
    let outcome = run.start();
    let mut lines = vec![line(&mut run, outcome)];
    for step in steps {
        let outcome = match step.strip_prefix('+') {
            Some(milliseconds) => run.advance(milliseconds.parse().unwrap()),
            None => run.send(step),
        };
        lines.push(line(&mut run, outcome));
    }
    assert_eq!(lines, expected);
}

/// Like [`check`], for the start alone.
#[track_caller]
pub fn check_start(text: &str, expected: &str) {
    check(text, &[], &[expected]);
}

fn line(run: &mut Interpreter, outcome: Outcome) -> String {
    let configuration = match outcome {
        Outcome::Stable => run.configuration().join(" "),
        Outcome::Ended => format!("ended {}", run.ended_in().join(" ")),
        Outcome::Endless => return "endless".to_string(),
    };
    let words: Vec<String> = run.take_log().iter().filter_map(word).collect();
    format!("{configuration} | {}", words.join(" "))
}

fn word(happening: &Happening) -> Option<String> {
    Some(match happening {
        Happening::Exit(id) => format!("-{id}"),
        Happening::Enter(id) => format!("+{id}"),
        Happening::Raise(name) => format!("^{name}"),
        Happening::Send { name, .. } => format!(">{name}"),
        Happening::Cancel(id) => format!("~{id}"),
        Happening::Log {
            label,
            value: Some(value),
        } => format!("{label}={value}"),
        Happening::Log { label, value: None } => label.clone(),
        _ => return None,
    })
}
