//! Where agents were, tick by tick: a row per agent, a bar per leaf.

use std::fmt::Write;
use std::ops::Range;

use crate::escape::xml;
use crate::theme::{HEAT_STEPS, Theme, style};

/// One row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Track {
    /// What stands before it.
    pub name: String,
    /// From which tick on the agent was where, in order.
    pub spans: Vec<(u64, String)>,
    /// Ticks that it has.
    pub ticks: Range<u64>,
    /// Whether it is what became of the row before it in a fork.
    pub is_fork: bool,
    /// Since which tick it is a guess.
    pub guessed: Option<u64>,
}

const ROW: u64 = 22;
const BAR: u64 = 16;
const LEFT: u64 = 96;
const WIDTH: u64 = 960;
const TOP: u64 = 34;
/// A bar narrower than this has no text.
const NARROW: u64 = 30;

/// A picture of rows, one above the other, over one axis of ticks.
pub fn timeline(tracks: &[Track], theme: Theme) -> String {
    let start = tracks.iter().map(|track| track.ticks.start).min();
    let end = tracks.iter().map(|track| track.ticks.end).max();
    let ticks = start.unwrap_or(0)..end.unwrap_or(0).max(start.unwrap_or(0) + 1);
    let leaves = leaves(tracks);
    let height = TOP + ROW * tracks.len() as u64 + 40 + 18 * leaves.len().div_ceil(4) as u64;
    let mut out = String::new();
    // Writing to a string cannot fail.
    _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{height}\" viewBox=\"0 0 {0} {height}\">\n<style>{1}</style>\n<rect class=\"paper\" width=\"{0}\" height=\"{height}\"/>",
        LEFT + WIDTH + 20,
        style(theme)
    );
    axis(&mut out, &ticks, tracks.len() as u64);
    for (row, track) in (0..).zip(tracks) {
        put_track(&mut out, track, (row, &ticks), &leaves);
    }
    let below = TOP + ROW * tracks.len() as u64 + 18;
    for (place, leaf) in (0..).zip(&leaves) {
        let (x, y) = (LEFT + place % 4 * 240, below + place / 4 * 18);
        _ = writeln!(
            out,
            "<rect class=\"box heat{}\" x=\"{x}\" y=\"{y}\" width=\"14\" height=\"12\"/><text class=\"text\" x=\"{}\" y=\"{}\">{}</text>",
            color(place as usize),
            x + 20,
            y + 10,
            xml(&short(leaf, 34))
        );
    }
    out.push_str("</svg>\n");
    out
}

/// All leaves, in the order in which they are first seen.
fn leaves(tracks: &[Track]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (_, leaf) in tracks.iter().flat_map(|track| &track.spans) {
        if !found.contains(leaf) {
            found.push(leaf.clone());
        }
    }
    found
}

/// Colors far apart first.
fn color(place: usize) -> usize {
    (place * 5 + 2) % HEAT_STEPS
}

fn x(tick: u64, ticks: &Range<u64>) -> u64 {
    let all = ticks.end - ticks.start;
    LEFT + tick
        .clamp(ticks.start, ticks.end)
        .saturating_sub(ticks.start)
        * WIDTH
        / all
}

fn axis(out: &mut String, ticks: &Range<u64>, rows: u64) {
    let all = ticks.end - ticks.start;
    // About ten lines, at round numbers.
    let steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000];
    let step = steps.into_iter().find(|step| all / step <= 12);
    let step = step.unwrap_or(all.div_ceil(10));
    let mut tick = ticks.start.next_multiple_of(step);
    let bottom = TOP + rows * ROW;
    while tick <= ticks.end {
        let at = x(tick, ticks);
        _ = writeln!(
            out,
            "<path class=\"rule\" d=\"M{at} {}V{bottom}\"/><text class=\"text middle\" x=\"{at}\" y=\"{}\">{tick}</text>",
            TOP - 8,
            TOP - 14
        );
        tick += step;
    }
}

fn put_track(out: &mut String, track: &Track, (row, ticks): (u64, &Range<u64>), leaves: &[String]) {
    let y = TOP + row * ROW;
    let class = if track.is_fork { "name" } else { "text" };
    _ = writeln!(
        out,
        "<text class=\"{class}\" x=\"{}\" y=\"{}\">{}</text>",
        if track.is_fork { 24 } else { 8 },
        y + 12,
        xml(&short(&track.name, 14))
    );
    let ends = track.spans.iter().skip(1).map(|(tick, _)| *tick);
    let ends = ends.chain([track.ticks.end]);
    for ((from, leaf), to) in track.spans.iter().zip(ends) {
        let (left, right) = (x(*from, ticks), x(to, ticks));
        let width = right.saturating_sub(left).max(1);
        let place = leaves.iter().position(|known| known == leaf).unwrap_or(0);
        let lit = if track.is_fork { " shared" } else { "" };
        _ = writeln!(
            out,
            "<rect class=\"box{lit} heat{}\" x=\"{left}\" y=\"{y}\" width=\"{width}\" height=\"{BAR}\"><title>{} from tick {from} to {to}</title></rect>",
            color(place),
            xml(leaf)
        );
        if width > NARROW {
            let room = width as usize / 7;
            _ = writeln!(
                out,
                "<text class=\"title\" style=\"font-size:10px\" x=\"{}\" y=\"{}\">{}</text>",
                left + 4,
                y + 12,
                xml(&short(leaf, room))
            );
        }
    }
    if let Some(since) = track.guessed {
        let at = x(since, ticks);
        _ = writeln!(
            out,
            "<path class=\"line interrupt\" d=\"M{at} {}H{}\"><title>guessed since tick {since}</title></path>",
            y + BAR + 3,
            x(track.ticks.end, ticks)
        );
    }
}

/// The end of a text that is too long: leaves differ there.
fn short(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_owned();
    }
    let rest: String = text.chars().skip(count - most.saturating_sub(1)).collect();
    format!("…{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn track(is_fork: bool) -> Track {
        Track {
            name: "<agent>".to_owned(),
            spans: vec![(0, "a".to_owned()), (40, "b & c".to_owned())],
            ticks: 0..100,
            is_fork,
            guessed: is_fork.then_some(50),
        }
    }

    #[test]
    fn names_are_text_and_every_span_is_there() {
        let svg = timeline(&[track(false), track(true)], Theme::Light);
        assert!(svg.contains("&lt;agent&gt;") && !svg.contains("<agent>"));
        assert_eq!(svg.matches("from tick 40 to 100").count(), 2);
        assert!(svg.contains("guessed since tick 50"));
        assert_eq!(timeline(&[], Theme::Auto).matches("<svg").count(), 1);
    }
}
