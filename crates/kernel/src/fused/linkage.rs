//! From the numbers of a machine to functions and fields.

use statewright_rom::ids::{FunctionId, KeyId};

use super::CallSite;
use crate::host::cx::{ActionCx, GuardCx};
use crate::host::{Host, Mode, Status, Verdict};

/// How fused code reaches the functions and keys of its machine: numbers are known while it is
/// compiled, so that an implementation may call a function directly.
pub trait Linkage<H> {
    /// Asks a guard.
    fn guard<const N: u16>(host: &H, view: GuardCx<'_, '_>) -> Verdict;

    /// Asks a scorer.
    fn score<const N: u16>(host: &H, view: GuardCx<'_, '_>) -> f32;

    /// Asks a value function.
    fn value<const N: u16>(host: &H, view: GuardCx<'_, '_>) -> [u32; 3];

    /// Runs an action.
    fn action<const N: u16>(host: &mut H, actor: ActionCx<'_, '_>);

    /// Runs or cancels an activity.
    fn activity<const N: u16>(host: &mut H, mode: Mode, actor: ActionCx<'_, '_>) -> Status;

    /// Words of a blackboard key.
    fn read_key<const N: u16>(host: &H) -> [u32; 3];

    /// Writes the words of a blackboard key.
    fn write_key<const N: u16>(host: &mut H, words: [u32; 3]);

    /// Does a function look at nothing but the blackboard and the host's own context? Then it may be called
    /// without a view of the agent.
    #[inline(always)]
    fn is_plain<const N: u16>() -> bool {
        false
    }

    /// Asks a plain guard.
    #[inline(always)]
    fn plain_guard<const N: u16>(host: &H, call: &'static CallSite) -> Verdict {
        let _ = (host, call);
        Verdict::from(false)
    }

    /// Asks a plain scorer.
    #[inline(always)]
    fn plain_score<const N: u16>(host: &H, call: &'static CallSite) -> f32 {
        let _ = (host, call);
        0.0
    }

    /// Asks a plain value function.
    #[inline(always)]
    fn plain_value<const N: u16>(host: &H, call: &'static CallSite) -> [u32; 3] {
        let _ = (host, call);
        [0; 3]
    }

    /// Runs a plain action.
    #[inline(always)]
    fn plain_action<const N: u16>(host: &mut H, call: &'static CallSite) {
        let _ = (host, call);
    }

    /// Runs or cancels a plain activity.
    #[inline(always)]
    fn plain_activity<const N: u16>(host: &mut H, mode: Mode, call: &'static CallSite) -> Status {
        let _ = (host, mode, call);
        Status::Running
    }
}

/// Asks the host for everything by its number, as the plans do.
#[derive(Clone, Copy, Debug)]
pub struct ByNumber;

const fn function(number: u16) -> FunctionId {
    match FunctionId::new(number) {
        Some(function) => function,
        None => FunctionId::FIRST,
    }
}

impl<H: Host> Linkage<H> for ByNumber {
    #[inline]
    fn guard<const N: u16>(host: &H, view: GuardCx<'_, '_>) -> Verdict {
        host.guard(const { function(N) }, view)
    }

    #[inline]
    fn score<const N: u16>(host: &H, view: GuardCx<'_, '_>) -> f32 {
        host.score(const { function(N) }, view)
    }

    #[inline]
    fn value<const N: u16>(host: &H, view: GuardCx<'_, '_>) -> [u32; 3] {
        host.value(const { function(N) }, view)
    }

    #[inline]
    fn action<const N: u16>(host: &mut H, actor: ActionCx<'_, '_>) {
        host.action(const { function(N) }, actor);
    }

    #[inline]
    fn activity<const N: u16>(host: &mut H, mode: Mode, actor: ActionCx<'_, '_>) -> Status {
        host.activity(const { function(N) }, mode, actor)
    }

    #[inline]
    fn read_key<const N: u16>(host: &H) -> [u32; 3] {
        const { KeyId::new(N) }.map_or([0; 3], |key| host.read_key(key))
    }

    #[inline]
    fn write_key<const N: u16>(host: &mut H, words: [u32; 3]) {
        if let Some(key) = const { KeyId::new(N) } {
            host.write_key(key, words);
        }
    }
}
