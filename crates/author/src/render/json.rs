//! Problems as JSON: an array with one object per problem, for editors and other tools.

use serde_json::{Map, Value, json};

use super::index::LineIndex;
use super::locate::Locator;
use crate::diagnostic::{Diagnostic, Diagnostics, Label};
use crate::span::{Source, Span};

/// An array with one object per problem: `code`, `severity`, `message`, where (`file` and `range`,
/// or `machine` and `path`), and `label`, `related`, `notes`, `help` where there are any. Lines and
/// columns count from 1, columns in characters; bytes count from 0.
pub fn render_json(diagnostics: &Diagnostics, source: &Source) -> Value {
    let spans = SourceSpans {
        source,
        locator: Locator::new(source),
    };
    Value::Array(
        diagnostics
            .iter()
            .map(|diagnostic| spans.problem(diagnostic))
            .collect(),
    )
}

struct SourceSpans<'a> {
    source: &'a Source,
    locator: Locator<'a>,
}

impl SourceSpans<'_> {
    fn problem(&self, diagnostic: &Diagnostic) -> Value {
        let mut object = Map::new();
        object.insert("code".into(), diagnostic.code.info().id.into());
        object.insert("severity".into(), diagnostic.severity.as_str().into());
        object.insert("message".into(), diagnostic.message.as_str().into());
        self.insert_span(&mut object, diagnostic.span);
        if !diagnostic.label.is_empty() {
            object.insert("label".into(), diagnostic.label.as_str().into());
        }
        if !diagnostic.related.is_empty() {
            object.insert(
                "related".into(),
                diagnostic
                    .related
                    .iter()
                    .map(|label| self.related(label))
                    .collect(),
            );
        }
        if !diagnostic.notes.is_empty() {
            object.insert("notes".into(), diagnostic.notes.clone().into());
        }
        if let Some(help) = &diagnostic.help {
            object.insert("help".into(), help.as_str().into());
        }
        Value::Object(object)
    }

    fn related(&self, label: &Label) -> Value {
        let mut object = Map::new();
        object.insert("label".into(), label.text.as_str().into());
        self.insert_span(&mut object, label.span);
        Value::Object(object)
    }

    fn insert_span(&self, object: &mut Map<String, Value>, span: Span) {
        let Some(located) = self.locator.locate(span) else {
            object.insert("machine".into(), self.source.name().into());
            object.insert(
                "path".into(),
                self.source.step(span).unwrap_or_default().into(),
            );
            return;
        };
        object.insert("file".into(), located.name.into());
        if !span.is_step() {
            let (start, end) = (located.span.start, located.span.end);
            let lines = located.lines;
            let range = json!({
                "start": position(lines, start),
                "end": position(lines, end.max(start)),
            });
            object.insert("range".into(), range);
        }
    }
}

fn position(index: &LineIndex<'_>, offset: u32) -> Value {
    let position = index.position(offset as usize);
    json!({ "line": position.line, "column": position.column, "byte": position.byte })
}
