//! What user code does: pseudo-random, the same for both engines as long as they call it in the
//! same order.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use statewright_generator::Rng;
use statewright_kernel::Class;
use statewright_rom::layout::ValueType;

use crate::log::{Called, Entry};

/// What there is to act on.
#[derive(Clone, Debug, Default)]
pub struct Tools {
    /// Event types.
    pub events: u32,
    /// Timers that actions may start.
    pub timers: Vec<usize>,
    /// Scratch: words of each.
    pub scratch: Vec<u8>,
    /// States with history points.
    pub remembering: Vec<usize>,
    /// Types of the keys of the blackboard.
    pub keys: Vec<ValueType>,
}

/// How user code behaves in one run.
#[derive(Clone, Copy, Debug)]
pub struct UserCodeConfig {
    /// Guards hold so often, in percent.
    pub holds: u32,
    /// Actions do something to the agent so often.
    pub acts: u32,
    /// Activities end so often.
    pub ends: u32,
    /// The host drops a command so often.
    pub drops: u32,
}

impl UserCodeConfig {
    /// The one of a seed.
    pub fn of_seed(seed: u64) -> Self {
        let mut rng = Rng::new(seed ^ 0x004A_B175);
        Self {
            holds: rng.one(&[30, 60, 60, 90]),
            acts: rng.one(&[0, 10, 30]),
            ends: rng.one(&[5, 30]),
            drops: rng.one(&[0, 0, 10]),
        }
    }
}

/// One thing that an action does.
#[derive(Clone, Copy, Debug)]
pub enum UserAction {
    /// Posts an event.
    Post {
        /// The event.
        event: usize,
        /// Its class, if not the type's.
        class: Option<Class>,
        /// Its payload.
        payload: [u32; 4],
        /// As `raise` does.
        internal: bool,
    },
    /// Starts a timer.
    Start(usize, u32),
    /// Stops a timer.
    Stop(usize),
    /// Draws a random number.
    Draw,
    /// Writes scratch of its own state: number, word, value.
    Scratch(usize, u8, u16),
    /// Clears the history of a state.
    Forget(usize),
    /// Writes a key of the blackboard.
    Set(usize, [u32; 3]),
}

/// What a guard says.
#[derive(Clone, Copy, Debug)]
pub struct GuardResult {
    /// Whether it holds.
    pub holds: bool,
    /// Its code.
    pub code: u16,
    /// Whether it draws a random number.
    pub draws: bool,
}

/// What a function of a fixture does, call by call; the last one repeats.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// Verdicts of a guard.
    pub verdicts: Vec<GuardResult>,
    /// Scores.
    pub scores: Vec<f32>,
    /// What a value function gives.
    pub values: Vec<[u32; 3]>,
    /// What an activity says: 0 running, 1 succeeded, 2 failed.
    pub statuses: Vec<u8>,
    /// What an action or activity does; an empty list is nothing.
    pub actions: Vec<Vec<UserAction>>,
    calls: [usize; 5],
}

impl Answers {
    fn next<T: Clone>(list: &[T], calls: &mut usize) -> Option<T> {
        let answer = list.get(*calls).or(list.last()).cloned();
        *calls += 1;
        answer
    }
}

/// Where answers come from.
#[derive(Clone, Debug)]
enum Source {
    /// From chance.
    Chance(Rng, UserCodeConfig, Tools),
    /// From a fixture, by function.
    Given(BTreeMap<String, Answers>),
}

/// User code of one run.
#[derive(Clone, Debug)]
pub struct ScriptedUserCode {
    source: Source,
    /// The blackboard.
    pub keys: Vec<[u32; 3]>,
    /// Functions that look at nothing but the blackboard. What they are told is nothing, whoever calls them, and
    /// they do nothing but write keys.
    pub plain: BTreeSet<Rc<str>>,
    /// What happened since the last look.
    pub log: Vec<Entry>,
    /// Calls in this tick: past a bound nothing is posted any more, so that logs stay readable.
    calls: u32,
}

const MOST_ACTIVE_CALLS: u32 = 200;

impl ScriptedUserCode {
    /// User code with its own stream of chance.
    pub fn new(seed: u64, config: UserCodeConfig, tools: Tools, keys: Vec<[u32; 3]>) -> Self {
        Self {
            source: Source::Chance(Rng::new(seed), config, tools),
            keys,
            plain: BTreeSet::new(),
            log: Vec::new(),
            calls: 0,
        }
    }

