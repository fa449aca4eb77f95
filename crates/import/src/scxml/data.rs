//! `<data>` becomes blackboard keys: numbers, truth values and texts. What a piece of data is
//! follows from its first value, or from what is assigned to it or stands beside it.

use std::collections::{HashMap, HashSet};

use roxmltree::Node as Xml;
use statewright_author::diagnostic::Diagnostics;
use statewright_author::graph::Key;
use statewright_author::names::check_key;
use statewright_author::span::{Name, Span, Spanned};
use statewright_author::value::{Literal, ValueType};

use super::chart::Chart;
use super::expression::{Scope, Script, Variables, Want};
use super::functions::Callable;
use super::problem::{ignored, illegal, refused, unlike};
use super::xml::{attribute, elements, own_name, tag_span};

/// All data of a document.
#[derive(Debug, Default)]
pub(super) struct Data {
    pub(super) variables: Variables,
    pub(super) keys: Vec<Key>,
}

/// A declaration before its type is known.
struct Declared {
    id: Name,
    value: Option<Spanned<String>>,
}

/// Reads all data, and finds its types.
pub(super) fn read(
    chart: &Chart<'_>,
    functions: &Callable,
    histories: &HashSet<String>,
    out: &mut Diagnostics,
) -> Data {
    let mut declared = Vec::new();
    for model in chart.nodes.iter().flat_map(|node| &node.data) {
        for xml in elements(*model) {
            declared.extend(declaration(xml, out));
        }
    }
    let mut data = Data::default();
    let (mut taken, mut repeats) = (HashSet::new(), HashMap::new());
    declared.retain(|one| {
        let key = key_of(&one.id.value, &mut taken, &mut repeats);
        let first = data
            .variables
            .insert(one.id.value.clone(), (key, None))
            .is_none();
        if !first {
            out.push(illegal(
                one.id.span,
                format!("data `{}` is declared twice", one.id.value),
            ));
        }
        first
    });
    let scripts = values(chart);
    find_types(&declared, &scripts, &mut data.variables);
    let document = chart.nodes[0].xml.document().input_text();
    for one in &declared {
        let key = key(
            one,
            &Scope {
                document,
                variables: &data.variables,
                functions,
                histories,
            },
            out,
        );
        data.keys.push(key);
    }
    data
}

fn declaration(xml: Xml<'_, '_>, out: &mut Diagnostics) -> Option<Declared> {
    if own_name(xml) != "data" {
        out.push(illegal(
            tag_span(xml),
            "only `<data>` can stand in `<datamodel>`",
        ));
        return None;
    }
    if let Some(src) = attribute(xml, "src") {
        let why = "import fetches nothing";
        out.push(refused(
            src.span,
            "data from another file",
            why,
            "write its value in `expr`",
        ));
        return None;
    }
    let Some(id) = attribute(xml, "id") else {
        out.push(illegal(tag_span(xml), "`<data>` has no `id`"));
        return None;
    };
    let text = xml
        .children()
        .find(|child| child.is_text() && child.text().is_some_and(|text| !text.trim().is_empty()));
    if let Some(inside) = elements(xml).next() {
        out.push(refused(
            tag_span(inside),
            "XML as data",
            "data is a number, a truth value or a text",
            "",
        ));
        return None;
    }
    let inline = text.map(|text| {
        Spanned::new(
            text.text().unwrap_or_default().to_owned(),
            Span::bytes(text.range()),
        )
    });
    Some(Declared {
        id,
        value: attribute(xml, "expr").or(inline),
    })
}

/// A legal key for an id, which is free in ECMAScript's ways.
fn key_of(id: &str, taken: &mut HashSet<String>, repeats: &mut HashMap<String, usize>) -> String {
    let legal = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let mut key: String = id.chars().map(legal).take(64).collect();
    if key.starts_with(|c: char| c.is_ascii_digit()) || key.is_empty() {
        key.insert(0, '_');
    }
    if check_key(&key).is_err() {
        key.push('_');
    }
    if taken.contains(&key) {
        let free = |number: &usize| !taken.contains(&format!("{key}_{number}"));
        // One of so many is free, because no more are taken.
        let number = (2 + *repeats.entry(key.clone()).or_default()..)
            .find(free)
            .unwrap_or_default();
        repeats.insert(key.clone(), number - 1);
        key = format!("{key}_{number}");
    }
    taken.insert(key.clone());
    key
}

