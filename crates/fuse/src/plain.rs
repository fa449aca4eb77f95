//! Where the bytes of an agent are enough: code is written once for an agent with everything attached and for its
//! bytes alone (`statewright_kernel::fused::Work`), with marks where it needs to know which.
//!
//! ```text
//!   plain_call!(3)           function 3 is called next
//!   never_bare!()            needs more than bytes
//!   never_attached!()        only where there are nothing but bytes
//!   plain_or_leave!(take_7)  all of `take_7` is to come next
//!   in_order!()              the function begins
//!   all_plain!(run_own_2)    whether all of `run_own_2` needs no more than bytes
//! ```
//!
//! Which functions of the user are plain is known only where they are linked (`Linkage::is_plain`), so what takes the
//! place of a mark is a question that the compiler answers. Whoever leaves is asked again from the beginning: so
//! no plain function may have been asked before, and no random number drawn.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::quote;

/// Something that matters in a function, in the order of the code.
enum Item {
    /// A function of the user's.
    Call(u16),
    /// A random number.
    Draw,
    /// More than bytes is needed.
    Never,
    /// All of a function is to come.
    Whole(String),
    /// A function that was written here is called.
    Own(String),
}

/// The functions of the code by name.
struct Functions(BTreeMap<String, Vec<Item>>);

/// The code with questions in the place of marks.
pub fn resolved(code: TokenStream) -> TokenStream {
    let mut bodies = BTreeMap::new();
    let mut tokens = code.clone().into_iter().peekable();
    let mut name = None;
    while let Some(token) = tokens.next() {
        match (token, tokens.peek()) {
            (TokenTree::Ident(word), Some(TokenTree::Ident(own))) if word == "fn" => {
                name = Some(own.to_string());
            }
            (TokenTree::Group(group), _) if group.delimiter() == proc_macro2::Delimiter::Brace => {
                if let Some(name) = name.take() {
                    bodies.insert(name, group.stream());
                }
            }
            _ => {}
        }
    }
    let names: BTreeSet<String> = bodies.keys().cloned().collect();
    let items = bodies.into_iter().map(|(name, body)| {
        let mut items = Vec::new();
        collect(body, &names, &mut items);
        (name, items)
    });
    let functions = Functions(items.collect());
    functions.replace(code, &mut String::new())
}

/// The functions of the user's that some code calls.
pub fn called_in(code: &TokenStream) -> BTreeSet<u16> {
    let mut items = Vec::new();
    collect(code.clone(), &BTreeSet::new(), &mut items);
    let called = items.into_iter().filter_map(|item| match item {
        Item::Call(number) => Some(number),
        Item::Draw | Item::Never | Item::Whole(_) | Item::Own(_) => None,
    });
    called.collect()
}

/// The number or the name that a mark is given, or a type.
fn argument(group: &Group) -> String {
    group.stream().to_string()
}

fn number(text: &str) -> u16 {
    text.trim_end_matches("u16").parse().unwrap_or(u16::MAX)
}

