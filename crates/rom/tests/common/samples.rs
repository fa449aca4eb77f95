//! Legal ROMs to load and to damage.

use statewright_rom::code::op;
use statewright_rom::ids::DurationId;
use statewright_rom::layout::*;
use statewright_rom::symbol_number;
use zerocopy::FromZeros;
use zerocopy::byteorder::little_endian::{F32, U16, U32, U64};

use super::{Machine, Tables, to, to_choice, to_history};

const NOTHING: U16 = U16::new(NONE);

/// Two states, two events.
pub fn flat() -> Tables {
    let mut m = Machine::new(Tier::Crowd);
    let (go, back) = (m.event(), m.event());
    let a = m.atomic(0, 0);
    let b = m.atomic(0, 0);
    m.arrow(a, go, &[to(b)], 0);
    m.arrow(b, back, &[to(a)], 0);
    m.tables.linker = vec![function(7, FunctionKind::Action)];
    m.tables.ops = vec![call(0)];
    m.tables.action_lists = vec![list(0, 1)];
    m.tables.states[usize::from(a)].entry = 0.into();
    m.tables.states[usize::from(b)].exit = 0.into();
    m.derive();
    m.finish()
}

/// The same two states with sorted rows.
pub fn flat_sorted() -> Tables {
    let mut m = Machine::new(Tier::Crowd);
    let (go, back) = (m.event(), m.event());
    let a = m.atomic(0, 0);
    let b = m.atomic(0, 0);
    m.arrow(a, go, &[to(b)], 0);
    m.arrow(b, back, &[to(a)], 0);
    m.dense = false;
    m.derive();
    m.finish()
}

/// Compounds in compounds, one leaf. With `effects`, initial transitions do something.
pub fn nested(effects: bool) -> Tables {
    let mut m = Machine::new(Tier::Crowd);
    let (go, back) = (m.event(), m.event());
    let outer = m.atomic(0, 0);
    let inner = m.atomic(outer, 0);
    let a = m.atomic(inner, 0);
    let b = m.atomic(inner, 0);
    let other = m.atomic(outer, 0);
    let last = m.atomic(0, 0);
    m.arrow(0, back, &[to(last)], transition_flag::LOCAL);
    m.arrow(outer, go, &[to(b)], transition_flag::LOCAL);
    m.arrow(inner, back, &[to(other)], 0);
    m.arrow(a, go, &[to(b)], 0);
    m.arrow(other, go, &[to(inner)], 0);
    m.arrow(last, go, &[to(outer)], 0);
    m.tables.linker = vec![function(7, FunctionKind::Action)];
    m.tables.ops = vec![call(0), call(0)];
    m.tables.action_lists = vec![list(0, 1), list(1, 1)];
    for (place, state) in [outer, inner, a, b, other, last].into_iter().enumerate() {
        let state = &mut m.tables.states[usize::from(state)];
        (state.entry, state.exit) = ((place as u16 % 2).into(), (1 - place as u16 % 2).into());
    }
    if effects {
        m.effects = vec![(outer, 0, 1), (inner, 0, 0)];
    }
    m.derive();
    m.finish()
}

/// The root itself has regions; a transition between them leaves and enters all of it.
pub fn orthogonal_root() -> Tables {
    let mut m = Machine::new(Tier::Standard);
    let (go, swap) = (m.event(), m.event());
    let a = m.atomic(0, 0);
    let b = m.atomic(0, 0);
    let c = m.atomic(0, 1);
    let d = m.atomic(0, 1);
    m.arrow(a, go, &[to(b)], 0);
    m.arrow(b, swap, &[to(d)], 0);
    m.arrow(c, go, &[to(d)], 0);
    m.tables.linker = vec![function(7, FunctionKind::Action)];
    m.tables.ops = vec![call(0)];
    m.tables.action_lists = vec![list(0, 1)];
    m.effects = vec![(0, 0, 0), (0, 1, 0)];
    m.derive();
    m.tables.header.features = feature::REGIONS.into();
    m.finish()
}

