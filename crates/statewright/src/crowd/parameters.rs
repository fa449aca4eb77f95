//! Parameters of a crowd that are changed while it runs (CODE-3).

use super::{Crowd, Input};
use crate::board::Board;
use crate::context::Context;
use crate::handle::{ParameterHandle, VariantHandle};
use crate::parameters::{ParameterChange, ParameterError, Parameters};
use crate::value::Value;

impl<B: Board, C: Context + ?Sized> Crowd<B, C> {
    /// Gives a parameter another value from now on, for all agents of this crowd but those whose
    /// variant has a value of its own. Agents that look at it get a turn, so that a condition that
    /// waits for it may hold. It is part of snapshots.
    ///
    /// ```
    /// use statewright::prelude::*;
    ///
    /// let machine = Machine::from_text("dog.sw.json", r#"{ "machine": "Dog", "parameters": { "brave": false },
    ///   "initial": "sit", "states": {
    ///     "sit": { "transitions": [{ "when": "always", "if": "brave", "to": "bark" }] }, "bark": {} } }"#)?;
    /// let brave = machine.parameter("brave")?;
    /// let mut dogs = Crowd::new(machine.bind(Functions::<(), ()>::new())?, 1);
    /// let dog = dogs.spawn(());
    /// dogs.tick(&());
    ///
    /// dogs.set_parameter(brave, true)?;
    /// dogs.tick(&());
    /// assert_eq!((dogs.path(dog)?.as_str(), dogs.parameter::<bool>(brave)?), ("bark", true));
    /// assert_eq!(dogs.set_parameter(brave, 7).unwrap_err().to_string(), "parameter `brave` is bool, not i32");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_parameter(
        &mut self,
        parameter: ParameterHandle,
        value: impl Value,
    ) -> Result<(), ParameterError> {
        self.set_parameter_of(VariantHandle::PLAIN, parameter, value)
    }

    /// The same for agents of one variant alone.
    pub fn set_parameter_of(
        &mut self,
        variant: VariantHandle,
        parameter: ParameterHandle,
        value: impl Value,
    ) -> Result<(), ParameterError> {
        let machine = self.machine();
        let (variant, parameter) = (machine.resolve(variant)?, machine.resolve(parameter)?);
        let change = ParameterChange::new(variant, parameter, value);
        self.parameters.check(self.machine(), &change)?;
        self.enter(Input::SetParameter(change));
        Ok(())
    }

    /// The value of a parameter for agents without a variant.
    pub fn parameter<T: Value>(&self, parameter: ParameterHandle) -> Result<T, ParameterError> {
        self.parameter_of(VariantHandle::PLAIN, parameter)
    }

    /// The value of a parameter for agents of a variant.
    pub fn parameter_of<T: Value>(
        &self,
        variant: VariantHandle,
        parameter: ParameterHandle,
    ) -> Result<T, ParameterError> {
        self.parameters.get(self.machine(), variant, parameter)
    }

    /// All parameters, and which of them were changed.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Conditions over parameters may hold now, so that everybody whose variant has another value
    /// gets a turn.
    pub(super) fn change_parameter(&mut self, change: ParameterChange) {
        let machine = self.program.machine();
        let rom = machine.rom();
        let before = self.parameters.values().cloned();
        self.parameters.change(machine, change);
        let own = rom.parameter_values();
        let before = before.as_deref().unwrap_or(own);
        let after = self.parameters.values().map_or(own, |values| values);
        let words = rom.parameter_words().max(1);
        for agent in self.agents.ids() {
            let index = agent.index() as usize;
            let variant = self.agents.variant(index).index();
            let mut rows = [before, after].map(|values| values.chunks_exact(words));
            let [was, is] = rows.each_mut().map(|rows| rows.nth(variant));
            if was != is {
                self.schedule.wake(index);
            }
        }
    }
}
