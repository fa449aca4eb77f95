//! The instructions, their numbers and their effect on the stack (CODE-4).
//!
//! Owns the numbers in [`InstructionRecord::op`](crate::layout::InstructionRecord::op). Fields that
//! an instruction does not name are zero. Numbers below [`FIRST_PLAIN`] need more than their number
//! to be understood (a table, a type in `a`, a jump); those from there on are plain: [`signature`]
//! says all about them. In the stack effects the rightmost value is on top.

use crate::layout::ValueType;

/// `( -> a)` Pushes a constant: `a` = type of one word, `c` = its bits. A bool is 0 or 1, a float
/// is finite, a symbol is the number of a text in the strings table, or 0.
pub const PUSH: u8 = 1;
/// `( -> a)` Reads a blackboard key: `a` = its type, `b` = key.
pub const KEY: u8 = 2;
/// `( -> f32)` Reads one component of a vector key: `a` = component, `b` = key.
pub const KEY_FIELD: u8 = 3;
/// `( -> a)` Reads a parameter of the agent's variant: `a` = its type, `b` = parameter.
pub const PARAMETER: u8 = 4;
/// `( -> f32)` Reads one component of a vector parameter: `a` = component, `b` = parameter.
pub const PARAMETER_FIELD: u8 = 5;
/// `( -> a)` Reads the payload of the event, from its first word: `a` = type. Words that were not
/// sent are 0.
pub const PAYLOAD: u8 = 6;
/// `( -> f32)` Reads one word of the payload as a float: `a` = word, 0 to 3.
pub const PAYLOAD_FIELD: u8 = 7;
/// `( -> i32)` Ticks since a state was entered, at most `i32::MAX`; 0 while it is not active: `b` =
/// state.
pub const TICKS_IN_STATE: u8 = 8;
/// `( -> bool)` Whether a state is active: `b` = state.
pub const IN_STATE: u8 = 9;
/// `(arguments -> bool)` Asks a guard of the host: `b` = op that calls it, whose computed arguments are
/// taken from the stack (LANG-4).
pub const CALL_GUARD: u8 = 10;
/// `(bool -> )` or `(bool -> bool)` and jump: false stays and goes to instruction `c` of the
/// expression, true is dropped.
pub const AND_JUMP: u8 = 11;
/// `(bool -> )` or `(bool -> bool)` and jump: true stays and goes to instruction `c` of the
/// expression, false is dropped.
pub const OR_JUMP: u8 = 12;
/// `(bool a a -> a)` The first value if true, else the second: `a` = type. Both have been computed.
pub const SELECT: u8 = 13;
/// `(vec2 -> f32)` One component: `a` = 0 or 1.
pub const VEC2_FIELD: u8 = 14;
/// `(vec3 -> f32)` One component: `a` = 0, 1 or 2.
pub const VEC3_FIELD: u8 = 15;

/// `(arguments -> a)` Asks a value function of the host (LANG-11): `a` = its type, `b` = op that calls
/// it, whose computed arguments are taken from the stack, as [`CALL_GUARD`] does.
pub const CALL_VALUE: u8 = 20;
/// `( -> f32)` A random number in `[0, 1)`. One draw.
pub const RANDOM: u8 = 21;
/// `(i32 i32 -> i32)` A random whole number between the two, both included, whichever is less. One
/// draw.
pub const RANDOM_I32: u8 = 22;
/// `(f32 f32 -> f32)` The first plus a random number in `[0, 1)` times the difference. One draw.
pub const RANDOM_F32: u8 = 23;
/// `(f32, then f32 f32 per point -> f32)` Straight lines between points, flat outside: `a` = points, 1
/// to [`MAX_POINTS`].
pub const CURVE: u8 = 24;
/// `( -> i32 or bool)` Reads scratch (LANG-8), 0 while its owner is not active: `a` = its type, `b` =
/// scratch.
pub const SCRATCH: u8 = 25;

/// Most points of a [`CURVE`]: they lie on the stack.
pub const MAX_POINTS: u8 = 15;

/// Number of the first plain instruction.
pub const FIRST_PLAIN: u8 = 32;

