//! Problems as text in the look of rustc, drawn by `annotate-snippets`.
//!
//! The crate gets [excerpts](super::excerpt) only. It then cannot know the column of a label in a
//! long line, so each excerpt has a placeholder as its path, which is replaced by
//! `file:line:column` afterwards.

use annotate_snippets::{
    AnnotationKind, Group, Level, Origin, Renderer, Snippet, normalize_untrusted_str,
};

use super::excerpt::{Excerpt, MAX_RELATED, excerpts};
use super::locate::Locator;
use crate::diagnostic::{Diagnostic, Diagnostics, Severity};
use crate::span::{Source, Span};

/// Narrowest output that is drawn.
const MIN_WIDTH: usize = 40;
/// Longest message, label or note that is printed, in characters: texts may quote the file.
const MAX_TEXT_CHARACTERS: usize = 600;
/// Marks a placeholder; a private-use character that is removed from all other text.
const PLACEHOLDER: char = '\u{E000}';

/// How text is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// With ANSI colors.
    pub color: bool,
    /// Columns of the terminal.
    pub width: usize,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            color: false,
            width: 120,
        }
    }
}

/// All problems, then how many there are. Empty if there are none.
pub fn render_text(diagnostics: &Diagnostics, source: &Source, style: Style) -> String {
    if diagnostics.is_empty() {
        return String::new();
    }
    let width = style.width.max(MIN_WIDTH);
    let renderer = if style.color {
        Renderer::styled()
    } else {
        Renderer::plain()
    }
    .term_width(width);
    let locator = Locator::new(source);
    let mut out = String::new();
    for diagnostic in diagnostics {
        match locator.locate(diagnostic.span) {
            Some(_) => in_file(&mut out, &renderer, diagnostic, &locator, width),
            None => in_builder(&mut out, &renderer, diagnostic, source),
        }
        out.push_str("\n\n");
    }
    out.push_str(&summary(diagnostics));
    out.push('\n');
    out
}

fn in_file<'a>(
    out: &mut String,
    renderer: &Renderer,
    diagnostic: &'a Diagnostic,
    locator: &Locator<'a>,
    width: usize,
) {
    let excerpts = excerpts(diagnostic, locator, width);
    let snippets = excerpts
        .iter()
        .enumerate()
        .map(|(at, excerpt)| snippet(at, excerpt));
    let group = heading(diagnostic).elements(snippets);
    let mut text = renderer.render(&[remarks(group, diagnostic)]);
    for (at, excerpt) in excerpts.iter().enumerate() {
        let position = excerpt.lines.position(excerpt.marks[0].start);
        let (name, line, column) = (clean(excerpt.name), position.line, position.column);
        let header = format!("{name}:{line}:{column}");
        replace_placeholder(&mut text, &placeholder(at), &header);
    }
    out.push_str(&text);
}

fn snippet<'a>(
    at: usize,
    excerpt: &Excerpt<'_, 'a>,
) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let annotations = excerpt.marks.iter().map(|mark| {
        let kind = if mark.primary {
            AnnotationKind::Primary
        } else {
            AnnotationKind::Context
        };
        let label = (!mark.label.is_empty()).then(|| clean(mark.label));
        kind.span(mark.start - excerpt.start..mark.end - excerpt.start)
            .label(label)
    });
    Snippet::source(excerpt.text)
        .line_start(excerpt.lines.line_of(excerpt.start) + 1)
        .path(placeholder(at))
        .annotations(annotations)
}

fn in_builder(out: &mut String, renderer: &Renderer, diagnostic: &Diagnostic, source: &Source) {
    let mut group =
        heading(diagnostic).element(Origin::path(builder_path(diagnostic.span, source)));
    if !diagnostic.label.is_empty() {
        group = group.element(Level::NOTE.message(clean(&diagnostic.label)));
    }
    for label in diagnostic.related.iter().take(MAX_RELATED) {
        let step = source.step(label.span).unwrap_or("the machine");
        group =
            group.element(Level::NOTE.message(format!("{}: {}", clean(&label.text), clean(step))));
    }
    out.push_str(&renderer.render(&[remarks(group, diagnostic)]));
}

/// ``machine `Soldier`: state combat > transition 2``.
fn builder_path(span: Span, source: &Source) -> String {
    let machine = clean(source.name());
    match source.step(span) {
        Some(step) if !step.is_empty() => format!("machine `{machine}`: {}", clean(step)),
        _ => format!("machine `{machine}`"),
    }
}

fn heading(diagnostic: &Diagnostic) -> Group<'static> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Hint => Level::INFO.with_name("hint"),
    };
    Group::with_title(
        level
            .primary_title(clean(&diagnostic.message))
            .id(diagnostic.code.info().id),
    )
}

/// Adds notes and help.
fn remarks<'a>(mut group: Group<'a>, diagnostic: &Diagnostic) -> Group<'a> {
    let hidden = diagnostic.related.len().saturating_sub(MAX_RELATED);
    if hidden > 0 {
        group = group.element(Level::NOTE.message(format!("{hidden} more places are not shown")));
    }
    group = group.elements(
        diagnostic
            .notes
            .iter()
            .map(|note| Level::NOTE.message(clean(note))),
    );
    group.elements(
        diagnostic
            .help
            .iter()
            .map(|help| Level::HELP.message(clean(help))),
    )
}

/// Text that may quote a file, made short and harmless for a terminal.
fn clean(text: &str) -> String {
    let mut characters = text.chars().filter(|&c| c != PLACEHOLDER);
    let mut short: String = characters.by_ref().take(MAX_TEXT_CHARACTERS).collect();
    if characters.next().is_some() {
        short.push('…');
    }
    short
        .split('\n')
        .map(normalize_untrusted_str)
        .collect::<Vec<_>>()
        .join("\n")
}

fn placeholder(excerpt: usize) -> String {
    format!("{PLACEHOLDER}{excerpt}{PLACEHOLDER}")
}

/// Replaces a placeholder and the line and column that follow it.
fn replace_placeholder(text: &mut String, placeholder: &str, by: &str) {
    let Some(start) = text.find(placeholder) else {
        return;
    };
    let after = start + placeholder.len();
    let length = text[after..]
        .find(|c: char| c != ':' && !c.is_ascii_digit())
        .unwrap_or(text.len() - after);
    text.replace_range(start..after + length, by);
}

/// `2 errors and 1 warning (+3 more not shown)`.
fn summary(diagnostics: &Diagnostics) -> String {
    let hints = diagnostics
        .iter()
        .filter(|d| d.severity == Severity::Hint)
        .count();
    let counts = [
        (diagnostics.errors(), "error"),
        (diagnostics.warnings(), "warning"),
        (hints, "hint"),
    ];
    let parts: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}{}", if *count == 1 { "" } else { "s" }))
        .collect();
    let listed = match parts.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    };
    match diagnostics.omitted() {
        0 => listed,
        omitted => format!("{listed} (+{omitted} more not shown)"),
    }
}
