//! The soldier as a game programmer would write him: a struct with enums, and the rules of the
//! machine file as code.

use statewright::prelude::*;
use statewright::{Event, StateHandle};

use super::Word;
use super::file::states;
use super::functions::{BRAVERY, Say, Soldier};
use crate::by_hand::{Chance, Hand, Out, is_due};

type Says<'o, 'a> = &'a mut Out<'o, Word>;

const CONTACT: Symbol = Symbol::of("contact");
const FALL_BACK: Symbol = Symbol::of("fall_back");
const FLEE_BELOW: i32 = 25;
const MAGAZINE: i32 = 30;
const SEARCH_TICKS: u32 = 900;
const HOLD_TICKS: u32 = 30;
const SUPPRESSED_TICKS: u32 = 12;
const COVER_TICKS: u32 = 60;
const NOISE_TICKS: u32 = 120;

/// Events, in the order of the file.
mod event {
    pub(super) const ENEMY_SIGHTED: u16 = 0;
    pub(super) const NO_ENEMIES: u16 = 1;
    pub(super) const IN_RANGE: u16 = 2;
    pub(super) const OUT_OF_RANGE: u16 = 3;
    pub(super) const NOISE: u16 = 4;
    pub(super) const DAMAGED: u16 = 5;
    pub(super) const DIED: u16 = 6;
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Doing {
    Unborn,
    Patrol,
    Investigate,
    Combat,
    Fleeing,
    Dead,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Feet {
    Approach,
    Hold,
    Cover,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Weapon {
    Ready,
    Firing,
    Reloading,
}

/// A noise that waits for the end of the fight.
#[derive(Clone, Copy, Debug)]
struct Noise {
    at: [f32; 3],
    heard: u32,
    /// Nothing has changed since it was put off.
    waits: bool,
}

/// What the soldier has to react to.
enum Input {
    Event(Event),
    Noise([f32; 3], u32),
    SearchIsOver,
}

/// A soldier.
#[derive(Clone, Debug)]
pub struct HandSoldier {
    board: Soldier,
    chance: Chance,
    doing: Doing,
    feet: Feet,
    weapon: Weapon,
    /// When the feet, or the whole soldier, began what they do.
    since: u32,
    weapon_since: u32,
    /// What came of what the feet, or the whole soldier, do.
    result: Status,
    weapon_result: Status,
    /// He is to leave `hold` as soon as he may.
    wants_to_approach: bool,
    /// When he has been under fire for long enough.
    cover_at: Option<u32>,
    posture: Option<(Feet, Weapon)>,
    noise: Option<Noise>,
}

impl Hand for HandSoldier {
    type Board = Soldier;
    type Command = Word;

    fn new(board: Soldier, chance: u32) -> Self {
        Self {
            board,
            chance: Chance(chance),
            doing: Doing::Unborn,
            feet: Feet::Approach,
            weapon: Weapon::Ready,
            since: 0,
            weapon_since: 0,
            result: Status::Running,
            weapon_result: Status::Running,
            wants_to_approach: false,
            cover_at: None,
            posture: None,
            noise: None,
        }
    }

    fn tick(&mut self, now: u32, event: Option<&Event>, out: &mut Out<'_, Word>) {
        match self.doing {
            Doing::Dead => return,
            Doing::Unborn => self.patrol(now, out),
            _ => {}
        }
        self.settle(now, true, out);
        if event.is_some() || self.doing == Doing::Investigate || self.noise.is_some() {
            self.react_to_all(event, now, out);
        }
        self.act(now, out);
    }

    fn board(&self) -> &Soldier {
        &self.board
    }

    fn chance(&self) -> u32 {
        self.chance.0
    }

    fn leaves(&self) -> Vec<StateHandle> {
        match self.doing {
            Doing::Unborn | Doing::Dead => Vec::new(),
            Doing::Patrol => vec![states::ALIVE_IDLE_PATROL],
            Doing::Investigate => vec![states::ALIVE_IDLE_INVESTIGATE],
            Doing::Fleeing => vec![states::ALIVE_FLEEING],
            Doing::Combat => {
                let feet = match self.feet {
                    Feet::Approach => states::ALIVE_COMBAT_APPROACH,
                    Feet::Hold => states::ALIVE_COMBAT_HOLD,
                    Feet::Cover => states::ALIVE_COMBAT_COVER,
                };
                let weapon = match self.weapon {
                    Weapon::Ready => states::ALIVE_COMBAT_READY,
                    Weapon::Firing => states::ALIVE_COMBAT_FIRING,
                    Weapon::Reloading => states::ALIVE_COMBAT_RELOADING,
                };
                vec![feet, weapon]
            }
        }
    }
}

/// What happens by itself.
impl HandSoldier {
    /// Changes without an event, until there is none.
    #[inline(always)]
    fn settle(&mut self, now: u32, mut begins: bool, out: Says<'_, '_>) {
        while self.change(now, begins, out) {
            begins = false;
        }
    }

    #[inline(always)]
    fn change(&mut self, now: u32, begins: bool, out: Says<'_, '_>) -> bool {
        match self.doing {
            Doing::Combat => self.change_in_combat(now, begins, out),
            Doing::Investigate | Doing::Fleeing if self.result != Status::Running => {
                self.finish(now, out);
                true
            }
            _ => false,
        }
    }

    /// He has searched or run for long enough.
    #[inline(never)]
    fn finish(&mut self, now: u32, out: Says<'_, '_>) {
        let cornered = self.doing == Doing::Fleeing && self.result == Status::Failed;
        out.count();
        self.leave(out);
        if cornered {
            let (feet, weapon) = self.posture.unwrap_or((Feet::Approach, Weapon::Ready));
            self.fight(feet, weapon, now);
        } else {
            self.patrol(now, out);
        }
    }

    fn change_in_combat(&mut self, now: u32, begins: bool, out: Says<'_, '_>) -> bool {
        let (feet, weapon) = (self.next_feet(now, begins), self.next_weapon(now));
        if (feet.is_none() || weapon.is_none()) && self.wants_to_flee() && !self.must_hold(now) {
            out.count();
            self.leave(out);
            self.flee(now, out);
            return true;
        }
        if feet.is_some() {
            self.leave_feet(out);
            out.count();
        }
        if weapon.is_some() {
            self.leave_weapon(out);
            out.count();
        }
        if self.weapon == Weapon::Reloading && weapon.is_some() {
            self.board.ammo = MAGAZINE;
        }
        if let Some(feet) = feet {
            self.set_feet(feet, now);
        }
        if let Some(weapon) = weapon {
            self.set_weapon(weapon, now);
        }
        feet.is_some() || weapon.is_some()
    }

    #[inline]
    fn next_feet(&mut self, now: u32, begins: bool) -> Option<Feet> {
        match self.feet {
            Feet::Approach => (self.result == Status::Failed).then_some(Feet::Cover),
            Feet::Hold if begins && self.wants_to_approach && !self.must_hold(now) => {
                Some(Feet::Approach)
            }
            Feet::Hold if !self.board.suppressed => {
                self.cover_at = None;
                None
            }
            Feet::Hold => {
                let at = *self.cover_at.get_or_insert(now + SUPPRESSED_TICKS);
                (is_due(at, now) && !self.must_hold(now)).then_some(Feet::Cover)
            }
            Feet::Cover => {
                let quiet = !self.board.suppressed && now - self.since > COVER_TICKS;
                quiet.then_some(Feet::Approach)
            }
        }
    }

    #[inline]
    fn next_weapon(&self, now: u32) -> Option<Weapon> {
        match self.weapon {
            Weapon::Ready if self.board.ammo <= 0 => Some(Weapon::Reloading),
            Weapon::Ready => {
                (self.feet == Feet::Hold && self.board.sees(now)).then_some(Weapon::Firing)
            }
            Weapon::Firing | Weapon::Reloading => {
                (self.weapon_result == Status::Succeeded).then_some(Weapon::Ready)
            }
        }
    }

    #[inline]
    fn wants_to_flee(&mut self) -> bool {
        self.board.health < FLEE_BELOW && self.chance.float() >= BRAVERY
    }

    /// He has just taken his position.
    #[inline]
    fn must_hold(&self, now: u32) -> bool {
        self.feet == Feet::Hold && now - self.since < HOLD_TICKS
    }

    #[inline]
    fn act(&mut self, now: u32, out: Says<'_, '_>) {
        if self.doing == Doing::Combat {
            self.act_in_combat(now, out);
            return;
        }
        if self.since == now || self.result != Status::Running {
            return;
        }
        match self.doing {
            Doing::Patrol => {
                self.board.patrol_activity(Mode::Run);
            }
            Doing::Investigate => self.result = self.board.investigate_activity(Mode::Run),
            Doing::Fleeing => self.result = self.board.flee_activity(Mode::Run),
            Doing::Unborn | Doing::Combat | Doing::Dead => {}
        }
    }

    #[inline]
    fn act_in_combat(&mut self, now: u32, out: Says<'_, '_>) {
        if self.since != now {
            match self.feet {
                Feet::Approach if self.result == Status::Running => {
                    self.result = self.board.move_to_target(Mode::Run);
                }
                Feet::Cover => {
                    self.board.take_cover(Mode::Run);
                }
                Feet::Approach | Feet::Hold => {}
            }
        }
        let works = self.weapon != Weapon::Ready && self.weapon_result == Status::Running;
        if works && self.weapon_since != now {
            self.weapon_result = self.use_weapon(out);
        }
    }

    fn use_weapon(&mut self, out: Says<'_, '_>) -> Status {
        match self.weapon {
            Weapon::Ready => Status::Running,
            Weapon::Reloading => self.board.reload_activity(Mode::Run),
            Weapon::Firing => {
                let (status, shot) = self.board.pull_trigger(3);
                if let Some(shot) = shot {
                    out.say(Word::Shot(shot));
                }
                status
            }
        }
    }
}

/// Events.
impl HandSoldier {
    #[inline(never)]
    fn react_to_all(&mut self, mut event: Option<&Event>, now: u32, out: Says<'_, '_>) {
        while let Some(input) = self.next_input(now, &mut event) {
            self.react(input, now, out);
            self.settle(now, false, out);
        }
    }

    /// What is next: urgent events, then the clock, then other events, then noises.
    #[inline]
    fn next_input(&mut self, now: u32, event: &mut Option<&Event>) -> Option<Input> {
        let id = event.map(|event| event.id.get());
        if matches!(id, Some(event::DAMAGED | event::DIED)) {
            return event.take().copied().map(Input::Event);
        }
        if self.doing == Doing::Investigate && is_due(self.since + SEARCH_TICKS, now) {
            return Some(Input::SearchIsOver);
        }
        if id.is_some_and(|id| id != event::NOISE) {
            return event.take().copied().map(Input::Event);
        }
        if let Some(noise) = self.noise.take_if(|noise| !noise.waits)
            && now - noise.heard < NOISE_TICKS
        {
            return Some(Input::Noise(noise.at, noise.heard));
        }
        event.take().map(|event| {
            let [x, y, z, _] = event.vec4();
            Input::Noise([x, y, z], now)
        })
    }

    fn react(&mut self, input: Input, now: u32, out: Says<'_, '_>) {
        match input {
            Input::Event(event) => self.hear(&event, now, out),
            Input::Noise(at, heard) => self.hear_noise(at, heard, now, out),
            Input::SearchIsOver => {
                out.count();
                self.leave(out);
                self.patrol(now, out);
            }
        }
    }

    fn hear(&mut self, event: &Event, now: u32, out: Says<'_, '_>) {
        match (event.id.get(), self.doing) {
            (_, Doing::Dead) => {}
            (event::DIED, _) => self.die(out),
            (event::DAMAGED, _) => {
                out.count();
                self.board.health = self.board.health.wrapping_sub(event.i32());
            }
            (event::ENEMY_SIGHTED, Doing::Patrol | Doing::Investigate) => {
                self.meet_enemy(event, now, out);
            }
            (event::NO_ENEMIES, Doing::Combat) => {
                out.count();
                self.leave(out);
                self.patrol(now, out);
            }
            (event::IN_RANGE, Doing::Combat) if self.feet == Feet::Approach => {
                out.count();
                self.leave_feet(out);
                self.set_feet(Feet::Hold, now);
                self.stir();
            }
            (event::OUT_OF_RANGE, Doing::Combat) if self.feet == Feet::Hold => {
                if self.must_hold(now) {
                    self.wants_to_approach = true;
                    return;
                }
                out.count();
                self.leave_feet(out);
                self.set_feet(Feet::Approach, now);
                self.stir();
            }
            _ => {}
        }
    }

    fn meet_enemy(&mut self, event: &Event, now: u32, out: Says<'_, '_>) {
        out.count();
        self.leave(out);
        if self.board.ammo > 0 {
            self.board.target = Entity(event.u64());
            out.say(Word::Say(Say { line: CONTACT }));
            self.fight(Feet::Approach, Weapon::Ready, now);
        } else {
            self.flee(now, out);
        }
    }

    fn hear_noise(&mut self, at: [f32; 3], heard: u32, now: u32, out: Says<'_, '_>) {
        match self.doing {
            Doing::Patrol => {
                out.count();
                self.leave(out);
                self.board.last_noise = at;
                self.begin(Doing::Investigate, now);
            }
            Doing::Combat => {
                let waits = true;
                self.noise = Some(Noise { at, heard, waits });
            }
            _ => {}
        }
    }
}

/// Leaving and entering.
impl HandSoldier {
    /// What was put off is looked at again after every change.
    #[inline]
    fn stir(&mut self) {
        if let Some(noise) = &mut self.noise {
            noise.waits = false;
        }
    }

    fn begin(&mut self, doing: Doing, now: u32) {
        (self.doing, self.since, self.result) = (doing, now, Status::Running);
        self.stir();
    }

    fn patrol(&mut self, now: u32, out: Says<'_, '_>) {
        self.begin(Doing::Patrol, now);
        out.say(Word::Walk(self.board.next_waypoint()));
    }

    fn flee(&mut self, now: u32, out: Says<'_, '_>) {
        self.begin(Doing::Fleeing, now);
        out.say(Word::Say(Say { line: FALL_BACK }));
    }

    fn fight(&mut self, feet: Feet, weapon: Weapon, now: u32) {
        self.begin(Doing::Combat, now);
        self.set_feet(feet, now);
        self.set_weapon(weapon, now);
    }

    fn die(&mut self, out: Says<'_, '_>) {
        out.count();
        out.say(Word::DeathCry);
        self.leave(out);
        self.doing = Doing::Dead;
        out.say(Word::Ragdoll);
    }

    fn set_feet(&mut self, feet: Feet, now: u32) {
        (self.feet, self.since, self.result) = (feet, now, Status::Running);
        (self.wants_to_approach, self.cover_at) = (false, None);
        self.stir();
    }

    fn set_weapon(&mut self, weapon: Weapon, now: u32) {
        (self.weapon, self.weapon_since) = (weapon, now);
        self.weapon_result = Status::Running;
        self.stir();
    }

    /// Ends whatever the soldier does.
    fn leave(&mut self, out: Says<'_, '_>) {
        let unfinished = self.result == Status::Running;
        match self.doing {
            Doing::Unborn | Doing::Dead => return,
            Doing::Combat => {
                self.posture = Some((self.feet, self.weapon));
                self.leave_feet(out);
                self.leave_weapon(out);
                return;
            }
            Doing::Investigate if unfinished => {
                self.board.investigate_activity(Mode::Cancel);
            }
            Doing::Fleeing if unfinished => {
                self.board.flee_activity(Mode::Cancel);
            }
            Doing::Patrol | Doing::Investigate | Doing::Fleeing => {}
        }
        out.say(Word::StopMoving);
    }

    fn leave_feet(&mut self, out: Says<'_, '_>) {
        if self.feet == Feet::Approach && self.result == Status::Running {
            self.board.move_to_target(Mode::Cancel);
        }
        if self.feet != Feet::Hold {
            out.say(Word::StopMoving);
        }
    }

    fn leave_weapon(&mut self, out: Says<'_, '_>) {
        let unfinished = self.weapon_result == Status::Running;
        match self.weapon {
            Weapon::Ready => return,
            Weapon::Firing => {
                if unfinished {
                    self.board.moves = 0;
                }
                self.board.ammo -= 3;
            }
            Weapon::Reloading if unfinished => {
                self.board.reload_activity(Mode::Cancel);
            }
            Weapon::Reloading => {}
        }
        out.say(Word::LowerWeapon);
    }
}
