//! Answers of the library in the words of the protocol.

use std::collections::HashMap;
use std::ops::Range;

use lsp_types::{
    CodeActionKind, CompletionItem, CompletionItemKind, CompletionTextEdit,
    Diagnostic as LspDiagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DocumentChanges,
    DocumentSymbol, Documentation, InsertTextFormat, Location, MarkupContent, MarkupKind,
    NumberOrString, OneOf, OptionalVersionedTextDocumentIdentifier, Range as LspRange, SymbolKind,
    TextDocumentEdit, TextEdit, Uri, WorkspaceEdit,
};
use statewright_author::diagnostic::{Diagnostic, Severity};
use statewright_author::text::shape::Item;
use statewright_language::{Analysis, Completion, CompletionKind, Edit, Symbol};

use super::documents::Asked;
use super::place::{Encoding, Lines};
use super::server::Client;

/// All problems of a text.
pub(super) fn problems(
    analysis: &Analysis,
    lines: &Lines,
    encoding: Encoding,
    uri: &Uri,
) -> Vec<LspDiagnostic> {
    let problems = analysis.problems();
    problems
        .map(|(_, found)| problem(found, analysis, lines, encoding, uri))
        .collect()
}

/// One problem.
pub(super) fn problem(
    problem: &Diagnostic,
    analysis: &Analysis,
    lines: &Lines,
    encoding: Encoding,
    uri: &Uri,
) -> LspDiagnostic {
    let range = |span| lines.range(analysis.text(), analysis.range(span), encoding);
    let related = problem
        .related
        .iter()
        .map(|label| DiagnosticRelatedInformation {
            location: Location::new(uri.clone(), range(label.span)),
            message: label.text.clone(),
        });
    let mut message = problem.message.clone();
    for note in &problem.notes {
        message += &format!("\n{note}");
    }
    if let Some(help) = &problem.help {
        message += &format!("\nhelp: {help}");
    }
    LspDiagnostic {
        range: range(problem.span),
        severity: Some(match problem.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Hint => DiagnosticSeverity::HINT,
        }),
        code: Some(NumberOrString::String(problem.code.info().id.to_owned())),
        source: Some("statewright".to_owned()),
        message,
        related_information: Some(related.collect()),
        ..LspDiagnostic::default()
    }
}

/// The place of a range.
pub(super) fn range(asked: &Asked, range: Range<usize>, encoding: Encoding) -> LspRange {
    asked.lines.range(asked.analysis.text(), range, encoding)
}

/// An edit.
pub(super) fn edit(asked: &Asked, edit: &Edit, encoding: Encoding) -> TextEdit {
    TextEdit::new(
        range(asked, edit.range.clone(), encoding),
        edit.text.clone(),
    )
}

/// Edits of a document; of an open one only as long as it has this version.
pub(super) fn change(asked: &Asked, uri: &Uri, edits: &[Edit], client: Client) -> WorkspaceEdit {
    let mut edits: Vec<&Edit> = edits.iter().collect();
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let edits = edits
        .into_iter()
        .map(|one| edit(asked, one, client.encoding));
    if !client.takes_versions {
        #[expect(
            clippy::mutable_key_type,
            reason = "the protocol's type; nothing changes a key"
        )]
        let changes = HashMap::from([(uri.clone(), edits.collect())]);
        return WorkspaceEdit::new(changes);
    }
    let document = OptionalVersionedTextDocumentIdentifier {
        uri: uri.clone(),
        version: asked.version,
    };
    WorkspaceEdit {
        document_changes: Some(DocumentChanges::Edits(vec![TextDocumentEdit {
            text_document: document,
            edits: edits.map(OneOf::Left).collect(),
        }])),
        ..WorkspaceEdit::default()
    }
}

/// Whether a kind of code actions has quick fixes in it.
pub(super) fn is_quick_fix(kind: &str) -> bool {
    kind.is_empty() || kind == CodeActionKind::QUICKFIX.as_str()
}

/// Something that could be written; `rank` keeps the order.
pub(super) fn completion(
    item: &Completion,
    rank: usize,
    asked: &Asked,
    client: Client,
) -> CompletionItem {
    let mut written = item.edit.clone();
    let is_snippet = item.is_snippet && client.takes_snippets;
    if item.is_snippet && !is_snippet {
        written.text = written.text.replace("$0", "");
    }
    let filter = written
        .text
        .split(':')
        .next()
        .unwrap_or_default()
        .to_owned();
    CompletionItem {
        label: item.label.clone(),
        kind: Some(match item.kind {
            CompletionKind::Field => CompletionItemKind::PROPERTY,
            CompletionKind::Word => CompletionItemKind::ENUM_MEMBER,
            CompletionKind::BuiltIn => CompletionItemKind::FUNCTION,
            CompletionKind::Item(item) => item_kind(item),
        }),
        detail: (!item.detail.is_empty()).then(|| item.detail.clone()),
        documentation: item.doc.as_ref().map(|doc| {
            Documentation::MarkupContent(MarkupContent {
                kind: MarkupKind::Markdown,
                value: doc.clone(),
            })
        }),
        sort_text: Some(format!("{rank:04}")),
        filter_text: Some(filter),
        insert_text_format: Some(match is_snippet {
            true => InsertTextFormat::SNIPPET,
            false => InsertTextFormat::PLAIN_TEXT,
        }),
        text_edit: Some(CompletionTextEdit::Edit(edit(
            asked,
            &written,
            client.encoding,
        ))),
        ..CompletionItem::default()
    }
}

fn item_kind(item: Item) -> CompletionItemKind {
    match item {
        Item::State | Item::Region | Item::History => CompletionItemKind::CLASS,
        Item::Event => CompletionItemKind::EVENT,
        Item::Function => CompletionItemKind::FUNCTION,
        Item::Key | Item::Scratch => CompletionItemKind::VARIABLE,
        Item::Parameter => CompletionItemKind::CONSTANT,
        Item::Timer | Item::Lane | Item::Channel => CompletionItemKind::UNIT,
        Item::TransitionSet | Item::Variant => CompletionItemKind::MODULE,
    }
}

/// Declarations as a tree.
#[expect(deprecated, reason = "the protocol's type has no other way to be made")]
pub(super) fn symbols(
    symbols: Vec<Symbol>,
    asked: &Asked,
    encoding: Encoding,
) -> Vec<DocumentSymbol> {
    let symbol = |symbol: Symbol| DocumentSymbol {
        name: symbol.name,
        detail: Some(match symbol.detail.is_empty() {
            true => symbol.item.word().to_owned(),
            false => format!("{}: {}", symbol.item.word(), symbol.detail),
        }),
        kind: symbol_kind(symbol.item),
        tags: None,
        deprecated: None,
        range: range(asked, symbol.whole, encoding),
        selection_range: range(asked, symbol.range, encoding),
        children: Some(self::symbols(symbol.children, asked, encoding)),
    };
    symbols.into_iter().map(symbol).collect()
}

fn symbol_kind(item: Item) -> SymbolKind {
    match item {
        Item::State | Item::Region | Item::History => SymbolKind::CLASS,
        Item::Event => SymbolKind::EVENT,
        Item::Function => SymbolKind::FUNCTION,
        Item::Key | Item::Scratch => SymbolKind::VARIABLE,
        Item::Parameter => SymbolKind::CONSTANT,
        Item::Timer | Item::Lane | Item::Channel => SymbolKind::OBJECT,
        Item::TransitionSet | Item::Variant => SymbolKind::MODULE,
    }
}
