//! The boss as a game programmer would write it: where it is, its limbs, and the rules of the
//! machine file as code.

use statewright::prelude::*;
use statewright::{Event, StateHandle};

use super::Word;
use super::file::states;
use super::functions::Colossus;
use super::limbs::{Head, Left, Limbs, Right, Says, Stance};
use crate::by_hand::{Hand, Out, is_due};

const RAGE: Symbol = Symbol::of("rage");
const RAGE_AT: i32 = 400;
const PATIENCE_TICKS: u32 = 2_700;
const ADDS_TICKS: u32 = 300;
const STAGGER_TICKS: u32 = 240;
const STAGGER_COOLDOWN: u32 = 600;
const DEFIANT_TICKS: u32 = 120;
const TAUNT_TICKS: u32 = 300;
/// So many taunts are kept for later.
const TAUNTS: usize = 4;

/// Events, in the order of the file.
mod event {
    pub(super) const PLAYER_NEAR: u16 = 0;
    pub(super) const PLAYER_FAR: u16 = 1;
    pub(super) const LEFT_HIT: u16 = 2;
    pub(super) const RIGHT_HIT: u16 = 3;
    pub(super) const CORE_HIT: u16 = 4;
    pub(super) const STAGGERED: u16 = 5;
    pub(super) const SWING_DONE: u16 = 6;
    pub(super) const BEAM_DONE: u16 = 7;
    pub(super) const ENRAGE: u16 = 8;
    pub(super) const TAUNT: u16 = 9;
    pub(super) const ADDS_DEAD: u16 = 10;
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Unborn,
    Asleep,
    Fighting,
    Roaring,
    Stunned,
    Defiant,
    Defeated,
}

/// Taunts that wait for an arm that cares.
#[derive(Clone, Copy, Debug, Default)]
struct Taunts {
    heard: [u32; TAUNTS],
    count: usize,
    /// So many of them were looked at since the last change.
    looked: usize,
}

impl Taunts {
    fn remove(&mut self, place: usize) {
        self.heard.copy_within(place + 1..self.count, place);
        self.count -= 1;
    }

    fn keep(&mut self, now: u32) {
        let mut place = 0;
        while place < self.count {
            if now - self.heard[place] >= TAUNT_TICKS {
                self.remove(place);
            } else {
                place += 1;
            }
        }
        if let Some(free) = self.heard.get_mut(self.count) {
            *free = now;
            self.count += 1;
        }
        self.looked = self.count;
    }
}

/// What the boss has to react to.
enum Input {
    Raised,
    Event(Event),
    Patience,
    Adds,
    Eyes,
    DefianceEnds,
    KeptTaunt,
}

/// A boss.
#[derive(Clone, Debug)]
pub struct HandBoss {
    board: Colossus,
    chance: u32,
    place: Place,
    since: u32,
    limbs: Limbs,
    /// The fight stands still since then.
    frozen_at: u32,
    stance: Option<Stance>,
    patience: Option<u32>,
    adds: Option<u32>,
    staggers_again: Option<u32>,
    roar_is_done: bool,
    wants_to_rage: bool,
    taunts: Taunts,
}

impl Hand for HandBoss {
    type Board = Colossus;
    type Command = Word;

    fn new(board: Colossus, chance: u32) -> Self {
        Self {
            board,
            chance,
            place: Place::Unborn,
            since: 0,
            limbs: Limbs::new(Stance::FIRST, 0),
            frozen_at: 0,
            stance: None,
            patience: None,
            adds: None,
            staggers_again: None,
            roar_is_done: false,
            wants_to_rage: false,
            taunts: Taunts::default(),
        }
    }

