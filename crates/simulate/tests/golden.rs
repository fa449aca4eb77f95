//! TAPE-10: a tape of every sample is kept beside it, and what it tells happens again, digest for
//! digest, on every computer that runs this. They carry their own ROM: whoever edits a sample changes
//! nothing here; whoever changes what machines mean does, and says so in the changelog.
//!
//! `BLESS=1` writes those anew that are missing or differ.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use statewright::Machine;
use statewright_simulate::{Plan, Proof, Recorded, Unwatched, replay, run};
use statewright_tape::Tape;

const TICKS: u64 = 150;

/// Memory that is read after the run.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn record(file: &str, text: &str) -> Vec<u8> {
    let machine = Machine::from_text(file, text).unwrap();
    let out = Shared::default();
    let plan = Plan {
        agents: 24,
        ticks: TICKS,
        seed: 11,
        rate: 0.1,
        recorded: Some(Recorded {
            out: Box::new(out.clone()),
            proof: Proof::Ticks,
            sealed: None,
            outputs: Vec::new(),
        }),
        ..Plan::default()
    };
    let outcome = run(&machine, plan, &AtomicBool::new(false), &mut Unwatched).unwrap();
    assert_eq!(outcome.tape.unwrap().ticks, TICKS);
    std::mem::take(&mut *out.0.lock().unwrap())
}

/// What a tape tells happens again.
fn check(bytes: &[u8]) -> Result<(), String> {
    let tape = Tape::read(bytes).map_err(|error| error.to_string())?;
    for threads in [1, 3] {
        let verified = replay(&tape, 0, Some(threads), |_| ());
        let verified = verified.map_err(|error| error.to_string())?;
        assert_eq!((verified.ticks, verified.digests), (TICKS, TICKS));
        assert!(
            verified.inputs > 50 && verified.checkpoints > 0,
            "{verified:?}"
        );
    }
    Ok(())
}

#[test]
fn tape_10_every_sample_does_what_its_tape_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../machines/tapes");
    let is_blessed = std::env::var_os("BLESS").is_some_and(|bless| bless == "1");
    let mut problems = Vec::new();
    for sample in statewright_samples::ALL {
        let name = sample.file.trim_end_matches(".sw.json");
        let path: PathBuf = folder.join(format!("{name}.swtape"));
        let kept = std::fs::read(&path).map_err(|error| error.to_string());
        let checked = kept.and_then(|bytes| check(&bytes));
        match checked {
            Err(_) if is_blessed => {
                std::fs::write(&path, record(sample.file, sample.text)).unwrap();
            }
            Err(problem) => problems.push(format!("{}: {problem}", path.display())),
            Ok(()) => {}
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
