//! Tapes of agents (TAPE-2, TAPE-5): whoever has [`Taped`] is recorded while a recording or the flight recorder runs,
//! with all that its user functions say and do, so that anybody can run it again without the game.
//!
//! ```text
//!  Tapes ── one track for each machine ──┬─ recording ─▶ NAME.swtape
//!                                        └─ flight recorder: the last seconds
//! ```

use std::path::{Path, PathBuf};

use bevy_ecs::change_detection::DetectChangesMut;
use bevy_ecs::component::Component;
use bevy_ecs::resource::Resource;
use bevy_ecs::system::{Res, ResMut};
use statewright::{Board, Context, Instance, Program, Segment, Slices, SlicesOutput};
use statewright_tape::{
    FlightOptions, Incident, RecordError, RecordingOptions, SlicesFlight, SlicesRecorder,
    SlicesRecording, Summary,
};

use crate::state::AgentState;

/// The agent of an entity with this is recorded while [`Tapes`] record or fly. Put it on and take it off at any
/// time; it changes nothing of what anybody does. Agents without it are not looked at, and go as fast as ever.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taped;

/// The recording and the flight recorder of an app. Each machine that taped agents run has a tape of its own.
///
/// ```
/// use bevy_ecs::prelude::*;
/// use bevy_statewright::prelude::*;
/// use bevy_statewright::statewright_tape::FlightOptions;
/// use bevy_statewright::{Taped, Tapes};
///
/// /// From the next tick on, and for all that comes: the last ten seconds of those who are watched.
/// fn watch(mut tapes: ResMut<Tapes>, suspects: Query<Entity, With<StableId>>, mut commands: Commands) {
///     suspects.iter().take(20).for_each(|one| _ = commands.entity(one).insert(Taped));
///     tapes.fly(FlightOptions::default());
/// }
///
/// /// What led to the first panic, fault, fail-safe or full queue of one of them.
/// fn look(mut tapes: ResMut<Tapes>) {
///     for (machine, incident) in tapes.take_incidents() {
///         println!("{machine}, tick {}: {:?}", incident.tick, incident.trouble);
///         _ = std::fs::write("incident.swtape", &incident.tape);
///     }
/// }
/// # bevy_ecs::system::assert_is_system(watch);
/// # bevy_ecs::system::assert_is_system(look);
/// ```
///
/// - On a tape is what happens to taped agents, and what their functions say: `statewright replay`, `tape info` and `tape why`
///   read it, and nobody needs the game. Of their blackboards it has the keys that machine files see.
/// - Messages of other agents are on it as events; so are those that taped ones send each other.
/// - Where the game does more than to write a blackboard or an instance (another variant, changed parameters, a rollback, a
///   reload, somebody else gets or loses [`Taped`]), a checkpoint stands on the tape, and it goes on from there.
/// - An agent that cannot think, because its entity is disabled or its blackboard gone, is not on it for so long.
#[derive(Resource, Debug, Default)]
pub struct Tapes {
    recording: Option<RecordingOptions>,
    flying: Option<FlightOptions>,
    /// By number of the program.
    tracks: Vec<Track>,
    error: Option<RecordError>,
}

/// What is recorded of agents of one machine.
#[derive(Debug, Default)]
struct Track {
    machine: String,
    recording: Option<SlicesRecording<Vec<u8>>>,
    flight: Option<SlicesFlight>,
    /// The tick that it was last told of.
    ticked: Option<u64>,
}

/// A finished tape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentTape {
    /// The machine that its agents run.
    pub machine: String,
    /// The content of the file.
    pub bytes: Vec<u8>,
    /// What it has; nothing of one that is [dumped](Tapes::dump).
    pub summary: Option<Summary>,
}

impl AgentTape {
    /// Writes it into a folder as `NAME.swtape`, with the name of its machine; where it is now.
    pub fn write_to(&self, folder: impl AsRef<Path>) -> std::io::Result<PathBuf> {
        let is_plain = |letter: char| letter.is_alphanumeric() || letter == '-' || letter == '_';
        let name = self.machine.chars();
        let name: String = name
            .map(|one| if is_plain(one) { one } else { '_' })
            .collect();
        let path = folder.as_ref().join(format!("{name}.swtape"));
        std::fs::write(&path, &self.bytes)?;
        Ok(path)
    }
}

/// What games call.
impl Tapes {
    /// Records taped agents from the next tick on, until [`finish`](Self::finish). In memory, compressed. A
    /// recording that runs ends, and is lost.
    pub fn record(&mut self, options: RecordingOptions) {
        self.tracks
            .iter_mut()
            .for_each(|track| track.recording = None);
        self.recording = Some(options);
    }

    /// Whether a recording runs.
    pub fn is_recording(&self) -> bool {
        self.recording.is_some()
    }

