//! The verifier of expressions: what it refuses and why, and that what it accepts can be run
//! (CODE-4, ROM-2).

mod evaluator;

use evaluator::{World, run};
use proptest::prelude::*;
use statewright_rom::Coded;
use statewright_rom::code::{CodeError, CodeLimits, Fault, MAX_JOINS, Operand, op, verify};
use statewright_rom::layout::{
    ActionOp, ArgumentRecord, ArgumentSource, ExpressionRecord, FunctionKind, InstructionRecord,
    KeyRecord, LinkerRecord, MAX_CODE, OpRecord, ParameterRecord, ScratchRecord, ScratchType,
    StringRecord, ValueType,
};
use zerocopy::byteorder::little_endian::{U16, U32};

const I32: u8 = ValueType::I32.number();
const F32: u8 = ValueType::F32.number();
const BOOL: u8 = ValueType::Bool.number();
const ENTITY: u8 = ValueType::Entity.number();
const VEC2: u8 = ValueType::Vec2.number();
const VEC3: u8 = ValueType::Vec3.number();
const SYMBOL: u8 = ValueType::Symbol.number();
const TYPES: u8 = ValueType::COUNT as u8;

const STATES: u16 = 3;
/// Numbers of the texts that there are.
const TEXTS: [u32; 2] = [7, 0xFFFF_FFF0];

fn instruction(op: u8, a: u8, b: u16, c: u32) -> InstructionRecord {
    InstructionRecord {
        op,
        a,
        b: U16::new(b),
        c: U32::new(c),
    }
}

fn plain(op: u8) -> InstructionRecord {
    instruction(op, 0, 0, 0)
}

fn push(ty: u8, bits: u32) -> InstructionRecord {
    instruction(op::PUSH, ty, 0, bits)
}

/// One key and one parameter of each type, in the order of their numbers; op 0 calls a guard, op 1
/// an action, op 2 a value function with an i32 on the stack, then a literal, then a vec2 that is
/// pushed before it; op 3 that function with an argument that is no value on the stack. Scratch 0 is
/// the host's, 1 an i16, 2 a bool.
fn check(code: &[InstructionRecord], expression: &ExpressionRecord) -> Result<(), CodeError> {
    let keys = ValueType::ALL.map(|ty| KeyRecord {
        ty: ty.into(),
        ..Default::default()
    });
    let parameters = ValueType::ALL.map(|ty| ParameterRecord {
        ty: ty.into(),
        ..Default::default()
    });
    let call = |kind: ActionOp, function: u16, first: u32, count: u8| OpRecord {
        kind: kind.into(),
        a: U16::new(function),
        b: U32::new(first),
        count,
    };
    let ops = [
        call(ActionOp::Call, 0, 0, 0),
        call(ActionOp::Call, 1, 0, 0),
        call(ActionOp::CallWith, 2, 0, 3),
        call(ActionOp::CallWith, 2, 3, 1),
    ];
    let argument = |ty: ValueType, source: ArgumentSource, place: u32| ArgumentRecord {
        ty: ty.into(),
        source: source.into(),
        words: [0, place, 0].map(U32::new),
        ..Default::default()
    };
    let arguments = [
        argument(ValueType::I32, ArgumentSource::Stack, 1),
        argument(ValueType::Bool, ArgumentSource::Literal, 0),
        argument(ValueType::Vec2, ArgumentSource::Stack, 0),
        argument(ValueType::I32, ArgumentSource::Expression, 0),
    ];
    let kinds = [
        FunctionKind::Guard,
        FunctionKind::Action,
        FunctionKind::Value,
    ];
    let linker = kinds.map(|kind| LinkerRecord {
        kind: kind.into(),
        ty: ValueType::F32.into(),
        ..Default::default()
    });
    let scratch = [ScratchType::Raw, ScratchType::I16, ScratchType::Bool].map(|ty| ScratchRecord {
        ty: ty.into(),
        count: 1,
        ..Default::default()
    });
    let strings = TEXTS.map(|number| StringRecord {
        number: U32::new(number),
        ..Default::default()
    });
    let limits = CodeLimits {
        keys: &keys,
        parameters: &parameters,
        states: usize::from(STATES),
        ops: &ops,
        arguments: &arguments,
        scratch: &scratch,
        linker: &linker,
        strings: &strings,
    };
    verify(code, expression, &limits)
}

