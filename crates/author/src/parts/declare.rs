//! Declarations of a part among those of the machine that uses it: new ones are added, equal ones
//! are one, different ones of the same name are an error with both spans.

use super::rename::{Place, Renamer, Renames};
use super::walk::{self, Spanless};
use crate::codes::DiagnosticCode;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::graph::{Channel, Event, Function, Key, Lane, Machine, Policies};
use crate::span::{Name, Spanned};
use crate::text::Fields;

/// A declaration that several files may have.
trait Declared: Clone + PartialEq + Fields {
    const WORD: &'static str;
    fn name(&self) -> &Name;
    fn name_mut(&mut self) -> &mut Name;
    /// Without spans, words for people, and what only one of two equal ones may say.
    fn bare(&self) -> Self;
    /// Takes over what only one of two equal ones may say.
    fn take_marks(&mut self, from: &Self);
}

macro_rules! declared {
    ($($ty:ident $word:literal $walk:ident { $($clear:ident),* } $($mark:ident)?;)+) => {
        $(impl Declared for $ty {
            const WORD: &'static str = $word;
            fn name(&self) -> &Name {
                &self.name
            }
            fn name_mut(&mut self) -> &mut Name {
                &mut self.name
            }
            fn bare(&self) -> Self {
                let mut bare = Self { $($clear: Default::default(),)* ..self.clone() };
                walk::$walk(&mut bare, &mut Spanless);
                bare
            }
            fn take_marks(&mut self, _from: &Self) {
                $(self.$mark |= _from.$mark;)?
            }
        })+
    };
}

declared! {
    Event "event" event { doc, meta, id, sent } sent;
    Key "blackboard key" key { doc, meta, host } host;
    Channel "channel" channel { doc };
    Lane "lane" lane { doc };
    Function "function" function { doc };
}

/// Adds the declarations of a part to those of a machine. The part's names are those of the
/// machine already, except where they are declared.
pub(super) fn merge(
    machine: &mut Machine,
    part: &mut Machine,
    names: &Renamer<'_>,
    place: &Place,
    out: &mut Diagnostics,
) {
    let map = Some(&names.map);
    add(&mut machine.events, &mut part.events, map, out);
    add(&mut machine.blackboard, &mut part.blackboard, map, out);
    add(&mut machine.channels, &mut part.channels, map, out);
    add(&mut machine.functions, &mut part.functions, map, out);
    // Lanes belong to the game around all machines: `map` does not rename them.
    add(&mut machine.lanes, &mut part.lanes, None, out);
    let (ours, theirs) = (&mut machine.built_in_lanes, &mut part.built_in_lanes);
    add(ours, theirs, None, out);
    own(machine, part, names, place);
}

/// What every use has for itself.
fn own(machine: &mut Machine, part: &mut Machine, names: &Renamer<'_>, place: &Place) {
    for mut parameter in part.parameters.drain(..) {
        let name = &parameter.name.value;
        // One that `with` gives to a parameter of the machine is that one.
        let own = place.own(name);
        if names.parameters.get(name) == Some(&own) {
            parameter.name.value = own;
            machine.parameters.push(parameter);
        }
    }
    for mut timer in part.timers.drain(..) {
        timer.name.value = place.own(&timer.name.value);
        machine.timers.push(timer);
    }
    for mut set in part.transition_sets.drain(..) {
        set.name.value = place.own(&set.name.value);
        machine.transition_sets.push(set);
    }
}

fn add<T: Declared>(
    ours: &mut Vec<T>,
    theirs: &mut Vec<T>,
    map: Option<&Renames>,
    out: &mut Diagnostics,
) {
    for mut new in theirs.drain(..) {
        let in_part = new.name().value.clone();
        if let Some(name) = map.and_then(|map| map.get(&in_part)) {
            new.name_mut().value.clone_from(name);
        }
        let same = |old: &&mut T| old.name().value == new.name().value;
        let Some(old) = ours.iter_mut().find(same) else {
            ours.push(new);
            continue;
        };
        old.take_marks(&new);
        if old.bare() != new.bare() {
            let mapped = map.map(|_| in_part.as_str());
            out.push(conflict(old, &new, mapped));
        }
    }
}