/// Every expression of the document that may tell types: assigned values and conditions.
struct Values {
    assigned: Vec<(String, Spanned<String>)>,
    others: Vec<Spanned<String>>,
}

fn values(chart: &Chart<'_>) -> Values {
    let mut values = Values {
        assigned: Vec::new(),
        others: Vec::new(),
    };
    let Some(root) = chart.nodes.first() else {
        return values;
    };
    for xml in root.xml.descendants().filter(Xml::is_element) {
        match (
            xml.tag_name().name(),
            attribute(xml, "location"),
            attribute(xml, "expr"),
        ) {
            ("assign", Some(location), Some(expr)) => values
                .assigned
                .push((location.value.trim().to_owned(), expr)),
            (_, _, Some(expr)) => values.others.push(expr),
            _ => {}
        }
        values.others.extend(attribute(xml, "cond"));
    }
    values
}

/// Most rounds to find types; what needs more is taken for a number, and refused where it is none.
const MAX_ROUNDS: usize = 64;

/// Goes round, forward and back, until nothing new is learned.
fn find_types(declared: &[Declared], values: &Values, variables: &mut Variables) {
    let initial = |one: &Declared| Some((one.id.value.clone(), one.value.clone()?));
    let texts: Vec<(String, Spanned<String>)> = declared
        .iter()
        .filter_map(initial)
        .chain(values.assigned.clone())
        .collect();
    let assigned: Vec<(&str, Script<'_>)> = texts
        .iter()
        .filter_map(|(id, text)| Some((id.as_str(), Script::read(text).ok()?)))
        .collect();
    let others: Vec<Script<'_>> = values
        .others
        .iter()
        .filter_map(|text| Script::read(text).ok())
        .collect();
    for round in 0..MAX_ROUNDS {
        let mut news = false;
        for at in 0..assigned.len() {
            let (id, script) = &assigned[if round % 2 == 0 {
                at
            } else {
                assigned.len() - 1 - at
            }];
            let ty = script.type_of(variables);
            if let (Some(ty), Some((_, known @ None))) = (ty, variables.get_mut(*id)) {
                *known = Some(ty);
                news = true;
            }
        }
        for script in assigned.iter().map(|(_, script)| script).chain(&others) {
            news |= script.learn(variables);
        }
        if !news {
            return;
        }
    }
}

fn key(one: &Declared, scope: &Scope<'_>, out: &mut Diagnostics) -> Key {
    let (name, ty) = scope
        .variables
        .get(&one.id.value)
        .cloned()
        .unwrap_or_default();
    let ty = ty.unwrap_or(ValueType::I32);
    let default = one
        .value
        .as_ref()
        .and_then(|value| first_value(value, ty, scope, out));
    if one.value.is_none() {
        let begins = match ty {
            ValueType::Bool => "false",
            ValueType::Symbol => "the empty text",
            _ => "0",
        };
        out.push(ignored(
            one.id.span,
            format!(
                "`{}` has no first value; it begins as {begins}",
                one.id.value
            ),
        ));
    }
    let doc = (name != one.id.value)
        .then(|| format!("The data `{}` of the SCXML document.", one.id.value));
    Key {
        host: false,
        name: Name::new(name, one.id.span),
        doc,
        ty: Spanned::new(ty, one.id.span),
        default,
        meta: None,
    }
}

/// The first value, which must be a literal: all data exists before anything runs.
fn first_value(
    value: &Spanned<String>,
    ty: ValueType,
    scope: &Scope<'_>,
    out: &mut Diagnostics,
) -> Option<Spanned<Literal>> {
    let script = match Script::read(value)
        .and_then(|script| script.translate(Want::Value(ty), scope).map(|_| script))
    {
        Ok(script) => script,
        Err(wrong) => {
            out.push(unlike(
                wrong.span(scope.document),
                wrong.message.clone(),
                "data is a number, a truth value or a text",
                wrong.help,
            ));
            return None;
        }
    };
    match script.literal() {
        Some(literal) => Some(Spanned::new(literal, value.span)),
        None => {
            let why = "a first value is a literal, because all data exists before anything runs";
            out.push(refused(
                value.span,
                "a first value that must be computed",
                why,
                "assign it in `<onentry>` of the first state",
            ));
            None
        }
    }
}