    /// User code that answers as a fixture says. Functions that it does not name hold, score 1, give 0,
    /// run on and do nothing.
    pub fn given(answers: BTreeMap<String, Answers>, keys: Vec<[u32; 3]>) -> Self {
        Self {
            source: Source::Given(answers),
            keys,
            plain: BTreeSet::new(),
            log: Vec::new(),
            calls: 0,
        }
    }

    /// The log so far; the next tick begins.
    pub fn take_log(&mut self) -> Vec<Entry> {
        self.calls = 0;
        std::mem::take(&mut self.log)
    }

    /// Does a function look at nothing but the blackboard?
    pub fn is_plain(&self, function: &str) -> bool {
        self.plain.contains(function)
    }

    fn note(&mut self, called: Called) {
        self.calls += 1;
        let called = match self.is_plain(&called.function) {
            true => Called::plain(called.kind, called.function, called.state),
            false => called,
        };
        if let Source::Chance(rng, ..) = &mut self.source {
            // Chance follows from the call, too: a difference shows at once.
            let start = called.state as u64;
            let mix = called
                .function
                .bytes()
                .fold(start, |mix, byte| mix.rotate_left(5) ^ u64::from(byte));
            *rng = Rng::new(rng.next_u64() ^ mix);
        }
        self.log.push(Entry::Called(called));
    }

    /// A guard is asked.
    pub fn guard(&mut self, called: Called) -> GuardResult {
        let function = called.function.clone();
        self.note(called);
        let result = match &mut self.source {
            Source::Chance(rng, config, _) => GuardResult {
                holds: rng.chance(config.holds),
                code: rng.below(1000) as u16,
                draws: rng.chance(50),
            },
            Source::Given(answers) => {
                let answers = answers.get_mut(&*function);
                let given = answers.and_then(|a| Answers::next(&a.verdicts, &mut a.calls[0]));
                given.unwrap_or(GuardResult {
                    holds: true,
                    code: 0,
                    draws: false,
                })
            }
        };
        self.log.push(Entry::Answered(if result.holds {
            "yes".into()
        } else {
            "no".into()
        }));
        result
    }

    /// A scorer is asked: its score, and whether it draws a random number.
    pub fn score(&mut self, called: Called) -> (f32, bool) {
        let function = called.function.clone();
        self.note(called);
        let (score, draws) = match &mut self.source {
            Source::Chance(rng, ..) => {
                let score = match rng.below(8) {
                    0 => f32::NAN,
                    1 => -1.0,
                    2 => f32::INFINITY,
                    step => step as f32 * 0.5,
                };
                (score, rng.chance(50))
            }
            Source::Given(answers) => {
                let answers = answers.get_mut(&*function);
                (
                    answers
                        .and_then(|a| Answers::next(&a.scores, &mut a.calls[1]))
                        .unwrap_or(1.0),
                    false,
                )
            }
        };
        self.log.push(Entry::Answered(score.to_string().into()));
        (score, draws)
    }

    /// A value function is asked: words of a value of its type, and whether it draws a random number.
    pub fn value(&mut self, called: Called, ty: ValueType) -> ([u32; 3], bool) {
        let function = called.function.clone();
        self.note(called);
        let (words, draws) = match &mut self.source {
            Source::Chance(rng, ..) => (any_value(rng, ty), rng.chance(50)),
            Source::Given(answers) => {
                let answers = answers.get_mut(&*function);
                let given = answers.and_then(|a| Answers::next(&a.values, &mut a.calls[4]));
                (given.unwrap_or_default(), false)
            }
        };
        self.log.push(Entry::Answered(shown(ty, words).into()));
        (words, draws)
    }

    /// An activity was called: 0 running, 1 succeeded, 2 failed.
    pub fn activity(&mut self, function: &str) -> u8 {
        match &mut self.source {
            Source::Chance(rng, config, _) => {
                if rng.chance(config.ends) {
                    1 + rng.below(2) as u8
                } else {
                    0
                }
            }
            Source::Given(answers) => {
                let answers = answers.get_mut(function);
                answers
                    .and_then(|a| Answers::next(&a.statuses, &mut a.calls[2]))
                    .unwrap_or(0)
            }
        }
    }