/// Legal ROMs with their names.
pub fn all() -> Vec<(&'static str, Tables)> {
    vec![
        ("flat", flat()),
        ("flat, sorted", flat_sorted()),
        ("nested", nested(false)),
        ("nested, with effects", nested(true)),
        ("orthogonal root", orthogonal_root()),
        ("rich", rich()),
        ("rich, sorted", rich_sorted()),
    ]
}

/// As many states as a ROM can have, flat.
pub fn wide(states: usize) -> Tables {
    let mut m = Machine::new(Tier::Crowd);
    for _ in 1..states {
        m.atomic(0, 0);
    }
    m.derive();
    m.finish()
}

pub fn function(hash: u32, kind: FunctionKind) -> LinkerRecord {
    LinkerRecord {
        hash: hash.into(),
        kind: kind.into(),
        rng: 0,
        ty: Default::default(),
        reserved: 0,
    }
}

pub fn call(function: u16) -> OpRecord {
    OpRecord {
        kind: ActionOp::Call.into(),
        count: 0,
        a: function.into(),
        b: 0.into(),
    }
}

pub fn built_in(kind: ActionOp, a: u16, b: u32) -> OpRecord {
    OpRecord {
        kind: kind.into(),
        count: 0,
        a: a.into(),
        b: b.into(),
    }
}

pub fn list(first: u32, count: u16) -> ActionList {
    ActionList {
        first: first.into(),
        count: count.into(),
        reserved: 0.into(),
    }
}

fn instruction(op: u8, a: u8, b: u16, c: u32) -> InstructionRecord {
    InstructionRecord {
        op,
        a,
        b: b.into(),
        c: c.into(),
    }
}

fn expression(first: u32, count: u16, stack_words: u8, ty: ValueType) -> ExpressionRecord {
    ExpressionRecord {
        first: first.into(),
        count: count.into(),
        stack_words,
        ty: ty.into(),
    }
}

/// Ids of the states of [`rich`].
pub mod rich_states {
    pub const PATROL: u16 = 1;
    pub const WALK: u16 = 2;
    pub const LOOK: u16 = 3;
    pub const PICK: u16 = 4;
    pub const PICK_AGAIN: u16 = 5;
    pub const COMBAT: u16 = 6;
    pub const AIM: u16 = 7;
    pub const FIRE: u16 = 8;
    pub const STAND: u16 = 9;
    pub const COVER: u16 = 10;
    pub const LEFT: u16 = 11;
    pub const RIGHT: u16 = 12;
    pub const OVER: u16 = 13;
}

/// Events of [`rich`].
pub mod rich_events {
    pub const SEE: u16 = 0;
    pub const LOSE: u16 = 1;
    pub const HIT: u16 = 2;
    pub const SWAP: u16 = 3;
}

/// One of everything: orthogonal regions, timers of all kinds, history, choices, a stack, scores,
/// deferral, observers, expressions, parameters, channels, interrupts.
pub fn rich() -> Tables {
    let mut m = Machine::new(Tier::Hero);
    for _ in 0..4 {
        m.event();
    }
    rich_tree(&mut m);
    rich_history(&mut m);
    rich_arrows(&mut m);
    m.derive();
    rich_data(&mut m.tables);
    rich_functions(&mut m.tables);
    rich_timers(&mut m);
    rich_extras(&mut m);
    rich_stack(&mut m);
    m.tables.header.features = (feature::ALL & !feature::DENSE_ROWS).into();
    let set = m.target_set(&[to(rich_states::PATROL)]);
    m.tables.header.fail_safe = set.into();
    m.finish()
}

