//! Texts that are not machines, or not yet: every question gets an answer, and every place that comes
//! back lies in the text.

use std::ops::Range;

use crate::common::GUARD;
use statewright_language::{Analysis, NoFiles, Symbol};

/// Asks everything at some places and checks what comes back.
fn ask(text: &str, places: &[usize]) {
    let analysis = Analysis::new("m", text);
    let check = |range: &Range<usize>| {
        assert!(text.get(range.clone()).is_some(), "{range:?} of {text}");
    };
    for (range, problem) in analysis.problems() {
        check(&range);
        assert!(!problem.message.is_empty());
    }
    for fix in analysis.fixes(0..text.len()) {
        fix.edits.iter().for_each(|edit| check(&edit.range));
    }
    outline(&analysis.outline(), &check);
    for hint in analysis.hints(0..text.len()) {
        check(&(hint.place..hint.place));
    }
    for &place in places {
        let place = text.floor_char_boundary(place.min(text.len()));
        for item in analysis.complete(place, &NoFiles).items {
            check(&item.edit.range);
        }
        analysis
            .hover(place, &NoFiles)
            .iter()
            .for_each(|hover| check(&hover.range));
        analysis
            .definition(place, &NoFiles)
            .iter()
            .for_each(|target| check(&target.whole));
        analysis
            .references(place, &NoFiles)
            .iter()
            .for_each(|found| check(&found.range()));
        if let Ok(renaming) = analysis.rename(place, "other", &NoFiles) {
            renaming
                .edits(analysis.name())
                .iter()
                .for_each(|edit| check(&edit.range));
        }
    }
}

fn outline(symbols: &[Symbol], check: &dyn Fn(&Range<usize>)) {
    for symbol in symbols {
        check(&symbol.whole);
        check(&symbol.range);
        outline(&symbol.children, check);
    }
}

#[test]
fn every_beginning_of_the_samples() {
    let samples = statewright_samples::ALL.iter().map(|sample| sample.text);
    for text in std::iter::once(GUARD).chain(samples) {
        // Every beginning of a short text; of a long one as many.
        let step = text.len().div_ceil(1500);
        for end in (0..text.len())
            .step_by(step)
            .filter(|&end| text.is_char_boundary(end))
        {
            ask(&text[..end], &[end]);
        }
    }
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

#[test]
fn random_edits_one_after_the_other() {
    const PIECES: [&str; 16] = [
        "\"", "{", "}", "[", "]", ":", ",", "\\", "\n", "é", "/*", "//", "null", "\"to\"",
        "\u{feff}", "\u{1}",
    ];
    let mut rng = Rng(0x9e37_79b9_7f4a_7c15);
    for _ in 0..12 {
        let mut text = GUARD.to_owned();
        for _ in 0..60 {
            let at = text.floor_char_boundary(rng.below(text.len()));
            let end = text
                .floor_char_boundary((at + rng.below(12)).min(text.len()))
                .max(at);
            let end = if rng.below(2) == 0 { at } else { end };
            let piece = PIECES[rng.below(PIECES.len())];
            text.replace_range(at..end, piece);
            ask(&text, &[at, rng.below(text.len())]);
        }
    }
}

#[test]
fn texts_that_are_no_machines() {
    let deep = "[".repeat(100_000);
    let long = format!("{{ \"machine\": \"{}\" }}", "x".repeat(100_000));
    for text in [
        "",
        " ",
        "\u{feff}",
        "\u{feff}{}",
        "null",
        "[]",
        "\"",
        "\\",
        "/",
        "/*",
        "//",
        "{\"",
        "{]}",
        "{\"a\":{\"b\":[}}",
        "{\"states\":[{}]}",
        "{\"states\":{\"\":{}}}",
        "\u{1F600}",
        "{\"\\ud83d\":1}",
        &deep,
        &long,
    ] {
        ask(text, &[0, 1, text.len() / 2, text.len()]);
    }
}

#[test]
fn a_byte_order_mark_moves_nothing() {
    let marked = format!("\u{feff}{GUARD}");
    let (with, without) = (Analysis::new("m", &marked), Analysis::new("m", GUARD));
    let place = GUARD.find("fight/rest").unwrap();
    let range = |analysis: &Analysis, place| {
        let targets = analysis.definition(place, &NoFiles);
        targets.first().expect("a definition").range.clone()
    };
    let (moved, range) = (range(&with, place + 3), range(&without, place));
    assert_eq!(moved, range.start + 3..range.end + 3);
}
