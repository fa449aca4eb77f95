//! Lines with colors.

use statewright_step::text::{Line, Tone};

/// Lines as they are printed.
pub(crate) fn lines(lines: &[Line], color: bool) -> String {
    lines
        .iter()
        .map(|line| {
            if color {
                painted(line)
            } else {
                format!("{}\n", line.plain())
            }
        })
        .collect()
}

fn painted(line: &Line) -> String {
    let code = match line.tone {
        Tone::Head => return format!("\x1b[1m{}\x1b[0m\n", line.words),
        Tone::Plain if line.label.is_empty() => return format!("{}\n", line.plain()),
        Tone::Plain => "0",
        Tone::Good => "32",
        Tone::Left => "31",
        Tone::Dim => "90",
        Tone::Now => "1;36",
        Tone::Warning => "33",
    };
    format!(
        "  \x1b[90m{:<9}\x1b[0m \x1b[{code}m{}\x1b[0m\n",
        line.label, line.words
    )
}
