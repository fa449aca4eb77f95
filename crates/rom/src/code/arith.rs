//! What the instructions compute: the only definition, for kernel and compiler (CODE-4).
//!
//! Every function gives the same bits on every machine. i32 wraps and never faults; f32 is plain
//! IEEE single precision, one rounding per operation, never fused. IEEE leaves the bits of a NaN
//! result open and processors differ, so every operation that rounds gives one NaN, [`NAN`].

/// The NaN that operations give.
pub const NAN: f32 = f32::from_bits(0x7FC0_0000);

/// Makes NaN results the same everywhere.
#[inline]
fn settled(value: f32) -> f32 {
    if value.is_nan() { NAN } else { value }
}

/// Sum; wraps.
#[inline]
pub fn i32_add(a: i32, b: i32) -> i32 {
    a.wrapping_add(b)
}

/// Difference; wraps.
#[inline]
pub fn i32_sub(a: i32, b: i32) -> i32 {
    a.wrapping_sub(b)
}

/// Product; wraps.
#[inline]
pub fn i32_mul(a: i32, b: i32) -> i32 {
    a.wrapping_mul(b)
}

/// Quotient toward zero; by 0 it is 0; `i32::MIN / -1` is `i32::MIN`.
#[inline]
pub fn i32_div(a: i32, b: i32) -> i32 {
    if b == 0 { 0 } else { a.wrapping_div(b) }
}

/// Remainder with the sign of `a`; by 0 it is 0; `i32::MIN % -1` is 0.
#[inline]
pub fn i32_rem(a: i32, b: i32) -> i32 {
    if b == 0 { 0 } else { a.wrapping_rem(b) }
}

/// Negated; wraps.
#[inline]
pub fn i32_neg(a: i32) -> i32 {
    a.wrapping_neg()
}

/// Without sign; `i32::MIN` stays.
#[inline]
pub fn i32_abs(a: i32) -> i32 {
    a.wrapping_abs()
}

/// At least `low`, then at most `high`; `high` wins if they are the wrong way round.
#[inline]
pub fn i32_clamp(a: i32, low: i32, high: i32) -> i32 {
    a.max(low).min(high)
}

/// The nearest float, ties to even.
#[inline]
pub fn i32_to_f32(a: i32) -> f32 {
    a as f32
}

/// Toward zero; the nearest i32 if out of range; NaN is 0.
#[inline]
pub fn f32_to_i32(a: f32) -> i32 {
    a as i32
}

/// A whole number from one to the other, both included, for 32 random bits, which are scaled
/// (CODE-6).
#[inline]
pub fn i32_random(bits: u32, a: i32, b: i32) -> i32 {
    let count = u64::from(a.abs_diff(b)).wrapping_add(1);
    let chosen = u64::from(bits).wrapping_mul(count) >> 32;
    a.min(b).wrapping_add(chosen as i32)
}

/// `a` for a part of 0, `b` for 1, straight between and beyond.
#[inline]
pub fn f32_lerp(a: f32, b: f32, part: f32) -> f32 {
    f32_add(a, f32_mul(f32_sub(b, a), part))
}

/// The height at `x` of straight lines between points, flat outside (LANG-11). Points should rise; of
/// any others the first that lies right of `x` counts. NaN counts as left of all.
pub fn curve(x: f32, points: &[[f32; 2]]) -> f32 {
    let Some((&[first_x, first_y], rest)) = points.split_first() else {
        return 0.0;
    };
    if x.is_nan() || x <= first_x {
        return first_y;
    }
    let (mut left_x, mut left_y) = (first_x, first_y);
    for &[right_x, right_y] in rest {
        if x < right_x {
            let part = f32_div(f32_sub(x, left_x), f32_sub(right_x, left_x));
            return f32_lerp(left_y, right_y, part);
        }
        (left_x, left_y) = (right_x, right_y);
    }
    left_y
}

/// Sum.
#[inline]
pub fn f32_add(a: f32, b: f32) -> f32 {
    settled(a + b)
}

/// Difference.
#[inline]
pub fn f32_sub(a: f32, b: f32) -> f32 {
    settled(a - b)
}

/// Product.
#[inline]
pub fn f32_mul(a: f32, b: f32) -> f32 {
    settled(a * b)
}

/// Quotient.
#[inline]
pub fn f32_div(a: f32, b: f32) -> f32 {
    settled(a / b)
}

/// Exact remainder with the sign of `a`.
#[inline]
pub fn f32_rem(a: f32, b: f32) -> f32 {
    settled(a % b)
}

/// Sign flipped, also of a NaN.
#[inline]
pub fn f32_neg(a: f32) -> f32 {
    f32::from_bits(a.to_bits() ^ 0x8000_0000)
}

/// Sign cleared, also of a NaN.
#[inline]
pub fn f32_abs(a: f32) -> f32 {
    f32::from_bits(a.to_bits() & 0x7FFF_FFFF)
}

/// `b` if it is less, else `a`. Not `f32::min`: which zero and which NaN that gives is left open.
#[inline]
pub fn f32_min(a: f32, b: f32) -> f32 {
    if b < a { b } else { a }
}

/// `b` if it is greater, else `a`.
#[inline]
pub fn f32_max(a: f32, b: f32) -> f32 {
    if b > a { b } else { a }
}

/// At least `low`, then at most `high`; a NaN in `a` stays, NaN bounds do nothing.
#[inline]
pub fn f32_clamp(a: f32, low: f32, high: f32) -> f32 {
    f32_min(f32_max(a, low), high)
}

