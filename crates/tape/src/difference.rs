//! What differs between a tape and a crowd, by name (TAPE-6).

use std::fmt;

use statewright::ids::KeyId;
use statewright::{
    AnyValue, Board, Context, Crowd, Functions, Inspection, Key, Machine, PayloadKind, Program,
    Saved, Type,
};

use crate::record::TapeAgent;
use crate::shadow::Sides;

/// One field of an agent that is not the same on both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldDifference {
    /// What it is: `leaf`, `timer patience of sit`, `key bones`.
    pub field: String,
    /// What the tape says; empty if it is not there.
    pub recorded: String,
    /// What came of it now; empty if it is not there.
    pub replayed: String,
}

/// What differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WhatDiffers {
    /// The host's context: the same inputs met another world.
    Context {
        /// Digest that the host gave when it recorded.
        recorded: u64,
        /// Digest that it gives now.
        replayed: u64,
    },
    /// An agent that only one side has.
    Presence {
        /// The agent.
        agent: TapeAgent,
        /// Whether it is the tape that has it.
        on_tape: bool,
    },
    /// Fields of an agent.
    Agent {
        /// The agent.
        agent: TapeAgent,
        /// Its fields, never none.
        fields: Vec<FieldDifference>,
    },
    /// An agent; the tape does not say what of it.
    Other {
        /// The agent.
        agent: TapeAgent,
    },
    /// A command of a lane whose commands are kept, in words; `None` where there is none.
    Output {
        /// On the tape.
        recorded: Option<String>,
        /// Now.
        replayed: Option<String>,
    },
    /// Commands of the tick; all agents may be the same.
    Commands,
    /// The digest of the blackboards; the tape does not say whose.
    Blackboards,
    /// The digest of the crowd; the tape does not say of whom. If no agent differs, it is an event
    /// under way, a counter, a parameter, the time.
    Crowd,
}

/// The first difference between a tape and what came of it now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The tick after which it showed.
    pub tick: u64,
    /// What.
    pub what: WhatDiffers,
    /// What was seen at the next checkpoint, if the tape does not say more of the tick itself: the
    /// tick that comes after it, and what differed by then.
    pub later: Option<(u64, Box<WhatDiffers>)>,
}

/// What both sides of a difference are called.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Between {
    /// A tape, and what came of it now.
    TapeAndNow,
    /// Two tapes.
    Tapes,
}

impl Between {
    fn sides(self) -> [&'static str; 2] {
        match self {
            Self::TapeAndNow => ["on the tape", "now"],
            Self::Tapes => ["on the first", "on the second"],
        }
    }

    fn silent(self) -> &'static str {
        match self {
            Self::TapeAndNow => "the tape does not say",
            Self::Tapes => "the tapes do not say",
        }
    }
}

impl WhatDiffers {
    fn tell(&self, f: &mut fmt::Formatter<'_>, between: Between) -> fmt::Result {
        let ([one, two], silent) = (between.sides(), between.silent());
        match self {
            Self::Context { recorded, replayed } => write!(
                f,
                "the context of the host is another one (digest {recorded:016x} {one}, {replayed:016x} {two})"
            ),
            Self::Presence { agent, on_tape } => {
                let side = if *on_tape { one } else { two };
                write!(f, "{agent} is there only {side}")
            }
            Self::Agent { agent, fields } => {
                write!(f, "{agent}")?;
                for field in fields {
                    f.write_str("\n  ")?;
                    field.tell(f, between)?;
                }
                Ok(())
            }
            Self::Other { agent } => write!(f, "{agent} is another one; {silent} what of it"),
            Self::Output { recorded, replayed } => {
                let told = |side: &Option<String>| side.clone().unwrap_or("nothing".to_owned());
                let (recorded, replayed) = (told(recorded), told(replayed));
                write!(f, "{recorded} {one}; {replayed} {two}")
            }
            Self::Commands => f.write_str("the commands are others"),
            Self::Blackboards => write!(f, "a blackboard is another one; {silent} whose"),
            Self::Crowd => write!(f, "the crowd is another one; {silent} of whom"),
        }
    }
}

