//! The fixes that problems bring along, as edits of the text.

use std::ops::Range;

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;
use statewright_author::diagnostic::{Change, Diagnostic, Fix};
use statewright_author::text::json::kind;
use statewright_author::text::key_order;
use statewright_author::text::shape::{Content, ObjectKind, file_kind};

use crate::analysis::Analysis;
use crate::complete::escaped;
use crate::edit::{Edit, add_after, add_item, add_member};
use crate::form::Form;
use crate::walk::{Frame, Listener, Spot, walk};

/// A fix of a problem.
#[derive(Clone, Debug, PartialEq)]
pub struct QuickFix<'a> {
    /// What it does.
    pub title: &'a str,
    /// What it changes.
    pub edits: Vec<Edit>,
    /// What it mends.
    pub problem: &'a Diagnostic,
    /// It is the likeliest of its problem.
    pub is_preferred: bool,
}

impl Analysis {
    /// The fixes of the problems that touch a part of the text.
    pub fn fixes(&self, part: Range<usize>) -> Vec<QuickFix<'_>> {
        let touched = self
            .problems()
            .filter(|(range, _)| range.start <= part.end && part.start <= range.end);
        let fixes = touched.flat_map(|(_, problem)| {
            let fixes = problem.fixes.iter().enumerate();
            fixes.filter_map(|(at, fix)| self.quick_fix(problem, at, fix))
        });
        fixes.collect()
    }

    fn quick_fix<'a>(
        &'a self,
        problem: &'a Diagnostic,
        at: usize,
        fix: &'a Fix,
    ) -> Option<QuickFix<'a>> {
        let edit = match &fix.change {
            Change::Name(span, name) => self.other_name(self.range(*span), name)?,
            Change::Replace(span, text) => Edit::new(self.range(*span), text.as_str()),
            Change::Declare { field, entry } => self.declare(field, entry)?,
            Change::AddField { object, key } => self.add_field(self.range(*object).start, key)?,
        };
        Some(QuickFix {
            title: &fix.title,
            edits: vec![edit],
            problem,
            is_preferred: at == 0 && matches!(fix.change, Change::Name(..) | Change::Replace(..)),
        })
    }

    /// Another name; quotes stay, and what is spelled with escapes is left to people.
    fn other_name(&self, range: Range<usize>, name: &str) -> Option<Edit> {
        let old = self.text.get(range.clone())?;
        let has_quotes = old.len() >= 2 && old.starts_with('"') && old.ends_with('"');
        let inner = match has_quotes {
            true => range.start + 1..range.end - 1,
            false => range,
        };
        Some(Edit::new(inner, escaped(name)))
    }

    /// A declaration at the top of the machine.
    fn declare(&self, field: &str, entry: &str) -> Option<Edit> {
        let tree = self.tree()?;
        let object = tree.as_object()?;
        let (name, value) = entry.split_once(": ").unwrap_or((entry, "{}"));
        let text = &self.repaired.text;
        let edit = match object.get(field).map(|property| &property.value) {
            Some(Value::Array(list)) => add_item(text, list, name),
            Some(Value::Object(map)) => add_member(text, map, &format!("{name}: {value}")),
            Some(_) => return None,
            None => {
                let is_plain = entry == name;
                let value = match is_plain {
                    true => format!("[{name}]"),
                    false => format!("{{ {entry} }}"),
                };
                add_in_order(text, object, field, &format!("\"{field}\": {value}"))
            }
        };
        Some(self.in_file(edit))
    }

    /// A field that an object lacks.
    fn add_field(&self, object: usize, key: &str) -> Option<Edit> {
        let tree = self.tree()?;
        let mut seeker = Seeker {
            byte: self.repaired.new_place(object),
            found: None,
        };
        walk(&tree, &mut seeker);
        let (object, kind) = seeker.found?;
        let field = kind.shape().field(key)?;
        let member = format!("\"{key}\": {}", Form::of(&field.ty).empty());
        let edit = add_member(&self.repaired.text, object, &member);
        Some(self.in_file(edit))
    }

    /// An edit of the repaired text as one of the text.
    pub(crate) fn in_file(&self, edit: Edit) -> Edit {
        Edit {
            range: self.repaired.old_range(edit.range),
            ..edit
        }
    }
}

/// Puts a field of the whole file where the formatter's order has it.
fn add_in_order(text: &str, object: &Object, field: &str, member: &str) -> Edit {
    let states = object.get("states").map(|property| kind(&property.value));
    let order = key_order(file_kind(states));
    let rank = |key: &str| {
        order
            .iter()
            .position(|&known| known == key)
            .unwrap_or(usize::MAX)
    };
    let is_before = |property: &&ObjectProp| rank(property.name.as_str()) < rank(field);
    let before = object.properties.iter().filter(is_before);
    let last = before.max_by_key(|property| property.end());
    match last {
        Some(property) => add_after(text, property.start()..property.end(), member),
        None => add_member(text, object, member),
    }
}

/// Finds the object that starts at a byte.
struct Seeker<'v, 't> {
    byte: usize,
    found: Option<(&'v Object<'t>, ObjectKind)>,
}

impl<'v, 't> Listener<'v, 't> for Seeker<'v, 't> {
    fn meet(&mut self, spot: Spot<'v, 't>, _frames: &[Frame<'v, 't>]) {
        if let Spot::Inside(Value::Object(object), Content::Object(kind)) = spot
            && object.start() == self.byte
        {
            self.found = Some((object, kind));
        }
    }
}
