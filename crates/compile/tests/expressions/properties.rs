//! Random expressions: they compile, verify, run as the oracle says, and come back as the same
//! text.

use proptest::prelude::*;
use statewright_author::expr::parse;
use statewright_author::graph::Payload;
use statewright_author::value::ValueType;
use statewright_compile::expr::{Compiled, Expected, decompile};
use statewright_rom::code::{CodeError, Fault};
use statewright_rom::layout::InstructionRecord;
use zerocopy::byteorder::little_endian::{U16, U32};

use crate::evaluator::run;
use crate::generate::{Choices, expression};
use crate::oracle::Oracle;
use crate::scope::{TestScope, TestWorld, evaluate};

/// A random expression of a random type; `None` if it is too large to compile.
fn random(ty: usize, bytes: &[u8]) -> (String, ValueType, TestScope, Option<Compiled>) {
    let ty = ValueType::ALL[ty % ValueType::ALL.len()];
    let source = expression(ty, 5, &mut Choices(bytes.iter()));
    let mut scope = TestScope::with_payload(Payload::Vec4);
    let (compiled, diagnostics) = scope.compile(&source, Expected::Type(ty));
    let large = |d: &statewright_author::diagnostic::Diagnostic| d.code.info().id == "SW0604";
    let only_large = diagnostics
        .iter()
        .all(|d| large(d) || d.code.info().id == "SW0607");
    assert!(
        compiled.is_some() || only_large,
        "{source}: {diagnostics:?}"
    );
    (source, ty, scope, compiled)
}

fn words() -> impl Strategy<Value = Vec<u32>> {
    let interesting = proptest::sample::select(vec![
        0,
        1,
        2,
        u32::MAX,
        i32::MIN as u32,
        1.5f32.to_bits(),
        (-0.0f32).to_bits(),
        f32::NAN.to_bits(),
        f32::INFINITY.to_bits(),
        0xFFFF_FFFE,
    ]);
    prop::collection::vec(prop_oneof![interesting, any::<u32>()], 1..97)
}

fn changed(code: &mut Vec<InstructionRecord>, at: usize, field: u8, value: u32) {
    let at = at % code.len();
    let record = &mut code[at];
    match field % 7 {
        0 => record.op = value as u8 % 100,
        1 => record.a = value as u8 % 8,
        2 => record.b = U16::new(value as u16 % 12),
        3 => record.c = U32::new(value % 24),
        4 => _ = code.remove(at),
        5 => code.insert(
            at,
            InstructionRecord {
                op: value as u8 % 100,
                ..Default::default()
            },
        ),
        _ => {
            let other = value as usize % code.len();
            code.swap(at, other);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn text_and_bytecode_say_the_same(ty in 0..7usize, bytes in prop::collection::vec(any::<u8>(), 0..120)) {
        let (source, ty, mut scope, compiled) = random(ty, &bytes);
        let Some(compiled) = compiled else { return Ok(()) };
        prop_assert_eq!(scope.verify(&compiled.instructions, compiled.stack_words, ty as u8), Ok(()), "{}", source);
        let text = decompile(&compiled.instructions, &scope).unwrap();
        prop_assert_eq!(&text, &compiled.text);
        let again = scope.good(&text, Expected::Type(ty));
        prop_assert_eq!(&again.instructions, &compiled.instructions, "{}", text);
        prop_assert_eq!(again.text, text);
        prop_assert_eq!(again.facts, compiled.facts);
        prop_assert_eq!(again.constant, compiled.constant);
    }

    #[test]
    fn bytecode_does_what_the_oracle_says(
        ty in 0..7usize,
        bytes in prop::collection::vec(any::<u8>(), 0..120),
        words in words(),
    ) {
        let (source, ty, mut scope, compiled) = random(ty, &bytes);
        let Some(compiled) = compiled else { return Ok(()) };
        let mut world = TestWorld { words, asked: Vec::new() };
        let mut same_world = world.clone();
        let ast = parse(&source).unwrap();
        let value = Oracle { scope: &mut scope, world: &mut same_world }.value(&ast);
        let expected = if ty == ValueType::F32 { vec![value.float().to_bits()] } else { value.words() };
        prop_assert_eq!(evaluate(&compiled, &mut world), expected, "{}\n{}", source, compiled.text);
        prop_assert_eq!(world.asked, same_world.asked, "guards are asked in the same order: {}", source);
    }

    #[test]
    fn changed_bytecode_is_refused_or_safe(
        ty in 0..7usize,
        bytes in prop::collection::vec(any::<u8>(), 0..80),
        changes in prop::collection::vec(any::<(usize, u8, u32)>(), 1..4),
        words in words(),
    ) {
        let (_, ty, scope, compiled) = random(ty, &bytes);
        let Some(compiled) = compiled else { return Ok(()) };
        let mut code = compiled.instructions.clone();
        for (at, field, value) in changes {
            if !code.is_empty() {
                changed(&mut code, at, field, value);
            }
        }
        let mut stack_words = compiled.stack_words;
        let mut verdict = scope.verify(&code, stack_words, ty as u8);
        if let Err(CodeError { fault: Fault::StackWords { found, .. }, .. }) = verdict {
            stack_words = found;
            verdict = scope.verify(&code, stack_words, ty as u8);
        }
        if verdict.is_ok() {
            let mut world = TestWorld { words, asked: Vec::new() };
            let left = run(&code, stack_words, &mut world);
            prop_assert_eq!(left.len(), ty.words() as usize);
            prop_assert!(decompile(&code, &scope).is_some());
        } else {
            // Any answer, but no panic. Names are only known for indices in range.
            _ = decompile(&code, &Nameless);
        }
    }

    #[test]
    fn any_text_compiles_or_is_explained(text in "[a-z0-9 ().+*/<&|!=,'-]{0,40}") {
        let mut scope = TestScope::with_payload(Payload::U32);
        let (compiled, diagnostics) = scope.compile(&text, Expected::AnyType);
        prop_assert_eq!(compiled.is_none(), diagnostics.has_errors(), "{}", text);
    }
}

struct Nameless;

impl statewright_compile::expr::Names for Nameless {
    fn tick_rate(&self) -> u32 {
        60
    }
}
