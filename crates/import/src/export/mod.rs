//! A machine as an SCXML document, if that means the same.
//!
//! Comes in: the author graph of a machine that the compiler accepts. Goes out: the text of a
//! document that behaves as the machine does, or everything that stands in the way (SW0806), with
//! spans in the machine file. Machines that run by the rules of SCXML, as imported ones do, can
//! use all that both sides know. Other machines have one active leaf at a time, hear events and
//! change data: there the rules agree. `rules` and `events` hold what is refused and why; `names`,
//! `functions`, `expression`, `content` and `states` translate; `xml` writes.

mod content;
mod events;
mod expression;
mod functions;
mod names;
mod problem;
mod rules;
mod states;
mod xml;

use statewright_author::diagnostic::Diagnostics;
use statewright_author::graph::Machine;
use statewright_author::names::is_hidden;
use statewright_author::parts;

use crate::scxml::{FUNCTIONS_ATTRIBUTE, NAMESPACE, OWN_NAMESPACE};
use content::Content;
use events::Events;
use expression::{Data, Translator, first_value};
use functions::Functions;
use names::ExportNames;
use states::States;
use xml::Writer;

/// Writes a machine as SCXML, or says all that stands in the way.
pub fn scxml(machine: &Machine) -> Result<String, Diagnostics> {
    let mut out = Diagnostics::default();
    let follows_w3c = rules::follows_w3c(&machine.policies);
    let names = ExportNames::read(machine, &mut out);
    let events = Events::read(machine, &names, follows_w3c);
    let data = Data::read(machine);
    rules::machine(machine, &mut out);
    let functions = Functions::default();
    let translator = Translator {
        data: &data,
        names: &names,
        functions: &functions,
    };
    let sends = content::send_ids(machine, &names);
    let content = Content {
        machine,
        events: &events,
        translator,
        follows_w3c,
        sends,
    };
    let states = States {
        names: &names,
        content,
    };
    let text = document(machine, &data, &functions, &states, &mut out);
    parts::note_uses(&machine.source, &mut out);
    out.sort();
    match out.has_errors() {
        true => Err(out),
        false => Ok(text),
    }
}

fn document(
    machine: &Machine,
    data: &Data<'_>,
    functions: &Functions,
    states: &States<'_>,
    out: &mut Diagnostics,
) -> String {
    let mut xml = Writer::at(0);
    xml.line("<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    if let Some(doc) = &machine.doc {
        xml.comment(doc);
    }
    let mut attributes = vec![
        ("xmlns", NAMESPACE),
        ("version", "1.0"),
        ("datamodel", "ecmascript"),
    ];
    // A name is one word there.
    let is_word = |name: &str| {
        !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || is_hidden(c))
    };
    attributes
        .extend(Some(("name", machine.name.value.as_str())).filter(|(_, name)| is_word(name)));
    let initial = machine
        .root
        .regions
        .first()
        .and_then(|region| states.initial_of(region, out));
    attributes.extend(
        initial
            .as_ref()
            .map(|(targets, _)| ("initial", targets.as_str())),
    );
    let mut inside = Writer::at(1);
    if !machine.blackboard.is_empty() {
        inside.open("datamodel", &[]);
        for key in &machine.blackboard {
            let value = first_value(key, out);
            inside.leaf(
                "data",
                &[("id", data.id(&key.name.value)), ("expr", &value)],
            );
        }
        inside.close("datamodel");
    }
    states.children(&machine.root.regions, 1, &mut inside, out);
    // Which functions are called is known now.
    let table = functions.table();
    let prefixed = format!("sw:{FUNCTIONS_ATTRIBUTE}");
    if !table.is_empty() {
        attributes.extend([("xmlns:sw", OWN_NAMESPACE), (&prefixed, &table)]);
    }
    xml.around("scxml", &attributes, &inside.into_text());
    xml.into_text()
}
