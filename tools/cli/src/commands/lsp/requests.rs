//! The questions of the protocol: which there are, and who answers each.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::convert::{self, Places};
use super::documents::Asked;
use super::place::Lines;
use super::server::{Client, Server};
use super::texts::name;
use lsp_server::{ErrorCode, Request, Response};
use lsp_types::request::{
    CodeActionRequest, Completion, DocumentSymbolRequest, Formatting, GotoDefinition, HoverRequest,
    InlayHintRequest, PrepareRenameRequest, References, Rename, Request as _,
};
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOptions, CodeActionOrCommand, CodeActionParams,
    CodeActionProviderCapability, CompletionList, CompletionOptions, CompletionParams,
    CompletionResponse, DocumentFormattingParams, DocumentSymbolParams, DocumentSymbolResponse,
    GotoDefinitionParams, GotoDefinitionResponse, Hover, HoverContents, HoverParams,
    HoverProviderCapability, InlayHint, InlayHintLabel, InlayHintParams, Location, MarkupContent,
    MarkupKind, OneOf, PrepareRenameResponse, ReferenceParams, RenameOptions, RenameParams,
    ServerCapabilities, TextDocumentPositionParams, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextDocumentSyncOptions, TextEdit, Uri, WorkspaceEdit,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use statewright_language::{Files, Target};

impl Client {
    /// What the server can do for this client.
    pub(super) fn capabilities(&self) -> ServerCapabilities {
        ServerCapabilities {
            position_encoding: Some(self.encoding.name()),
            text_document_sync: Some(TextDocumentSyncCapability::Options(
                TextDocumentSyncOptions {
                    open_close: Some(true),
                    change: Some(TextDocumentSyncKind::INCREMENTAL),
                    ..TextDocumentSyncOptions::default()
                },
            )),
            completion_provider: Some(CompletionOptions {
                trigger_characters: Some(["\"", "/", "(", ":"].map(str::to_owned).to_vec()),
                ..CompletionOptions::default()
            }),
            hover_provider: Some(HoverProviderCapability::Simple(true)),
            definition_provider: Some(OneOf::Left(true)),
            references_provider: Some(OneOf::Left(true)),
            document_symbol_provider: Some(OneOf::Left(true)),
            document_formatting_provider: Some(OneOf::Left(true)),
            inlay_hint_provider: Some(OneOf::Left(true)),
            code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
                code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
                ..CodeActionOptions::default()
            })),
            rename_provider: Some(OneOf::Right(RenameOptions {
                prepare_provider: Some(true),
                work_done_progress_options: Default::default(),
            })),
            ..ServerCapabilities::default()
        }
    }
}

/// An answer, or why there is none.
type Answer<T> = Result<T, (ErrorCode, String)>;

impl Server {
    /// Answers a question.
    pub(super) fn answer(&mut self, request: Request) -> Response {
        match request.method.as_str() {
            Completion::METHOD => self.with(request, Self::completion),
            HoverRequest::METHOD => self.with(request, Self::hover),
            GotoDefinition::METHOD => self.with(request, Self::definition),
            References::METHOD => self.with(request, Self::references),
            PrepareRenameRequest::METHOD => self.with(request, Self::prepare_rename),
            Rename::METHOD => self.with(request, Self::rename),
            DocumentSymbolRequest::METHOD => self.with(request, Self::symbols),
            Formatting::METHOD => self.with(request, Self::formatting),
            InlayHintRequest::METHOD => self.with(request, Self::hints),
            CodeActionRequest::METHOD => self.with(request, Self::actions),
            other => {
                let text = format!("there is no `{other}` here");
                Response::new_err(request.id, ErrorCode::MethodNotFound as i32, text)
            }
        }
    }

    fn with<P: DeserializeOwned, T: Serialize>(
        &mut self,
        request: Request,
        answer: fn(&mut Self, P) -> Answer<T>,
    ) -> Response {
        let answered = match serde_json::from_value(request.params) {
            Ok(params) => answer(self, params),
            Err(error) => Err((ErrorCode::InvalidParams, error.to_string())),
        };
        match answered {
            Ok(answer) => Response::new_ok(request.id, answer),
            Err((code, text)) => Response::new_err(request.id, code as i32, text),
        }
    }

