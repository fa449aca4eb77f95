//! Marks: `#[guard]`, `#[scorer]`, `#[value]`, `#[action]`, `#[activity]`, with options.

use syn::ext::IdentExt;
use syn::meta::ParseNestedMeta;
use syn::{Attribute, Ident, LitStr, Meta, Result};

use crate::problems::Problems;

/// What a function is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum MarkedKind {
    Guard,
    Scorer,
    Action,
    Activity,
    Value,
}

impl MarkedKind {
    const ALL: [(&'static str, Self); 5] = [
        ("guard", Self::Guard),
        ("scorer", Self::Scorer),
        ("action", Self::Action),
        ("activity", Self::Activity),
        ("value", Self::Value),
    ];

    /// Its word in attributes and machine files.
    pub fn word(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(_, kind)| *kind == self)
            .map_or("", |(word, _)| word)
    }

    /// Its word with an article.
    pub fn a_word(self) -> &'static str {
        match self {
            Self::Guard => "a guard",
            Self::Scorer => "a scorer",
            Self::Action => "an action",
            Self::Activity => "an activity",
            Self::Value => "a value function",
        }
    }

    /// The name of the variant of `statewright::Kind`.
    pub fn variant(self) -> &'static str {
        match self {
            Self::Guard => "Guard",
            Self::Scorer => "Scorer",
            Self::Action => "Action",
            Self::Activity => "Activity",
            Self::Value => "Value",
        }
    }

    /// Only looks, and changes nothing.
    pub fn only_looks(self) -> bool {
        matches!(self, Self::Guard | Self::Scorer | Self::Value)
    }

    fn of(attribute: &Attribute) -> Option<Self> {
        Self::ALL
            .iter()
            .find(|(word, _)| attribute.path().is_ident(word))
            .map(|&(_, kind)| kind)
    }
}

/// A mark with its options.
pub struct Mark {
    pub kind: MarkedKind,
    name: Option<LitStr>,
    pub rng: bool,
}

impl Mark {
    /// What the function is called in machine files.
    pub fn name(&self, own: &Ident) -> LitStr {
        self.name
            .clone()
            .unwrap_or_else(|| LitStr::new(&own.unraw().to_string(), own.span()))
    }
}

/// Removes the marks of a function; gives the first.
pub fn take(attributes: &mut Vec<Attribute>, problems: &mut Problems) -> Option<Mark> {
    let marks: Vec<_> = attributes
        .extract_if(.., |attribute| MarkedKind::of(attribute).is_some())
        .collect();
    let mut marks = marks.into_iter();
    let (first, second) = (marks.next()?, marks.next());
    let mark = problems.keep(parse(&first))?;
    if let Some(second) = second {
        let text = format!(
            "this is {} already: leave one of the two marks out",
            mark.kind.a_word()
        );
        problems.add(second, text);
    }
    Some(mark)
}

fn parse(attribute: &Attribute) -> Result<Mark> {
    let kind = MarkedKind::of(attribute).unwrap_or(MarkedKind::Action);
    let mut mark = Mark {
        kind,
        name: None,
        rng: false,
    };
    if !matches!(attribute.meta, Meta::Path(_)) {
        attribute.parse_nested_meta(|option| set(&mut mark, &option))?;
    }
    Ok(mark)
}

fn set(mark: &mut Mark, option: &ParseNestedMeta<'_>) -> Result<()> {
    let word = mark.kind.word();
    if option.path.is_ident("name") {
        let name: LitStr = option.value()?.parse()?;
        check_name(&name)?;
        mark.name = Some(name);
    } else if !option.path.is_ident("rng") {
        let rng = if mark.kind.only_looks() {
            format!(" and `{word}(rng)`")
        } else {
            String::new()
        };
        return Err(option.error(format!("`{word}` knows `{word}(name = \"Name\")`{rng}")));
    } else if mark.kind.only_looks() {
        mark.rng = true;
    } else {
        let text = format!(
            "{} may always draw random numbers: leave `rng` out",
            mark.kind.a_word()
        );
        return Err(option.error(text));
    }
    Ok(())
}

/// Machine files call functions by identifiers joined by `::`.
fn check_name(name: &LitStr) -> Result<()> {
    let is_right = |part: &str| {
        let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_';
        !part.is_empty() && part.chars().all(is_letter) && !part.starts_with(char::is_numeric)
    };
    if name.value().split("::").all(is_right) {
        return Ok(());
    }
    Err(syn::Error::new(
        name.span(),
        "machine files call functions by names like `IsHurt` or `combat::HasAmmo`",
    ))
}