    /// Ends the recording: a tape for each machine that a taped agent ran meanwhile.
    pub fn finish(&mut self) -> Result<Vec<AgentTape>, RecordError> {
        self.recording = None;
        let all = self.tracks.iter_mut();
        let tapes: Result<Vec<_>, _> = all
            .filter_map(|track| Some((track.machine.clone(), track.recording.take()?)))
            .map(|(machine, recording)| {
                let (bytes, summary) = recording.finish()?;
                Ok(AgentTape {
                    machine,
                    bytes,
                    summary: Some(summary),
                })
            })
            .collect();
        match self.error.take() {
            Some(error) => Err(error),
            None => tapes,
        }
    }

    /// Keeps the last seconds of taped agents from the next tick on, until [`land`](Self::land).
    pub fn fly(&mut self, options: FlightOptions) {
        self.tracks.iter_mut().for_each(|track| track.flight = None);
        self.flying = Some(options);
    }

    /// Whether the flight recorder runs.
    pub fn is_flying(&self) -> bool {
        self.flying.is_some()
    }

    /// Ends the flight recorder; what it has is gone.
    pub fn land(&mut self) {
        self.tracks.iter_mut().for_each(|track| track.flight = None);
        self.flying = None;
    }

    /// What the flight recorder has now, as tapes.
    pub fn dump(&self) -> Vec<AgentTape> {
        let all = self.tracks.iter();
        all.filter_map(|track| {
            Some(AgentTape {
                machine: track.machine.clone(),
                bytes: track.flight.as_ref()?.dump()?,
                summary: None,
            })
        })
        .collect()
    }

    /// What went wrong since this was asked last: of each machine the first panic, fault, fail-safe or full queue of
    /// a taped agent while the flight recorder ran, with the tape that ends with it. With the names of the machines.
    pub fn take_incidents(&mut self) -> Vec<(String, Incident)> {
        let all = self.tracks.iter();
        all.filter_map(|track| {
            let incident = track.flight.as_ref()?.take_incident()?;
            Some((track.machine.clone(), incident))
        })
        .collect()
    }
}

impl Track {
    /// Everybody who looks at its ticks.
    fn recorders(&mut self) -> impl Iterator<Item = &mut SlicesRecorder> {
        let recording = self.recording.iter_mut().map(SlicesRecording::recorder);
        let flight = self.flight.iter_mut().map(SlicesFlight::recorder);
        recording.chain(flight)
    }
}

/// What the tick calls.
impl Tapes {
    /// Whether anybody is recorded who is taped.
    pub(crate) fn is_on(&self) -> bool {
        self.is_recording() || self.is_flying()
    }

    /// A program is about to tick.
    pub(crate) fn before<I: Instance, B: Board, C: Context + ?Sized>(
        &mut self,
        number: u16,
        program: &Program<B, C>,
        segments: &[Segment<'_, I, B>],
        slices: &Slices<'_>,
    ) {
        if slices.sealed.is_some() {
            self.begin(number, program);
        }
        if let Some(track) = self.tracks.get_mut(usize::from(number)) {
            track.ticked = Some(slices.tick);
            track
                .recorders()
                .for_each(|recorder| recorder.before(program, segments, slices));
        }
    }

    /// The first taped agent of a program.
    fn begin<B: Board, C: Context + ?Sized>(&mut self, number: u16, program: &Program<B, C>) {
        let place = usize::from(number);
        if self.tracks.len() <= place {
            self.tracks.resize_with(place + 1, Track::default);
        }
        let track = &mut self.tracks[place];
        if track.recording.is_none()
            && let Some(options) = &self.recording
        {
            match SlicesRecording::begin(program, Vec::new(), options.clone()) {
                Ok(recording) => track.recording = Some(recording),
                Err(error) => _ = self.error.get_or_insert(error),
            }
        }
        if track.flight.is_none()
            && let Some(options) = &self.flying
        {
            track.flight = Some(SlicesFlight::begin(program, options.clone()));
        }
        if track.machine.is_empty() {
            program.machine().name().clone_into(&mut track.machine);
        }
    }

    /// It has ticked, or was refused.
    pub(crate) fn after<I: Instance, B: Board>(
        &mut self,
        number: u16,
        (segments, slices): (&[Segment<'_, I, B>], &Slices<'_>),
        output: Option<&SlicesOutput>,
    ) {
        if let Some(track) = self.tracks.get_mut(usize::from(number)) {
            track.recorders().for_each(|recorder| match output {
                Some(output) => recorder.after(segments, slices, output),
                None => recorder.refused(),
            });
        }
    }
}

/// Machines of whose agents nobody had a turn.
pub(crate) fn idle(mut tapes: ResMut<'_, Tapes>, state: Res<'_, AgentState>) {
    let tapes = tapes.bypass_change_detection();
    let tick = state.now().wrapping_sub(1);
    for track in &mut tapes.tracks {
        if track.ticked != Some(tick) {
            track.recorders().for_each(|recorder| recorder.idle(tick));
        }
    }
}
