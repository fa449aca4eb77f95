//! Random documents are valid, stay in their limits, do something, and come to rest in
//! configurations that the document allows.

mod active;
mod coverage;

use active::Active;
use std::collections::BTreeSet;

use statewright_scxml_oracle::{
    Document, Happening, Interpreter, Limits, Outcome, Step, random_document, random_events,
};

#[derive(Debug, Default)]
struct Seen {
    documents: usize,
    sends: usize,
    sends_with_transition: usize,
    parallel: usize,
    restored: usize,
    done: usize,
    parallel_done: usize,
    ended: usize,
    endless: usize,
    over_four_leaves: usize,
    delayed: usize,
    cancelled: usize,
    queued_over_six: usize,
    ties: usize,
    pending_over_two: usize,
    several_transitions: usize,
    assigned: usize,
}

impl Seen {
    fn run(&mut self, seed: u64) {
        let limits = Limits::default();
        let text = random_document(seed, &limits);
        let document =
            Document::parse(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        self.documents += 1;
        assert!(
            document.most_leaves() <= limits.leaves,
            "seed {seed}: {} leaves",
            document.most_leaves()
        );
        assert!(
            document.depth() <= limits.depth + 1,
            "seed {seed}: depth {}",
            document.depth()
        );
        assert!(
            document.state_ids().len() <= limits.states + 1,
            "seed {seed}: {} states",
            document.state_ids().len()
        );
        self.over_four_leaves += usize::from(document.most_leaves() > 4);
        self.parallel += usize::from(text.contains("<parallel"));
        let mut run = Interpreter::new(&document);
        let mut outcome = run.start();
        let mut log = run.take_log();
        let mut active = Active::new(&text);
        active
            .follow(&log)
            .unwrap_or_else(|problem| panic!("seed {seed}: {problem}\n{text}"));
        for step in random_events(seed, &text, 50) {
            if outcome != Outcome::Stable {
                break;
            }
            let before = log.len();
            outcome = match &step {
                Step::Send(name) => run.send(name),
                Step::Advance(milliseconds) => run.advance(*milliseconds),
            };
            log.extend(run.take_log());
            active
                .follow(&log[before..])
                .unwrap_or_else(|problem| panic!("seed {seed}: {problem}\n{text}"));
            if matches!(step, Step::Send(_)) {
                self.sends += 1;
                let took = log[before..]
                    .iter()
                    .filter(|one| matches!(one, Happening::Take(_)))
                    .count();
                self.sends_with_transition += usize::from(took > 0);
            }
            assert!(
                outcome != Outcome::Ended || run.configuration().is_empty(),
                "seed {seed}"
            );
            if outcome == Outcome::Stable {
                active
                    .check(&run.configuration())
                    .unwrap_or_else(|problem| panic!("seed {seed}: {problem}\n{text}"));
            }
        }
        self.count(&log, &run, outcome);
    }

    fn count(&mut self, log: &[Happening], run: &Interpreter, outcome: Outcome) {
        let any = |test: fn(&Happening) -> bool| usize::from(log.iter().any(test));
        self.restored += any(|one| matches!(one, Happening::Restore(_)));
        self.done +=
            any(|one| matches!(one, Happening::Raise(name) if name.starts_with("done.state")));
        self.parallel_done +=
            any(|one| matches!(one, Happening::Raise(name) if name.starts_with("done.state.p")));
        self.delayed += any(|one| matches!(one, Happening::Send { delay_ms, .. } if *delay_ms > 0));
        self.cancelled += any(|one| matches!(one, Happening::Cancel(_)));
        self.assigned += any(|one| matches!(one, Happening::Assign { .. }));
        self.several_transitions += usize::from(takes_together(log));
        self.ended += usize::from(outcome == Outcome::Ended);
        self.endless += usize::from(outcome == Outcome::Endless);
        self.queued_over_six += usize::from(run.peaks().queued > 6 && outcome != Outcome::Endless);
        self.ties += usize::from(run.peaks().ties > 0);
        self.pending_over_two += usize::from(run.peaks().pending > 2);
    }
}

/// Whether two transitions were taken in one microstep: nothing but content between them.
fn takes_together(log: &[Happening]) -> bool {
    let mut open = false;
    log.iter().any(|one| match one {
        Happening::Take(_) => std::mem::replace(&mut open, true),
        Happening::Exit(_) | Happening::Enter(_) | Happening::Event { .. } => {
            open = false;
            false
        }
        _ => false,
    })
}

#[test]
fn random_documents_do_much_and_rest() {
    let mut seen = Seen::default();
    (0..2000).for_each(|seed| seen.run(seed));
    assert!(
        seen.sends_with_transition * 100 > seen.sends * 50,
        "{seen:#?}"
    );
    assert!(seen.endless * 100 < seen.documents * 2, "{seen:#?}");
    let at_least = [
        (seen.sends, 60_000),
        (seen.parallel, 1_000),
        (seen.over_four_leaves, 50),
        (seen.several_transitions, 400),
        (seen.restored, 500),
        (seen.done, 400),
        (seen.parallel_done, 30),
        (seen.delayed, 250),
        (seen.cancelled, 250),
        (seen.assigned, 1_000),
        (seen.ended, 15),
    ];
    for (place, (found, least)) in at_least.into_iter().enumerate() {
        assert!(
            found >= least,
            "number {place}: {found} of {least} in {seen:#?}"
        );
    }
    let at_most = [
        (seen.over_four_leaves, 400),
        (seen.queued_over_six, 100),
        (seen.ties, 20),
        (seen.pending_over_two, 150),
    ];
    for (place, (found, most)) in at_most.into_iter().enumerate() {
        assert!(
            found <= most,
            "number {place}: {found} of {most} in {seen:#?}"
        );
    }
}

#[test]
fn a_seed_gives_one_text() {
    let limits = Limits::default();
    let texts: BTreeSet<String> = (0..200)
        .map(|seed| random_document(seed, &limits))
        .collect();
    assert_eq!(texts.len(), 200);
    assert!((0..200).all(|seed| texts.contains(&random_document(seed, &limits))));
    let text = random_document(5, &limits);
    assert_eq!(random_events(9, &text, 50), random_events(9, &text, 50));
    assert_ne!(random_events(9, &text, 50), random_events(10, &text, 50));
}
