//! What a host that owns its instances does to one of them between ticks, as a crowd would.

use statewright_kernel::{self as kernel, Fault, Instance, flag};
use statewright_rom::ids::ChannelId;

use crate::handle::{ChannelHandle, StateHandle, WrongHandle};
use crate::machine::Machine;

/// One instance of the host's own. Those of other machines are left alone.
impl Machine {
    /// A new one, not started yet; `None` if the machine is of another tier. Its random numbers follow
    /// from the seed and the agent's number (SYS-10).
    pub fn new_instance<I: Instance>(&self, seed: u64, agent: u64) -> Option<I> {
        I::new(&self.rom(), seed, agent)
    }

    /// Can an agent of this machine be so? For bytes from elsewhere.
    pub fn check_instance<I: Instance>(&self, instance: &I) -> Result<(), Fault> {
        kernel::check(&self.rom(), instance)
    }

    /// The path of its active leaves, for people: `patrol/walk`, several with ` + ` between them.
    pub fn path_of<I: Instance>(&self, instance: &I) -> String {
        let leaves = self.leaves_of(instance).map(|leaf| self.state_name(leaf));
        leaves.collect::<Vec<_>>().join(" + ")
    }

    /// Makes it as new; nothing of it runs (SYS-10). Its generation rises.
    pub fn reset_instance<I: Instance>(&self, instance: &mut I) {
        kernel::reset(&self.rom(), instance);
    }

    /// Stops time for it before the tick `next` (SYS-9).
    pub fn pause_instance<I: Instance>(&self, instance: &mut I, next: u64) {
        kernel::pause(&self.rom(), instance, next as u32);
    }

    /// Lets its time go on in the tick `next`.
    pub fn resume_instance<I: Instance>(&self, instance: &mut I, next: u64) {
        kernel::resume(&self.rom(), instance, next as u32);
    }

    /// Clears the marks that stay until the host has seen them (SYS-2).
    pub fn clear_instance_flags<I: Instance>(&self, instance: &mut I) {
        let flags = &mut instance.header_mut().flags;
        flags.set(flags.get() & !flag::STICKY);
    }

    /// Its active leaves.
    pub fn leaves_of<'i, I: Instance>(
        &'i self,
        instance: &'i I,
    ) -> impl Iterator<Item = StateHandle> + use<'i, I> {
        kernel::active_leaves(instance).filter_map(|leaf| self.handle(leaf))
    }

    /// Is one of its states active?
    pub fn is_in<I: Instance>(
        &self,
        instance: &I,
        state: StateHandle,
    ) -> Result<bool, WrongHandle> {
        let state = self.resolve(state)?;
        Ok(kernel::is_active(&self.rom(), instance, state))
    }

    /// Ticks since it entered a state, as of the tick `next`; `None` if the state has no clock.
    pub fn ticks_in_state<I: Instance>(
        &self,
        instance: &I,
        state: StateHandle,
        next: u64,
    ) -> Result<Option<u32>, WrongHandle> {
        let (rom, state) = (self.rom(), self.resolve(state)?);
        Ok(kernel::ticks_in_state(&rom, instance, state, next as u32))
    }

    /// Channels that its active states own (CODE-7): what the host has to release itself before it
    /// resets an instance or throws it away.
    pub fn held_channels_of<I: Instance>(
        &self,
        instance: &I,
    ) -> impl Iterator<Item = ChannelHandle> + use<'_, I> {
        channels(self, kernel::held_channels(&self.rom(), instance))
    }
}

/// Channels by the bits of their numbers.
pub(crate) fn channels(machine: &Machine, bits: u32) -> impl Iterator<Item = ChannelHandle> {
    (0..u32::BITS as usize)
        .filter(move |bit| bits >> bit & 1 != 0)
        .filter_map(|place| machine.handle(ChannelId::from_index(place)?))
}