/// [`rich`] with sorted rows.
pub fn rich_sorted() -> Tables {
    let mut tables = rich();
    tables.header.features = (feature::ALL & !feature::DENSE_ROWS).into();
    let columns = usize::from(tables.header.columns.get());
    let cells = std::mem::take(&mut tables.dense_cells);
    for (row, cells) in tables.leaf_rows.iter_mut().zip(cells.chunks(columns)) {
        let first = tables.sorted_cells.len();
        let used = (0_u16..)
            .zip(cells)
            .filter(|(_, cell)| cell.list.get() != NO_LIST);
        let sorted = |(column, cell): (u16, &DenseCell)| SortedCell {
            column: column.into(),
            reserved: 0.into(),
            list: cell.list,
        };
        tables.sorted_cells.extend(used.map(sorted));
        row.first_cell = (first as u32).into();
        row.cell_count = ((tables.sorted_cells.len() - first) as u32).into();
    }
    tables
}

fn rich_tree(m: &mut Machine) {
    use rich_states::*;
    assert_eq!(m.atomic(0, 0), PATROL);
    assert_eq!(m.atomic(PATROL, 0), WALK);
    assert_eq!(m.atomic(PATROL, 0), LOOK);
    assert_eq!(m.state(0, 0, StateKind::Choice), PICK);
    assert_eq!(m.state(0, 0, StateKind::Choice), PICK_AGAIN);
    assert_eq!(m.atomic(0, 0), COMBAT);
    assert_eq!(m.atomic(COMBAT, 0), AIM);
    assert_eq!(m.atomic(COMBAT, 0), FIRE);
    assert_eq!(m.atomic(COMBAT, 1), STAND);
    assert_eq!(m.atomic(COMBAT, 1), COVER);
    assert_eq!(m.atomic(COVER, 0), LEFT);
    assert_eq!(m.atomic(COVER, 0), RIGHT);
    assert_eq!(m.state(0, 0, StateKind::Final), OVER);
    m.initials.push((COMBAT, 1, vec![to(RIGHT)]));
}

fn rich_history(m: &mut Machine) {
    use rich_states::*;
    let default = m.target_set(&[to(LOOK)]);
    m.tables.history = vec![
        HistoryRecord {
            owner: PATROL.into(),
            default: default.into(),
            effect: NOTHING,
            slot: 0,
            slot_count: 1,
            restore: 1,
            ..HistoryRecord::new_zeroed()
        },
        HistoryRecord {
            owner: COMBAT.into(),
            default: NOTHING,
            effect: NOTHING,
            slot: 1,
            slot_count: 2,
            deep: 1,
            ..HistoryRecord::new_zeroed()
        },
    ];
    let extra = m.extra(PATROL);
    (extra.first_history, extra.history_count) = (0.into(), 1);
    let extra = m.extra(COMBAT);
    (extra.first_history, extra.history_count) = (1.into(), 1);
    m.tables.states[usize::from(PATROL)].flags = state_flag::RESTORES.into();
    // The choice that leads to the other one comes first.
    let (again, combat, walk) = (
        m.target_set(&[to_choice(PICK_AGAIN)]),
        m.target_set(&[to(FIRE), to(LEFT)]),
        m.target_set(&[to(WALK)]),
    );
    let branch = |owner: u16, guard: u16, targets: u16| BranchRecord {
        owner: owner.into(),
        guard: guard.into(),
        targets: targets.into(),
        effect: NOTHING,
    };
    m.tables.branches = vec![
        branch(PICK, 0, combat),
        branch(PICK, NONE, again),
        branch(PICK_AGAIN, 1, walk),
        branch(PICK_AGAIN, NONE, combat),
    ];
    for (choice, first) in [(PICK, 0), (PICK_AGAIN, 2)] {
        let state = &mut m.tables.states[usize::from(choice)];
        (state.first_transition, state.transition_count) = (first.into(), 2.into());
    }
}

/// Columns of the timers of [`rich`]: after the four events.
const AFTER: u16 = 4;
const NAMED: u16 = 5;

