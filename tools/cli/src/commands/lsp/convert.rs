//! Answers of the library in the words of the protocol.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use lsp_types::{
    CodeActionKind, CompletionItem, CompletionItemKind, CompletionTextEdit,
    Diagnostic as LspDiagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DocumentChanges,
    DocumentSymbol, Documentation, InsertTextFormat, Location, MarkupContent, MarkupKind,
    NumberOrString, OneOf, OptionalVersionedTextDocumentIdentifier, Range as LspRange, SymbolKind,
    TextDocumentEdit, TextEdit, Uri, WorkspaceEdit,
};
use statewright_author::diagnostic::{Diagnostic, Severity};
use statewright_author::span::Span;
use statewright_author::text::shape::Item;
use statewright_language::{Analysis, Completion, CompletionKind, Edit, Symbol};

use super::documents::{Asked, Documents};
use super::place::{Encoding, Lines};
use super::server::Client;

/// All problems of a machine, by the file in which they lie. Its own is always there.
pub(super) fn problems(
    analysis: &Analysis,
    documents: &Documents,
    encoding: Encoding,
) -> BTreeMap<String, Vec<LspDiagnostic>> {
    let mut files = BTreeMap::from([(analysis.name().to_owned(), Vec::new())]);
    let mut places = Places::new(analysis, documents, encoding);
    for (place, found) in analysis.all_problems() {
        let file = place.file.unwrap_or(analysis.name()).to_owned();
        let shown = problem(found, &mut places);
        files.entry(file).or_insert_with(Vec::new).push(shown);
    }
    files
}

/// Spans of a machine as places of its files.
pub(super) struct Places<'a> {
    analysis: &'a Analysis,
    documents: &'a Documents,
    encoding: Encoding,
    lines: BTreeMap<Option<&'a str>, Lines>,
}

impl<'a> Places<'a> {
    pub(super) fn new(
        analysis: &'a Analysis,
        documents: &'a Documents,
        encoding: Encoding,
    ) -> Self {
        Self {
            analysis,
            documents,
            encoding,
            lines: BTreeMap::new(),
        }
    }

    fn range(&mut self, span: Span) -> LspRange {
        let place = self.analysis.place(span);
        let lines = self.lines.entry(place.file);
        let lines = lines.or_insert_with(|| Lines::new(place.text));
        lines.range(place.text, place.range, self.encoding)
    }

    fn location(&mut self, span: Span) -> Option<Location> {
        let place = self.analysis.place(span);
        let file = place.file.unwrap_or(self.analysis.name());
        Some(Location::new(self.documents.uri(file)?, self.range(span)))
    }
}

/// One problem.
pub(super) fn problem(problem: &Diagnostic, places: &mut Places) -> LspDiagnostic {
    let related = problem.related.iter();
    let related = related.filter_map(|label| {
        Some(DiagnosticRelatedInformation {
            location: places.location(label.span)?,
            message: label.text.clone(),
        })
    });
    let related = related.collect();
    let mut message = problem.message.clone();
    for note in &problem.notes {
        message += &format!("\n{note}");
    }
    if let Some(help) = &problem.help {
        message += &format!("\nhelp: {help}");
    }
    LspDiagnostic {
        range: places.range(problem.span),
        severity: Some(match problem.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Hint => DiagnosticSeverity::HINT,
        }),
        code: Some(NumberOrString::String(problem.code.info().id.to_owned())),
        source: Some("statewright".to_owned()),
        message,
        related_information: Some(related),
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

/// Edits of documents; of an open one only as long as it has this version.
pub(super) fn change(files: &[(Asked, Vec<Edit>)], client: Client) -> WorkspaceEdit {
    let changes = files.iter().map(|(asked, edits)| {
        let mut edits: Vec<&Edit> = edits.iter().collect();
        edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
        let edits = edits.into_iter();
        let edits: Vec<TextEdit> = edits.map(|one| edit(asked, one, client.encoding)).collect();
        (asked, edits)
    });
    if !client.takes_versions {
        let changes = changes.map(|(asked, edits)| (asked.uri.clone(), edits));
        #[expect(
            clippy::mutable_key_type,
            reason = "the protocol's type; nothing changes a key"
        )]
        let changes: HashMap<Uri, Vec<TextEdit>> = changes.collect();
        return WorkspaceEdit::new(changes);
    }
    let changes = changes.map(|(asked, edits)| TextDocumentEdit {
        text_document: OptionalVersionedTextDocumentIdentifier {
            uri: asked.uri.clone(),
            version: asked.version,
        },
        edits: edits.into_iter().map(OneOf::Left).collect(),
    });
    WorkspaceEdit {
        document_changes: Some(DocumentChanges::Edits(changes.collect())),
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
            CompletionKind::File => CompletionItemKind::FILE,
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