    fn tick(&mut self, now: u32, event: Option<&Event>, out: &mut Out<'_, Word>) {
        match self.place {
            Place::Defeated => return,
            Place::Unborn => self.go(Place::Asleep, now),
            _ => {}
        }
        let mut event = event;
        self.settle(now, true, out);
        while let Some(input) = self.next_input(now, &mut event) {
            self.react(input, now, out);
            self.settle(now, false, out);
        }
        match self.place {
            Place::Fighting => self.limbs.act(&mut self.board, now, out),
            Place::Roaring if self.since != now && !self.roar_is_done => {
                self.roar_is_done = self.board.roar(Mode::Run) == Status::Succeeded;
            }
            _ => {}
        }
    }

    fn board(&self) -> &Colossus {
        &self.board
    }

    fn chance(&self) -> u32 {
        self.chance
    }

    fn leaves(&self) -> Vec<StateHandle> {
        match self.place {
            Place::Unborn | Place::Defeated => Vec::new(),
            Place::Asleep => vec![states::ASLEEP],
            Place::Roaring => vec![states::AWAKE_ROARING],
            Place::Stunned => vec![states::AWAKE_STUNNED],
            Place::Defiant => vec![states::AWAKE_DEFIANT],
            Place::Fighting => leaves_of(&self.limbs.stance),
        }
    }
}

fn leaves_of(stance: &Stance) -> Vec<StateHandle> {
    let mut leaves = vec![
        match stance.left {
            Left::Idle => states::AWAKE_FIGHTING_LEFT_IDLE,
            Left::Swing => states::AWAKE_FIGHTING_LEFT_SWING,
            Left::Sweep => states::AWAKE_FIGHTING_LEFT_SWEEP,
            Left::Limp => states::AWAKE_FIGHTING_LEFT_LIMP,
        },
        match stance.right {
            Right::Idle => states::AWAKE_FIGHTING_RIGHT_IDLE,
            Right::Swing => states::AWAKE_FIGHTING_RIGHT_SWING,
            Right::Limp => states::AWAKE_FIGHTING_RIGHT_LIMP,
        },
    ];
    match (stance.head, stance.eyes_open) {
        (Head::Beaming, _) => leaves.push(states::AWAKE_FIGHTING_BEAMING),
        (Head::Done, _) => leaves.push(states::AWAKE_FIGHTING_HEAD_DONE),
        (Head::Watching, true) => leaves.push(states::AWAKE_FIGHTING_WATCHING_OPEN),
        (Head::Watching, false) => leaves.push(states::AWAKE_FIGHTING_WATCHING_BLINK),
    }
    if stance.head == Head::Watching {
        leaves.push(if stance.growls {
            states::AWAKE_FIGHTING_WATCHING_GROWL
        } else {
            states::AWAKE_FIGHTING_WATCHING_CLOSED
        });
    }
    leaves
}

/// What happens by itself.
impl HandBoss {
    #[inline]
    fn settle(&mut self, now: u32, mut begins: bool, out: Says<'_, '_>) {
        while self.change(now, begins, out) {
            begins = false;
        }
    }

    #[inline]
    fn change(&mut self, now: u32, begins: bool, out: Says<'_, '_>) -> bool {
        if self.board.core <= 0 && self.place != Place::Defeated {
            self.defeat(now, out);
            return false;
        }
        match self.place {
            Place::Fighting => self.change_in_fight(now, begins, out),
            Place::Roaring if self.roar_is_done => {
                self.end_roar(now, out);
                true
            }
            Place::Stunned if now - self.since >= STAGGER_TICKS => {
                out.count();
                self.thaw(now, out);
                true
            }
            _ => false,
        }
    }

    #[inline]
    fn change_in_fight(&mut self, now: u32, begins: bool, out: Says<'_, '_>) -> bool {
        let (board, limbs) = (&mut self.board, &mut self.limbs);
        let (left, right) = (limbs.next_left(now, begins), limbs.next_right());
        let (head, growl) = (limbs.next_head(board), limbs.next_growl(board.anger, now));
        if left.is_none() && right.is_none() && head.is_none() && growl.is_none() {
            return false;
        }
        if left.is_some() {
            limbs.leave_left(board, out);
            out.count();
        }
        if right.is_some() {
            limbs.leave_right(board, out);
            out.count();
        }
        if let Some(head) = head {
            limbs.leave_head(board, out);
            board.beams += i32::from(head == Head::Beaming);
            limbs.set_head(head, now);
            out.count();
        }
        if let Some(growls) = growl {
            limbs.set_jaw(growls);
            out.count();
        }
        left.into_iter().for_each(|left| limbs.set_left(left, now));
        right
            .into_iter()
            .for_each(|right| limbs.set_right(right, now));
        self.taunts.looked = 0;
        true
    }
}