fn expression(code: &[InstructionRecord], stack_words: u8, ty: u8) -> ExpressionRecord {
    ExpressionRecord {
        first: U32::new(0),
        count: U16::new(code.len() as u16),
        stack_words,
        ty: Coded::from_raw(ty),
    }
}

#[track_caller]
fn accepts(code: &[InstructionRecord], stack_words: u8, ty: u8) {
    assert_eq!(check(code, &expression(code, stack_words, ty)), Ok(()));
}

#[track_caller]
fn refuses(code: &[InstructionRecord], ty: u8, instruction: u16, fault: Fault) {
    for stack_words in 0..=32 {
        let found = check(code, &expression(code, stack_words, ty)).unwrap_err();
        if !matches!(found.fault, Fault::StackWords { .. }) {
            assert_eq!(found, CodeError { instruction, fault });
        }
    }
}

#[test]
fn lang_4_calls_take_their_arguments_from_the_stack() {
    let vector = [push(F32, 0), push(F32, 0), plain(op::VEC2_MAKE)];
    let asks = instruction(op::CALL_VALUE, F32, 2, 0);
    let [x, y, make] = vector;
    accepts(&[x, y, make, push(I32, 7), asks], 3, F32);
    let wrong = |code: &[InstructionRecord], at: u16, fault: Fault| refuses(code, F32, at, fault);
    let found = ValueType::Vec2.coded();
    let expected = ValueType::I32.coded();
    wrong(
        &[push(I32, 7), x, y, make, asks],
        4,
        Fault::Type { expected, found },
    );
    wrong(&[push(I32, 7), asks], 1, Fault::Underflow);
    let bad = |found: u32| Fault::Operand {
        what: Operand::ValueCall,
        found,
    };
    for op in [0, 1, 3, 4] {
        let asks = instruction(op::CALL_VALUE, F32, op, 0);
        wrong(&[x, y, make, push(I32, 7), asks], 4, bad(op.into()));
    }
    let other = instruction(op::CALL_VALUE, I32, 2, 0);
    let (expected, found) = (ValueType::F32.coded(), ValueType::I32.coded());
    wrong(
        &[x, y, make, push(I32, 7), other],
        4,
        Fault::Type { expected, found },
    );
}

#[test]
fn lang_11_chance_and_curves_take_numbers() {
    accepts(&[plain(op::RANDOM)], 1, F32);
    accepts(&[push(I32, 1), push(I32, 6), plain(op::RANDOM_I32)], 2, I32);
    accepts(&[push(F32, 0), push(F32, 0), plain(op::RANDOM_F32)], 2, F32);
    let curve = |points: u8| instruction(op::CURVE, points, 0, 0);
    let numbers = |count: usize| vec![push(F32, 0); count];
    for points in [1, 2, 15] {
        let mut code = numbers(1 + 2 * usize::from(points));
        code.push(curve(points));
        accepts(&code, 1 + 2 * points, F32);
    }
    for points in [0, 16, u8::MAX] {
        let mut code = numbers(32);
        code.push(curve(points));
        let found = points.into();
        let what = Operand::Points;
        refuses(&code, F32, 32, Fault::Operand { what, found });
    }
    let code = [push(F32, 0), push(F32, 0), curve(1)];
    refuses(&code, F32, 2, Fault::Underflow);
    refuses(
        &[instruction(op::RANDOM, 1, 0, 0)],
        F32,
        0,
        Fault::UnusedField,
    );
}