    /// Does the host drop this command?
    pub fn drops(&mut self) -> bool {
        match &mut self.source {
            Source::Chance(rng, config, _) => rng.chance(config.drops),
            Source::Given(_) => false,
        }
    }

    /// An action or activity is called: what it does.
    pub fn act(&mut self, called: Called) -> Vec<UserAction> {
        let function = called.function.clone();
        self.note(called);
        let plain = self.is_plain(&function);
        match &mut self.source {
            Source::Chance(rng, _, tools) if plain => write_key(rng, tools).into_iter().collect(),
            Source::Chance(rng, config, tools) => {
                let mut actions = Vec::new();
                while actions.len() < 3 && self.calls < MOST_ACTIVE_CALLS && rng.chance(config.acts)
                {
                    actions.extend(action(rng, tools));
                }
                actions
            }
            Source::Given(answers) => {
                let answers = answers.get_mut(&*function);
                answers
                    .and_then(|a| Answers::next(&a.actions, &mut a.calls[3]))
                    .unwrap_or_default()
            }
        }
    }
}

/// A value as fixtures show it.
fn shown(ty: ValueType, words: [u32; 3]) -> String {
    let used = &words[..usize::from(ty.words())];
    let one = |word: &u32| match ty {
        ValueType::F32 | ValueType::Vec2 | ValueType::Vec3 => f32::from_bits(*word).to_string(),
        ValueType::I32 => (*word as i32).to_string(),
        ValueType::Bool => (*word != 0).to_string(),
        ValueType::Entity | ValueType::Symbol => word.to_string(),
    };
    used.iter().map(one).collect::<Vec<_>>().join(" ")
}

/// A value of a type: small numbers and odd ones.
fn any_value(rng: &mut Rng, ty: ValueType) -> [u32; 3] {
    let mut float = || match rng.below(10) {
        0 => f32::NAN.to_bits(),
        1 => f32::INFINITY.to_bits(),
        2 => (-1.5_f32).to_bits(),
        step => (step as f32 * 0.5 - 1.0).to_bits(),
    };
    match ty {
        ValueType::F32 => [float(), 0, 0],
        ValueType::Vec2 => [float(), float(), 0],
        ValueType::Vec3 => [float(), float(), float()],
        ValueType::I32 => [(rng.below(9) as i32 - 3) as u32, 0, 0],
        ValueType::Bool => [rng.below(2), 0, 0],
        ValueType::Entity => [rng.below(4), rng.below(2), 0],
        ValueType::Symbol => [rng.below(3), 0, 0],
    }
}

fn action(rng: &mut Rng, tools: &Tools) -> Option<UserAction> {
    match rng.weighted(&[40, 15, 10, 20, 10, 5]) {
        0 if tools.events > 0 => Some(post(rng, tools)),
        1 => {
            let timer = rng.pick(&tools.timers).copied()?;
            Some(UserAction::Start(timer, rng.below(12)))
        }
        2 => rng.pick(&tools.timers).copied().map(UserAction::Stop),
        3 => Some(UserAction::Draw),
        4 => scratch(rng, tools),
        5 => rng
            .pick(&tools.remembering)
            .copied()
            .map(UserAction::Forget),
        _ => None,
    }
}

/// All that a function does that sees nothing but the blackboard.
fn write_key(rng: &mut Rng, tools: &Tools) -> Option<UserAction> {
    let key = rng.below(tools.keys.len() as u32) as usize;
    let ty = *tools.keys.get(key).filter(|_| rng.chance(40))?;
    Some(UserAction::Set(key, any_value(rng, ty)))
}

fn post(rng: &mut Rng, tools: &Tools) -> UserAction {
    let given = [Class::Low, Class::Normal, Class::Interrupt, Class::Critical];
    UserAction::Post {
        event: rng.below(tools.events) as usize,
        class: rng.chance(50).then(|| rng.one(&given)),
        payload: [rng.below(5), rng.below(3), 0, 7],
        internal: rng.chance(30),
    }
}

fn scratch(rng: &mut Rng, tools: &Tools) -> Option<UserAction> {
    let number = rng.below(tools.scratch.len() as u32) as usize;
    let words = *tools.scratch.get(number)?;
    Some(UserAction::Scratch(
        number,
        rng.below(u32::from(words)) as u8,
        rng.below(100) as u16,
    ))
}