impl fmt::Display for WhatDiffers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tell(f, Between::TapeAndNow)
    }
}

impl FieldDifference {
    fn tell(&self, f: &mut fmt::Formatter<'_>, between: Between) -> fmt::Result {
        let shown = |text: &str| match text {
            "" => "nothing".to_owned(),
            text => text.to_owned(),
        };
        let (recorded, replayed) = (shown(&self.recorded), shown(&self.replayed));
        let [one, two] = between.sides();
        write!(f, "{}: {recorded} {one}, {replayed} {two}", self.field)
    }
}

impl fmt::Display for FieldDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tell(f, Between::TapeAndNow)
    }
}

impl Difference {
    /// In words, with names for both sides.
    pub(crate) fn tell(&self, f: &mut fmt::Formatter<'_>, between: Between) -> fmt::Result {
        write!(f, "tick {}: ", self.tick)?;
        self.what.tell(f, between)?;
        if let Some((tick, what)) = &self.later {
            write!(f, "\nat the checkpoint before tick {tick}: ")?;
            what.tell(f, between)?;
        }
        Ok(())
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tell(f, Between::TapeAndNow)
    }
}

/// Both sides of an agent in names; `boards` names what differs between two saved blackboards.
pub(crate) fn name(
    machine: &Machine,
    now: u64,
    sides: Sides,
    boards: impl FnOnce(&[u8], &[u8]) -> Vec<FieldDifference>,
) -> WhatDiffers {
    let agent = sides.agent;
    let (recorded, replayed) = match (sides.recorded, sides.replayed) {
        (Some(recorded), Some(replayed)) => (recorded, replayed),
        (recorded, _) => {
            let on_tape = recorded.is_some();
            return WhatDiffers::Presence { agent, on_tape };
        }
    };
    let mut fields = Vec::new();
    if recorded.0 != replayed.0 {
        fields = instances(machine, now, &recorded.0, &replayed.0);
        if fields.is_empty() {
            fields = by_bytes("byte", &recorded.0, &replayed.0);
        }
    }
    if recorded.1 != replayed.1 {
        let mut keys = boards(&recorded.1, &replayed.1);
        if keys.is_empty() {
            keys = by_bytes("byte of the blackboard", &recorded.1, &replayed.1);
        }
        fields.extend(keys);
    }
    WhatDiffers::Agent { agent, fields }
}

/// A blackboard of any machine that holds nothing: instances can be looked at without the game.
struct NoBoard;

impl Board for NoBoard {
    const HIDDEN: Option<&'static [&'static str]> = Some(&[]);
    const ANY_KEY: bool = true;

    fn locate(_: &Key<'_>) -> Result<usize, Option<Type>> {
        Ok(0)
    }
}

/// Fields of two instances that differ. None if one of them is no agent of the machine.
fn instances(machine: &Machine, now: u64, one: &[u8], two: &[u8]) -> Vec<FieldDifference> {
    let seen = |bytes: &[u8]| -> Option<Inspection> {
        let bound = machine.bind_for_development(Functions::<NoBoard, ()>::new());
        let (program, _) = bound.ok()?;
        // Times are shown as seen from the tick that comes; above 2^62 no crowd begins.
        let mut crowd = Crowd::new(program, 0).starting_at(now.min(1 << 62));
        let agent = crowd.spawn(NoBoard);
        crowd.set_instance_bytes(agent, bytes).ok()?;
        crowd.inspect(agent).ok()
    };
    match (seen(one), seen(two)) {
        (Some(one), Some(two)) => differing(fields(&one), fields(&two)),
        _ => Vec::new(),
    }
}

