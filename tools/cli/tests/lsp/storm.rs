//! Much at once: every beginning of a file, random edits, thousands of states, edits every 20 ms. The
//! server answers each question and never shows the problems of another text.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use statewright_language::Analysis;

use super::client::{Client, URI, place_of, position};

/// What the samples' questions may take.
const SOON: Duration = Duration::from_millis(100);

fn sample(file: &str) -> &'static str {
    let sample = statewright_samples::ALL
        .iter()
        .find(|sample| sample.file == file);
    sample.expect("a sample").text
}

#[test]
fn every_beginning_of_a_sample_is_answered() {
    let text = sample("traffic_light.sw.json");
    let mut client = Client::start();
    client.open(URI, "");
    let mut version = 1;
    for end in (0..=text.len()).filter(|&end| text.is_char_boundary(end)) {
        version += 1;
        client.change(URI, version, json!([{ "text": &text[..end] }]));
        let place = place_of(text, end);
        assert!(client.at("textDocument/completion", place)["items"].is_array());
        if end % 16 == 0 {
            let document = json!({ "textDocument": { "uri": URI } });
            let outline = client
                .request("textDocument/documentSymbol", document)
                .unwrap();
            assert!(outline.is_array());
        }
    }
    assert_eq!(client.problems(URI, version, |_, _| {}), json!([]));
    assert_eq!(client.end(), 0);
}

/// A generator of numbers: the same on every run.
struct Rng(u64);