fn rich_arrows(m: &mut Machine) {
    use rich_events::*;
    use rich_states::*;
    use transition_flag::*;
    m.arrow(0, HIT, &[to(OVER)], INTERRUPT | LOCAL);
    m.arrow(0, SpecialTrigger::Any.number(), &[], INTERNAL | STAY);
    m.arrow(PATROL, SEE, &[to_history(1)], 3 << PRIORITY_SHIFT);
    m.arrow(PATROL, SEE, &[to_choice(PICK)], 1 << PRIORITY_SHIFT | LATCH);
    m.arrow(WALK, AFTER, &[to(LOOK)], 0);
    m.arrow(WALK, SWAP, &[to(LOOK)], PUSH);
    m.arrow(LOOK, SWAP, &[], POP);
    m.arrow(LOOK, SpecialTrigger::Always.number(), &[to(WALK)], 0);
    m.arrow(COMBAT, LOSE, &[to_history(0)], 0);
    m.arrow(COMBAT, SWAP, &[to(AIM), to(STAND)], LOCAL);
    m.arrow(AIM, SEE, &[to(FIRE)], SCORED);
    m.arrow(AIM, SEE, &[to(AIM)], SCORED);
    m.arrow(FIRE, SWAP, &[to(STAND)], 0);
    m.arrow(STAND, NAMED, &[to(COVER)], 0);
    m.arrow(COVER, SpecialTrigger::Done.number(), &[to(STAND)], 0);
}

fn rich_data(tables: &mut Tables) {
    tables.text = "shoutgrüß"
        .bytes()
        .map(|byte| ByteRecord { byte })
        .collect();
    let string = |text: &str, offset: u32, length: u32| StringRecord {
        number: symbol_number(text).into(),
        offset: offset.into(),
        length: length.into(),
    };
    tables.strings = vec![
        string("", 11, 0),
        string("grüß", 5, 6),
        string("shout", 0, 5),
    ];
    tables.events[usize::from(rich_events::HIT)] = EventRecord {
        ttl_ticks: 30.into(),
        class: EventClass::Interrupt.into(),
        flags: event_flag::COALESCE,
        payload: PayloadKind::F32.into(),
        payload_bytes: 4,
    };
    let key = |hash: u64, offset: u16, ty: ValueType, default: [u32; 3]| KeyRecord {
        name_hash: U64::new(hash),
        default: default.map(U32::new),
        offset: offset.into(),
        ty: ty.into(),
        reserved: [0; 9],
    };
    tables.keys = vec![
        key(11, 0, ValueType::F32, [1.0_f32.to_bits(), 0, 0]),
        key(12, 1, ValueType::Vec3, [1, 2, 3]),
        key(13, 4, ValueType::Symbol, [symbol_number("grüß"), 0, 0]),
        key(14, 5, ValueType::Bool, [1, 0, 0]),
    ];
    let parameter = |hash: u64, offset: u16, ty: ValueType| ParameterRecord {
        name_hash: U64::new(hash),
        offset: offset.into(),
        ty: ty.into(),
        is_duration: u8::from(ty == ValueType::F32),
        reserved: [0; 4],
    };
    tables.parameters = vec![
        parameter(21, 0, ValueType::I32),
        parameter(22, 1, ValueType::Vec2),
        parameter(23, 3, ValueType::Bool),
        parameter(24, 4, ValueType::F32),
    ];
    tables.variants = vec![
        VariantRecord {
            name_hash: 0.into(),
        },
        VariantRecord {
            name_hash: 99.into(),
        },
    ];
    let [half, whole] = [0.5_f32, 1.0].map(f32::to_bits);
    tables.parameter_values = [5, 6, 7, 1, half, 8, 9, 10, 0, whole]
        .map(|word: u32| WordRecord { word: word.into() })
        .to_vec();
    let argument = |ty: ValueType, name: u16, words: [u32; 3]| ArgumentRecord {
        ty: ty.into(),
        source: ArgumentSource::Literal.into(),
        name: name.into(),
        words: words.map(U32::new),
    };
    tables.arguments = vec![
        argument(ValueType::I32, NONE, [3, 0, 0]),
        argument(ValueType::Symbol, 0, [symbol_number("grüß"), 0, 0]),
    ];
    tables.lanes = vec![LaneRecord {
        name_hash: 31.into(),
        merge: MergeRule::StrictOrder.into(),
        critical: 1,
        number: 7,
        ..LaneRecord::new_zeroed()
    }];
    tables.built_in_lanes = vec![LaneRecord {
        name_hash: 32.into(),
        merge: MergeRule::LastWriterWins.into(),
        number: BuiltInLane::Navigation.number(),
        key: LaneKey::Name.into(),
        cap: 3.into(),
        ..LaneRecord::new_zeroed()
    }];
    tables.channels = vec![ChannelRecord {
        name_hash: 41.into(),
        command: 0.into(),
        lane: 7.into(),
        reserved: 0.into(),
    }];
    tables.scratch = vec![ScratchRecord {
        owner: rich_states::AIM.into(),
        slot: 20,
        count: 2,
        ..Default::default()
    }];
}

