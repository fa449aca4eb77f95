//! Ticks: u32, compared with wrap-around (EVT-7).

/// Has a deadline passed? A deadline counts as passed for 2^31 ticks and as ahead for as many.
#[inline]
pub const fn is_due(deadline: u32, now: u32) -> bool {
    (now.wrapping_sub(deadline) as i32) >= 0
}

#[cfg(test)]
mod tests {
    use super::is_due;

    #[test]
    fn evt_7_deadlines_compare_with_wrap_around() {
        assert!(is_due(5, 5));
        assert!(is_due(5, 6));
        assert!(!is_due(6, 5));
        assert!(is_due(u32::MAX, 3));
        assert!(!is_due(3, u32::MAX));
        assert!(is_due(0, (1 << 31) - 1));
        assert!(!is_due(0, 1 << 31));
    }
}