/// Fields of an agent as texts, in the order in which people look.
fn fields(seen: &Inspection) -> Vec<(String, String)> {
    let mut all = vec![
        ("leaf".to_owned(), seen.leaves.join(" + ")),
        ("suspended".to_owned(), seen.suspended.join(" + ")),
    ];
    let mut put = |field: String, value: String| all.push((field, value));
    for timer in &seen.timers {
        let field = format!("timer {} of {}", timer.timer, timer.owner);
        put(field, format!("{}t left", timer.ticks_left));
    }
    for (place, event) in seen.queue.iter().enumerate() {
        let since = event.since;
        put(
            format!("queue place {place}"),
            format!("{event} since tick {since}"),
        );
    }
    let waits = [
        ("clock", &seen.clocks),
        ("cooldown", &seen.cooldowns),
        ("debounce", &seen.debounces),
    ];
    for (word, list) in waits {
        for (name, ticks) in list {
            put(format!("{word} of {name}"), format!("{ticks}t"));
        }
    }
    for (transition, state) in &seen.latched {
        put(format!("latch of {state}"), transition.clone());
    }
    for (state, result) in &seen.results {
        put(format!("result of {state}"), format!("{result:?}"));
    }
    for (point, states) in &seen.history {
        put(format!("history {point}"), states.join(" + "));
    }
    for (owner, name, words) in &seen.scratch {
        put(format!("scratch {name} of {owner}"), format!("{words:?}"));
    }
    for flag in &seen.flags {
        put(format!("flag {flag}"), "set".to_owned());
    }
    put("generation".to_owned(), seen.generation.to_string());
    put("rng".to_owned(), format!("{:08x}", seen.rng));
    put("clamped ticks".to_owned(), seen.clamped_ticks.to_string());
    put("stack depth".to_owned(), seen.stack_depth.to_string());
    all
}

/// What is not the same on both sides, in the order of the first, then what only the second has.
fn differing(one: Vec<(String, String)>, two: Vec<(String, String)>) -> Vec<FieldDifference> {
    let value = |list: &[(String, String)], field: &str| {
        let found = list.iter().find(|(name, _)| name == field);
        found.map(|(_, value)| value.clone()).unwrap_or_default()
    };
    let names = one.iter().map(|(name, _)| name);
    let more = two.iter().map(|(name, _)| name);
    let more = more.filter(|name| one.iter().all(|(known, _)| known != *name));
    let both = |field: &String| FieldDifference {
        field: field.clone(),
        recorded: value(&one, field),
        replayed: value(&two, field),
    };
    let all = names.chain(more).map(both);
    all.filter(|field| field.recorded != field.replayed)
        .collect()
}

/// The first byte that differs, where nothing has a name.
pub(crate) fn by_bytes(what: &str, one: &[u8], two: &[u8]) -> Vec<FieldDifference> {
    let length = one.len().max(two.len());
    let at = (0..length).find(|&at| one.get(at) != two.get(at));
    let text = |byte: Option<&u8>| byte.map(|byte| format!("{byte:02x}")).unwrap_or_default();
    let at = at.map(|at| FieldDifference {
        field: format!("{what} {at}"),
        recorded: text(one.get(at)),
        replayed: text(two.get(at)),
    });
    at.into_iter().collect()
}

/// Keys of two saved blackboards that differ; none if one of them is no blackboard.
pub(crate) fn keys<B: Board + Saved, C: Context + ?Sized>(
    program: &Program<B, C>,
    one: &[u8],
    two: &[u8],
) -> Vec<FieldDifference> {
    let machine = program.machine();
    let read = |mut bytes: &[u8]| -> Option<Vec<(String, String)>> {
        let board = B::load(machine, &mut bytes)?;
        let rom = machine.rom();
        let keys = rom
            .keys()
            .iter()
            .enumerate()
            .filter_map(|(number, record)| {
                let id = KeyId::from_index(number)?;
                let field = program.field(machine.handle(id)?).ok()?;
                let [x, y, z] = board.read(field);
                let kind = PayloadKind::of_value(record.ty.get());
                let value = AnyValue::new(machine, kind, [x, y, z, 0]);
                let name = machine.symbols().of(id).unwrap_or_default();
                Some((format!("key {name}"), value.to_string()))
            });
        Some(keys.collect())
    };
    match (read(one), read(two)) {
        (Some(one), Some(two)) => differing(one, two),
        _ => Vec::new(),
    }
}
