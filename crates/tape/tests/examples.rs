//! TAPE-10: a sealed tape of each of these examples is kept with what its agents said, and is run again without the example's
//! code. `BLESS=1` writes those anew that differ.

use std::path::PathBuf;

use statewright::commands::Lane;
use statewright::{Board, Context, Crowd, Saved};
use statewright_tape::{Origin, Recording, RecordingOptions, SealedProgram, Tape, compare};

macro_rules! examples {
    ($($name:ident in $path:literal),+ $(,)?) => {
        $(
            // What `main` alone needs is not needed here.
            #[allow(dead_code)]
            #[path = $path]
            mod $name;
        )+
        /// A tape of each example, by name.
        fn tapes() -> Vec<(&'static str, Vec<u8>)> {
            vec![$({
                let (mut crowd, recording) = $name::play(begin).unwrap();
                (stringify!($name), recording.finish(&mut crowd).unwrap().0)
            }),+]
        }
    };
}

examples!(
    body in "../../../examples/body.rs",
    collectors in "../../../examples/collectors.rs",
    guard in "../../../examples/guard.rs",
    pushdown in "../../../examples/pushdown.rs",
    squad in "../../../examples/squad.rs",
    utility in "../../../examples/utility.rs",
);

fn begin<B, C>(crowd: &mut Crowd<B, C>) -> Recording<Vec<u8>>
where
    B: Board + Saved + 'static,
    C: Context + ?Sized + 'static,
{
    let options = RecordingOptions {
        sealed: true,
        outputs: vec![Lane::NAVIGATION, Lane::GAMEPLAY, Lane::AUDIO, Lane::MESSAGE],
        origin: Origin {
            program: "example".to_owned(),
            data: Vec::new(),
        },
        ..RecordingOptions::default()
    };
    Recording::begin(crowd, Vec::new(), options).unwrap()
}

#[test]
fn tape_10_tapes_of_examples_are_run_again_without_them() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/tapes");
    let is_blessed = std::env::var_os("BLESS").is_some_and(|bless| bless == "1");
    let mut said = 0;
    for (name, bytes) in tapes() {
        let path = folder.join(format!("{name}.swtape"));
        let now = Tape::read(&bytes).unwrap();
        let differs = |kept: &[u8]| {
            let kept = Tape::read(kept).map_err(|error| error.to_string())?;
            let machine = kept.machine().map_err(|error| error.to_string())?;
            let parting = compare(&kept, &now, &machine).map_err(|error| error.to_string())?;
            parting.map_or(Ok(()), |parting| Err(parting.to_string()))
        };
        let kept = std::fs::read(&path).unwrap_or_default();
        if is_blessed && differs(&kept).is_err() {
            std::fs::write(&path, &bytes).unwrap();
        }
        let kept = std::fs::read(&path).unwrap();
        assert_eq!(differs(&kept), Ok(()), "{name}");
        let tape = Tape::read(&kept).unwrap();
        let sealed = SealedProgram::of(&tape).unwrap();
        for start in tape.checkpoints() {
            let mut replay = sealed.replay(&tape, start).unwrap();
            let verified = replay.run(|crowd| sealed.tick(crowd));
            let verified = verified.unwrap_or_else(|error| panic!("{name} from {start}: {error}"));
            assert!(verified.ticks > 0 || start > 0, "{name}");
            said += verified.outputs;
        }
    }
    assert!(said > 20, "{said} commands");
}