    fn asked(&mut self, uri: &Uri) -> Answer<Asked> {
        self.of_file(&name(uri))
    }

    fn of_file(&mut self, file: &str) -> Answer<Asked> {
        let none = || {
            (
                ErrorCode::InvalidParams,
                format!("there is no text of {file}"),
            )
        };
        self.documents.asked(file).ok_or_else(none)
    }

    /// The document and the byte that a question is about.
    fn at(&mut self, place: &TextDocumentPositionParams) -> Answer<(Asked, usize)> {
        let encoding = self.client.encoding;
        let asked = self.asked(&place.text_document.uri)?;
        let byte = asked
            .lines
            .byte(asked.analysis.text(), place.position, encoding);
        Ok((asked, byte))
    }

    fn completion(&mut self, params: CompletionParams) -> Answer<CompletionResponse> {
        let (asked, byte) = self.at(&params.text_document_position)?;
        let texts = self.documents.texts();
        let offered = asked.analysis.complete(byte, texts.as_ref());
        let items = offered.items.iter().enumerate();
        let items = items.map(|(rank, item)| convert::completion(item, rank, &asked, self.client));
        Ok(CompletionResponse::List(CompletionList {
            is_incomplete: offered.is_incomplete,
            items: items.collect(),
        }))
    }

    fn hover(&mut self, params: HoverParams) -> Answer<Option<Hover>> {
        let (asked, byte) = self.at(&params.text_document_position_params)?;
        let range = |range| convert::range(&asked, range, self.client.encoding);
        let hover = asked.analysis.hover(byte, self.documents.texts().as_ref());
        Ok(hover.map(|hover| Hover {
            range: Some(range(hover.range)),
            contents: HoverContents::Markup(MarkupContent {
                kind: MarkupKind::Markdown,
                value: hover.text,
            }),
        }))
    }

    fn definition(
        &mut self,
        params: GotoDefinitionParams,
    ) -> Answer<Option<GotoDefinitionResponse>> {
        let place = params.text_document_position_params;
        let (asked, byte) = self.at(&place)?;
        let texts = self.documents.texts();
        let targets = asked.analysis.definition(byte, texts.as_ref());
        let found = targets
            .into_iter()
            .filter_map(|target| self.location(&asked, target));
        let mut found: Vec<Location> = found.collect();
        Ok(match found.len() {
            0 => None,
            1 => found.pop().map(GotoDefinitionResponse::Scalar),
            _ => Some(GotoDefinitionResponse::Array(found)),
        })
    }

    /// Where something is declared. Its file need not be a machine.
    fn location(&self, asked: &Asked, target: Target) -> Option<Location> {
        let encoding = self.client.encoding;
        let Some(file) = target.file else {
            let range = convert::range(asked, target.range, encoding);
            return Some(Location::new(asked.uri.clone(), range));
        };
        let text = self.documents.texts().text(&file)?;
        let range = Lines::new(&text).range(&text, target.range, encoding);
        Some(Location::new(self.documents.uri(&file)?, range))
    }

    fn references(&mut self, params: ReferenceParams) -> Answer<Vec<Location>> {
        let (asked, byte) = self.at(&params.text_document_position)?;
        let texts = self.documents.texts();
        let wanted = |declares: bool| params.context.include_declaration || !declares;
        let found = asked.analysis.references(byte, texts.as_ref());
        let found = found.iter().filter(|place| wanted(place.declares));
        let mut files: BTreeMap<&str, Asked> = BTreeMap::new();
        let mut locations = Vec::new();
        for place in found {
            if !files.contains_key(place.file.as_str()) {
                files.insert(&place.file, self.of_file(&place.file)?);
            }
            if let Some(there) = files.get(place.file.as_str()) {
                let range = convert::range(there, place.range(), self.client.encoding);
                locations.push(Location::new(there.uri.clone(), range));
            }
        }
        Ok(locations)
    }

