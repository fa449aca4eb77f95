//! TAPE-2, TAPE-10: sealed tapes of the crowds of the town example are kept, and are run again without the
//! example's code. `BLESS=1` writes them anew.

use std::path::PathBuf;

use statewright_tape::{Origin, Proof, Recording, RecordingOptions, SealedProgram, Tape, compare};

// What `main` alone needs is not needed here.
#[allow(dead_code)]
#[path = "../../../examples/town.rs"]
pub(crate) mod example;

use example::{Game, TICKS};

fn options() -> RecordingOptions {
    RecordingOptions {
        proof: Proof::Ticks,
        sealed: true,
        origin: Origin {
            program: "town".to_owned(),
            data: Vec::new(),
        },
        ..RecordingOptions::default()
    }
}

/// Tapes of the three crowds.
fn record(threads: usize) -> [(&'static str, Vec<u8>); 3] {
    let mut game = Game::new().unwrap();
    let villagers = Recording::begin(&mut game.world[game.villagers], Vec::new(), options());
    let guards = Recording::begin(&mut game.world[game.guards], Vec::new(), options());
    let bosses = Recording::begin(&mut game.world[game.bosses], Vec::new(), options());
    for _ in 0..TICKS {
        game.tick(threads);
    }
    let (villagers, guards, bosses) = (villagers.unwrap(), guards.unwrap(), bosses.unwrap());
    let villagers = villagers.finish(&mut game.world[game.villagers]).unwrap();
    let guards = guards.finish(&mut game.world[game.guards]).unwrap();
    let bosses = bosses.finish(&mut game.world[game.bosses]).unwrap();
    [
        ("villagers", villagers.0),
        ("guards", guards.0),
        ("bosses", bosses.0),
    ]
}

#[test]
fn tape_10_tapes_of_the_town_are_run_again_without_the_town() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/tapes");
    let bless = std::env::var_os("BLESS").is_some();
    let [one, two] = [1, 2].map(record);
    for ((name, bytes), (_, parallel)) in one.into_iter().zip(two) {
        let path = folder.join(format!("town-{name}.swtape"));
        if bless {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&path, &bytes).unwrap();
        }
        let kept = std::fs::read(&path).unwrap();
        let [kept, bytes, parallel] =
            [&kept, &bytes, &parallel].map(|bytes| Tape::read(bytes).unwrap());
        let machine = kept.machine().unwrap();
        for other in [&bytes, &parallel] {
            let parting = compare(&kept, other, &machine).unwrap();
            assert!(parting.is_none(), "{name}: {}", parting.unwrap());
        }
        let sealed = SealedProgram::of(&kept).unwrap();
        for start in kept.checkpoints() {
            let mut replay = sealed.replay(&kept, start).unwrap();
            let verified = replay.run(|crowd| sealed.tick(crowd));
            let verified = verified.unwrap_or_else(|error| panic!("{name} from {start}: {error}"));
            assert_eq!(verified.ticks, TICKS - start);
        }
    }
}