/// Events.
impl HandBoss {
    /// What is next: urgent events, clocks in the order of the file, other events, taunts.
    #[inline]
    fn next_input(&mut self, now: u32, event: &mut Option<&Event>) -> Option<Input> {
        if self.place == Place::Defeated {
            return None;
        }
        if std::mem::take(&mut self.wants_to_rage) {
            return Some(Input::Raised);
        }
        let id = event.map(|event| event.id.get());
        let is_urgent = matches!(id, Some(event::ENRAGE | event::CORE_HIT | event::STAGGERED));
        if is_urgent {
            return event.take().copied().map(Input::Event);
        }
        if let Some(clock) = self.next_clock(now) {
            return Some(clock);
        }
        if id.is_some_and(|id| id != event::TAUNT) {
            return event.take().copied().map(Input::Event);
        }
        self.next_taunt(now)
            .or_else(|| event.take().copied().map(Input::Event))
    }

    #[inline]
    fn next_clock(&mut self, now: u32) -> Option<Input> {
        let due = |at: &mut u32| is_due(*at, now);
        if self.adds.take_if(due).is_some() {
            Some(Input::Adds)
        } else if self.patience.take_if(due).is_some() {
            Some(Input::Patience)
        } else if self.place == Place::Fighting && self.limbs.eyes_are_due(now) {
            Some(Input::Eyes)
        } else if self.place == Place::Defiant && is_due(self.since + DEFIANT_TICKS, now) {
            Some(Input::DefianceEnds)
        } else {
            None
        }
    }

    /// The next taunt that is young enough and was not looked at since the last change.
    fn next_taunt(&mut self, now: u32) -> Option<Input> {
        while self.taunts.looked < self.taunts.count {
            let looked = self.taunts.looked;
            if now - self.taunts.heard[looked] < TAUNT_TICKS {
                return Some(Input::KeptTaunt);
            }
            self.taunts.remove(looked);
        }
        None
    }

    fn react(&mut self, input: Input, now: u32, out: Says<'_, '_>) {
        match input {
            Input::Raised => self.enrage(now, out),
            Input::Event(event) => self.hear(&event, now, out),
            Input::Patience => {
                out.count();
                self.wants_to_rage = true;
            }
            Input::Adds => self.call_helpers(out),
            Input::Eyes => self.move_eyes(now, out),
            Input::DefianceEnds => {
                out.count();
                self.stance = None;
                self.thaw(now, out);
            }
            Input::KeptTaunt => self.hear_kept_taunt(out),
        }
    }

    fn hear(&mut self, event: &Event, now: u32, out: Says<'_, '_>) {
        match (event.id.get(), self.place) {
            (event::PLAYER_NEAR, Place::Asleep) => self.wake_up(event, now, out),
            (event::PLAYER_NEAR, Place::Fighting) => self.attack(now, out),
            (event::PLAYER_FAR, Place::Fighting | Place::Roaring) => self.fall_asleep(now, out),
            (event::LEFT_HIT, Place::Fighting) => self.hit_left(event.i32(), now, out),
            (event::RIGHT_HIT, Place::Fighting) => self.hit_right(event.i32(), now, out),
            (event::CORE_HIT, _) => self.hit_core(event.i32(), now, out),
            (event::STAGGERED, Place::Fighting) => self.stagger(now, out),
            (event::SWING_DONE, Place::Fighting) => self.end_swings(now, out),
            (event::BEAM_DONE, Place::Fighting) => self.end_beam(now, out),
            (event::ENRAGE, _) => self.enrage(now, out),
            (event::ADDS_DEAD, Place::Roaring) => self.end_roar(now, out),
            (event::TAUNT, Place::Fighting) => self.hear_taunt(now, out),
            _ => {}
        }
    }