impl Rng {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

/// Messages of the problems that are shown.
fn messages(problems: &Value) -> Vec<String> {
    let all = problems.as_array().unwrap().iter();
    all.map(|problem| {
        problem["message"]
            .as_str()
            .unwrap()
            .lines()
            .next()
            .unwrap()
            .to_owned()
    })
    .collect()
}

/// Messages of the problems of a text.
fn expected(text: &str) -> Vec<String> {
    let analysis = Analysis::new("machine.sw.json", text);
    let first_line = |message: &str| message.lines().next().unwrap_or_default().to_owned();
    analysis
        .problems()
        .map(|(_, problem)| first_line(&problem.message))
        .collect()
}

#[test]
fn random_edits_leave_server_and_client_with_the_same_text() {
    const PIECES: [&str; 14] = [
        "\"",
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        "\\",
        "\n",
        "é",
        "\u{1F600}",
        "//",
        "\"to\": \"x\"",
        "1s",
    ];
    let mut rng = Rng(0x2545_f491_4f6c_dd1d);
    let mut client = Client::start();
    for round in 0..8 {
        let uri = format!("file:///tests/{round}.sw.json");
        let mut text = sample("watchman.sw.json").to_owned();
        client.open(&uri, &text);
        for version in 2..=40 {
            let at = text.floor_char_boundary(rng.below(text.len()));
            let end = text
                .floor_char_boundary((at + rng.below(8)).min(text.len()))
                .max(at);
            let piece = PIECES[rng.below(PIECES.len())];
            let range = json!({ "start": position(place_of(&text, at)), "end": position(place_of(&text, end)) });
            text.replace_range(at..end, piece);
            client.change(&uri, version, json!([{ "range": range, "text": piece }]));
            let ask = json!({ "textDocument": { "uri": uri }, "position": position(place_of(&text, at)) });
            client
                .request("textDocument/completion", ask.clone())
                .unwrap();
            client.request("textDocument/hover", ask).unwrap();
        }
        let problems = client.problems(&uri, 40, |_, _| {});
        assert_eq!(messages(&problems), expected(&text), "{text}");
    }
    assert_eq!(client.end(), 0);
}

/// States in a ring, with one transition that leads to a state of this name.
fn ring(states: usize, odd: &str) -> String {
    let mut text = format!(
        "{{ \"machine\": \"Ring\", \"initial\": \"s0\", \"events\": [\"Go\"],\n\"transitions\": [{{ \"on\": \"Go\", \"to\": \"{odd}\" }}],\n\"states\": {{\n"
    );
    for at in 0..states {
        let next = (at + 1) % states;
        text += &format!(
            "\"s{at}\": {{ \"transitions\": [{{ \"after\": \"1s\", \"to\": \"s{next}\" }}] }},\n"
        );
    }
    text + "} }\n"
}

/// Types for a while and asks between; what is shown must always be of the version that it names.
fn type_and_ask(states: usize, edits: i64) {
    let mut client = Client::start();
    let text = ring(states, "missing_1");
    client.open(URI, &text);
    let start = place_of(&text, text.find("missing_").unwrap() + "missing_".len());
    let mut length = 1;
    let mut waiting = Vec::new();
    for version in 2..=edits {
        let begun = Instant::now();
        let range =
            json!({ "start": position(start), "end": position((start.0, start.1 + length)) });
        let name = version.to_string();
        client.change(URI, version, json!([{ "range": range, "text": name }]));
        length = name.len() as u64;
        let ask = json!({ "textDocument": { "uri": URI }, "position": position(start) });
        waiting.push(client.ask("textDocument/completion", ask));
        std::thread::sleep(Duration::from_millis(20).saturating_sub(begun.elapsed()));
    }
    for id in waiting {
        assert!(client.answer(id).unwrap()["items"].is_array());
    }
    let mut last = 0;
    client.problems(URI, edits, |version, problems| {
        assert!(version > last, "{version} after {last}");
        last = version;
        let wanted = format!("no state named `missing_{version}`");
        assert!(
            messages(problems).contains(&wanted),
            "{version}: {:?}",
            messages(problems)
        );
    });
    assert_eq!(client.end(), 0);
}

#[test]
fn edits_every_20_ms_never_show_problems_of_another_text() {
    type_and_ask(16, 60);
}

#[test]
fn four_thousand_states_keep_up() {
    type_and_ask(4096, 40);
}

#[test]
fn a_question_that_was_taken_back_is_not_answered() {
    let mut client = Client::start();
    client.open(URI, &ring(4096, "s1"));
    // The first keeps the server busy, so that the second is taken back before its turn.
    let ask = json!({ "textDocument": { "uri": URI } });
    let first = client.ask("textDocument/documentSymbol", ask.clone());
    let second = client.ask("textDocument/documentSymbol", ask);
    client.notify("$/cancelRequest", json!({ "id": second }));
    assert!(client.answer(first).unwrap().is_array());
    match client.answer(second) {
        Err(error) => assert_eq!(error["code"], -32800),
        // It was faster than we were.
        Ok(answer) => assert!(answer.is_array()),
    }
    assert_eq!(client.end(), 0);
}

#[test]
fn questions_about_the_samples_are_answered_soon() {
    for sample in statewright_samples::ALL {
        let mut client = Client::start();
        client.open(URI, sample.text);
        client.problems(URI, 1, |_, _| {});
        let middle = sample.text.floor_char_boundary(sample.text.len() / 2);
        let place = position(place_of(sample.text, middle));
        let document = json!({ "uri": URI });
        let range = json!({ "start": position((0, 0)), "end": position((9999, 0)) });
        let name = sample
            .text
            .find("\"initial\": \"")
            .expect("an initial state")
            + 12;
        let name = position(place_of(sample.text, name));
        for (method, params) in [
            (
                "completion",
                json!({ "textDocument": document, "position": place }),
            ),
            (
                "hover",
                json!({ "textDocument": document, "position": name }),
            ),
            (
                "definition",
                json!({ "textDocument": document, "position": name }),
            ),
            (
                "references",
                json!({ "textDocument": document, "position": name, "context": { "includeDeclaration": true } }),
            ),
            (
                "rename",
                json!({ "textDocument": document, "position": name, "newName": "renamed" }),
            ),
            ("documentSymbol", json!({ "textDocument": document })),
            (
                "formatting",
                json!({ "textDocument": document, "options": { "tabSize": 2, "insertSpaces": true } }),
            ),
            (
                "inlayHint",
                json!({ "textDocument": document, "range": range }),
            ),
            (
                "codeAction",
                json!({ "textDocument": document, "range": range, "context": { "diagnostics": [] } }),
            ),
        ] {
            let time = client.fastest(&format!("textDocument/{method}"), &params);
            assert!(time < SOON, "{method} of {} took {time:?}", sample.file);
        }
        // From an edit to its problems.
        let times = (2..7).map(|version| {
            let begun = Instant::now();
            client.change(URI, version, json!([{ "text": sample.text }]));
            client.problems(URI, version, |_, _| {});
            begun.elapsed()
        });
        let fastest = times.min().unwrap();
        assert!(
            fastest < SOON,
            "problems of {} took {fastest:?}",
            sample.file
        );
        assert_eq!(client.end(), 0);
    }
}