    fn prepare_rename(
        &mut self,
        place: TextDocumentPositionParams,
    ) -> Answer<Option<PrepareRenameResponse>> {
        let (asked, byte) = self.at(&place)?;
        let (range, name) = match asked.analysis.renamable(byte) {
            Ok(found) => found,
            Err(refusal) => return Err((ErrorCode::RequestFailed, refusal.0)),
        };
        Ok(Some(PrepareRenameResponse::RangeWithPlaceholder {
            range: convert::range(&asked, range, self.client.encoding),
            placeholder: name.to_owned(),
        }))
    }

    fn rename(&mut self, params: RenameParams) -> Answer<WorkspaceEdit> {
        let place = params.text_document_position;
        let (asked, byte) = self.at(&place)?;
        let texts = self.documents.texts();
        let renaming = asked
            .analysis
            .rename(byte, &params.new_name, texts.as_ref());
        let renaming = renaming.map_err(|refusal| (ErrorCode::RequestFailed, refusal.0))?;
        let mut files = Vec::new();
        for (file, edits) in renaming.files {
            files.push((self.of_file(&file)?, edits));
        }
        Ok(convert::change(&files, self.client))
    }

    fn symbols(&mut self, params: DocumentSymbolParams) -> Answer<DocumentSymbolResponse> {
        let asked = self.asked(&params.text_document.uri)?;
        let symbols = asked.analysis.outline();
        Ok(DocumentSymbolResponse::Nested(convert::symbols(
            symbols,
            &asked,
            self.client.encoding,
        )))
    }

    fn formatting(&mut self, params: DocumentFormattingParams) -> Answer<Option<Vec<TextEdit>>> {
        let asked = self.asked(&params.text_document.uri)?;
        let edit = asked.analysis.format();
        Ok(edit.map(|edit| vec![convert::edit(&asked, &edit, self.client.encoding)]))
    }

    fn hints(&mut self, params: InlayHintParams) -> Answer<Vec<InlayHint>> {
        let encoding = self.client.encoding;
        let asked = self.asked(&params.text_document.uri)?;
        let part = asked
            .lines
            .bytes(asked.analysis.text(), params.range, encoding);
        let hints = asked
            .analysis
            .hints(part)
            .into_iter()
            .map(|hint| InlayHint {
                position: convert::range(&asked, hint.place..hint.place, encoding).start,
                label: InlayHintLabel::String(hint.text),
                kind: None,
                text_edits: None,
                tooltip: None,
                padding_left: Some(true),
                padding_right: None,
                data: None,
            });
        Ok(hints.collect())
    }

    fn actions(&mut self, params: CodeActionParams) -> Answer<Vec<CodeActionOrCommand>> {
        let encoding = self.client.encoding;
        let uri = &params.text_document.uri;
        let asked = self.asked(uri)?;
        let wanted = params.context.only.as_deref();
        if wanted.is_some_and(|kinds| {
            !kinds
                .iter()
                .any(|kind| convert::is_quick_fix(kind.as_str()))
        }) {
            return Ok(Vec::new());
        }
        let part = asked
            .lines
            .bytes(asked.analysis.text(), params.range, encoding);
        let analysis = Arc::clone(&asked.analysis);
        let fixes = analysis.fixes(part);
        let mut places = Places::new(&analysis, &self.documents, encoding);
        let mut file = (asked, Vec::new());
        let mut actions = Vec::new();
        for fix in fixes {
            file.1 = fix.edits;
            actions.push(CodeActionOrCommand::CodeAction(CodeAction {
                title: fix.title.to_owned(),
                kind: Some(CodeActionKind::QUICKFIX),
                diagnostics: Some(vec![convert::problem(fix.problem, &mut places)]),
                edit: Some(convert::change(std::slice::from_ref(&file), self.client)),
                is_preferred: Some(fix.is_preferred),
                ..CodeAction::default()
            }));
        }
        Ok(actions)
    }
}