fn collect(body: TokenStream, names: &BTreeSet<String>, items: &mut Vec<Item>) {
    let tokens: Vec<TokenTree> = body.into_iter().collect();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token {
            TokenTree::Group(group) => collect(group.stream(), names, items),
            TokenTree::Ident(word) => {
                let word = word.to_string();
                match (word.as_str(), mark(&tokens, at)) {
                    ("plain_call", Some(given)) => items.push(Item::Call(number(&given))),
                    ("never_bare", Some(_)) => items.push(Item::Never),
                    ("plain_or_leave", Some(given)) => items.push(Item::Whole(given)),
                    ("draw", _) => items.push(Item::Draw),
                    (own, None) if names.contains(own) && is_call(&tokens, at) => {
                        items.push(Item::Own(word));
                    }
                    _ => {}
                }
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// Does a call with types stand at this place? A name alone may be something else.
fn is_call(tokens: &[TokenTree], at: usize) -> bool {
    let sign = |at: usize, wanted: char| matches!(tokens.get(at), Some(TokenTree::Punct(sign)) if sign.as_char() == wanted);
    sign(at, ':') && sign(at + 1, ':') && sign(at + 2, '<')
}

/// What a mark is given whose name stands before this place.
fn mark(tokens: &[TokenTree], at: usize) -> Option<String> {
    match (tokens.get(at), tokens.get(at + 1)) {
        (Some(TokenTree::Punct(sign)), Some(TokenTree::Group(group))) if sign.as_char() == '!' => {
            Some(argument(group))
        }
        _ => None,
    }
}

impl Functions {
    fn replace(&self, code: TokenStream, function: &mut String) -> TokenStream {
        let tokens: Vec<TokenTree> = code.into_iter().collect();
        let (mut replaced, mut at) = (TokenStream::new(), 0);
        while let Some(token) = tokens.get(at) {
            at += 1;
            match token {
                TokenTree::Group(group) => {
                    let inner = self.replace(group.stream(), function);
                    let mut inner = Group::new(group.delimiter(), inner);
                    inner.set_span(group.span());
                    replaced.extend([TokenTree::Group(inner)]);
                }
                TokenTree::Ident(word) => {
                    if let (true, Some(TokenTree::Ident(name))) = (word == "fn", tokens.get(at)) {
                        *function = name.to_string();
                    }
                    let given = mark(&tokens, at);
                    if let (true, Some(given)) = (word == "all_plain", &given) {
                        // Sign and arguments.
                        at += 2;
                        replaced.extend(self.all_plain(given));
                        continue;
                    }
                    match given.and_then(|given| self.question(word, &given, function)) {
                        Some(question) => {
                            // Sign, arguments, and the semicolon behind.
                            at += 3;
                            replaced.extend(question);
                        }
                        None => replaced.extend([token.clone()]),
                    }
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => replaced.extend([token.clone()]),
            }
        }
        replaced
    }

    /// What takes the place of a mark.
    fn question(&self, mark: &Ident, given: &str, function: &str) -> Option<TokenStream> {
        let leave = quote!({
            return Leaving::leave();
        });
        if mark == "never_attached" {
            return Some(quote!(if !W::BARE #leave));
        }
        let (condition, then) = match mark.to_string().as_str() {
            "plain_call" => (not_plain(number(given)), leave),
            "never_bare" => (quote!(true), leave),
            "plain_or_leave" => (self.not_all_plain(given), leave),
            "in_order" => (self.out_of_order(function), leave),
            _ => return None,
        };
        Some(match condition.is_empty() {
            true => TokenStream::new(),
            false => quote!(if W::BARE && (#condition) #then),
        })
    }

    /// The functions of the user's in a function; `None` if it needs more than bytes.
    fn calls(&self, function: &str) -> Option<BTreeSet<u16>> {
        let mut calls = BTreeSet::new();
        for item in self.0.get(function).into_iter().flatten() {
            match item {
                Item::Call(number) => {
                    calls.insert(*number);
                }
                Item::Never => return None,
                Item::Draw => {}
                Item::Whole(own) | Item::Own(own) => calls.extend(self.calls(own)?),
            }
        }
        Some(calls)
    }

    /// Is everything in a function plain?
    fn all_plain(&self, function: &str) -> TokenStream {
        let not = self.not_all_plain(function);
        match not.is_empty() {
            true => quote!(true),
            false => quote!((!(#not))),
        }
    }

    /// Is anything in a function not plain? Empty if nothing can be.
    fn not_all_plain(&self, function: &str) -> TokenStream {
        match self.calls(function) {
            None => quote!(true),
            Some(calls) => any(calls.into_iter().map(not_plain)),
        }
    }

    /// May somebody leave whom a plain function or a random number comes before? Empty if nobody can.
    fn out_of_order(&self, function: &str) -> TokenStream {
        let mut before = Before::default();
        self.walk(function, &mut before);
        any(before.wrong.into_iter())
    }

    fn walk(&self, function: &str, before: &mut Before) {
        for item in self.0.get(function).into_iter().flatten() {
            match item {
                Item::Call(number) => {
                    before.may_leave(&not_plain(*number));
                    before.asked.insert(*number);
                }
                Item::Draw => before.drawn = true,
                Item::Never => before.may_leave(&quote!(true)),
                Item::Whole(own) => before.may_leave(&self.not_all_plain(own)),
                // What is taken was looked at as a whole; what runs does not leave.
                Item::Own(own) if own.starts_with("take_") || own.starts_with("run") => {}
                Item::Own(own) => self.walk(own, before),
            }
        }
    }
}

/// What comes before a place in the code.
#[derive(Default)]
struct Before {
    asked: BTreeSet<u16>,
    drawn: bool,
    wrong: Vec<TokenStream>,
}

impl Before {
    /// Somebody leaves here, if a condition holds.
    fn may_leave(&mut self, condition: &TokenStream) {
        if condition.is_empty() {
            return;
        }
        let plain = self
            .asked
            .iter()
            .map(|number| quote!(L::is_plain::<#number>()));
        let asked = match self.drawn {
            true => quote!(true),
            false => any(plain),
        };
        if !asked.is_empty() {
            self.wrong.push(quote!((#asked) && (#condition)));
        }
    }
}

fn not_plain(number: u16) -> TokenStream {
    quote!(!L::is_plain::<#number>())
}

fn any(conditions: impl Iterator<Item = TokenStream>) -> TokenStream {
    let conditions: Vec<TokenStream> = conditions.collect();
    quote!(#(#conditions)||*)
}