    fn hear_taunt(&mut self, now: u32, out: Says<'_, '_>) {
        if !self.taunt(out) {
            self.taunts.keep(now);
        }
    }

    fn hear_kept_taunt(&mut self, out: Says<'_, '_>) {
        let kept = self.place == Place::Fighting && !self.taunt(out);
        if kept {
            self.taunts.looked += 1;
        } else {
            self.taunts.remove(self.taunts.looked);
        }
    }

    /// Whether the left arm has time for a taunt.
    fn taunt(&mut self, out: Says<'_, '_>) -> bool {
        let cares = matches!(self.limbs.stance.left, Left::Idle | Left::Sweep);
        if cares {
            out.count();
            self.board.anger += 0.2;
        }
        cares
    }
}

/// Single events in a fight.
impl HandBoss {
    /// The left arm swings or sweeps, whichever promises more.
    fn attack(&mut self, now: u32, out: Says<'_, '_>) {
        if self.limbs.stance.left != Left::Idle {
            return;
        }
        let (swing, sweep) = (self.board.threat_of_left(), self.board.anger * 0.5);
        let swing_is_good = swing >= 0.5;
        let sweep_is_good = sweep >= 0.2;
        let left = if swing_is_good && (swing >= sweep || !sweep_is_good) {
            Left::Swing
        } else if sweep_is_good {
            Left::Sweep
        } else {
            return;
        };
        self.set_left(left, now, out);
    }

    fn set_left(&mut self, left: Left, now: u32, out: Says<'_, '_>) {
        self.limbs.leave_left(&mut self.board, out);
        self.limbs.set_left(left, now);
        self.moved(out);
    }

    fn hit_left(&mut self, points: i32, now: u32, out: Says<'_, '_>) {
        if self.limbs.stance.left != Left::Idle {
            return;
        }
        if self.board.left <= points {
            self.set_left(Left::Limp, now, out);
        } else {
            out.count();
            self.board.left -= points;
        }
    }

    fn hit_right(&mut self, points: i32, now: u32, out: Says<'_, '_>) {
        if self.limbs.stance.right != Right::Idle {
            return;
        }
        if self.board.right <= points {
            self.limbs.set_right(Right::Limp, now);
            self.moved(out);
        } else {
            out.count();
            self.board.right -= points;
        }
    }

    fn hit_core(&mut self, points: i32, now: u32, out: Says<'_, '_>) {
        let defies = self.place == Place::Stunned && self.board.core < RAGE_AT;
        self.board.core -= points;
        if defies {
            self.moved(out);
            self.go(Place::Defiant, now);
        } else {
            out.count();
        }
    }

    fn end_swings(&mut self, now: u32, out: Says<'_, '_>) {
        let may_end = self.limbs.may_leave_left(now);
        let left = self.limbs.stance.left == Left::Swing;
        let right = self.limbs.stance.right == Right::Swing;
        if left && !may_end {
            self.limbs.swing_ends = true;
        }
        let left = left && may_end;
        if left {
            self.limbs.leave_left(&mut self.board, out);
            self.limbs.set_left(Left::Idle, now);
            self.moved(out);
        }
        if right {
            self.limbs.leave_right(&mut self.board, out);
            self.limbs.set_right(Right::Idle, now);
            self.moved(out);
        }
    }

    fn end_beam(&mut self, now: u32, out: Says<'_, '_>) {
        let head = match self.limbs.stance.head {
            Head::Watching if self.board.core < 100 => Head::Done,
            Head::Beaming => Head::Watching,
            _ => return,
        };
        self.limbs.leave_head(&mut self.board, out);
        self.limbs.set_head(head, now);
        self.moved(out);
    }