/// Two declarations of one name; `mapped` is what the part calls it, if `map` could rename it.
fn conflict<T: Declared>(old: &T, new: &T, mapped: Option<&str>) -> Diagnostic {
    let (word, name) = (T::WORD, new.name());
    let problem = Diagnostic::new(
        DiagnosticCode::PartConflict,
        name.span,
        format!(
            "{word} `{}` is declared differently by the machine and by its part",
            name.value
        ),
    );
    let problem = problem
        .label("declared here in the part")
        .related(old.name().span, "declared here, too")
        .note(differences(&old.bare(), &new.bare()));
    problem.help(match mapped {
        Some(own) => format!(
            "make both alike, or give the part's another name: `\"map\": {{ \"{own}\": \"…\" }}`"
        ),
        None => "make both alike".to_owned(),
    })
}

/// What differs, field by field.
fn differences(old: &impl Fields, new: &impl Fields) -> String {
    let (old, new) = (old.fields(), new.fields());
    let mut keys: Vec<&str> = Vec::new();
    for (key, _) in new.iter().chain(&old) {
        if !keys.contains(&key.as_str()) {
            keys.push(key);
        }
    }
    let value = |fields: &[(String, String)], key: &str| {
        let found = fields.iter().find(|(own, _)| own == key);
        found.map_or_else(|| "not given".to_owned(), |(_, value)| value.clone())
    };
    let differing = keys.iter().filter_map(|key| {
        let (old, new) = (value(&old, key), value(&new, key));
        (old != new).then(|| format!("`{key}` is {new} in the part and {old} in the machine"))
    });
    differing.collect::<Vec<_>>().join("\n")
}

/// A part is written for the rules of the machine that uses it: what it says of them must be what
/// the machine says.
pub(super) fn check_rules(machine: &Machine, part: &Machine, out: &mut Diagnostics) {
    let Policies {
        reverse_exit_order,
        immediate_update,
        posted_next_tick,
        internal_first,
        done_events,
        strict_writes,
        scxml_details,
        // As with `reload_entry`, the machine decides.
        reload_resets: _,
    } = &part.policies;
    let ours = &machine.policies;
    for (word, theirs, ours) in [
        ("exit_order", reverse_exit_order, &ours.reverse_exit_order),
        ("immediate_update", immediate_update, &ours.immediate_update),
        ("posted", posted_next_tick, &ours.posted_next_tick),
        ("internal_first", internal_first, &ours.internal_first),
        ("done_events", done_events, &ours.done_events),
        ("strict_writes", strict_writes, &ours.strict_writes),
        ("scxml_details", scxml_details, &ours.scxml_details),
    ] {
        let ours = ours.as_ref().is_some_and(|ours| ours.value);
        check_rule(word, theirs, &ours, machine, out);
    }
    let rate = machine.ticks_per_second();
    check_rule("tick_rate", &part.tick_rate, &rate, machine, out);
    for observer in &part.observers {
        let problem = Diagnostic::new(
            DiagnosticCode::PartObserver,
            observer.span,
            "a part cannot have observers",
        );
        out.push(
            problem
                .label("would see the events of the whole machine")
                .help("move it to the machine that uses the part, or make it a transition"),
        );
    }
}

fn check_rule<T: PartialEq>(
    word: &str,
    theirs: &Option<Spanned<T>>,
    ours: &T,
    machine: &Machine,
    out: &mut Diagnostics,
) {
    let Some(theirs) = theirs.as_ref().filter(|theirs| theirs.value != *ours) else {
        return;
    };
    let problem = Diagnostic::new(
        DiagnosticCode::PartConflict,
        theirs.span,
        format!(
            "`{word}` of the part is not that of machine `{}`",
            machine.name.value
        ),
    );
    out.push(
        problem
            .label("differs")
            .help(format!("remove `{word}` from the part, or make both alike")),
    );
}