/// What a plain instruction takes and gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Types taken, the deepest first.
    pub inputs: &'static [ValueType],
    /// Type given.
    pub output: ValueType,
}

/// The signature of a plain instruction; `None` for the others and for numbers without a meaning.
#[inline]
pub fn signature(op: u8) -> Option<&'static Signature> {
    SIGNATURES.get(usize::from(op.wrapping_sub(FIRST_PLAIN)))
}

/// Defines the plain instructions with consecutive numbers, and the table of their signatures.
macro_rules! plain {
    ($($name:ident = $code:literal ($($input:ident)*) -> $output:ident, $doc:literal;)+) => {
        $(
            #[doc = concat!("`(", $(stringify!($input), " ",)* "-> ", stringify!($output), ")` ", $doc)]
            pub const $name: u8 = $code;
        )+

        /// All plain instructions, in order of their numbers.
        pub const PLAIN: &[u8] = &[$($name),+];

        static SIGNATURES: [Signature; PLAIN.len()] = [$(Signature { inputs: &[$(ValueType::$input),*], output: ValueType::$output }),+];

        // The table is indexed by number: they must be consecutive.
        const _: () = {
            let mut at = 0;
            while at < PLAIN.len() {
                assert!(PLAIN[at] as usize == FIRST_PLAIN as usize + at);
                at += 1;
            }
        };
    };
}

