//! The sections of a ROM: number, name, accessor, record and origin of each, once.

use super::*;

/// Where the records of a section come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// From the machine file: what the machine means. Hashed (ROM-5).
    Base,
    /// Worked out from the others; `statewright check --deep` does it again.
    Plan,
    /// Names that outlive changes (ROM-6); they change no behavior.
    Name,
}

/// Lists every section once: number, name, accessor, record, [`Origin`](crate::layout::Origin). Used for the directory, the view and the
/// validator.
#[macro_export]
#[doc(hidden)]
macro_rules! for_each_section {
    ($callback:path) => {
        $callback! {
            1 States states StateRecord Base,
            2 StateExtras state_extras StateExtra Base,
            3 Regions regions RegionRecord Base,
            4 Initials initials InitialRecord Base,
            5 Stacks stacks StackRecord Base,
            6 Transitions transitions TransitionRecord Base,
            7 TransitionExtras transition_extras TransitionExtra Base,
            8 TransitionPlans transition_plans TransitionPlan Plan,
            9 TargetSets target_sets TargetSet Base,
            10 Targets targets TargetRecord Base,
            11 History history HistoryRecord Base,
            12 Branches branches BranchRecord Base,
            13 Events events EventRecord Base,
            14 Timers timers TimerRecord Base,
            15 Deferrals deferrals DeferralRecord Base,
            16 Observers observers ObserverRecord Base,
            17 Linker linker LinkerRecord Base,
            18 ActionLists action_lists ActionList Base,
            19 Ops ops OpRecord Base,
            20 Arguments arguments ArgumentRecord Base,
            21 Strings strings StringRecord Base,
            22 Text text ByteRecord Base,
            23 Keys keys KeyRecord Base,
            24 Parameters parameters ParameterRecord Base,
            25 Variants variants VariantRecord Base,
            26 ParameterValues parameter_values WordRecord Base,
            27 Expressions expressions ExpressionRecord Base,
            28 Code code InstructionRecord Base,
            29 Lanes lanes LaneRecord Base,
            30 Channels channels ChannelRecord Base,
            31 Scratch scratch ScratchRecord Base,
            32 StableIds stable_ids StableIdRecord Name,
            33 LeafRows leaf_rows LeafRow Plan,
            34 DenseCells dense_cells DenseCell Plan,
            35 SortedCells sorted_cells SortedCell Plan,
            36 CandidateLists candidate_lists CandidateList Plan,
            37 Candidates candidates Candidate Plan,
            38 EntryPlans entry_plans EntryPlan Plan,
            39 EntrySteps entry_steps PlanStep Plan,
            41 Jumps jumps Jump Plan,
            42 JumpSteps jump_steps JumpStep Plan,
            43 BuiltInLanes built_in_lanes LaneRecord Base,
            46 Durations durations DurationRecord Base,
            47 Polls polls PollRecord Plan,
            48 Runs runs RunRecord Plan,
        }
    };
}

macro_rules! define_sections {
    ($($number:literal $name:ident $field:ident $record:ident $origin:ident,)+) => {
        /// A section of the ROM. Sections lie in this order; empty ones are left out of the directory.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u16)]
        pub enum Section { $(#[doc = concat!("Records: [`", stringify!($record), "`].")] $name = $number,)+ }

        impl Section {
            /// All of them, in order.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// The section of a number.
            pub const fn from_number(number: u16) -> Option<Self> {
                match number { $($number => Some(Self::$name),)+ _ => None }
            }

            /// The name shown in messages.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => stringify!($field),)+ }
            }

            /// Where its records come from.
            pub const fn origin(self) -> Origin {
                match self { $(Self::$name => Origin::$origin,)+ }
            }

            /// Bytes of a record.
            pub const fn record_size(self) -> usize {
                match self { $(Self::$name => size_of::<$record>(),)+ }
            }
        }
    };
}
for_each_section!(define_sections);
