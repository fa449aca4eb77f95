//! Random expressions of a wanted type, as text. All choices come from a list of bytes, so failing
//! cases shrink.

use statewright_author::value::ValueType;

use crate::scope::{KEYS, PARAMETERS, STATES};

/// A source of choices that ends with zeros, the simplest choice.
pub(crate) struct Choices<'a>(pub(crate) std::slice::Iter<'a, u8>);

impl Choices<'_> {
    fn below(&mut self, count: usize) -> usize {
        usize::from(self.0.next().copied().unwrap_or(0)) % count
    }
}

/// The text of an expression of a type (for f32 also of i32), fully in parentheses.
pub(crate) fn expression(ty: ValueType, depth: usize, choices: &mut Choices<'_>) -> String {
    if depth == 0 || choices.below(5) == 0 {
        return leaf(ty, choices);
    }
    let mut part = |ty: ValueType| expression(ty, depth - 1, choices);
    match ty {
        ValueType::Bool => condition(depth, choices),
        ValueType::I32 => {
            let (a, b, c) = (part(ty), part(ty), part(ty));
            match choices.below(10) {
                0 => format!("-({a})"),
                1 => format!("abs({a})"),
                2 => format!("clamp({a}, {b}, {c})"),
                3 => format!("i32({})", expression(ValueType::F32, depth - 1, choices)),
                4 => selection(ty, depth, choices),
                5 => format!("min({a}, {b})"),
                n => format!("({a}) {} ({b})", ["+", "-", "*", "/", "%"][n % 5]),
            }
        }
        ValueType::F32 => float(depth, choices),
        ValueType::Vec2 | ValueType::Vec3 => vector(ty, depth, choices),
        _ => selection(ty, depth, choices),
    }
}

fn selection(ty: ValueType, depth: usize, choices: &mut Choices<'_>) -> String {
    let parts = [ValueType::Bool, ty, ty].map(|ty| expression(ty, depth - 1, choices));
    format!("select({}, {}, {})", parts[0], parts[1], parts[2])
}

fn leaf(ty: ValueType, choices: &mut Choices<'_>) -> String {
    let known: Vec<_> = KEYS
        .iter()
        .chain(&PARAMETERS)
        .filter(|entry| entry.1 == ty)
        .map(|entry| entry.0)
        .collect();
    let name = known
        .get(choices.below(known.len().max(1)))
        .map_or(String::new(), |name| (*name).to_owned());
    match (ty, choices.below(4)) {
        (ValueType::Bool, 1) => ["true", "false"][choices.below(2)].to_owned(),
        (ValueType::Bool, 2) => format!("in({})", STATES[choices.below(STATES.len())]),
        (ValueType::Bool, 3) => {
            ["HasAmmo", "Near(5)", "Near(who: 'x', vec2(1, 2.5))"][choices.below(3)].to_owned()
        }
        (ValueType::I32, 1) => format!("ticks_in_state({})", STATES[choices.below(STATES.len())]),
        (ValueType::I32, 2) => {
            ["0", "1", "-1", "2147483647", "-2147483648", "7"][choices.below(6)].to_owned()
        }
        (ValueType::F32, 1) => {
            ["0.0", "-0.0", "1.5", "1e38", "0.1", "3"][choices.below(6)].to_owned()
        }
        (ValueType::F32, 2) => [
            "time_in_state()",
            "position.y",
            "home.z",
            "offset.x",
            "event.w",
        ][choices.below(5)]
        .to_owned(),
        (ValueType::Symbol, 1 | 2) => ["'orc'", "'elf'"][choices.below(2)].to_owned(),
        (ValueType::Vec2, 1) => "vec2(1, 0.5)".to_owned(),
        (ValueType::Vec3, 1) => "vec3(1, 2, 1e30)".to_owned(),
        _ => name,
    }
}

fn condition(depth: usize, choices: &mut Choices<'_>) -> String {
    let kind = choices.below(9);
    let types = [
        ValueType::I32,
        ValueType::F32,
        ValueType::Symbol,
        ValueType::Entity,
        ValueType::Vec2,
        ValueType::Vec3,
    ];
    let mut part = |ty: ValueType| expression(ty, depth - 1, choices);
    match kind {
        0 => format!("!({})", part(ValueType::Bool)),
        1..=3 => {
            let parts = [0; 3].map(|_| format!("({})", part(ValueType::Bool)));
            parts[..2 + kind % 2].join(if kind == 2 { " || " } else { " && " })
        }
        4 => format!("({}) || ({})", part(ValueType::Bool), part(ValueType::Bool)),
        5 => selection(ValueType::Bool, depth, choices),
        6 => {
            let ty = types[choices.below(types.len())];
            let parts = [0; 2].map(|_| expression(ty, depth - 1, choices));
            format!(
                "({}) {} ({})",
                parts[0],
                ["==", "!="][choices.below(2)],
                parts[1]
            )
        }
        n => {
            let types = if n == 7 {
                [ValueType::I32; 2]
            } else {
                [ValueType::F32, ValueType::I32]
            };
            let parts = types.map(|ty| expression(ty, depth - 1, choices));
            format!(
                "({}) {} ({})",
                parts[0],
                ["<", "<=", ">", ">="][choices.below(4)],
                parts[1]
            )
        }
    }
}

fn float(depth: usize, choices: &mut Choices<'_>) -> String {
    let kind = choices.below(12);
    let vector = [ValueType::Vec2, ValueType::Vec3][choices.below(2)];
    let mut part = |ty: ValueType| format!("({})", expression(ty, depth - 1, choices));
    match kind {
        0 => format!("-{}", part(ValueType::F32)),
        1 => format!("abs({})", part(ValueType::F32)),
        2 => format!(
            "clamp({}, {}, {})",
            part(ValueType::F32),
            part(ValueType::F32),
            part(ValueType::I32)
        ),
        3 => format!("f32({})", part(ValueType::I32)),
        4 => selection(ValueType::F32, depth, choices),
        5 => format!("max({}, {})", part(ValueType::I32), part(ValueType::F32)),
        6 => format!("dot({}, {})", part(vector), part(vector)),
        7 => format!("{}.y", part(vector)),
        8 => format!("distance_squared({}, {})", part(vector), part(vector)),
        9 => format!("length_squared({})", part(vector)),
        _ => {
            let (a, b) = (part(ValueType::F32), part(ValueType::I32));
            format!("{a} {} {b}", ["+", "-", "*", "/", "%"][choices.below(5)])
        }
    }
}

fn vector(ty: ValueType, depth: usize, choices: &mut Choices<'_>) -> String {
    let kind = choices.below(8);
    let mut part = |ty: ValueType| format!("({})", expression(ty, depth - 1, choices));
    match kind {
        0 => format!("-{}", part(ty)),
        1 => selection(ty, depth, choices),
        2 => format!("{} * {}", part(ty), part(ValueType::F32)),
        3 => format!("{} * {}", part(ValueType::I32), part(ty)),
        4 => format!("{} / {}", part(ty), part(ValueType::F32)),
        5 => format!("{} + {}", part(ty), part(ty)),
        6 => format!("{} - {}", part(ty), part(ty)),
        _ if ty == ValueType::Vec2 => {
            format!("vec2({}, {})", part(ValueType::F32), part(ValueType::I32))
        }
        _ => format!(
            "vec3({}, {}, {})",
            part(ValueType::F32),
            part(ValueType::I32),
            part(ValueType::F32)
        ),
    }
}
