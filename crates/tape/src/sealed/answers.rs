//! Answers of user code from a tape, in the place of a game (TAPE-2).

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use statewright::ids::FunctionId;
use statewright::prelude::*;
use statewright::sealed::{
    CallKind, Calls, Deed, Malformed, Outcome, Question, Refused, Step, Turns,
};
use statewright::{Blackboard, Kind, Mode};

use super::translate::Translation;

/// What becomes of a question that the tape does not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unanswered {
    /// The run ends: it is not the one that was recorded.
    Refused,
    /// Somebody stands in (TAPE-8): the last answer of that function to that agent, else that nothing
    /// is so and nothing is done.
    Guessed,
}

/// What user code of sealed agents says and does in the tick that comes. It is the context of crowds
/// that are run without their game.
#[derive(Debug)]
pub struct Answers {
    tick: AtomicU64,
    turns: RwLock<Vec<Turn>>,
    unanswered: Unanswered,
    /// The first thing that did not fit.
    misfit: Mutex<Option<Misfit>>,
    /// Agents whose answers are guesses, by index, and since which tick.
    guessed: Mutex<BTreeMap<u32, u64>>,
    /// Last answers by agent and function, for guesses.
    last: Mutex<HashMap<(u32, u16), Outcome>>,
    /// Where another version of the machine runs than the one that was recorded.
    translation: RwLock<Option<Translation>>,
}

/// Calls of one agent.
#[derive(Debug)]
struct Turn {
    index: u32,
    calls: Box<[u8]>,
    /// How far they were asked for.
    at: Mutex<usize>,
}

/// An answer that fits no question, or a question without an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// The agent, by index.
    pub index: u32,
    /// The function that was asked, if one was.
    pub asked: Option<FunctionId>,
    /// The function whose answer the tape has there, if it has one.
    pub answered: Option<FunctionId>,
    /// What is wrong beyond that.
    pub why: String,
}

impl Misfit {
    /// In words, with the names of a machine.
    pub fn told(&self, machine: &Machine) -> String {
        let name = |function: FunctionId| format!("`{}`", machine.function_name(function));
        let index = self.index;
        let what = match (self.asked, self.answered) {
            (Some(asked), None) => {
                format!("asks {}, and the tape has no more answers", name(asked))
            }
            (None, Some(answered)) => format!("did not ask {} any more", name(answered)),
            (Some(asked), Some(answered)) if asked != answered => format!(
                "asks {}, and the next answer of the tape is one of {}",
                name(asked),
                name(answered)
            ),
            (Some(asked), Some(_)) => format!("asks {} something else", name(asked)),
            (None, None) => "has answers that are none".to_owned(),
        };
        let why = match self.why.as_str() {
            "" => String::new(),
            why => format!(": {why}"),
        };
        format!("agent {index} {what}{why}")
    }
}

