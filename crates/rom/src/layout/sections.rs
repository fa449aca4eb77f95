//! The sections of a ROM: number, name, accessor and record of each, once.

use super::*;

/// Lists every section once: number, record, accessor. Used for the directory, the view and the
/// validator.
#[macro_export]
#[doc(hidden)]
macro_rules! for_each_section {
    ($callback:path) => {
        $callback! {
            1 States states StateRecord,
            2 StateExtras state_extras StateExtra,
            3 Regions regions RegionRecord,
            4 Initials initials InitialRecord,
            5 Stacks stacks StackRecord,
            6 Transitions transitions TransitionRecord,
            7 TransitionExtras transition_extras TransitionExtra,
            8 TransitionPlans transition_plans TransitionPlan,
            9 TargetSets target_sets TargetSet,
            10 Targets targets TargetRecord,
            11 History history HistoryRecord,
            12 Branches branches BranchRecord,
            13 Events events EventRecord,
            14 Timers timers TimerRecord,
            15 Deferrals deferrals DeferralRecord,
            16 Observers observers ObserverRecord,
            17 Linker linker LinkerRecord,
            18 ActionLists action_lists ActionList,
            19 Ops ops OpRecord,
            20 Arguments arguments ArgumentRecord,
            21 Strings strings StringRecord,
            22 Text text ByteRecord,
            23 Keys keys KeyRecord,
            24 Parameters parameters ParameterRecord,
            25 Variants variants VariantRecord,
            26 ParameterValues parameter_values WordRecord,
            27 Expressions expressions ExpressionRecord,
            28 Code code InstructionRecord,
            29 Lanes lanes LaneRecord,
            30 Channels channels ChannelRecord,
            31 Scratch scratch ScratchRecord,
            32 StableIds stable_ids StableIdRecord,
            33 LeafRows leaf_rows LeafRow,
            34 DenseCells dense_cells DenseCell,
            35 SortedCells sorted_cells SortedCell,
            36 CandidateLists candidate_lists CandidateList,
            37 Candidates candidates Candidate,
            38 EntryPlans entry_plans EntryPlan,
            39 EntrySteps entry_steps PlanStep,
            41 Jumps jumps Jump,
            42 JumpSteps jump_steps JumpStep,
        }
    };
}

macro_rules! define_sections {
    ($($number:literal $name:ident $field:ident $record:ident,)+) => {
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

            /// Bytes of a record.
            pub const fn record_size(self) -> usize {
                match self { $(Self::$name => size_of::<$record>(),)+ }
            }
        }
    };
}
for_each_section!(define_sections);