plain! {
    NOT = 32 (Bool) -> Bool, "The other one.";
    BOOL_EQ = 33 (Bool Bool) -> Bool, "Equal.";
    BOOL_NE = 34 (Bool Bool) -> Bool, "Not equal.";
    SYMBOL_EQ = 35 (Symbol Symbol) -> Bool, "Equal.";
    SYMBOL_NE = 36 (Symbol Symbol) -> Bool, "Not equal.";
    ENTITY_EQ = 37 (Entity Entity) -> Bool, "Both words equal.";
    ENTITY_NE = 38 (Entity Entity) -> Bool, "A word differs.";

    I32_ADD = 39 (I32 I32) -> I32, "Sum; wraps.";
    I32_SUB = 40 (I32 I32) -> I32, "Difference; wraps.";
    I32_MUL = 41 (I32 I32) -> I32, "Product; wraps.";
    I32_DIV = 42 (I32 I32) -> I32, "Quotient toward zero; by 0 it is 0; wraps.";
    I32_REM = 43 (I32 I32) -> I32, "Remainder with the sign of the first; by 0 it is 0.";
    I32_NEG = 44 (I32) -> I32, "Negated; wraps.";
    I32_ABS = 45 (I32) -> I32, "Without sign; wraps.";
    I32_MIN = 46 (I32 I32) -> I32, "The smaller.";
    I32_MAX = 47 (I32 I32) -> I32, "The larger.";
    I32_CLAMP = 48 (I32 I32 I32) -> I32, "First at least the second, then at most the third.";
    I32_EQ = 49 (I32 I32) -> Bool, "Equal.";
    I32_NE = 50 (I32 I32) -> Bool, "Not equal.";
    I32_LT = 51 (I32 I32) -> Bool, "Less.";
    I32_LE = 52 (I32 I32) -> Bool, "Less or equal.";
    I32_GT = 53 (I32 I32) -> Bool, "Greater.";
    I32_GE = 54 (I32 I32) -> Bool, "Greater or equal.";
    I32_TO_F32 = 55 (I32) -> F32, "The nearest float, ties to even.";

    F32_ADD = 56 (F32 F32) -> F32, "Sum.";
    F32_SUB = 57 (F32 F32) -> F32, "Difference.";
    F32_MUL = 58 (F32 F32) -> F32, "Product.";
    F32_DIV = 59 (F32 F32) -> F32, "Quotient.";
    F32_REM = 60 (F32 F32) -> F32, "Exact remainder with the sign of the first.";
    F32_NEG = 61 (F32) -> F32, "Sign flipped.";
    F32_ABS = 62 (F32) -> F32, "Sign cleared.";
    F32_MIN = 63 (F32 F32) -> F32, "The second if it is less, else the first.";
    F32_MAX = 64 (F32 F32) -> F32, "The second if it is greater, else the first.";
    F32_CLAMP = 65 (F32 F32 F32) -> F32, "Maximum of first and second, then minimum with the third.";
    F32_EQ = 66 (F32 F32) -> Bool, "Equal; false with NaN.";
    F32_NE = 67 (F32 F32) -> Bool, "Not equal; true with NaN.";
    F32_LT = 68 (F32 F32) -> Bool, "Less; false with NaN.";
    F32_LE = 69 (F32 F32) -> Bool, "Less or equal; false with NaN.";
    F32_GT = 70 (F32 F32) -> Bool, "Greater; false with NaN.";
    F32_GE = 71 (F32 F32) -> Bool, "Greater or equal; false with NaN.";
    F32_TO_I32 = 72 (F32) -> I32, "Toward zero; the nearest i32 if out of range; NaN is 0.";

    VEC2_MAKE = 73 (F32 F32) -> Vec2, "Puts two floats together.";
    VEC2_ADD = 74 (Vec2 Vec2) -> Vec2, "Sum of each component.";
    VEC2_SUB = 75 (Vec2 Vec2) -> Vec2, "Difference of each component.";
    VEC2_NEG = 76 (Vec2) -> Vec2, "Every sign flipped.";
    VEC2_SCALE = 77 (Vec2 F32) -> Vec2, "Each component times the number.";
    VEC2_SCALE_BY = 78 (F32 Vec2) -> Vec2, "The number times each component.";
    VEC2_DIV = 79 (Vec2 F32) -> Vec2, "Each component divided by the number.";
    VEC2_DOT = 80 (Vec2 Vec2) -> F32, "Sum of the products of the components, from the first.";
    VEC2_EQ = 81 (Vec2 Vec2) -> Bool, "All components equal.";
    VEC2_NE = 82 (Vec2 Vec2) -> Bool, "A component differs.";
    VEC2_LENGTH_SQUARED = 83 (Vec2) -> F32, "Dot product with itself.";
    VEC2_DISTANCE_SQUARED = 84 (Vec2 Vec2) -> F32, "Squared length of the difference.";

    VEC3_MAKE = 85 (F32 F32 F32) -> Vec3, "Puts three floats together.";
    VEC3_ADD = 86 (Vec3 Vec3) -> Vec3, "Sum of each component.";
    VEC3_SUB = 87 (Vec3 Vec3) -> Vec3, "Difference of each component.";
    VEC3_NEG = 88 (Vec3) -> Vec3, "Every sign flipped.";
    VEC3_SCALE = 89 (Vec3 F32) -> Vec3, "Each component times the number.";
    VEC3_SCALE_BY = 90 (F32 Vec3) -> Vec3, "The number times each component.";
    VEC3_DIV = 91 (Vec3 F32) -> Vec3, "Each component divided by the number.";
    VEC3_DOT = 92 (Vec3 Vec3) -> F32, "Sum of the products of the components, from the first.";
    VEC3_EQ = 93 (Vec3 Vec3) -> Bool, "All components equal.";
    VEC3_NE = 94 (Vec3 Vec3) -> Bool, "A component differs.";
    VEC3_LENGTH_SQUARED = 95 (Vec3) -> F32, "Dot product with itself.";
    VEC3_DISTANCE_SQUARED = 96 (Vec3 Vec3) -> F32, "Squared length of the difference.";

    F32_LERP = 97 (F32 F32 F32) -> F32, "The first plus the third times the difference of second and first.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_numbers_have_a_signature() {
        assert_eq!(signature(0), None);
        assert_eq!(signature(SELECT), None);
        assert_eq!(
            signature(NOT),
            Some(&Signature {
                inputs: &[ValueType::Bool],
                output: ValueType::Bool
            })
        );
        assert_eq!(
            signature(VEC3_DISTANCE_SQUARED).map(|s| s.inputs.len()),
            Some(2)
        );
        assert_eq!(signature(F32_LERP + 1), None);
        assert_eq!(signature(u8::MAX), None);
    }
}