/// Why there is no answer.
enum Gone {
    No(Misfit),
    Panic(String),
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Answers {
    pub(crate) fn new(unanswered: Unanswered) -> Self {
        Self {
            tick: AtomicU64::new(0),
            turns: RwLock::default(),
            unanswered,
            misfit: Mutex::default(),
            guessed: Mutex::default(),
            last: Mutex::default(),
            translation: RwLock::default(),
        }
    }

    /// From now on another version of the machine asks.
    pub(crate) fn translate(&self, translation: Translation) {
        let mut place = self
            .translation
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        *place = Some(translation);
    }

    /// Answers for the tick that comes.
    pub(crate) fn load(&self, tick: u64, parts: &[Box<[u8]>]) -> Result<(), Malformed> {
        let mut turns: Vec<Turn> = Vec::new();
        for part in parts {
            let mut reader = Turns::new(part);
            while let Some((index, calls)) = reader.next_turn()? {
                if turns.last().is_some_and(|last| last.index >= index) {
                    return Err(Malformed);
                }
                let (calls, at) = (calls.into(), Mutex::new(0));
                turns.push(Turn { index, calls, at });
            }
        }
        self.tick.store(tick, Ordering::Relaxed);
        *self.turns.write().unwrap_or_else(PoisonError::into_inner) = turns;
        Ok(())
    }

    /// What did not fit in the tick that is over. Answers that nobody asked for count, too, unless
    /// somebody stands in.
    pub(crate) fn take_misfit(&self) -> Option<Misfit> {
        let noted = lock(&self.misfit).take();
        if noted.is_some() || self.unanswered == Unanswered::Guessed {
            return noted;
        }
        let turns = self.turns.read().unwrap_or_else(PoisonError::into_inner);
        turns.iter().find_map(|turn| {
            let at = *lock(&turn.at);
            let next = Calls::new(&turn.calls, at).next_call();
            let answered = match next {
                Ok(None) => return None,
                Ok(Some(call)) => Some(call.function),
                Err(Malformed) => None,
            };
            Some(Misfit {
                index: turn.index,
                asked: None,
                answered,
                why: String::new(),
            })
        })
    }

    /// Agents whose answers are guesses, by index, and since which tick.
    pub fn guessed(&self) -> BTreeMap<u32, u64> {
        lock(&self.guessed).clone()
    }

    /// Functions have other numbers from now on: nobody knows what they answered last.
    pub(crate) fn forget_last(&self) {
        lock(&self.last).clear();
    }

    fn is_guessed(&self, index: u32) -> bool {
        self.unanswered == Unanswered::Guessed && lock(&self.guessed).contains_key(&index)
    }

    /// The answer to a question; `did` does again what the call did.
    fn answer(
        &self,
        index: u32,
        asked: Question,
        mut did: impl FnMut(&Deed<'_>) -> Result<(), Refused>,
    ) -> Outcome {
        if !self.is_guessed(index) {
            match self.read(index, asked, &mut did) {
                Ok(outcome) => {
                    if self.unanswered == Unanswered::Guessed {
                        let key = (index, asked.function.raw());
                        lock(&self.last).insert(key, outcome);
                    }
                    return outcome;
                }
                // As the game's own panic, but nobody prints it: it was told when it happened.
                Err(Gone::Panic(message)) => resume_unwind(Box::new(message)),
                Err(Gone::No(misfit)) => self.note(misfit),
            }
        }
        let last = lock(&self.last);
        let last = last.get(&(index, asked.function.raw())).copied();
        last.filter(|_| self.unanswered == Unanswered::Guessed)
            .unwrap_or(match asked.kind {
                CallKind::Guard => Outcome::Verdict(Verdict::from(false)),
                CallKind::Scorer => Outcome::Score(0.0),
                CallKind::Value => Outcome::Value([0; 3]),
                CallKind::Action => Outcome::Done,
                CallKind::Run | CallKind::Cancel => Outcome::Status(Status::Running),
            })
    }

    fn note(&self, misfit: Misfit) {
        match self.unanswered {
            Unanswered::Guessed => {
                let tick = self.tick.load(Ordering::Relaxed);
                lock(&self.guessed).entry(misfit.index).or_insert(tick);
            }
            Unanswered::Refused => {
                let mut first = lock(&self.misfit);
                // The one of the first agent, on any threads.
                if first.as_ref().is_none_or(|one| one.index > misfit.index) {
                    *first = Some(misfit);
                }
            }
        }
    }

    fn read(
        &self,
        index: u32,
        asked: Question,
        did: &mut impl FnMut(&Deed<'_>) -> Result<(), Refused>,
    ) -> Result<Outcome, Gone> {
        let misfit = |answered: Option<FunctionId>, why: &dyn fmt::Display| {
            Gone::No(Misfit {
                index,
                asked: Some(asked.function),
                answered,
                why: why.to_string(),
            })
        };
        let turns = self.turns.read().unwrap_or_else(PoisonError::into_inner);
        let place = turns.binary_search_by_key(&index, |turn| turn.index);
        let turn = place.ok().and_then(|place| turns.get(place));
        let turn = turn.ok_or_else(|| misfit(None, &""))?;
        let translation = self.translation.read();
        let translation = translation.unwrap_or_else(PoisonError::into_inner);
        let is_same = |call: &Question| match &*translation {
            Some(translation) => translation.is_same(call, &asked),
            None => *call == asked,
        };
        let mut at = lock(&turn.at);
        let mut calls = Calls::new(&turn.calls, *at);
        let call = match calls.next_call() {
            Ok(Some(call)) if is_same(&call) => call,
            Ok(other) => return Err(misfit(other.map(|other| other.function), &"")),
            Err(error) => return Err(misfit(None, &error)),
        };
        loop {
            let step = calls.next_step(call.kind);
            match step.map_err(|error| misfit(Some(call.function), &error))? {
                Step::Did(deed) => {
                    let deed = match &*translation {
                        Some(translation) => translation.deed(&deed),
                        None => Some(deed),
                    };
                    let gone = || misfit(Some(call.function), &"it is about what is gone");
                    did(&deed.ok_or_else(gone)?)
                        .map_err(|error| misfit(Some(call.function), &error))?;
                }
                Step::Answered(outcome) => {
                    *at += calls.offset();
                    return Ok(outcome);
                }
                Step::Panicked(message) => {
                    *at += calls.offset();
                    return Err(Gone::Panic(message.to_owned()));
                }
            }
        }
    }
}

/// For functions.
impl Answers {
    fn ask(&self, kind: CallKind, cx: &mut GuardCx<'_, '_, '_>) -> Outcome {
        let (index, asked) = (cx.agent().index(), cx.question(kind));
        self.answer(index, asked, |deed| match *deed {
            Deed::Rng(state) => {
                cx.redo_rng(state);
                Ok(())
            }
            // After a panic they are told again.
            Deed::WriteKey(..) => Ok(()),
            _ => Err(Refused("what only looks cannot do anything")),
        })
    }

    fn act(
        &self,
        kind: CallKind,
        board: &mut Blackboard,
        cx: &mut ActionCx<'_, '_, '_>,
    ) -> Outcome {
        let (index, asked) = (cx.agent().index(), cx.question(kind));
        self.answer(index, asked, |deed| {
            if let Deed::WriteKey(key, words) = *deed {
                board.write(key.index(), words);
            }
            cx.redo(deed)
        })
    }
}

/// A function for every name of a machine, which says what the tape says.
pub(crate) fn functions(machine: &Machine) -> Functions<Blackboard, Answers> {
    let rom = machine.rom();
    let mut functions = Functions::new();
    for (index, record) in rom.linker().iter().enumerate() {
        let Some(id) = FunctionId::from_index(index) else {
            continue;
        };
        let name = machine.function_name(id);
        functions = match record.kind.get() {
            Kind::Guard => {
                functions.guard(&name, |_: &Blackboard, answers: &Answers, cx| match answers
                    .ask(CallKind::Guard, cx)
                {
                    Outcome::Verdict(verdict) => verdict,
                    _ => Verdict::from(false),
                })
            }
            Kind::Scorer => functions.scorer(&name, |_, answers, cx| {
                match answers.ask(CallKind::Scorer, cx) {
                    Outcome::Score(score) => score,
                    _ => 0.0,
                }
            }),
            Kind::Value => functions.value(&name, record.ty.get(), |_, answers, cx| match answers
                .ask(CallKind::Value, cx)
            {
                Outcome::Value(words) => words,
                _ => [0; 3],
            }),
            Kind::Action => functions.action(&name, |board, answers, cx| {
                answers.act(CallKind::Action, board, cx);
            }),
            Kind::Activity => functions.activity(&name, |board, answers, mode: Mode, cx| {
                match answers.act(CallKind::of_mode(mode), board, cx) {
                    Outcome::Status(status) => status,
                    _ => Status::Running,
                }
            }),
        };
    }
    functions
}