#[test]
fn lang_8_scratch_is_read_by_its_type() {
    let read = |ty: ScratchType, scratch: u16| instruction(op::SCRATCH, ty.number(), scratch, 0);
    accepts(&[read(ScratchType::I16, 1)], 1, I32);
    accepts(&[read(ScratchType::Bool, 2)], 1, BOOL);
    for (ty, scratch) in [
        (ScratchType::Raw, 0),
        (ScratchType::U16, 1),
        (ScratchType::I16, 3),
    ] {
        let (what, found) = (Operand::Scratch, scratch.into());
        refuses(&[read(ty, scratch)], I32, 0, Fault::Operand { what, found });
    }
}

#[test]
fn every_way_to_push_is_accepted() {
    accepts(&[push(I32, u32::MAX)], 1, I32);
    accepts(&[push(F32, 1.5f32.to_bits())], 1, F32);
    accepts(&[push(BOOL, 1)], 1, BOOL);
    for symbol in [0, TEXTS[0], TEXTS[1]] {
        accepts(&[push(SYMBOL, symbol)], 1, SYMBOL);
    }
    for ty in 0..TYPES {
        let words = ValueType::ALL[usize::from(ty)].words();
        accepts(&[instruction(op::KEY, ty, u16::from(ty), 0)], words, ty);
        accepts(
            &[instruction(op::PARAMETER, ty, u16::from(ty), 0)],
            words,
            ty,
        );
        accepts(&[instruction(op::PAYLOAD, ty, 0, 0)], words, ty);
    }
    accepts(&[instruction(op::KEY_FIELD, 2, u16::from(VEC3), 0)], 1, F32);
    accepts(
        &[instruction(op::PARAMETER_FIELD, 1, u16::from(VEC2), 0)],
        1,
        F32,
    );
    accepts(&[instruction(op::PAYLOAD_FIELD, 3, 0, 0)], 1, F32);
    accepts(&[instruction(op::TICKS_IN_STATE, 0, 2, 0)], 1, I32);
    accepts(&[instruction(op::IN_STATE, 0, 2, 0)], 1, BOOL);
    accepts(&[instruction(op::CALL_GUARD, 0, 0, 0)], 1, BOOL);
}

#[test]
fn every_plain_instruction_takes_its_inputs_and_no_others() {
    for &op in op::PLAIN {
        let signature = op::signature(op).unwrap();
        let load = |ty: &ValueType| instruction(op::PAYLOAD, ty.number(), 0, 0);
        let output = signature.output.number();
        let mut code: Vec<_> = signature.inputs.iter().map(load).collect();
        let words = signature.inputs.iter().map(|ty| ty.words()).sum::<u8>();
        code.push(plain(op));
        accepts(&code, words.max(signature.output.words()), output);
        let last = code.len() as u16 - 1;
        refuses(&code[1..], output, last - 1, Fault::Underflow);
        let other = if signature.inputs.last() == Some(&ValueType::Entity) {
            ValueType::Symbol
        } else {
            ValueType::Entity
        };
        code[usize::from(last) - 1] = load(&other);
        let expected = *signature.inputs.last().unwrap();
        refuses(
            &code,
            output,
            last,
            Fault::Type {
                expected: expected.coded(),
                found: other.coded(),
            },
        );
    }
}