fn rich_functions(tables: &mut Tables) {
    tables.linker = vec![
        function(5, FunctionKind::Guard),
        function(1, FunctionKind::Action),
        function(9, FunctionKind::Action),
        function(2, FunctionKind::Activity),
        function(2, FunctionKind::Scorer),
    ];
    tables.code = vec![
        // 0: true
        instruction(op::PUSH, ValueType::Bool.number(), 0, 1),
        // 1: key 0
        instruction(op::KEY, ValueType::F32.number(), 0, 0),
        // 2: !in(AIM)
        instruction(op::IN_STATE, 0, rich_states::AIM, 0),
        instruction(op::NOT, 0, 0, 0),
    ];
    tables.expressions = vec![
        expression(0, 1, 1, ValueType::Bool),
        expression(1, 1, 1, ValueType::F32),
        expression(2, 2, 1, ValueType::Bool),
    ];
    let nothing = u32::from(NONE);
    tables.ops = vec![
        // Single ops: two guards, activity, two scores.
        call(0),
        built_in(ActionOp::Evaluate, 2, 0),
        call(3),
        call(4),
        built_in(ActionOp::Evaluate, 1, 0),
        // List 0.
        OpRecord {
            kind: ActionOp::Call.into(),
            count: 2,
            a: 1.into(),
            b: 0.into(),
        },
        built_in(ActionOp::Set, 1, 0),
        built_in(ActionOp::Add, 1, 0),
        // List 1.
        built_in(ActionOp::Raise, rich_events::SEE, nothing),
        built_in(ActionOp::Send, rich_events::HIT, 0xFFFF_0001),
        built_in(ActionOp::Emit, 0, 7 << 16 | nothing),
        built_in(ActionOp::StartTimer, 1, computed(1).raw()),
        built_in(ActionOp::StopTimer, 2, 0),
        built_in(ActionOp::ClearHistory, rich_states::PATROL, 0),
        // List 2.
        call(2),
        built_in(ActionOp::Unless, 0, 2),
        call(2),
        built_in(ActionOp::Skip, 0, 1),
        call(2),
    ];
    tables.action_lists = vec![list(5, 3), list(8, 6), list(14, 5)];
}

/// The word of a record of the durations table.
fn computed(record: usize) -> DurationWord {
    DurationWord::computed(DurationId::from_index(record).unwrap())
}

/// One duration of each kind.
fn rich_durations(tables: &mut Tables) {
    let duration = |kind: DurationKind, index: u16, low: u32, high: u32| DurationRecord {
        kind: kind.into(),
        reserved: 0,
        index: index.into(),
        low: low.into(),
        high: high.into(),
    };
    let seconds = tables
        .expressions
        .iter()
        .position(|expression| expression.ty == ValueType::F32);
    tables.durations = vec![
        duration(DurationKind::Parameter, 3, 0, 0),
        duration(DurationKind::Expression, seconds.unwrap() as u16, 0, 0),
        duration(DurationKind::Range, 0, 30, 90),
    ];
}