/// Sum of each component.
#[inline]
pub fn vec_add<const N: usize>(a: [f32; N], b: [f32; N]) -> [f32; N] {
    zip(a, b, f32_add)
}

/// Difference of each component.
#[inline]
pub fn vec_sub<const N: usize>(a: [f32; N], b: [f32; N]) -> [f32; N] {
    zip(a, b, f32_sub)
}

/// Every sign flipped.
#[inline]
pub fn vec_neg<const N: usize>(a: [f32; N]) -> [f32; N] {
    a.map(f32_neg)
}

/// Each component times a number.
#[inline]
pub fn vec_scale<const N: usize>(a: [f32; N], factor: f32) -> [f32; N] {
    a.map(|x| f32_mul(x, factor))
}

/// Each component divided by a number.
#[inline]
pub fn vec_div<const N: usize>(a: [f32; N], divisor: f32) -> [f32; N] {
    a.map(|x| f32_div(x, divisor))
}

/// Products of the components, added up from the first one.
#[inline]
pub fn vec_dot<const N: usize>(a: [f32; N], b: [f32; N]) -> f32 {
    zip(a, b, f32_mul)
        .into_iter()
        .reduce(f32_add)
        .unwrap_or(0.0)
}

/// All components equal; false with NaN. Its negation is the inequality.
#[inline]
pub fn vec_eq<const N: usize>(a: [f32; N], b: [f32; N]) -> bool {
    a.iter().zip(&b).all(|(x, y)| x == y)
}

/// Dot product with itself.
#[inline]
pub fn vec_length_squared<const N: usize>(a: [f32; N]) -> f32 {
    vec_dot(a, a)
}

/// Squared length of the difference.
#[inline]
pub fn vec_distance_squared<const N: usize>(a: [f32; N], b: [f32; N]) -> f32 {
    vec_length_squared(vec_sub(a, b))
}

/// Applies a function to each pair of components.
#[inline]
fn zip<const N: usize>(a: [f32; N], b: [f32; N], apply: fn(f32, f32) -> f32) -> [f32; N] {
    let mut result = a;
    for (x, y) in result.iter_mut().zip(b) {
        *x = apply(*x, y);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_4_i32_wraps_and_never_faults() {
        assert_eq!(i32_add(i32::MAX, 1), i32::MIN);
        assert_eq!(i32_sub(i32::MIN, 1), i32::MAX);
        assert_eq!(i32_mul(65_536, 65_536), 0);
        assert_eq!(i32_neg(i32::MIN), i32::MIN);
        assert_eq!(i32_abs(i32::MIN), i32::MIN);
        assert_eq!(i32_div(i32::MIN, -1), i32::MIN);
        assert_eq!(i32_rem(i32::MIN, -1), 0);
        assert_eq!((i32_div(-7, 2), i32_rem(-7, 2)), (-3, -1));
        assert_eq!(i32_clamp(5, 10, 3), 3);
    }

    #[test]
    fn code_4_division_by_zero_gives_zero() {
        for a in [0, 1, -1, i32::MIN, i32::MAX] {
            assert_eq!((i32_div(a, 0), i32_rem(a, 0)), (0, 0));
        }
        assert_eq!(f32_div(1.0, 0.0), f32::INFINITY, "f32 is IEEE instead");
        assert!(f32_rem(1.0, 0.0).is_nan());
    }

    #[test]
    fn code_4_nan_has_one_form_and_stays_out_of_the_way() {
        let odd = f32::from_bits(0xFFFF_FFFF);
        let results = [
            f32_add(odd, 1.0),
            f32_sub(f32::INFINITY, f32::INFINITY),
            f32_mul(0.0, f32::NEG_INFINITY),
            f32_div(0.0, 0.0),
            f32_rem(odd, 2.0),
            vec_dot([odd, 1.0], [1.0, 1.0]),
        ];
        assert!(results.iter().all(|r| r.to_bits() == NAN.to_bits()));
        assert_eq!(f32_to_i32(odd), 0);
        assert_eq!(f32_min(1.0, NAN), 1.0);
        assert!(f32_min(NAN, 1.0).is_nan());
        assert_eq!(f32_clamp(7.0, NAN, NAN), 7.0);
        assert!(!vec_eq([NAN, 1.0], [NAN, 1.0]));
    }

    #[test]
    fn code_4_conversions_saturate_and_round_to_even() {
        assert_eq!(f32_to_i32(1e20), i32::MAX);
        assert_eq!(f32_to_i32(-1e20), i32::MIN);
        assert_eq!(f32_to_i32(-1.9), -1);
        assert_eq!(i32_to_f32(16_777_217), 16_777_216.0);
        assert_eq!(i32_to_f32(16_777_219), 16_777_220.0);
    }

    #[test]
    fn code_4_nothing_is_fused() {
        // Fused, the product would keep the bits that single rounding drops.
        let (a, b) = (1.0 + f32::EPSILON, 1.0 - f32::EPSILON);
        assert_eq!(vec_dot([a, -1.0], [b, 1.0]), a * b - 1.0);
        assert_eq!(vec_dot([a, -1.0], [b, 1.0]), 0.0);
    }

    #[test]
    fn zeros_keep_their_sign() {
        assert_eq!(f32_neg(0.0).to_bits(), (-0.0f32).to_bits());
        assert_eq!(f32_min(0.0, -0.0).to_bits(), 0.0f32.to_bits());
        assert_eq!(f32_max(-0.0, 0.0).to_bits(), (-0.0f32).to_bits());
        assert_eq!(vec_dot([-0.0], [1.0]).to_bits(), (-0.0f32).to_bits());
    }
}