#[test]
fn operands_must_exist() {
    let operand = |what, found| Fault::Operand { what, found };
    refuses(
        &[instruction(op::KEY, I32, 7, 0)],
        I32,
        0,
        operand(Operand::Key, 7),
    );
    refuses(
        &[instruction(op::KEY, F32, 0, 0)],
        F32,
        0,
        Fault::Type {
            expected: Coded::from_raw(I32),
            found: Coded::from_raw(F32),
        },
    );
    refuses(
        &[instruction(op::PARAMETER, I32, 9, 0)],
        I32,
        0,
        operand(Operand::Parameter, 9),
    );
    refuses(
        &[instruction(op::KEY_FIELD, 2, u16::from(VEC2), 0)],
        F32,
        0,
        operand(Operand::Component, 2),
    );
    refuses(
        &[instruction(op::KEY_FIELD, 0, u16::from(ENTITY), 0)],
        F32,
        0,
        operand(Operand::Component, 0),
    );
    refuses(
        &[instruction(op::PAYLOAD, 7, 0, 0)],
        7,
        0,
        operand(Operand::Type, 7),
    );
    refuses(
        &[instruction(op::PAYLOAD_FIELD, 4, 0, 0)],
        F32,
        0,
        operand(Operand::PayloadWord, 4),
    );
    refuses(
        &[instruction(op::IN_STATE, 0, STATES, 0)],
        BOOL,
        0,
        operand(Operand::State, 3),
    );
    refuses(
        &[instruction(op::CALL_GUARD, 0, 1, 0)],
        BOOL,
        0,
        operand(Operand::GuardCall, 1),
    );
    refuses(
        &[instruction(op::CALL_GUARD, 0, 2, 0)],
        BOOL,
        0,
        operand(Operand::GuardCall, 2),
    );
    refuses(&[push(BOOL, 2)], BOOL, 0, operand(Operand::Constant, 2));
    refuses(&[push(SYMBOL, 8)], SYMBOL, 0, operand(Operand::Constant, 8));
    refuses(
        &[push(F32, f32::NAN.to_bits())],
        F32,
        0,
        operand(Operand::Constant, f32::NAN.to_bits()),
    );
    refuses(&[push(VEC2, 0)], VEC2, 0, operand(Operand::ConstantType, 4));
}

#[test]
fn unused_fields_and_unknown_numbers_are_refused() {
    refuses(
        &[instruction(op::PUSH, I32, 1, 0)],
        I32,
        0,
        Fault::UnusedField,
    );
    refuses(
        &[instruction(op::IN_STATE, 1, 0, 0)],
        BOOL,
        0,
        Fault::UnusedField,
    );
    refuses(
        &[instruction(op::KEY, I32, 0, 1)],
        I32,
        0,
        Fault::UnusedField,
    );
    refuses(
        &[push(BOOL, 1), instruction(op::NOT, 0, 0, 1)],
        BOOL,
        1,
        Fault::UnusedField,
    );
    for op in [0, 16, 31, op::F32_LERP + 1, u8::MAX] {
        refuses(&[plain(op)], I32, 0, Fault::UnknownOp(op));
    }
}

#[test]
fn the_record_must_say_the_truth() {
    let code = [push(I32, 1), push(I32, 2), plain(op::I32_ADD)];
    accepts(&code, 2, I32);
    let at_end = |fault| CodeError {
        instruction: 3,
        fault,
    };
    let found = check(&code, &expression(&code, 3, I32));
    assert_eq!(
        found,
        Err(at_end(Fault::StackWords {
            declared: 3,
            found: 2
        }))
    );
    let found = check(&code, &expression(&code, 2, F32));
    assert_eq!(
        found,
        Err(at_end(Fault::Type {
            expected: Coded::from_raw(F32),
            found: Coded::from_raw(I32)
        }))
    );
    refuses(&code[..2], I32, 2, Fault::Leftover(2));
    let record = |first: u32, count: u16| ExpressionRecord {
        first: U32::new(first),
        count: U16::new(count),
        stack_words: 1,
        ty: Coded::from_raw(I32),
    };
    assert_eq!(check(&code, &record(1, 1)), Ok(()));
    assert_eq!(
        check(&code, &record(1, 0)).unwrap_err().fault,
        Fault::Length(0)
    );
    assert_eq!(
        check(&code, &record(0, MAX_CODE + 1)).unwrap_err().fault,
        Fault::Length(MAX_CODE + 1)
    );
    for (first, count) in [(3, 1), (2, 2), (u32::MAX, 1), (u32::MAX, MAX_CODE)] {
        assert_eq!(
            check(&code, &record(first, count)).unwrap_err().fault,
            Fault::OutsideCode
        );
    }
}

#[test]
fn the_stack_has_an_end() {
    let mut code = vec![push(I32, 0); 32];
    code.extend(vec![plain(op::I32_ADD); 31]);
    accepts(&code, 32, I32);
    refuses(&vec![push(I32, 0); 33], I32, 32, Fault::Overflow);
    refuses(
        &[instruction(op::PAYLOAD, VEC3, 0, 0); 11],
        VEC3,
        10,
        Fault::Overflow,
    );
}

