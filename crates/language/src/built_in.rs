//! The functions of the expression language in a line each, for completion and hover. How they
//! count is in `docs/expressions.md`.

/// How a function is called, and what it gives.
pub(crate) fn describe(name: &str) -> Option<(&'static str, &'static str)> {
    Some(match name {
        "in" => ("in(state) -> bool", "Whether a state is active."),
        "ticks_in_state" => (
            "ticks_in_state(state?) -> i32",
            "Ticks since a state was entered; without a name, this one.",
        ),
        "time_in_state" => (
            "time_in_state(state?) -> f32",
            "Seconds since a state was entered; without a name, this one.",
        ),
        "i32" => ("i32(x) -> i32", "A number without its fraction."),
        "f32" => ("f32(x) -> f32", "A number as one with a fraction."),
        "vec2" => ("vec2(x, y) -> vec2", "A vector of two numbers."),
        "vec3" => ("vec3(x, y, z) -> vec3", "A vector of three numbers."),
        "min" => ("min(a, b)", "The smaller of two numbers."),
        "max" => ("max(a, b)", "The greater of two numbers."),
        "abs" => ("abs(x)", "A number without its sign."),
        "clamp" => (
            "clamp(x, low, high)",
            "The nearest number between two ends.",
        ),
        "lerp" => (
            "lerp(a, b, t) -> f32",
            "`a` if `t` is 0, `b` if it is 1, and in between a number in between.",
        ),
        "curve" => (
            "curve(x, x0, y0, x1, y1, …) -> f32",
            "Straight lines from point to point; before the first and after the last it is flat.",
        ),
        "random" => (
            "random() or random(a, b) -> f32",
            "A random number from 0 (or `a`) on and below 1 (or `b`). Draws from the agent's rng.",
        ),
        "select" => (
            "select(condition, a, b)",
            "`a` if the condition holds, else `b`.",
        ),
        "dot" => ("dot(a, b) -> f32", "The dot product of two vectors."),
        "length_squared" => (
            "length_squared(v) -> f32",
            "The square of the length of a vector.",
        ),
        "distance_squared" => (
            "distance_squared(a, b) -> f32",
            "The square of the distance between two points.",
        ),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use statewright_author::names::BUILT_IN_FUNCTIONS;

    #[test]
    fn every_function_is_described() {
        for name in BUILT_IN_FUNCTIONS {
            let (call, _) = super::describe(name).expect(name);
            assert!(call.starts_with(&format!("{name}(")), "{call}");
        }
        assert_eq!(super::describe("Shout"), None);
    }
}
