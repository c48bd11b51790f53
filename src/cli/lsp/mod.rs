//! `coarsen lsp`: what the library says, where models are written. It speaks the Language Server Protocol 3.17.
//!
//! One thread answers. It reads a text anew at each change, but only when no further message waits, so that fast typing
//! does not queue up. Another thread ([`analysis`]) checks what has been left alone for a moment.

mod analysis;
mod answers;
mod document;
mod text;

use super::args::LspArgs;
use super::exit::Exit;
use super::limits::Limits;
use super::output::say;
use analysis::{Analysis, Checked, Job};
use coarsen::base::control::ParseLimits;
use crossbeam_channel::{RecvError, select};
use document::Document;
use lsp_server::{Connection, ErrorCode, Message, Notification, ProtocolError, Request, Response};
use lsp_types::notification::{self as told, Notification as _};
use lsp_types::request::{self as asked, Request as _};
use lsp_types::{
    CodeActionParams, CodeLensOptions, CodeLensParams, CompletionOptions, CompletionParams,
    DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    DocumentFormattingParams, DocumentHighlight, DocumentHighlightParams, DocumentSymbolParams,
    DocumentSymbolResponse, GotoDefinitionParams, GotoDefinitionResponse, HoverParams,
    HoverProviderCapability, InitializeParams, Location, OneOf, PublishDiagnosticsParams,
    ReferenceParams, RenameOptions, RenameParams, ServerCapabilities, TextDocumentPositionParams,
    TextDocumentSyncCapability, TextDocumentSyncKind, Uri, WorkspaceEdit,
};
use rustc_hash::FxHashMap;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::thread;
use text::{Encoding, Text};

/// The stack of the thread that answers: models nest as deep as `--limit-depth` allows.
const STACK: usize = 512 << 20;

/// Serves an editor on standard input and output until it says good-bye.
pub fn run(args: &LspArgs) -> Exit {
    let (connection, io) = Connection::stdio();
    let limits = *args.limits;
    let served = thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || serve(connection, limits));
    let wrong = match served.map(thread::JoinHandle::join) {
        Ok(Ok(Ok(()))) => io.join().err().map(|e| e.to_string()),
        Ok(Ok(Err(error))) => Some(error.to_string()),
        Ok(Err(_)) => return Exit::Internal,
        Err(error) => Some(error.to_string()),
    };
    match wrong {
        None => Exit::Holds,
        Some(error) => {
            say(&format!("coarsen: lsp: {error}"));
            Exit::Internal
        }
    }
}

fn serve(connection: Connection, limits: Limits) -> Result<(), ProtocolError> {
    let (id, params) = connection.initialize_start()?;
    let client: InitializeParams = serde_json::from_value(params).unwrap_or_default();
    let general = client.capabilities.general.unwrap_or_default();
    let encoding = Encoding::agreed(general.position_encodings.as_deref());
    let capabilities = json!({
        "capabilities": capabilities(encoding),
        "serverInfo": { "name": "coarsen", "version": env!("CARGO_PKG_VERSION") },
    });
    connection.initialize_finish(id, capabilities)?;
    let workspace = client.capabilities.workspace.unwrap_or_default();
    let options = client.initialization_options.unwrap_or_default();
    let mut server = Server {
        connection: &connection,
        analysis: Analysis::start(limits),
        documents: FxHashMap::default(),
        unread: Vec::new(),
        encoding,
        limits: ParseLimits {
            depth: limits.depth,
        },
        refreshes: workspace.code_lens.and_then(|c| c.refresh_support) == Some(true),
        shows: options.get("show").and_then(Value::as_bool) == Some(true),
        asked: 0,
    };
    server.answer()
}

fn capabilities(encoding: Encoding) -> ServerCapabilities {
    ServerCapabilities {
        position_encoding: Some(encoding.kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Kind(
            TextDocumentSyncKind::INCREMENTAL,
        )),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        document_formatting_provider: Some(OneOf::Left(true)),
        code_action_provider: Some(true.into()),
        code_lens_provider: Some(CodeLensOptions {
            resolve_provider: Some(false),
        }),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(vec![".".to_string()]),
            ..CompletionOptions::default()
        }),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: lsp_types::WorkDoneProgressOptions::default(),
        })),
        ..ServerCapabilities::default()
    }
}

struct Server<'c> {
    connection: &'c Connection,
    analysis: Analysis,
    documents: FxHashMap<String, Document>,
    /// Documents whose text has changed since it was read.
    unread: Vec<Uri>,
    encoding: Encoding,
    limits: ParseLimits,
    /// Whether the editor fetches lenses again when it is told to.
    refreshes: bool,
    /// Whether the editor can show a report.
    shows: bool,
    /// How many requests were made of the editor.
    asked: i32,
}

/// Why a request has no answer.
struct Refusal(ErrorCode, String);

