//! Random texts never panic; random trees survive printing and reading.

use proptest::prelude::*;

use super::super::*;
use crate::span::{Name, Span};

fn expr(kind: ExprKind) -> Expr {
    Expr { kind, range: 0..0 }
}

fn name() -> impl Strategy<Value = Name> {
    proptest::sample::select(vec!["a", "health", "x", "min", "event", "_1", "ai::Near"])
        .prop_map(|text| Name::new(text.to_owned(), Span::default()))
}

fn leaf() -> impl Strategy<Value = ExprKind> {
    let state = prop_oneof![
        Just("a".to_owned()),
        Just("combat/attack".to_owned()),
        "[ -~é]{0,6}"
    ];
    let query = proptest::sample::select(vec![StateQuery::In, StateQuery::Ticks, StateQuery::Time]);
    prop_oneof![
        (0..=i64::MAX as u64).prop_map(ExprKind::Int),
        (0.0..1e38f64).prop_map(ExprKind::Float),
        (0.0..2.0f64).prop_map(ExprKind::Float),
        any::<bool>().prop_map(ExprKind::Bool),
        "[ -~é]{0,8}".prop_map(ExprKind::Text),
        name().prop_map(|name| ExprKind::Name(name.value)),
        (query, state).prop_map(|(query, state)| {
            let state = Some(Name::new(state, Span::default()));
            ExprKind::State { query, state }
        }),
        Just(ExprKind::State {
            query: StateQuery::Ticks,
            state: None
        }),
    ]
}

fn branch(inner: impl Strategy<Value = Expr> + Clone + 'static) -> impl Strategy<Value = ExprKind> {
    use BinaryOp::{Add, Div, Eq, Ge, Gt, Le, Lt, Mul, Ne, Rem, Sub};
    let binary = proptest::sample::select(vec![Add, Sub, Mul, Div, Rem, Eq, Ne, Lt, Le, Gt, Ge]);
    let unary = proptest::sample::select(vec![UnaryOp::Not, UnaryOp::Neg]);
    let logic = proptest::sample::select(vec![LogicOp::And, LogicOp::Or]);
    let argument =
        (proptest::option::of("[a-z]{1,3}x"), inner.clone()).prop_map(|(name, value)| {
            CallArgument {
                name: name.map(|n| Name::new(n, Span::default())),
                value,
            }
        });
    let pair = (inner.clone(), inner.clone());
    prop_oneof![
        (binary, pair).prop_map(|(op, (left, right))| ExprKind::Binary {
            op,
            left: Box::new(left),
            right: Box::new(right)
        }),
        (unary, inner.clone()).prop_map(|(op, operand)| ExprKind::Unary {
            op,
            operand: Box::new(operand)
        }),
        (logic, prop::collection::vec(inner.clone(), 2..4))
            .prop_map(|(op, operands)| ExprKind::Logic { op, operands }),
        (inner, "[xyzw]").prop_map(|(base, field)| ExprKind::Field {
            base: Box::new(base),
            field: Name::new(field, Span::default())
        }),
        (name(), prop::collection::vec(argument, 0..3)).prop_map(|(function, arguments)| {
            ExprKind::Call {
                function,
                arguments,
            }
        }),
    ]
}

fn tree() -> impl Strategy<Value = Expr> {
    leaf()
        .prop_map(expr)
        .prop_recursive(6, 40, 3, |inner| branch(inner).prop_map(expr))
}

/// Texts made of what the language knows, in any order.
fn soup() -> impl Strategy<Value = String> {
    let words = vec![
        "a", "1", "1.5", "0x", "'x'", "'", "(", ")", ",", ".", ":", "::", "+", "-", "*", "/", "!",
        "=", "==", "<", "&&", "||", "in(", "min(", "and", " ", "é", "\\", "_", "e5", "true",
        "\u{0}",
    ];
    prop::collection::vec(proptest::sample::select(words), 0..40).prop_map(|words| words.concat())
}

fn read_all(text: &str) {
    let errors = [
        parse(text).err(),
        parse_action(text).err(),
        parse_call(text).err(),
    ];
    for error in errors.into_iter().flatten() {
        assert!(
            error.range.start <= error.range.end && error.range.end <= text.len(),
            "{text:?}: {error:?}"
        );
        assert!(
            text.get(error.range).is_some(),
            "{text:?} is cut inside a character"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        read_all(&text);
    }

    #[test]
    fn any_mix_of_tokens_is_read_or_refused(text in soup()) {
        read_all(&text);
        if let Ok(parsed) = parse(&text) {
            prop_assert_eq!(parse(&parsed.to_string()).unwrap(), parsed);
        }
    }

    #[test]
    fn printing_and_reading_gives_the_same_tree(tree in tree()) {
        let text = tree.to_string();
        match parse(&text) {
            Ok(parsed) => prop_assert_eq!(parsed, tree, "{}", text),
            Err(error) => prop_assert!(error.too_large, "{}: {}", text, error),
        }
    }
}
