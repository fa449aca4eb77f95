//! What all builders share: the part of the graph being built, the steps that serve as spans, the
//! problems.

use std::collections::HashMap;
use std::fmt::Display;

use crate::codes::DiagnosticCode;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::span::{Name, Span, Spanned};

use super::values::Time;
use crate::value::{Duration, DurationError};

/// Characters of a name that are shown in a step.
const MAX_STEP_NAME: usize = 64;

/// Builds one part of a machine: `T` is the part, and its methods are those of the alias, such as
/// [`StateBuilder`](super::StateBuilder).
#[derive(Debug)]
pub struct Part<'a, T> {
    pub(super) cx: &'a mut Context,
    pub(super) item: &'a mut T,
    /// The step of this part, which is the span of everything in it that has no step of its own.
    pub(super) span: Span,
}

impl<'a, T> Part<'a, T> {
    /// Appends an item to a list and builds it.
    pub(super) fn push(cx: &'a mut Context, list: &'a mut Vec<T>, item: T, span: Span) -> Self {
        let at = list.len();
        list.push(item);
        Self {
            cx,
            item: &mut list[at],
            span,
        }
    }
}

/// Steps and problems of the machine being built.
#[derive(Debug)]
pub(super) struct Context {
    pub(super) steps: Vec<String>,
    pub(super) diagnostics: Diagnostics,
    /// How often a path was used, so that no two steps look the same.
    used: HashMap<String, usize>,
}

impl Context {
    /// The whole machine is step 0, with an empty path.
    pub(super) const MACHINE: Span = Span {
        start: 0,
        end: Span::STEP,
    };

    pub(super) fn new() -> Self {
        Self {
            steps: vec![String::new()],
            diagnostics: Diagnostics::default(),
            used: HashMap::new(),
        }
    }

    /// A new step below another one: `state combat > on Sight`, and `state combat > on Sight #2`
    /// for the next.
    pub(super) fn step(&mut self, parent: Span, kind: &str, name: impl Display) -> Span {
        let name: String = name.to_string().chars().take(MAX_STEP_NAME).collect();
        let own = if name.is_empty() {
            kind.to_string()
        } else {
            format!("{kind} {name}")
        };
        let parent = self
            .steps
            .get(parent.start as usize)
            .map_or("", String::as_str);
        let mut path = if parent.is_empty() {
            own
        } else {
            format!("{parent} > {own}")
        };
        let count = self.used.entry(path.clone()).or_insert(0);
        *count += 1;
        if *count > 1 {
            path = format!("{path} #{count}");
        }
        let index = u32::try_from(self.steps.len()).unwrap_or(u32::MAX);
        self.steps.push(path);
        Span::step(index)
    }

    /// The name of something declared here.
    pub(super) fn declared(&mut self, what: &str, rule: Rule, name: String, span: Span) -> Name {
        if let Err(reason) = rule(&name) {
            let message = format!("`{name}` is not a legal {what} name");
            self.diagnostics
                .push(Diagnostic::new(DiagnosticCode::BadName, span, message).note(reason));
        }
        Spanned::new(name, span)
    }

    /// A duration of one of the forms that `parse` reads; a bad one is reported and becomes the
    /// shortest.
    pub(super) fn duration<T: From<Duration>>(
        &mut self,
        time: Time,
        parse: fn(&str) -> Result<T, DurationError>,
        span: Span,
    ) -> Spanned<T> {
        let duration = time.read(parse).unwrap_or_else(|(text, reason)| {
            let message = format!("`{text}` is not a legal duration");
            self.diagnostics
                .push(Diagnostic::new(DiagnosticCode::BadDuration, span, message).note(reason));
            Duration::default().into()
        });
        Spanned::new(duration, span)
    }

    /// Sets a field that may be given once; the last value stays.
    pub(super) fn set<T>(&mut self, field: &mut Option<T>, name: &str, value: T, span: Span) {
        if field.replace(value).is_some() {
            let message = format!("`{name}` is given twice");
            let diagnostic = Diagnostic::new(DiagnosticCode::DuplicateField, span, message)
                .help("remove one of the two");
            self.diagnostics.push(diagnostic);
        }
    }
}