#[test]
fn jumps_join_with_one_bool() {
    let jump = |op, target| instruction(op, 0, 0, target);
    let yes = push(BOOL, 1);
    accepts(&[yes, jump(op::AND_JUMP, 3), yes], 1, BOOL);
    accepts(
        &[yes, jump(op::AND_JUMP, 5), yes, jump(op::OR_JUMP, 5), yes],
        1,
        BOOL,
    );
    refuses(&[yes, jump(op::AND_JUMP, 1), yes], BOOL, 1, Fault::Jump(1));
    refuses(&[yes, jump(op::AND_JUMP, 0), yes], BOOL, 1, Fault::Jump(0));
    refuses(&[yes, jump(op::AND_JUMP, 4), yes], BOOL, 1, Fault::Jump(4));
    refuses(
        &[yes, jump(op::AND_JUMP, 0x1_0003), yes],
        BOOL,
        1,
        Fault::Jump(0x1_0003),
    );
    refuses(&[yes, jump(op::AND_JUMP, 2), yes], BOOL, 2, Fault::Join);
    refuses(
        &[yes, jump(op::AND_JUMP, 3), push(I32, 0)],
        BOOL,
        3,
        Fault::Join,
    );
    refuses(
        &[yes, jump(op::AND_JUMP, 4), yes, yes],
        BOOL,
        4,
        Fault::Join,
    );
    // A jump over the target of the jump around it.
    refuses(
        &[
            yes,
            jump(op::AND_JUMP, 5),
            yes,
            jump(op::AND_JUMP, 6),
            yes,
            yes,
        ],
        BOOL,
        3,
        Fault::Jump(6),
    );
    // What lay below the bool must stay as it was: here the i32 would be f32 on one way only.
    let code = [
        push(I32, 1),
        yes,
        jump(op::AND_JUMP, 5),
        plain(op::I32_TO_F32),
        yes,
    ];
    refuses(&code, BOOL, 3, Fault::Underflow);
}

#[test]
fn jumps_under_way_are_counted() {
    let nested = |depth: usize| {
        let mut code = Vec::new();
        let end = |level: usize| (4 * depth - level) as u32;
        // Every level waits for its own target: the code after it turns the result over.
        for level in 0..depth {
            code.push(push(BOOL, 1));
            code.push(instruction(op::AND_JUMP, 0, 0, end(level)));
        }
        code.push(push(BOOL, 1));
        while code.len() < 4 * depth {
            code.push(plain(op::NOT));
        }
        code
    };
    accepts(&nested(MAX_JOINS), 1, BOOL);
    let code = nested(MAX_JOINS + 1);
    refuses(&code, BOOL, 2 * MAX_JOINS as u16 + 1, Fault::TooManyJoins);
    // A chain with one target is one join, however long.
    let mut chain: Vec<_> = (0..200)
        .flat_map(|_| [push(BOOL, 1), instruction(op::OR_JUMP, 0, 0, 401)])
        .collect();
    chain.push(push(BOOL, 0));
    accepts(&chain, 1, BOOL);
}

#[test]
fn errors_read_well() {
    let error = CodeError {
        instruction: 4,
        fault: Fault::Type {
            expected: Coded::from_raw(I32),
            found: Coded::from_raw(VEC2),
        },
    };
    assert_eq!(error.to_string(), "instruction 4: i32 expected, vec2 found");
    let error = CodeError {
        instruction: 0,
        fault: Fault::Operand {
            what: Operand::Key,
            found: 9,
        },
    };
    assert_eq!(error.to_string(), "instruction 0: 9 is not a legal key");
}

struct Anything;

