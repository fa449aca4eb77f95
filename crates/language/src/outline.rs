//! The declarations of a text as a tree: what is declared inside another one is its child.

use std::ops::Range;

use statewright_author::text::shape::Item;

use crate::analysis::Analysis;

/// A declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// What it is.
    pub item: Item,
    /// Its type, or nothing.
    pub detail: String,
    /// Where its name stands.
    pub range: Range<usize>,
    /// With what belongs to it.
    pub whole: Range<usize>,
    /// What is declared in it.
    pub children: Vec<Symbol>,
}

impl Analysis {
    /// All declarations.
    pub fn outline(&self) -> Vec<Symbol> {
        let things = self.names.things.iter();
        let mut symbols: Vec<Symbol> = things
            .filter_map(|thing| {
                let declared = thing.declared.as_ref()?;
                Some(Symbol {
                    name: thing.name.clone(),
                    item: thing.item,
                    detail: self.detail(thing.item, &thing.name),
                    range: declared.range.clone(),
                    whole: declared.whole.clone(),
                    children: Vec::new(),
                })
            })
            .collect();
        symbols.sort_by_key(|symbol| (symbol.whole.start, std::cmp::Reverse(symbol.whole.end)));
        nest(symbols)
    }
}

/// Puts each symbol into the last one before it that contains it. They come sorted, so the ones that
/// are still open lie inside each other.
fn nest(symbols: Vec<Symbol>) -> Vec<Symbol> {
    let mut top = Vec::new();
    let mut open: Vec<Symbol> = Vec::new();
    for symbol in symbols {
        while let Some(last) = open.last() {
            if last.whole.end >= symbol.whole.end && last.whole.start <= symbol.whole.start {
                break;
            }
            close(&mut open, &mut top);
        }
        open.push(symbol);
    }
    while !open.is_empty() {
        close(&mut open, &mut top);
    }
    top
}

fn close(open: &mut Vec<Symbol>, top: &mut Vec<Symbol>) {
    let Some(done) = open.pop() else { return };
    match open.last_mut() {
        Some(around) => around.children.push(done),
        None => top.push(done),
    }
}