impl Server<'_> {
    fn answer(&mut self) -> Result<(), ProtocolError> {
        loop {
            if self.connection.receiver.is_empty() {
                self.read();
            }
            let checked = self.analysis.checked().clone();
            select! {
                recv(self.connection.receiver) -> message => match message {
                    Ok(Message::Request(request)) => {
                        if self.connection.handle_shutdown(&request)? {
                            return Ok(());
                        }
                        self.read();
                        self.request(request);
                    }
                    Ok(Message::Notification(notification)) => self.notification(notification),
                    Ok(Message::Response(_)) => {}
                    Err(RecvError) => return Ok(()),
                },
                recv(checked) -> checked => {
                    if let Ok(checked) = checked {
                        self.checked(checked);
                    }
                }
            }
        }
    }

    fn send(&self, message: impl Into<Message>) {
        // Without the editor there is nobody to tell.
        let _ = self.connection.sender.send(message.into());
    }

    // ---- documents ----

    fn notification(&mut self, n: Notification) {
        match n.method.as_str() {
            told::DidOpenTextDocument::METHOD => self.with(n, Self::open),
            told::DidChangeTextDocument::METHOD => self.with(n, Self::change),
            told::DidCloseTextDocument::METHOD => self.with(n, Self::close),
            _ => {}
        }
    }

    /// A notification that can't be understood is passed over, as the protocol wants.
    fn with<P: DeserializeOwned>(&mut self, n: Notification, act: impl FnOnce(&mut Self, P)) {
        if let Ok(params) = serde_json::from_value(n.params) {
            act(self, params);
        }
    }

    fn open(&mut self, params: DidOpenTextDocumentParams) {
        let opened = params.text_document;
        // An editor may offer what is no model.
        if file_name(&opened.uri).ends_with(".thy") {
            return;
        }
        let text = Text::new(opened.text, self.encoding);
        let name = file_name(&opened.uri);
        let document = Document::new(name, opened.version, text, self.limits);
        self.documents.insert(opened.uri.to_string(), document);
        self.is_read(&opened.uri);
    }

    fn change(&mut self, params: DidChangeTextDocumentParams) {
        let uri = params.text_document.uri;
        let Some(document) = self.documents.get_mut(uri.as_str()) else {
            return;
        };
        document.text.apply(params.content_changes);
        document.version = params.text_document.version;
        self.analysis.forget(uri.as_str());
        if !self.unread.contains(&uri) {
            self.unread.push(uri);
        }
    }

    fn close(&mut self, params: DidCloseTextDocumentParams) {
        let uri = params.text_document.uri;
        self.analysis.forget(uri.as_str());
        self.documents.remove(uri.as_str());
        self.unread.retain(|u| *u != uri);
        self.publish(uri, Vec::new(), None);
    }

    /// Reads what has changed.
    fn read(&mut self) {
        for uri in std::mem::take(&mut self.unread) {
            if let Some(document) = self.documents.get_mut(uri.as_str()) {
                document.read();
                self.is_read(&uri);
            }
        }
    }

    /// Tells what is wrong with a document, and has it checked if nothing is.
    fn is_read(&self, uri: &Uri) {
        let Some(document) = self.documents.get(uri.as_str()) else {
            return;
        };
        self.publish(
            uri.clone(),
            answers::diagnostics(document),
            Some(document.version),
        );
        if document.is_correct() {
            self.analysis.check(Job {
                uri: uri.to_string(),
                version: document.version,
                name: document.name.clone(),
                source: document.text.source().to_string(),
            });
        }
    }

    fn checked(&mut self, checked: Checked) {
        let document = self.documents.get_mut(&checked.uri);
        let Some(document) = document.filter(|d| d.version == checked.version) else {
            return;
        };
        document.facts = Some(checked.facts);
        let (diagnostics, version) = (answers::diagnostics(document), document.version);
        if let Ok(uri) = checked.uri.parse::<Uri>() {
            self.publish(uri, diagnostics, Some(version));
        }
        if self.refreshes {
            self.asked += 1;
            let (id, method) = (
                self.asked.into(),
                asked::CodeLensRefresh::METHOD.to_string(),
            );
            let params = Value::Null;
            self.send(Request { id, method, params });
        }
    }

    fn publish(&self, uri: Uri, diagnostics: Vec<lsp_types::Diagnostic>, version: Option<i32>) {
        let params = PublishDiagnosticsParams::new(uri, diagnostics, version);
        let method = told::PublishDiagnostics::METHOD.to_string();
        self.send(Notification::new(method, params));
    }

    // ---- questions ----

    fn request(&self, request: Request) {
        let id = request.id.clone();
        self.send(match self.result(request) {
            Ok(result) => Response::new_ok(id, result),
            Err(Refusal(code, why)) => Response::new_err(id, code as i32, why),
        });
    }

    fn result(&self, request: Request) -> Result<Value, Refusal> {
        let method = request.method.clone();
        match method.as_str() {
            asked::HoverRequest::METHOD => on(request, |p: HoverParams| {
                let at = p.text_document_position_params;
                Ok(self
                    .document(&at)
                    .and_then(|d| answers::hover(d, at.position)))
            }),
            asked::GotoDefinition::METHOD => on(request, |p: GotoDefinitionParams| {
                let at = p.text_document_position_params;
                let found = self
                    .document(&at)
                    .map(|d| answers::definitions(d, at.position));
                let uri = &at.text_document.uri;
                Ok(GotoDefinitionResponse::Array(located(
                    uri,
                    found.unwrap_or_default(),
                )))
            }),
            asked::References::METHOD => on(request, |p: ReferenceParams| {
                let (at, all) = (p.text_document_position, p.context.include_declaration);
                let found = self
                    .document(&at)
                    .map(|d| answers::references(d, at.position, all));
                Ok(located(&at.text_document.uri, found.unwrap_or_default()))
            }),
            asked::DocumentHighlightRequest::METHOD => on(request, |p: DocumentHighlightParams| {
                let at = p.text_document_position_params;
                let found = self
                    .document(&at)
                    .map(|d| answers::references(d, at.position, true));
                let shown = |range| DocumentHighlight { range, kind: None };
                Ok(found
                    .unwrap_or_default()
                    .into_iter()
                    .map(shown)
                    .collect::<Vec<_>>())
            }),
            asked::PrepareRenameRequest::METHOD => on(request, |at: TextDocumentPositionParams| {
                Ok(self
                    .document(&at)
                    .and_then(|d| answers::renamed(d, at.position)))
            }),
            asked::Rename::METHOD => on(request, |p: RenameParams| self.rename(&p)),
            asked::DocumentSymbolRequest::METHOD => on(request, |p: DocumentSymbolParams| {
                let found = self.at(&p.text_document.uri).map(answers::symbols);
                Ok(DocumentSymbolResponse::Nested(found.unwrap_or_default()))
            }),
            asked::CodeLensRequest::METHOD => on(request, |p: CodeLensParams| {
                let document = self.at(&p.text_document.uri);
                Ok(document
                    .map(|d| answers::lenses(d, self.shows))
                    .unwrap_or_default())
            }),
            asked::CodeActionRequest::METHOD => on(request, |p: CodeActionParams| {
                let uri = &p.text_document.uri;
                let document = self.at(uri);
                Ok(document
                    .map(|d| answers::actions(d, uri, p.range))
                    .unwrap_or_default())
            }),
            asked::Formatting::METHOD => on(request, |p: DocumentFormattingParams| {
                let document = self.at(&p.text_document.uri);
                Ok(document
                    .map(|d| answers::formatted(d, self.limits))
                    .unwrap_or_default())
            }),
            asked::Completion::METHOD => on(request, |p: CompletionParams| {
                let at = p.text_document_position;
                let found = self
                    .document(&at)
                    .map(|d| answers::completions(d, at.position));
                Ok(found.unwrap_or_default())
            }),
            _ => {
                let why = format!("{method} is not answered here");
                Err(Refusal(ErrorCode::MethodNotFound, why))
            }
        }
    }

    fn at(&self, uri: &Uri) -> Option<&Document> {
        self.documents.get(uri.as_str())
    }

    fn document(&self, at: &TextDocumentPositionParams) -> Option<&Document> {
        self.at(&at.text_document.uri)
    }

    fn rename(&self, p: &RenameParams) -> Result<WorkspaceEdit, Refusal> {
        let at = &p.text_document_position;
        let refused = |why| Refusal(ErrorCode::RequestFailed, why);
        let unknown = || refused("the document is not open".to_string());
        let document = self.document(at).ok_or_else(unknown)?;
        let edits = answers::rename(document, at.position, &p.new_name, self.encoding);
        let uri = at.text_document.uri.clone();
        Ok(WorkspaceEdit::new([(uri, edits.map_err(refused)?)].into()))
    }
}

/// The answer to a request, if its parameters can be understood.
fn on<P: DeserializeOwned, R: Serialize>(
    request: Request,
    answer: impl FnOnce(P) -> Result<R, Refusal>,
) -> Result<Value, Refusal> {
    let wrong = |e: serde_json::Error| Refusal(ErrorCode::InvalidParams, e.to_string());
    let params = serde_json::from_value(request.params).map_err(wrong)?;
    let failed = |e: serde_json::Error| Refusal(ErrorCode::InternalError, e.to_string());
    serde_json::to_value(answer(params)?).map_err(failed)
}

fn located(uri: &Uri, ranges: Vec<lsp_types::Range>) -> Vec<Location> {
    let place = |range| Location::new(uri.clone(), range);
    ranges.into_iter().map(place).collect()
}

/// The last part of a document's address, as a model is called in reports.
fn file_name(uri: &Uri) -> String {
    let path = percent_encoding::percent_decode_str(uri.path().as_str());
    let path = path.decode_utf8_lossy().into_owned();
    path.rsplit('/').next().unwrap_or(&path).to_string()
}
