//! LOAD-9 on a few pairs of machines, among them some of other tick rates (LOAD-4); `cargo xtask reloads`
//! runs thousands.

use statewright_describe::{Comparison, Description, Future, ReloadKind, diff};
use statewright_differential::reload::{Tally, agent, run, versions};
use statewright_reload::{Completed, Extent, Fate, Plan};
use statewright_rom::ids::{ChannelId, EventId, StateId};

#[test]
fn load_9_agents_live_on_in_edited_machines_as_the_oracle_says() {
    let mut all = Tally::default();
    for seed in 0..300 {
        match run(seed) {
            Ok(tally) => all.add(&tally),
            Err(what) => panic!("seed {seed}: {what}"),
        }
    }
    assert!(all.cases > 250, "{all:?}");
    assert!(all.kept > 100 && all.completed > 5, "{all:?}");
}

/// The effect of a history default belongs to the entry of its state under `scxml_details`: a state
/// that a reload keeps is not entered.
#[test]
fn load_3_a_kept_state_runs_no_effect_of_its_history_default_in_scxml() {
    let tally = run(3002).unwrap();
    assert_eq!((tally.cases, tally.completed), (1, 1));
}

/// LOAD-8: what `diff` says of two machines is what the plan of a reload does to their agents.
#[test]
fn load_8_diff_says_what_a_reload_does() {
    let (mut states_gone, mut deadlines, mut kinds) = (0, 0, [0; 3]);
    for seed in 0..1000 {
        let Some((old, new, edits)) = versions(seed) else {
            continue;
        };
        let (from, to) = (old.output.rom.as_rom(), new.output.rom.as_rom());
        let plan = Plan::new(&from, &to);
        let [old, new] = [&old, &new]
            .map(|one| Description::new(&one.output.rom.as_rom(), Some(&one.output.symbols)));
        let said = Comparison::new(&old, &new);
        let found = diff(&old, &new);
        let kind = match plan.extent() {
            Extent::Nothing => ReloadKind::Nothing,
            Extent::Parameters => ReloadKind::Parameters,
            Extent::Structure => ReloadKind::Structure,
        };
        kinds[kind as usize] += 1;
        assert_eq!(said.reload.kind, kind, "seed {seed}: {edits}");
        assert_eq!(
            found.is_another_machine,
            plan.is_another_machine(),
            "seed {seed}"
        );
        let states = (1..from.states().len()).filter_map(StateId::from_index);
        let mut gone = 0;
        for state in states {
            let fate = found
                .states
                .fate(state)
                .and_then(|fate| fate.by_stable_id());
            assert_eq!(fate, plan.state(state), "seed {seed}: {edits}: {state}");
            gone += usize::from(fate.is_none());
        }
        if kind == ReloadKind::Structure && !found.is_another_machine {
            assert_eq!(said.reload.states_gone.len(), gone, "seed {seed}: {edits}");
        }
        for event in (0..from.events().len()).filter_map(EventId::from_index) {
            let fate = found
                .events
                .fate(event)
                .and_then(|fate| fate.by_stable_id());
            // One that carries something else is dropped.
            let kept = plan.event(event);
            assert!(
                kept.is_none() || kept == fate,
                "seed {seed}: {edits}: {event}"
            );
        }
        for channel in (0..from.channels().len()).filter_map(ChannelId::from_index) {
            let fate = found.channels.fate(channel).and_then(|fate| fate.kept());
            let fate = fate.map(|kept| kept.to);
            assert_eq!(
                fate,
                plan.channel(channel),
                "seed {seed}: {edits}: {channel}"
            );
        }
        let changed = !said.reload.old_deadlines.is_empty();
        assert_eq!(changed, plan.changes_timers(), "seed {seed}: {edits}");
        states_gone += gone;
        deadlines += usize::from(changed);
    }
    assert!(
        states_gone > 50 && deadlines > 1,
        "{states_gone} {deadlines}"
    );
    assert!(kinds.iter().all(|&count| count > 20), "{kinds:?}");
}

/// LOAD-8: who is not simply kept is said before anybody is reloaded, by the states in which agents are.
#[test]
fn load_8_diff_says_who_is_completed_and_who_begins_anew() {
    let mut seen = [0; 4];
    for seed in 0..1500 {
        let Some((old, new, edits)) = versions(seed) else {
            continue;
        };
        let [one, other] = [&old, &new]
            .map(|one| Description::new(&one.output.rom.as_rom(), Some(&one.output.symbols)));
        let said = Comparison::new(&one, &other).reload;
        let found = diff(&one, &other);
        if said.kind != ReloadKind::Structure || found.is_another_machine {
            continue;
        }
        let agent = agent(&old, &new, seed).unwrap();
        if !agent.is_plain {
            continue;
        }
        let paths: Vec<&str> = agent
            .leaves
            .iter()
            .map(|&leaf| one.model.states[leaf].path.as_str())
            .collect();
        let is_in = |state: &String| paths.contains(&state.as_str());
        let has = |fate: Future| {
            let mut all = said.outlook.iter().filter(|one| one.fate == fate);
            all.any(|one| match fate {
                Future::Anew => one.states.iter().all(is_in),
                Future::Completed | Future::Depends => one.states.iter().any(is_in),
            })
        };
        let what = || {
            format!(
                "seed {seed}: {edits}: {paths:?}: {:?}: {said:#?}",
                agent.fate
            )
        };
        let (place, holds) = if found.resets || has(Future::Anew) {
            (0, matches!(agent.fate, Fate::Anew(_)))
        } else if has(Future::Completed) {
            (1, matches!(agent.fate, Fate::Completed(_)))
        } else if has(Future::Depends) {
            (2, matches!(agent.fate, Fate::Kept | Fate::Completed(_)))
        } else {
            (3, agent.fate == Fate::Kept)
        };
        assert!(holds, "{}", what());
        assert_ne!(agent.fate, Fate::Completed(Completed::Before), "{}", what());
        seen[place] += 1;
    }
    let [anew, completed, depends, kept] = seen;
    assert!(anew > 20 && completed > 50 && kept > 300, "{seen:?}");
    assert!(depends * 10 < anew + completed + kept, "{seen:?}");
}