    fn move_eyes(&mut self, now: u32, out: Says<'_, '_>) {
        self.limbs.release_gaze(out);
        let open = !self.limbs.stance.eyes_open;
        self.limbs.set_eyes(open, now);
        self.moved(out);
    }
}

/// From place to place.
impl HandBoss {
    /// A transition that leaves or enters something: taunts are looked at again.
    fn moved(&mut self, out: Says<'_, '_>) {
        out.count();
        self.taunts.looked = 0;
    }

    fn go(&mut self, place: Place, now: u32) {
        (self.place, self.since) = (place, now);
    }

    fn wake_up(&mut self, event: &Event, now: u32, out: Says<'_, '_>) {
        self.moved(out);
        self.board.victim = Entity(event.u64());
        out.say(Word::Gnash(self.board.turn()));
        self.patience = Some(now + PATIENCE_TICKS);
        self.fight(Stance::FIRST, now);
    }

    fn fight(&mut self, stance: Stance, now: u32) {
        self.go(Place::Fighting, now);
        self.limbs = Limbs::new(stance, now);
    }

    fn fall_asleep(&mut self, now: u32, out: Says<'_, '_>) {
        if self.place == Place::Fighting && !self.limbs.may_leave_left(now) {
            return;
        }
        self.moved(out);
        self.leave(out);
        self.patience = None;
        self.go(Place::Asleep, now);
    }

    /// Leaves a fight or a roar.
    fn leave(&mut self, out: Says<'_, '_>) {
        match self.place {
            Place::Fighting => {
                self.stance = Some(self.limbs.stance);
                self.limbs.leave(&mut self.board, out);
            }
            Place::Roaring => {
                if !self.roar_is_done {
                    self.board.roar(Mode::Cancel);
                }
                self.adds = None;
            }
            Place::Stunned | Place::Defiant => self.limbs.cancel(&mut self.board),
            Place::Unborn | Place::Asleep | Place::Defeated => {}
        }
    }

    fn enrage(&mut self, now: u32, out: Says<'_, '_>) {
        if self.place != Place::Fighting || !self.limbs.may_leave_left(now) {
            return;
        }
        self.moved(out);
        if self.board.core < RAGE_AT {
            self.limbs.leave(&mut self.board, out);
            self.board.phase = RAGE;
            out.say(Word::RageTheme);
            self.limbs.set_left(Left::Swing, now);
            self.limbs.set_right(Right::Swing, now);
            self.limbs.set_head(Head::Beaming, now);
        } else {
            self.leave(out);
            self.go(Place::Roaring, now);
            self.roar_is_done = false;
            self.adds = Some(now + ADDS_TICKS);
        }
    }

    fn end_roar(&mut self, now: u32, out: Says<'_, '_>) {
        self.moved(out);
        self.leave(out);
        self.fight(self.stance.unwrap_or(Stance::FIRST), now);
    }

    fn call_helpers(&mut self, out: Says<'_, '_>) {
        if self.place == Place::Fighting {
            out.count();
            out.say(Word::Adds(super::Adds { count: 3 }));
        }
    }

    fn stagger(&mut self, now: u32, out: Says<'_, '_>) {
        let may = self.staggers_again.is_none_or(|again| is_due(again, now));
        if !may || !self.limbs.may_leave_left(now) {
            return;
        }
        self.moved(out);
        self.limbs.release(out);
        out.say(Word::Freeze);
        self.staggers_again = Some(now + STAGGER_COOLDOWN);
        self.frozen_at = now;
        self.go(Place::Stunned, now);
    }

    /// The fight goes on where it stood still. The transition is counted.
    fn thaw(&mut self, now: u32, out: Says<'_, '_>) {
        self.taunts.looked = 0;
        self.limbs.go_on(now - self.frozen_at, now);
        self.go(Place::Fighting, now);
        out.say(Word::Thaw);
    }

    fn defeat(&mut self, now: u32, out: Says<'_, '_>) {
        self.moved(out);
        self.leave(out);
        self.go(Place::Defeated, now);
        out.say(Word::VictoryTheme);
    }
}