/// A rule of [`crate::names`].
pub(super) type Rule = fn(&str) -> Result<(), String>;

/// A reference or an expression with its span.
pub(super) fn text(text: impl Into<String>, span: Span) -> Spanned<String> {
    Spanned::new(text.into(), span)
}

/// Methods for fields that many parts have. `once` fields may be given once and carry the part's
/// span.
macro_rules! fields {
    ($part:ty { $($kind:ident $(($doc:literal, $name:ident: $type:ty))?),+ $(,)? }) => {
        impl Part<'_, $part> {
            $($crate::builder::part::field! { $kind $($doc, $name: $type)? })+
        }
    };
}

/// One method of [`fields`].
macro_rules! field {
    (id) => {
        /// Its stable id (ROM-6).
        pub fn id(&mut self, id: u64) -> &mut Self {
            self.cx.set(
                &mut self.item.id,
                "id",
                $crate::span::Spanned::new(id, self.span),
                self.span,
            );
            self
        }
    };
    (doc) => {
        /// What it is for.
        pub fn doc(&mut self, text: impl Into<String>) -> &mut Self {
            self.cx
                .set(&mut self.item.doc, "doc", text.into(), self.span);
            self
        }
    };
    (meta) => {
        /// Editor data.
        pub fn meta(&mut self, data: impl Into<serde_json::Value>) -> &mut Self {
            self.cx
                .set(&mut self.item.meta, "meta", data.into(), self.span);
            self
        }
    };
    (muted) => {
        /// Leaves it out of the compiled machine (CODE-8).
        pub fn muted(&mut self) -> &mut Self {
            self.item.muted = true;
            self
        }
    };
    (run) => {
        /// Adds an action to its effect.
        pub fn run(&mut self, action: impl Into<$crate::builder::action::Action>) -> &mut Self {
            $crate::builder::action::append(
                self.cx,
                &mut self.item.effect,
                "effect",
                action.into(),
                self.span,
            );
            self
        }
    };
    (go) => {
        /// Adds a target.
        pub fn go(&mut self, target: impl Into<String>) -> &mut Self {
            self.item
                .targets
                .push($crate::builder::part::text(target, self.span));
            self
        }
    };
    (flag $doc:literal, $name:ident: $type:ty) => {
        #[doc = $doc]
        pub fn $name(&mut self) -> &mut Self {
            let flag: &mut $type = &mut self.item.$name;
            *flag = true;
            self
        }
    };
    (mark $doc:literal, $name:ident: $type:ty) => {
        #[doc = $doc]
        pub fn $name(&mut self) -> &mut Self {
            let mark: &mut Option<$type> = &mut self.item.$name;
            *mark = Some(self.span);
            self
        }
    };
    (once $doc:literal, $name:ident: $type:ty) => {
        #[doc = $doc]
        pub fn $name(&mut self, value: $type) -> &mut Self {
            let value = $crate::span::Spanned::new(value.into(), self.span);
            self.cx
                .set(&mut self.item.$name, stringify!($name), value, self.span);
            self
        }
    };
    (time $doc:literal, $name:ident: $type:ty) => {
        $crate::builder::part::field!(@time $doc, $name: $type, $crate::value::Duration::parse);
    };
    (any_time $doc:literal, $name:ident: $type:ty) => {
        $crate::builder::part::field!(
            @time $doc, $name: $type, $crate::duration::DurationSource::parse
        );
    };
    (asked_time $doc:literal, $name:ident: $type:ty) => {
        $crate::builder::part::field!(
            @time $doc, $name: $type, $crate::duration::DurationSource::parse_asked
        );
    };
    (@time $doc:literal, $name:ident: $type:ty, $parse:path) => {
        #[doc = $doc]
        pub fn $name(&mut self, time: $type) -> &mut Self {
            let value = self.cx.duration(time.into(), $parse, self.span);
            self.cx
                .set(&mut self.item.$name, stringify!($name), value, self.span);
            self
        }
    };
    (names $doc:literal, $name:ident: $type:ty) => {
        #[doc = $doc]
        pub fn $name(&mut self, name: $type) -> &mut Self {
            self.item
                .$name
                .push($crate::builder::part::text(name, self.span));
            self
        }
    };
}

pub(super) use {field, fields};
