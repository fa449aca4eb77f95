//! The list of diagnostic codes. A code never changes its meaning and is never used again.
//!
//! Each has a page in `crates/author/errors/`, shown by `statewright explain`, and a fixture in
//! `crates/compile/tests/diagnostics/` with the exact rendered text; those of imported files have
//! theirs in `crates/import/tests/diagnostics/`.

use crate::diagnostic::Severity;

/// What is known of a code without an occurrence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Info {
    /// The code as it is printed, such as `SW0101`.
    pub id: &'static str,
    /// Severity outside strict mode.
    pub severity: Severity,
    /// One line that says what it is about.
    pub title: &'static str,
    /// The page, in Markdown.
    pub page: &'static str,
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $id:ident $severity:ident $title:literal;)+) => {
        /// A diagnostic code.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum DiagnosticCode { $(#[doc = $title] $name,)+ }

        impl DiagnosticCode {
            /// All codes, in order.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// What is known of this code.
            pub fn info(self) -> Info {
                match self {
                    $(Self::$name => Info {
                        id: stringify!($id),
                        severity: Severity::$severity,
                        title: $title,
                        page: include_str!(concat!("../errors/", stringify!($id), ".md")),
                    },)+
                }
            }
        }
    };
}

codes! {
    // The file as text.
    Syntax = SW0001 Error "the file is not valid JSON";
    NestedTooDeeply = SW0002 Error "brackets are nested too deeply";
    DuplicateField = SW0003 Error "a field is given twice";
    UnknownField = SW0004 Error "a field that does not exist";
    WrongType = SW0005 Error "a value of the wrong type";
    MissingField = SW0006 Error "a required field is missing";
    BadValue = SW0007 Error "a value outside what is allowed";
    BadName = SW0008 Error "not a legal name";
    FileTooLarge = SW0009 Error "the file is too large";
    BadDuration = SW0010 Error "not a legal duration";
    BadStableId = SW0011 Error "not a legal stable id";
    FieldsExclude = SW0012 Error "fields that exclude each other";
    RegionNotStated = SW0013 Error "a child of an orthogonal state does not say its region";
    FlatTree = SW0014 Error "the flat list of states is not a tree";

    // Names.
    UnknownState = SW0101 Error "no such state";
    UnknownEvent = SW0102 Error "no such event";
    UnknownTimer = SW0103 Error "no such timer";
    UnknownParameter = SW0104 Error "no such parameter";
    UnknownChannel = SW0105 Error "no such channel";
    UnknownLane = SW0106 Error "no such lane";
    UnknownTransitionSet = SW0107 Error "no such transition set";
    AmbiguousState = SW0108 Error "several states have this name";
    DuplicateName = SW0109 Error "a name is declared twice";
    DuplicateStableId = SW0110 Error "two things have the same stable id";
    NamesDifferInCase = SW0111 Warning "names that differ only in case";
    UndeclaredFunction = SW0112 Error "a function that is not declared";
    FunctionHashCollision = SW0113 Error "two function names have the same hash";
    FunctionKindConflict = SW0114 Error "a function is used as two kinds";
    UnknownRegion = SW0115 Error "no such region";
    UnknownKey = SW0116 Error "no such blackboard key";
    MissingStableId = SW0117 Hint "a state has no stable id of its own";
    TextNumberCollision = SW0118 Error "two texts have the same number";
    ValueFunctionType = SW0150 Error "a value function and what it gives do not fit";
    NameHidden = SW0151 Error "one name means two things in expressions";
    SetCircle = SW0152 Error "transition sets use each other in a circle";
    PartUnreadable = SW0170 Error "a part cannot be read";
    PartCircle = SW0171 Error "a part uses itself";
    PartConflict = SW0172 Error "a part and its user say different things";
    PartObserver = SW0173 Error "a part has an observer";
    UnknownInPart = SW0174 Error "the part has nothing of this name";

    // The tree.
    MissingInitial = SW0201 Error "a region does not say where it starts";
    InitialOutside = SW0202 Error "the initial state is not inside the region";
    TooDeep = SW0203 Error "states are nested too deeply";
    EmptyRegion = SW0204 Error "a region has no states";
    SingleRegion = SW0205 Error "an orthogonal state has only one region";
    FinalWithContent = SW0206 Error "a final state does something that it cannot";
    ChoiceLastGuarded = SW0207 Error "a choice may have no way out";
    ChoiceCycle = SW0208 Error "choices lead in a circle";
    ChoiceLeavesDomain = SW0209 Error "a choice leads out of the transition's domain";
    IllegalTargets = SW0210 Error "targets that cannot be active together";
    CrossRegion = SW0211 Warning "a transition crosses regions";
    HistoryWithoutChildren = SW0212 Error "a history point in a state without children";
    HistoryDefaultOutside = SW0213 Error "the default of a history point lies outside";
    Unreachable = SW0214 Warning "a state can never be entered";
    BadSyncGroup = SW0215 Error "not a legal sync group";
    ChoiceWithContent = SW0216 Error "a choice state does something that it cannot";
    RootHas = SW0217 Error "the root cannot have this";
    MutedInUse = SW0218 Error "a muted state is needed";
    EmptyChoice = SW0219 Error "a choice has no branches";
    EntryEnds = SW0220 Warning "the fail-safe or reload entry ends the machine";
    RootStays = SW0221 Warning "a condition for leaving the root";

    // Transitions.
    Shadowed = SW0301 Warning "a transition can never win";
    MixedScores = SW0302 Error "some transitions are scored and some are not";
    DebounceNeedsAlways = SW0303 Error "debounce without an always trigger";
    NeedsTarget = SW0304 Error "a target is missing";
    BadInterrupt = SW0305 Error "not a legal interrupt";
    KindMismatch = SW0306 Error "the kind does not fit source and target";
    BadStackOperation = SW0307 Error "not a legal push or pop";
    SuspendsTwice = SW0308 Error "a push could suspend the same state twice";
    NeverCompletes = SW0309 Warning "a completion that can never happen";
    AlwaysCycle = SW0310 Error "unguarded always transitions lead in a circle";
    PossibleLivelock = SW0311 Warning "eventless transitions may go on without end";
    LongChain = SW0312 Warning "a chain of eventless transitions is longer than a tick allows";
    LatchWithoutWait = SW0313 Warning "nothing to wait for";
    ThresholdWithoutScore = SW0314 Error "a threshold without a score";
    BadAnyState = SW0315 Error "not a legal any-state transition";
    RootTarget = SW0316 Error "the root cannot be a target";
    DoesNothing = SW0317 Warning "a transition that does nothing";
    ScoredStays = SW0318 Error "a scored always transition that stays where it is";
    ThresholdNotFixed = SW0350 Error "a threshold is not made of parameters";
    BadStay = SW0370 Error "not a legal stay";
    BadEventList = SW0351 Error "not a legal list of events";

    // Events and timers.
    Unhandled = SW0401 Warning "an event is sent but nobody handles it";
    UnusedEvent = SW0402 Warning "an event is never used";
    PayloadTooLarge = SW0403 Error "a payload does not fit into an event";
    DefersIndirect = SW0404 Warning "an indirect event is deferred";
    DeferralInCrowd = SW0405 Error "deferral in the smallest tier";
    NotWithInternalFirst = SW0406 Error "not possible with the policy internal_first";
    PayloadMismatch = SW0407 Error "the payload does not fit the event";
    UnusedTimer = SW0408 Warning "a timer is never used";
    TimerOutOfScope = SW0409 Error "a timer of a state that is not around";
    ObserverChanges = SW0410 Error "an observer changes something";
    TimerIsEvent = SW0411 Error "a timer that fires as an event is a trigger";

    QueueTooSmall = SW0450 Warning "one step posts more than the queue holds";

    // Sizes.
    TierTooSmall = SW0501 Error "the machine does not fit its tier";
    TierPromoted = SW0502 Warning "the tier was raised";
    CostTooHigh = SW0503 Error "a transition does too much at once";
    TableFull = SW0504 Error "too many of something";
    TooManySteps = SW0505 Error "entering takes too many steps";

    // Expressions.
    ExpressionSyntax = SW0601 Error "the expression cannot be read";
    ExpressionType = SW0602 Error "types do not fit";
    UnknownInExpression = SW0603 Error "an unknown name in an expression";
    ExpressionTooLarge = SW0604 Error "the expression is too large";
    ConstantCondition = SW0605 Warning "a condition that is always the same";
    NoPayloadHere = SW0606 Error "no event payload is to be had here";
    DivisionByZero = SW0607 Warning "a division by zero";
    BadArguments = SW0608 Error "arguments do not fit the function";
    NotAnAction = SW0609 Error "not an action";
    GuardLooksLikeKey = SW0610 Warning "a guard that looks like a misspelled key";
    NotADuration = SW0640 Error "no parameter that is a duration";

    // Data.
    LiteralType = SW0701 Error "a value does not fit its declared type";
    ConcurrentWriters = SW0703 Warning "two regions write the same blackboard key";
    ChannelConflict = SW0704 Error "two states may own a channel at once";
    UnusedDeclaration = SW0705 Warning "a declaration is never used";
    ConcurrentCommands = SW0706 Warning "two regions write a lane where the last one wins";
    LaneRule = SW0707 Error "a rule that does not fit its lane";

    // Import.
    ImportSyntax = SW0801 Error "the file cannot be read as what it says it is";
    ImportRefused = SW0802 Error "something that has no counterpart here";
    ImportIllegal = SW0803 Error "the file breaks a rule of its own format";
    ImportLimit = SW0804 Error "the chart is too large";
    ImportIgnored = SW0805 Warning "something that import leaves out";
    ExportRefused = SW0806 Error "something that SCXML cannot say";

    // The compiler itself.
    Internal = SW0901 Error "a mistake of the compiler";
}

impl DiagnosticCode {
    /// The code of an id such as `SW0101` or `sw101`.
    pub fn find(id: &str) -> Option<Self> {
        let digits = id.trim().to_ascii_uppercase();
        let number: u32 = digits.strip_prefix("SW").unwrap_or(&digits).parse().ok()?;
        Self::ALL
            .iter()
            .copied()
            .find(|code| code.info().id == format!("SW{number:04}"))
    }
}
