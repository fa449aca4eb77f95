//! What is shown of an [`Outcome`](crate::Outcome) in browsers and by programs: [`json()`], the
//! [`plot()`] of where agents are, and a whole [`page()`]. All are texts; writing them is the caller's.

mod json;
mod page;
mod plot;

pub use json::json;
pub use page::page;
pub use plot::plot;

/// Adds a line; writing to a string cannot fail.
macro_rules! put {
    ($out:expr, $($part:tt)*) => { _ = writeln!($out, $($part)*) };
}
use put;

/// With a comma every three digits.
pub fn number(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The same of something measured, which nobody knows to the last digit: two digits, then zeros.
pub fn rough(measured: u64) -> String {
    let mut step = 1;
    // Bound: the digits of a number.
    while measured / step >= 100 {
        step *= 10;
    }
    let rest = measured % step;
    number((measured / step + u64::from(rest * 2 >= step)) * step)
}

/// Bytes in the unit that fits.
pub fn bytes(bytes: u64) -> String {
    match bytes {
        0..10_240 => format!("{bytes} bytes"),
        10_240..10_485_760 => format!("{:.0} KiB", bytes as f64 / 1024.0),
        _ => format!("{:.0} MiB", bytes as f64 / 1_048_576.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_bytes_are_readable() {
        assert_eq!(
            [0, 999, 1000, 1_234_567].map(number),
            ["0", "999", "1,000", "1,234,567"]
        );
        assert_eq!(
            [64, 20 << 10, 64 << 20].map(bytes),
            ["64 bytes", "20 KiB", "64 MiB"]
        );
        assert_eq!(
            [0, 7, 99, 994, 995, 213_456, u64::MAX].map(rough),
            [
                "0",
                "7",
                "99",
                "990",
                "1,000",
                "210,000",
                "18,000,000,000,000,000,000"
            ]
        );
    }
}
