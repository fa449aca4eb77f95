//! What user functions are given besides blackboard and context: [`GuardCx`] to look, [`ActionCx`]
//! to act (CODE-1, SEL-5).

use std::fmt;

use statewright_kernel::{self as kernel, Admission, Cause, Class, Rng};
use statewright_rom::Rom;
use statewright_rom::ids::*;
use statewright_rom::layout::{ArgumentRecord, PayloadKind};
use statewright_symbols::SymbolId;

use crate::agent_id::AgentId;
use crate::arguments::Arguments;
use crate::commands::{Command, Head, Sent, WhyLost};
use crate::event::{EventFor, WrongEvent};
use crate::handle::{
    EventHandle, Handle, ParameterHandle, ScratchHandle, StateHandle, TimerHandle,
};
use crate::host::Caller;
use crate::machine::Machine;
use crate::parameters::{self, ParameterError};
use crate::payload::Payload;
use crate::pipeline::CallPlace;
use crate::sealed::SealLog;
use crate::value::{Symbol, Value};

/// What a guard or scorer may look at.
#[derive(Debug)]
pub struct GuardCx<'c, 'a, 'p> {
    pub(crate) view: kernel::GuardCx<'c, 'a>,
    caller: &'c Caller<'p>,
}

/// What an action or activity may look at and do.
#[derive(Debug)]
pub struct ActionCx<'c, 'a, 'p> {
    pub(crate) actor: kernel::ActionCx<'c, 'a>,
    pub(crate) caller: &'c mut Caller<'p>,
}

