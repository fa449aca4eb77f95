//! The program that runs a tape again, for every version of its machine (LOAD-7).

use std::fmt;
use std::sync::Arc;

use statewright::{Board, Context, Machine, Program};

use crate::file::Version;
use crate::replay::ReplayError;

/// What runs a tape again. A program is one for tapes of one version of its machine; a tape in which
/// the machine was reloaded has several, which [`Self::by`] makes as they come.
///
/// ```
/// use statewright::prelude::*;
/// use statewright::Reload;
/// use statewright_tape::{Programs, Recording, RecordingOptions, Replay, Tape};
///
/// let text = |seconds| format!(r#"{{ "machine": "Lamp", "initial": "on", "states": {{
///     "on": {{ "transitions": [{{ "after": "{seconds}s", "to": "off" }}] }}, "off": {{}} }} }}"#);
/// let [old, new] = [1, 2].map(|seconds| Machine::from_text("lamp.sw.json", &text(seconds)).unwrap());
/// let bind = |machine: &Machine| machine.bind(Functions::<(), ()>::new());
/// let mut lamps = Crowd::new(bind(&old)?, 1);
/// let recording = Recording::begin(&mut lamps, Vec::new(), RecordingOptions::default())?;
/// lamps.spawn(());
/// lamps.tick(&());
/// lamps.reload(bind(&new)?, Reload::plan(&old, &new))?;
/// lamps.tick(&());
/// let (bytes, _) = recording.finish(&mut lamps)?;
///
/// // Nothing but the tape and the functions.
/// let tape = Tape::read(&bytes)?;
/// let mut replay = Replay::new(&tape, Programs::by(bind))?;
/// let verified = replay.run(|lamps| { lamps.tick(&()); None })?;
/// assert_eq!((verified.ticks, verified.reloads), (2, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Programs<B, C: Context + ?Sized> {
    /// One that is there already.
    own: Option<Arc<Program<B, C>>>,
    maker: Maker<B, C>,
}

type Make<B, C> = dyn Fn(&Machine) -> Result<Program<B, C>, String> + Send + Sync;

enum Maker<B, C: Context + ?Sized> {
    /// There is one program and no other.
    Nobody,
    Host(Arc<Make<B, C>>),
    /// The tape says what its functions said.
    Tape(fn(&Version) -> Result<Program<B, C>, ReplayError>),
}

impl<B, C: Context + ?Sized> Clone for Maker<B, C> {
    fn clone(&self) -> Self {
        match self {
            Self::Nobody => Self::Nobody,
            Self::Host(make) => Self::Host(Arc::clone(make)),
            Self::Tape(make) => Self::Tape(*make),
        }
    }
}

impl<B, C: Context + ?Sized> Clone for Programs<B, C> {
    fn clone(&self) -> Self {
        Self {
            own: self.own.clone(),
            maker: self.maker.clone(),
        }
    }
}

impl<B, C: Context + ?Sized> fmt::Debug for Programs<B, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Programs").finish_non_exhaustive()
    }
}

impl<B, C: Context + ?Sized> From<Program<B, C>> for Programs<B, C> {
    fn from(program: Program<B, C>) -> Self {
        Arc::new(program).into()
    }
}

impl<B, C: Context + ?Sized> From<Arc<Program<B, C>>> for Programs<B, C> {
    fn from(program: Arc<Program<B, C>>) -> Self {
        Self {
            own: Some(program),
            maker: Maker::Nobody,
        }
    }
}

impl<B: Board, C: Context + ?Sized> Programs<B, C> {
    /// Binds each version of the machine that the tape has.
    pub fn by<E: fmt::Display>(
        make: impl Fn(&Machine) -> Result<Program<B, C>, E> + Send + Sync + 'static,
    ) -> Self {
        let make = move |machine: &Machine| make(machine).map_err(|error| error.to_string());
        Self {
            own: None,
            maker: Maker::Host(Arc::new(make)),
        }
    }

    /// Those of a sealed tape.
    pub(crate) fn of_tape(
        first: Arc<Program<B, C>>,
        make: fn(&Version) -> Result<Program<B, C>, ReplayError>,
    ) -> Self {
        Self {
            own: Some(first),
            maker: Maker::Tape(make),
        }
    }

    /// The program for a version.
    pub(crate) fn of(&mut self, version: &Version) -> Result<Arc<Program<B, C>>, ReplayError> {
        let hashes = |program: &Program<B, C>| {
            let rom = program.machine().rom();
            [rom.structure_hash(), rom.parameter_hash()]
        };
        let own = self.own.as_ref().map(|own| hashes(own));
        if let Some(own) = self.own.as_ref()
            && hashes(own) == version.hashes
        {
            return Ok(Arc::clone(own));
        }
        let made = match &self.maker {
            Maker::Nobody => {
                return Err(ReplayError::Machine {
                    found: version.hashes,
                    expected: own.unwrap_or_default(),
                });
            }
            Maker::Host(make) => {
                let machine = version.machine(0).map_err(ReplayError::Refused)?;
                make(&machine).map_err(ReplayError::Bind)?
            }
            Maker::Tape(make) => make(version)?,
        };
        if hashes(&made) != version.hashes {
            return Err(ReplayError::Machine {
                found: version.hashes,
                expected: hashes(&made),
            });
        }
        let made = Arc::new(made);
        // Going back and forth over a reload binds anew: that is rare.
        self.own = Some(Arc::clone(&made));
        Ok(made)
    }
}
