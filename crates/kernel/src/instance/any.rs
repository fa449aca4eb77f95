//! Where a tier becomes a type: the one place that knows all three.

use statewright_rom::Rom;
use statewright_rom::layout::Tier;
use zerocopy::{FromBytes, IntoBytes};

use super::{Header, Instance, Instance64, Instance128, Instance256};

/// One of three, by tier: an instance ([`AnyInstance`]), or what a caller keeps of instances, such
/// as a list of them. [`on_tier!`](crate::on_tier) does the same with whichever it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByTier<C, S, H> {
    /// 64 bytes per agent.
    Crowd(C),
    /// 128 bytes per agent.
    Standard(S),
    /// 256 bytes per agent.
    Hero(H),
}

/// An instance of the tier of its machine.
pub type AnyInstance = ByTier<Instance64, Instance128, Instance256>;

/// The same work on whichever of three it is.
///
/// ```
/// # use statewright_kernel::{AnyInstance, Instance, on_tier};
/// fn queued(agent: &AnyInstance) -> u8 {
///     on_tier!(agent, instance => instance.header().event_count)
/// }
/// ```
#[macro_export]
macro_rules! on_tier {
    ($any:expr, $one:ident => $work:expr) => {
        match $any {
            $crate::ByTier::Crowd($one) => $work,
            $crate::ByTier::Standard($one) => $work,
            $crate::ByTier::Hero($one) => $work,
        }
    };
}

/// The same work with the type of the instances of a machine, given its ROM.
///
/// ```
/// # use statewright_kernel::with_tier;
/// fn bytes(rom: &statewright_rom::Rom<'_>) -> usize {
///     with_tier!(rom, I => size_of::<I>())
/// }
/// ```
#[macro_export]
macro_rules! with_tier {
    ($rom:expr, $instance:ident => $work:expr) => {
        match $rom.tier() {
            $crate::Tier::Crowd => {
                type $instance = $crate::Instance64;
                $work
            }
            $crate::Tier::Standard => {
                type $instance = $crate::Instance128;
                $work
            }
            $crate::Tier::Hero => {
                type $instance = $crate::Instance256;
                $work
            }
        }
    };
}

impl<C, S, H> ByTier<C, S, H> {
    /// The one of three that fits the tier of a machine.
    pub fn of(rom: &Rom<'_>, crowd: C, standard: S, hero: H) -> Self {
        match rom.tier() {
            Tier::Crowd => Self::Crowd(crowd),
            Tier::Standard => Self::Standard(standard),
            Tier::Hero => Self::Hero(hero),
        }
    }
}

impl AnyInstance {
    /// A new instance of a machine, not yet started (SYS-10).
    pub fn new(rom: &Rom<'_>, seed: u64, agent: u64) -> Self {
        let machine = rom.machine_id();
        match rom.tier() {
            Tier::Crowd => Self::Crowd(Instance::of_machine(machine, seed, agent)),
            Tier::Standard => Self::Standard(Instance::of_machine(machine, seed, agent)),
            Tier::Hero => Self::Hero(Instance::of_machine(machine, seed, agent)),
        }
    }

    /// The header.
    pub fn header(&self) -> &Header {
        on_tier!(self, instance => instance.header())
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        on_tier!(self, instance => instance.as_bytes())
    }

    /// The same bytes as an instance of the same tier; none if there are more or fewer.
    pub fn with_bytes(&self, bytes: &[u8]) -> Option<Self> {
        Some(match self {
            Self::Crowd(_) => Self::Crowd(Instance64::read_from_bytes(bytes).ok()?),
            Self::Standard(_) => Self::Standard(Instance128::read_from_bytes(bytes).ok()?),
            Self::Hero(_) => Self::Hero(Instance256::read_from_bytes(bytes).ok()?),
        })
    }
}