macro_rules! looking {
    ($who:ident $inner:ident) => {
        impl<'a> $who<'_, 'a, '_> {
            /// The agent.
            #[inline]
            pub fn agent(&self) -> AgentId {
                self.caller.agent()
            }

            /// The tick.
            #[inline]
            pub fn tick(&self) -> u32 {
                self.$inner.tick()
            }

            /// The event that made this call; none for eventless transitions, timers and
            /// activities.
            pub fn event(&self) -> Option<EventHandle> {
                match self.$inner.call().cause {
                    Cause::Event(event, _) => self.caller.machine.handle(event),
                    _ => None,
                }
            }

            /// The payload of that event; zero without one, and where it carries nothing.
            ///
            /// # Panics
            ///
            /// If the event carries something else: [`Self::try_payload`] says so instead. As with
            /// any panic of user code the agent alone ends, and the host is told.
            #[track_caller]
            pub fn payload<T: Payload>(&self) -> T {
                match self.try_payload() {
                    Ok(payload) => payload,
                    Err(error) => self.end_by(&error),
                }
            }

            /// The payload of that event, or why it has none of this type. Zero without an event,
            /// and where it carries nothing.
            pub fn try_payload<T: Payload>(&self) -> Result<T, WrongEvent> {
                let Cause::Event(event, words) = self.$inner.call().cause else {
                    return Ok(T::from_payload([0; 4]));
                };
                let machine = self.caller.machine;
                let carries = machine.event_type(event)?.payload;
                match T::KIND {
                    Some(wanted) if carries != wanted && carries != PayloadKind::Empty => {
                        Err(machine.wrong_payload(event, wanted))
                    }
                    _ => Ok(T::from_payload(words)),
                }
            }

            /// All 16 bytes of that payload as words, whatever they mean; zero without an event.
            pub fn payload_words(&self) -> [u32; 4] {
                match self.$inner.call().cause {
                    Cause::Event(_, words) => words,
                    _ => [0; 4],
                }
            }

            /// The function that is called.
            #[inline]
            pub fn function(&self) -> FunctionId {
                self.$inner.function()
            }

            /// The state that this call belongs to.
            pub fn state(&self) -> StateHandle {
                let state = self.$inner.call().state;
                let known = self.caller.machine.handle(state);
                known.unwrap_or_else(|| panic!("the machine has no state {state}"))
            }

            /// The region of that state.
            pub fn region(&self) -> Option<RegionId> {
                self.$inner.call().region
            }

            /// The transition that is judged or carried out.
            pub fn transition(&self) -> Option<TransitionId> {
                self.$inner.call().transition
            }

            /// Is a state active?
            ///
            /// # Panics
            ///
            /// If it is a state of another machine: whatever such a handle is of, the panic names
            /// both machines, the agent alone ends, and the host is told (HASH-3).
            #[inline]
            pub fn is_active(&self, state: StateHandle) -> bool {
                self.$inner.is_active(self.own(state))
            }

            /// The number of something that this machine has.
            #[inline]
            #[track_caller]
            fn own<I: SymbolId>(&self, handle: Handle<I>) -> I {
                match self.caller.machine.resolve(handle) {
                    Ok(id) => id,
                    Err(error) => self.end_by(&error),
                }
            }

            /// Ticks since this call's state was entered; `None` if it has no clock.
            pub fn ticks_in_state(&self) -> Option<u32> {
                self.$inner.ticks_in_state(self.$inner.call().state)
            }

            /// A parameter, in the agent's variant.
            ///
            /// # Panics
            ///
            /// If the parameter has another type, or is one of another machine:
            /// [`Self::try_parameter`] says so instead. As with any panic of user code the agent
            /// alone ends, and the host is told.
            #[track_caller]
            pub fn parameter<T: Value>(&self, parameter: ParameterHandle) -> T {
                match self.try_parameter(parameter) {
                    Ok(value) => value,
                    Err(error) => self.end_by(&error),
                }
            }

            /// A parameter, in the agent's variant, or why it is none of this type.
            #[inline]
            pub fn try_parameter<T: Value>(
                &self,
                parameter: ParameterHandle,
            ) -> Result<T, ParameterError> {
                let parameter = self.caller.machine.resolve(parameter)?;
                let record = self.rom().parameter(parameter);
                if record.is_some_and(|record| record.ty.get() == T::TYPE) {
                    return Ok(T::from_words(self.$inner.parameter(parameter)));
                }
                Err(parameters::wrong(self.caller.machine, parameter, T::TYPE))
            }

            /// A word of scratch; `None` past its end, and while the state that owns it is not
            /// active.
            ///
            /// # Panics
            ///
            /// If it is scratch of another machine, as [`Self::is_active`].
            #[inline]
            pub fn scratch(&self, scratch: ScratchHandle, word: u8) -> Option<u16> {
                self.$inner.scratch(self.own(scratch)).nth(word.into())
            }

            /// A literal argument of this call; zero past the last.
            pub fn argument<T: Value>(&self, place: usize) -> T {
                T::from_words(argument_words(self.$inner.arguments(), place))
            }

            /// Literal arguments of this call from one place on, as a struct.
            pub fn arguments<T: Arguments>(&self, first: usize) -> T {
                T::read(|place| argument_words(self.$inner.arguments(), first + place))
            }

            /// The text of a literal argument.
            pub fn argument_text(&self, place: usize) -> &'a str {
                self.text(self.argument(place))
            }

            /// The text of a symbol of this machine; empty if it has none.
            pub fn text(&self, symbol: Symbol) -> &'a str {
                self.rom().symbol(symbol.0).unwrap_or_default()
            }

            /// The machine with its names, and with handles of its numbers
            /// ([`Machine::handle`]).
            pub fn machine(&self) -> &Machine {
                self.caller.machine
            }

            /// The machine as bytes.
            pub fn rom(&self) -> &'a Rom<'a> {
                self.$inner.rom()
            }

            /// A mistake of user code, at the place where it was made.
            #[cold]
            #[track_caller]
            fn end_by(&self, error: &dyn fmt::Display) -> ! {
                let at = CallPlace::new(self.function(), self.$inner.call().state);
                panic!("{}{error}", at.words(self.agent(), self.caller.machine))
            }

            /// User code has returned.
            #[inline]
            pub(crate) fn returned(self) {
                std::mem::forget(self);
            }
        }

        /// User code unwinds: only then is this called (see `returned`), so that calls which
        /// return pay nothing for it.
        impl Drop for $who<'_, '_, '_> {
            #[cold]
            fn drop(&mut self) {
                let place = CallPlace::new(self.function(), self.$inner.call().state);
                self.caller.unwound.set(Some(place));
            }
        }
    };
}