fn rich_timers(m: &mut Machine) {
    rich_durations(&mut m.tables);
    use rich_states::*;
    let timer = |owner: u16,
                 transition: u16,
                 duration: DurationWord,
                 column: u16,
                 kind: TimerKind,
                 place: u8,
                 instances: u8| TimerRecord {
        owner: owner.into(),
        transition: transition.into(),
        duration,
        column: column.into(),
        kind: kind.into(),
        place,
        instances,
        class: EventClass::Normal.into(),
        reserved: 0.into(),
    };
    let none = DurationWord::NOTHING;
    m.tables.timers = vec![
        timer(
            WALK,
            4,
            DurationWord::ticks(60),
            AFTER,
            TimerKind::After,
            0,
            1,
        ),
        timer(STAND, NONE, none, NAMED, TimerKind::State, 1, 1),
        timer(0, NONE, none, rich_events::SEE, TimerKind::Machine, 2, 3),
        timer(WALK, NONE, none, NONE, TimerKind::Clock, 5, 1),
        timer(
            LOOK,
            7,
            DurationWord::ticks(9),
            NONE,
            TimerKind::Debounce,
            6,
            1,
        ),
    ];
    for (state, first, mask) in [(WALK, 0, 0b10_0001), (STAND, 1, 0b10)] {
        let state = &mut m.tables.states[usize::from(state)];
        (state.first_timer, state.timer_count, state.timer_mask) = (first.into(), 1, mask);
    }
    m.extra(WALK).clock = 5;
}

fn rich_extras(m: &mut Machine) {
    use rich_events::*;
    use rich_states::*;
    m.tables.deferrals = vec![
        DeferralRecord {
            state: PATROL.into(),
            event: LOSE.into(),
        },
        DeferralRecord {
            state: AIM.into(),
            event: LOSE.into(),
        },
        DeferralRecord {
            state: AIM.into(),
            event: HIT.into(),
        },
    ];
    for (state, first, count) in [(PATROL, 0, 1), (AIM, 1, 2)] {
        let extra = m.extra(state);
        (extra.first_deferral, extra.deferral_count) = (first.into(), count.into());
        m.tables.states[usize::from(state)].flags |= state_flag::DEFERS;
    }
    m.extra(PATROL).latch_slot = 8;
    let extra = m.extra(AIM);
    (extra.scratch_slot, extra.scratch_count, extra.channels) = (20, 2, 1.into());
    (extra.result_slot, extra.result_bit, extra.suspend) = (9, 2, 2.into());
    extra.update = 1.into();
    let extra = m.extra(WALK);
    (extra.exit_ready, extra.min_active) = (0.into(), computed(0));
    let aim = &mut m.tables.states[usize::from(AIM)];
    let runs = state_flag::ACTIVITY | state_flag::UPDATE;
    (aim.activity, aim.flags) = (2.into(), (aim.flags.get() | runs).into());
    m.tables.observers = vec![
        ObserverRecord {
            event: SpecialTrigger::Any.number().into(),
            actions: 1.into(),
        },
        ObserverRecord {
            event: SEE.into(),
            actions: 2.into(),
        },
    ];
    m.tables.transitions[2].guard = 0.into();
    m.tables.transitions[4].effect = 0.into();
    m.transition_extra(7).debounce_time = DurationWord::ticks(9);
    m.transition_extra(7).debounce_timer = 6;
    let cooled = m.transition_extra(2);
    (cooled.cooldown_time, cooled.cooldown_slot) = (computed(2), 10);
    for (transition, score) in [(10, 3), (11, 4)] {
        let extra = m.transition_extra(transition);
        (extra.score, extra.threshold) = (score.into(), F32::new(0.25));
    }
}

/// WALK may be pushed over by LOOK: two frames of one leaf and a mark.
fn rich_stack(m: &mut Machine) {
    m.tables.stacks = vec![StackRecord {
        first_slot: 12,
        depth: 2,
        frame_slots: 2,
        leaves: 1,
    }];
    let region = m.tables.states[usize::from(rich_states::WALK)].region.get();
    m.tables.regions[usize::from(region)].stack = 0;
    for transition in [5, 6] {
        m.transition_extra(transition).stack = 0;
    }
}