impl World for Anything {
    fn key(&self, key: u16) -> [u32; 3] {
        [u32::from(key), 2, u32::MAX]
    }
    fn parameter(&self, _: u16) -> [u32; 3] {
        [7, 0, 0x7FFF_FFFF]
    }
    fn payload(&self) -> [u32; 4] {
        [u32::MAX, 1, 0, 5]
    }
    fn ticks(&self, _: u16) -> i32 {
        i32::MAX
    }
    fn active(&self, state: u16) -> bool {
        state == 1
    }
    fn guard(&mut self, op: u16) -> bool {
        assert_eq!(op, 0);
        true
    }
    fn value(&mut self, op: u16) -> (usize, [u32; 3]) {
        assert_eq!(op, 2);
        (3, [1, 0, 0])
    }
}

/// Instructions that are legal one by one, so that many runs get far.
fn plausible() -> impl Strategy<Value = InstructionRecord> {
    prop_oneof![
        4 => (0..2u32).prop_map(|bits| push(BOOL, bits)),
        3 => any::<i32>().prop_map(|value| push(I32, value as u32)),
        2 => (-9.0f32..9.0).prop_map(|value| push(F32, value.to_bits())),
        2 => (0..TYPES).prop_map(|ty| instruction(op::KEY, ty, u16::from(ty), 0)),
        1 => (0..TYPES).prop_map(|ty| instruction(op::PAYLOAD, ty, 0, 0)),
        1 => Just(instruction(op::CALL_GUARD, 0, 0, 0)),
        1 => Just(instruction(op::CALL_VALUE, F32, 2, 0)),
        1 => (1..4u8).prop_map(|points| instruction(op::CURVE, points, 0, 0)),
        1 => proptest::sample::select(&[op::RANDOM, op::RANDOM_I32, op::RANDOM_F32]).prop_map(plain),
        1 => (1..3u16).prop_map(|scratch| {
            let ty = if scratch == 1 { ScratchType::I16 } else { ScratchType::Bool };
            instruction(op::SCRATCH, ty.number(), scratch, 0)
        }),
        6 => proptest::sample::select(op::PLAIN).prop_map(plain),
        3 => (any::<bool>(), 0..24u32).prop_map(|(and, target)| {
            instruction(if and { op::AND_JUMP } else { op::OR_JUMP }, 0, 0, target)
        }),
        1 => (0..TYPES).prop_map(|ty| instruction(op::SELECT, ty, 0, 0)),
        1 => any::<(u8, u8, u16, u32)>().prop_map(|(op, a, b, c)| instruction(op, a, b, c)),
    ]
}

/// Repairs the record until it is accepted or the code itself is at fault.
fn settled(code: &[InstructionRecord]) -> Option<ExpressionRecord> {
    let mut record = expression(code, 1, BOOL);
    for _ in 0..3 {
        match check(code, &record) {
            Ok(()) => return Some(record),
            Err(CodeError {
                instruction,
                fault: Fault::Type { found, .. },
            }) if instruction == record.count.get() => {
                record.ty = found;
            }
            Err(CodeError {
                fault: Fault::StackWords { found, .. },
                ..
            }) => record.stack_words = found,
            Err(_) => return None,
        }
    }
    None
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn what_is_accepted_can_be_run(code in prop::collection::vec(plausible(), 1..24)) {
        // Every end of the code, because a whole random run is seldom sound.
        for end in 1..=code.len() {
            if let Some(record) = settled(&code[..end]) {
                let left = run(&code[..end], record.stack_words, &mut Anything);
                prop_assert_eq!(left.len(), usize::from(record.ty.get().words()));
            }
        }
    }

    #[test]
    fn any_bytes_are_judged(code in prop::collection::vec(any::<(u8, u8, u16, u32)>(), 0..40), record in any::<(u32, u16, u8, u8)>()) {
        let code: Vec<_> = code.into_iter().map(|(op, a, b, c)| instruction(op, a, b, c)).collect();
        let (first, count, stack_words, ty) = record;
        let record = ExpressionRecord { first: U32::new(first % 50), count: U16::new(count % 50), stack_words, ty: Coded::from_raw(ty) };
        _ = check(&code, &record);
    }
}