looking!(GuardCx view);
looking!(ActionCx actor);

fn argument_words(arguments: &[ArgumentRecord], place: usize) -> [u32; 3] {
    arguments
        .get(place)
        .map_or([0; 3], |argument| argument.words.map(|word| word.get()))
}

impl<'c, 'a, 'p> GuardCx<'c, 'a, 'p> {
    #[inline]
    pub(crate) fn new(view: kernel::GuardCx<'c, 'a>, caller: &'c Caller<'p>) -> Self {
        Self { view, caller }
    }

    /// Random numbers, if the machine says that the function draws some (SEL-5).
    pub fn rng(&mut self) -> Option<Rng<'_>> {
        self.view.rng()
    }
}

impl<'c, 'a, 'p> ActionCx<'c, 'a, 'p> {
    #[inline]
    pub(crate) fn new(actor: kernel::ActionCx<'c, 'a>, caller: &'c mut Caller<'p>) -> Self {
        Self { actor, caller }
    }

    /// Random numbers of the agent's own. How many draws each method takes stands at [`Rng`].
    ///
    /// ```
    /// use statewright::prelude::*;
    ///
    /// #[derive(Default)]
    /// struct Hero { strength: i32, name: &'static str, deck: [u8; 5], lucky: bool, mood: f32 }
    /// impl Board for Hero {}
    ///
    /// let machine = Machine::build("Hero", |m| {
    ///     m.state("born", |s| {
    ///         s.entry("Roll");
    ///     });
    /// })?;
    /// let roll = Functions::new().action("Roll", |me: &mut Hero, _: &(), cx| {
    ///     let mut rng = cx.rng();
    ///     me.strength = rng.range(3..19);
    ///     me.name = rng.pick(&["Ada", "Bo", "Cy"]).unwrap_or(&"nobody");
    ///     me.lucky = rng.chance(0.25);
    ///     me.mood = rng.float();
    ///     me.deck = [1, 2, 3, 4, 5];
    ///     rng.shuffle(&mut me.deck);
    /// });
    /// let mut heroes = Crowd::new(machine.bind(roll)?, 1);
    /// let hero = heroes.spawn(Hero::default());
    /// heroes.tick(&());
    ///
    /// let hero = heroes.board(hero)?;
    /// assert!((3..19).contains(&hero.strength) && (0.0..1.0).contains(&hero.mood));
    /// assert!(["Ada", "Bo", "Cy"].contains(&hero.name));
    /// assert_eq!(hero.deck.iter().sum::<u8>(), 15);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rng(&mut self) -> Rng<'_> {
        self.actor.rng()
    }

    /// Posts an event to this agent itself.
    ///
    /// # Panics
    ///
    /// If it is an event of another machine, or carries something else, which the compiler sees to
    /// for events of `machine!`. As with any panic of user code the agent alone
    /// ends, and the host is told.
    #[track_caller]
    pub fn post<P: Payload>(&mut self, event: impl EventFor<P>, payload: P) -> Admission {
        let event = self.own_event(event);
        let words = payload.words();
        self.seal(|log| log.post(event, None, words));
        self.actor.post(event, None, words)
    }

    /// Posts an event to this agent itself, in a class of its own.
    ///
    /// # Panics
    ///
    /// As [`Self::post`].
    #[track_caller]
    pub fn post_as<P: Payload>(
        &mut self,
        event: impl EventFor<P>,
        class: Class,
        payload: P,
    ) -> Admission {
        let event = self.own_event(event);
        let words = payload.words();
        self.seal(|log| log.post(event, Some(class), words));
        self.actor.post(event, Some(class), words)
    }

    /// Raises an internal event (EVT-10).
    ///
    /// # Panics
    ///
    /// As [`Self::post`].
    #[track_caller]
    pub fn raise<P: Payload>(&mut self, event: impl EventFor<P>, payload: P) -> Admission {
        let event = self.own_event(event);
        let words = payload.words();
        self.seal(|log| log.raise(event, words));
        self.actor.raise(event, words)
    }

    /// The number of an event that this machine has, and that carries this.
    #[track_caller]
    fn own_event<P: Payload>(&self, event: impl EventFor<P>) -> EventId {
        match self.caller.machine.check_event(event.handle(), P::KIND) {
            Ok((id, _)) => id,
            Err(error) => self.end_by(&error),
        }
    }

    /// Sends an event to another agent: it is there in its next tick (CMD-4). `false` if there was
    /// no room for it. The event is one of this agent's machine; if the other is of another
    /// machine, in a [`World`](crate::World), it gets its own event of that name.
    ///
    /// # Panics
    ///
    /// As [`Self::post`].
    #[track_caller]
    pub fn send<P: Payload>(&mut self, to: AgentId, event: impl EventFor<P>, payload: P) -> bool {
        let event = self.own_event(event);
        let head = Head::send(self.agent(), self.actor.site(), event);
        let words = payload.words();
        let sent = Sent::new(to, words);
        let (out, payload) = (&mut *self.caller.out, zerocopy::IntoBytes::as_bytes(&sent));
        let critical = out.is_critical(head.lane);
        let written = out.write_or_lose(&head, payload, critical, true);
        if !written {
            self.actor.command_dropped(critical);
        }
        self.seal(|log| log.send(to, event, words, written));
        written
    }

    /// Hands a command to the host. `false` if there was no room for it: it is dropped whole, and
    /// counted (CMD-2).
    #[inline]
    pub fn emit<T: Command>(&mut self, command: T) -> bool {
        let lane = const { T::LANE.number() };
        if self.caller.out.is_special(lane)
            && let Some(done) = self.emit_special(&command)
        {
            return done;
        }
        let critical = self.caller.out.is_critical(lane);
        self.write_typed(&command, critical)
    }

    /// To a lane that sums up or has a cap, or while names are noted; `None` if it is written as any
    /// other.
    #[cold]
    #[inline(never)]
    fn emit_special<T: Command>(&mut self, command: &T) -> Option<bool> {
        if self.caller.sealed.get_mut().is_some() {
            return Some(self.emit_sealed(command));
        }
        let by_rule = self.emit_by_rule(command);
        if !self.caller.out.naming.is_on() {
            return by_rule;
        }
        let critical = self.caller.out.is_critical(const { T::LANE.number() });
        let had_room = by_rule.unwrap_or_else(|| self.write_typed(command, critical));
        self.caller.out.naming.note::<T>(had_room);
        Some(had_room)
    }

    /// The same while everything is written down: what was emitted, and what earlier commands that
    /// took it in became.
    fn emit_sealed<T: Command>(&mut self, command: &T) -> bool {
        let lane = const { T::LANE.number() };
        let like = Head::like::<T>();
        let before = self.caller.out.like(&like);
        let by_rule = self.emit_by_rule(command);
        let merged = by_rule == Some(true);
        let critical = self.caller.out.is_critical(lane);
        let had_room = by_rule.unwrap_or_else(|| self.write_typed(command, critical));
        if self.caller.out.naming.is_on() {
            self.caller.out.naming.note::<T>(had_room);
        }
        let mut payload = vec![0; T::BYTES];
        command.write(&mut payload);
        let after = self.caller.out.like(&like);
        self.seal(|log| {
            if !merged {
                return log.emit(lane, like.name, &payload, had_room);
            }
            let both = before.iter().zip(&after).enumerate();
            let changed = both.filter(|(_, (old, new))| old != new);
            let became: Vec<(usize, &[u8])> =
                changed.map(|(place, (_, new))| (place, &**new)).collect();
            log.merge(lane, like.name, T::BYTES, &became);
        });
        had_room
    }

    /// Writes down what is done, if this agent is sealed.
    #[inline]
    pub(crate) fn seal(&mut self, write: impl FnOnce(&mut SealLog)) {
        if let Some(log) = self.caller.sealed.get_mut() {
            write(log);
        }
    }

    /// To a lane that sums up or has a cap; `None` if there is nothing to do but to write it.
    fn emit_by_rule<T: Command>(&mut self, command: &T) -> Option<bool> {
        let lane = const { T::LANE.number() };
        if self.caller.out.accumulates(lane) && self.caller.out.merge_typed(command) {
            return Some(true);
        }
        let critical = self.caller.out.is_critical(lane);
        self.caller.out.is_full(lane).then(|| {
            let head = Head::typed::<T>(self.agent(), self.actor.site());
            self.caller.out.lose(&head, T::NAME, WhyLost::Cap);
            self.actor.command_dropped(critical);
            false
        })
    }

    /// Straight into its page. At one place, as part of [`Self::emit`]: a call costs a third of it.
    #[inline(always)]
    fn write_typed<T: Command>(&mut self, command: &T, critical: bool) -> bool {
        let head = Head::typed::<T>(self.agent(), self.actor.site());
        match self.caller.out.room(&head, T::BYTES, critical) {
            Some(bytes) => {
                // What a command leaves out must not show what the page held before.
                bytes.fill(0);
                command.write(bytes);
                true
            }
            None => {
                let why = self.caller.out.why_lost(&head, critical);
                self.caller.out.lose(&head, T::NAME, why);
                self.actor.command_dropped(critical);
                false
            }
        }
    }

    /// Starts a named timer, at least one tick ahead.
    ///
    /// # Panics
    ///
    /// If it is a timer of another machine, as [`Self::is_active`].
    pub fn start_timer(&mut self, timer: TimerHandle, ticks: u32) {
        let timer = self.own(timer);
        self.seal(|log| log.start_timer(timer, ticks));
        self.actor.start_timer(timer, ticks);
    }

    /// Stops a named timer.
    ///
    /// # Panics
    ///
    /// As [`Self::start_timer`].
    pub fn stop_timer(&mut self, timer: TimerHandle) {
        let timer = self.own(timer);
        self.seal(|log| log.stop_timer(timer));
        self.actor.stop_timer(timer);
    }

    /// Writes a word of scratch, which is zero when its state is entered. `false`, and nothing
    /// happens, past its end, while the state that owns it is not active, and in observers.
    ///
    /// # Panics
    ///
    /// If it is scratch of another machine, as [`Self::is_active`].
    ///
    /// ```
    /// use statewright::prelude::*;
    /// use statewright::ScratchHandle;
    ///
    /// let machine = Machine::build("Dog", |m| {
    ///     m.event("Bark");
    ///     m.state("yard", |s| {
    ///         s.scratch("barks", 1);
    ///         s.on("Bark").run("Count");
    ///     });
    /// })?;
    /// let barks = machine.scratch(machine.state("yard")?, "barks")?;
    /// let functions = Functions::new().action("Count", |_: &mut (), barks: &ScratchHandle, cx| {
    ///     let before = cx.scratch(*barks, 0).unwrap_or(0);
    ///     assert!(cx.set_scratch(*barks, 0, before + 1));
    /// });
    /// let mut dogs = Crowd::new(machine.bind(functions)?, 1);
    /// dogs.spawn(());
    /// dogs.tick(&barks);
    /// dogs.broadcast(machine.event("Bark")?, ())?;
    /// assert_eq!(dogs.tick(&barks).panicked, 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_scratch(&mut self, scratch: ScratchHandle, word: u8, value: u16) -> bool {
        let scratch = self.own(scratch);
        self.seal(|log| log.set_scratch(scratch, word, value));
        self.actor.set_scratch(scratch, word, value)
    }

    /// Forgets what the history points of a state remember (EXEC-4). Observers change no history.
    ///
    /// # Panics
    ///
    /// If it is a state of another machine, as [`Self::is_active`].
    pub fn clear_history(&mut self, state: StateHandle) {
        let state = self.own(state);
        self.seal(|log| log.clear_history(state));
        self.actor.clear_history(state);
    }

    /// Raised by reset and reload: a token for work outside (EVT-7).
    pub fn generation(&self) -> u16 {
        self.actor.generation()
    }
}
