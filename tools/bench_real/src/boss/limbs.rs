//! Arms and head of the boss written by hand: what they do, since when, and how they end it.

use statewright::prelude::*;

use super::functions::Colossus;
use super::{Channel, Word};
use crate::by_hand::{Out, is_due};

pub(super) type Says<'o, 'a> = &'a mut Out<'o, Word>;

const OPEN_TICKS: u32 = 360;
const BLINK_TICKS: u32 = 12;
const GROWL_TICKS: u32 = 30;
/// A swing is not broken off before that.
const SWING_TICKS: u32 = 20;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Left {
    Idle,
    Swing,
    Sweep,
    Limp,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Right {
    Idle,
    Swing,
    Limp,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Head {
    Watching,
    Beaming,
    Done,
}

/// What is remembered of a fight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stance {
    pub(super) left: Left,
    pub(super) right: Right,
    pub(super) head: Head,
    pub(super) eyes_open: bool,
    pub(super) growls: bool,
}

impl Stance {
    /// How every fight begins.
    pub(super) const FIRST: Self = Self {
        left: Left::Idle,
        right: Right::Idle,
        head: Head::Watching,
        eyes_open: true,
        growls: false,
    };
}

/// Limbs at work.
#[derive(Clone, Debug)]
pub(super) struct Limbs {
    pub(super) stance: Stance,
    /// Ticks since the left arm began count from here.
    left_since: u32,
    /// When each began, or went on after a pause: its work begins in the next tick.
    left_at: u32,
    right_at: u32,
    head_at: u32,
    left_is_done: bool,
    right_is_done: bool,
    head_is_done: bool,
    /// The swing is to end as soon as it may.
    pub(super) swing_ends: bool,
    eyes_change: u32,
    growl_at: Option<u32>,
}

impl Limbs {
    pub(super) fn new(stance: Stance, now: u32) -> Self {
        let mut limbs = Self {
            stance,
            left_since: now,
            left_at: now,
            right_at: now,
            head_at: now,
            left_is_done: false,
            right_is_done: false,
            head_is_done: false,
            swing_ends: false,
            eyes_change: 0,
            growl_at: None,
        };
        limbs.set_eyes(stance.eyes_open, now);
        limbs
    }

    pub(super) fn set_left(&mut self, left: Left, now: u32) {
        self.stance.left = left;
        (self.left_since, self.left_at) = (now, now);
        (self.left_is_done, self.swing_ends) = (false, false);
    }

    pub(super) fn set_right(&mut self, right: Right, now: u32) {
        (self.stance.right, self.right_at, self.right_is_done) = (right, now, false);
    }

    pub(super) fn set_head(&mut self, head: Head, now: u32) {
        (self.stance.head, self.head_at, self.head_is_done) = (head, now, false);
        if head == Head::Watching {
            self.set_jaw(false);
            self.set_eyes(true, now);
        }
    }

    pub(super) fn set_eyes(&mut self, open: bool, now: u32) {
        self.stance.eyes_open = open;
        self.head_at = now;
        self.eyes_change = now + if open { OPEN_TICKS } else { BLINK_TICKS };
    }

    pub(super) fn set_jaw(&mut self, growls: bool) {
        (self.stance.growls, self.growl_at) = (growls, None);
    }

    /// The left arm may be taken away from what it does.
    pub(super) fn may_leave_left(&self, now: u32) -> bool {
        self.stance.left != Left::Swing || now - self.left_since > SWING_TICKS
    }

    /// It is time to open or close the eyes.
    pub(super) fn eyes_are_due(&self, now: u32) -> bool {
        self.stance.head == Head::Watching && is_due(self.eyes_change, now)
    }

    /// All stood still for so long.
    pub(super) fn go_on(&mut self, pause: u32, now: u32) {
        self.left_since += pause;
        self.eyes_change += pause;
        self.growl_at = self.growl_at.map(|at| at + pause);
        (self.left_at, self.right_at, self.head_at) = (now, now, now);
    }
}

/// What happens by itself.
impl Limbs {
    pub(super) fn next_left(&self, now: u32, begins: bool) -> Option<Left> {
        let is_over = match self.stance.left {
            Left::Swing => begins && self.swing_ends && self.may_leave_left(now),
            Left::Sweep => self.left_is_done,
            Left::Idle | Left::Limp => false,
        };
        is_over.then_some(Left::Idle)
    }

    pub(super) fn next_right(&self) -> Option<Right> {
        (self.stance.right == Right::Swing && self.right_is_done).then_some(Right::Idle)
    }

    /// After a beam comes another one, or it looks around.
    pub(super) fn next_head(&self, board: &Colossus) -> Option<Head> {
        if self.stance.head != Head::Beaming || !self.head_is_done {
            None
        } else if board.can_see() && board.anger > 0.5 {
            Some(Head::Beaming)
        } else {
            Some(Head::Watching)
        }
    }

    /// Whether it begins or ends to growl.
    pub(super) fn next_growl(&mut self, anger: f32, now: u32) -> Option<bool> {
        if self.stance.head != Head::Watching {
            return None;
        }
        if self.stance.growls {
            return (anger < 0.3).then_some(false);
        }
        if anger > 0.8 {
            let at = *self.growl_at.get_or_insert(now + GROWL_TICKS);
            is_due(at, now).then_some(true)
        } else {
            self.growl_at = None;
            None
        }
    }

    pub(super) fn act(&mut self, board: &mut Colossus, now: u32, out: Says<'_, '_>) {
        if self.left_at != now {
            self.act_left(board, out);
        }
        if self.stance.right == Right::Swing && self.right_at != now && !self.right_is_done {
            let (status, strike) = board.swing_arm(1, 1.5);
            self.right_is_done = status == Status::Succeeded;
            say(strike.map(Word::Strike), out);
        }
        if self.head_at != now {
            self.act_head(board, out);
        }
    }

    fn act_left(&mut self, board: &mut Colossus, out: Says<'_, '_>) {
        match self.stance.left {
            Left::Swing => say(board.swing_arm(0, 2.5).1.map(Word::Strike), out),
            Left::Sweep if !self.left_is_done => {
                self.left_is_done = board.sweep(Mode::Run) == Status::Succeeded;
            }
            Left::Sweep | Left::Idle | Left::Limp => {}
        }
    }

    fn act_head(&mut self, board: &mut Colossus, out: Says<'_, '_>) {
        match self.stance.head {
            Head::Watching if self.stance.eyes_open => {
                board.gaze(Mode::Run);
            }
            Head::Beaming if !self.head_is_done => {
                let (status, ray) = board.burn();
                self.head_is_done = status == Status::Succeeded;
                say(ray.map(Word::Ray), out);
            }
            Head::Watching | Head::Beaming | Head::Done => {}
        }
    }
}

#[inline]
fn say(word: Option<Word>, out: Says<'_, '_>) {
    if let Some(word) = word {
        out.say(word);
    }
}

/// Ending what they do.
impl Limbs {
    pub(super) fn leave_left(&self, board: &mut Colossus, out: Says<'_, '_>) {
        self.cancel_left(board);
        self.release_left(out);
    }

    pub(super) fn leave_right(&self, board: &mut Colossus, out: Says<'_, '_>) {
        self.cancel_right(board);
        self.release_right(out);
    }

    pub(super) fn leave_head(&self, board: &mut Colossus, out: Says<'_, '_>) {
        self.cancel_head(board);
        self.release_gaze(out);
    }

    pub(super) fn leave(&self, board: &mut Colossus, out: Says<'_, '_>) {
        self.leave_left(board, out);
        self.leave_right(board, out);
        self.leave_head(board, out);
    }

    /// Ends work without a word: whoever stood still holds nothing.
    pub(super) fn cancel(&self, board: &mut Colossus) {
        self.cancel_left(board);
        self.cancel_right(board);
        self.cancel_head(board);
    }

    /// Gives everything free without ending it.
    pub(super) fn release(&self, out: Says<'_, '_>) {
        self.release_left(out);
        self.release_right(out);
        self.release_gaze(out);
    }

    fn cancel_left(&self, board: &mut Colossus) {
        let sweeps = self.stance.left == Left::Sweep && !self.left_is_done;
        if self.stance.left == Left::Swing || sweeps {
            board.arms[0] = 0;
        }
    }

    fn cancel_right(&self, board: &mut Colossus) {
        if self.stance.right == Right::Swing && !self.right_is_done {
            board.arms[1] = 0;
        }
    }

    fn cancel_head(&self, board: &mut Colossus) {
        if self.stance.head == Head::Beaming && !self.head_is_done {
            board.ray = 0;
        }
    }

    fn release_left(&self, out: Says<'_, '_>) {
        if matches!(self.stance.left, Left::Swing | Left::Sweep) {
            out.say(Word::Release(Channel::Left));
        }
    }

    fn release_right(&self, out: Says<'_, '_>) {
        if self.stance.right == Right::Swing {
            out.say(Word::Release(Channel::Right));
        }
    }

    pub(super) fn release_gaze(&self, out: Says<'_, '_>) {
        let looks = self.stance.head == Head::Watching && self.stance.eyes_open;
        if looks || self.stance.head == Head::Beaming {
            out.say(Word::Release(Channel::Gaze));
        }
    }
}
