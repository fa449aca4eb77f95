//! Declarations of a part among those of the machine that uses it: new ones are added, equal ones
//! are one, different ones of the same name are an error with both spans.

use super::rename::{Place, Renamer};
use super::walk::{self, Spanless};
use crate::codes::DiagnosticCode;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::graph::{Channel, Event, Function, Key, Lane, Machine, Policies};
use crate::span::{Name, Spanned};

/// A declaration that several files may have.
trait Declared: Clone + PartialEq {
    const WORD: &'static str;
    fn name(&self) -> &Name;
    /// Without spans, words for people, and what only one of two equal ones may say.
    fn bare(&self) -> Self;
}

macro_rules! declared {
    ($($ty:ident $word:literal $walk:ident { $($clear:ident),* })+) => {
        $(impl Declared for $ty {
            const WORD: &'static str = $word;
            fn name(&self) -> &Name {
                &self.name
            }
            fn bare(&self) -> Self {
                let mut bare = Self { $($clear: Default::default(),)* ..self.clone() };
                walk::$walk(&mut bare, &mut Spanless);
                bare
            }
        })+
    };
}

declared! {
    Event "event" event { doc, meta, id, sent }
    Key "blackboard key" key { doc, meta, host }
    Channel "channel" channel { doc }
    Lane "lane" lane { doc }
    Function "function" function { doc }
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
    let map = |name: &mut Name| {
        if let Some(new) = names.map.get(&name.value) {
            name.value.clone_from(new);
        }
    };
    part.events.iter_mut().for_each(|each| map(&mut each.name));
    part.blackboard
        .iter_mut()
        .for_each(|each| map(&mut each.name));
    part.channels
        .iter_mut()
        .for_each(|each| map(&mut each.name));
    part.functions
        .iter_mut()
        .for_each(|each| map(&mut each.name));
    let undeclared_functions = !machine.declares_functions() || !part.declares_functions();
    for event in part.events.iter().filter(|event| event.sent) {
        let same = |own: &&mut Event| own.name.value == event.name.value;
        if let Some(own) = machine.events.iter_mut().find(same) {
            own.sent = true;
        }
    }
    for key in part.blackboard.iter().filter(|key| key.host) {
        let same = |own: &&mut Key| own.name.value == key.name.value;
        if let Some(own) = machine.blackboard.iter_mut().find(same) {
            own.host = true;
        }
    }
    add(&mut machine.events, &mut part.events, out);
    add(&mut machine.blackboard, &mut part.blackboard, out);
    add(&mut machine.channels, &mut part.channels, out);
    add(&mut machine.lanes, &mut part.lanes, out);
    add(&mut machine.built_in_lanes, &mut part.built_in_lanes, out);
    add(&mut machine.functions, &mut part.functions, out);
    machine.undeclared_functions = undeclared_functions && !machine.functions.is_empty();
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

fn add<T: Declared>(ours: &mut Vec<T>, theirs: &mut Vec<T>, out: &mut Diagnostics) {
    for new in theirs.drain(..) {
        let name = new.name().clone();
        let Some(old) = ours.iter().find(|old| old.name().value == name.value) else {
            ours.push(new);
            continue;
        };
        if old.bare() == new.bare() {
            continue;
        }
        let (word, text) = (T::WORD, &name.value);
        let problem = Diagnostic::new(
            DiagnosticCode::PartConflict,
            name.span,
            format!("{word} `{text}` is declared differently by the machine and by its part"),
        );
        out.push(
            problem
                .label("declared here in the part")
                .related(old.name().span, "declared here, too")
                .help(format!(
                    "make both alike, or give the part's another name: `\"map\": {{ \"{text}\": \"…\" }}`"
                )),
        );
    }
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
    const DEFAULT_TICK_RATE: u32 = 60;
    let rate = machine
        .tick_rate
        .as_ref()
        .map_or(DEFAULT_TICK_RATE, |rate| rate.value);
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
