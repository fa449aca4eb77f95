//! How wide text is, without any font: the widths of a wide one (DejaVu Sans), so that text fits in
//! Helvetica, Arial, Verdana and their relatives, too.

/// Widths of the characters from space to `~`, in thousandths of the font size.
const WIDTHS: [u16; 95] = [
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636,
    636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632,
    575, 775, 752, 295, 295, 656, 557, 863, 748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685,
    611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579,
    278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
];
/// How much wider bold text is.
const BOLD: f64 = 1.13;

/// Size of titles.
pub(crate) const TITLE: f64 = 13.0;
/// Size of everything else.
pub(crate) const SMALL: f64 = 11.0;
/// From one line of small text to the next.
pub(crate) const LINE: f64 = 14.0;

/// Width of a line of text.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    let sum: u32 = text.chars().map(|c| u32::from(character(c))).sum();
    (f64::from(sum) * size / 1000.0).ceil()
}

/// Width of a bold line.
pub(crate) fn bold_width(text: &str, size: f64) -> f64 {
    (width(text, size) * BOLD).ceil()
}

fn character(c: char) -> u16 {
    match u32::from(c) {
        code @ 32..=126 => WIDTHS[code as usize - 32],
        0..0x1100 => 700,
        _ => 1050,
    }
}

/// Breaks parts into lines no wider than this where spaces allow it, and words that are too long
/// anywhere.
pub(crate) fn wrap(parts: &[String], limit: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        let whole = lines.last().map(|last| format!("{last} {part}"));
        match whole.filter(|whole| width(whole, SMALL) <= limit) {
            Some(whole) => {
                lines.pop();
                lines.push(whole);
            }
            None => lines.extend(split(part, limit)),
        }
    }
    lines
}

fn split(part: &str, limit: f64) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in part.split(' ') {
        for piece in pieces(word, limit) {
            let last = lines.len() - 1;
            let joined = if lines[last].is_empty() {
                piece.clone()
            } else {
                format!("{} {piece}", lines[last])
            };
            if width(&joined, SMALL) <= limit || lines[last].is_empty() {
                lines[last] = joined;
            } else {
                lines.push(piece);
            }
        }
    }
    lines
}

/// A word as it is, or cut where it would be wider than a line.
fn pieces(word: &str, limit: f64) -> Vec<String> {
    let mut pieces = vec![String::new()];
    for c in word.chars() {
        let last = pieces.len() - 1;
        if width(&pieces[last], SMALL) + width(&c.to_string(), SMALL) > limit
            && !pieces[last].is_empty()
        {
            pieces.push(String::new());
        }
        let last = pieces.len() - 1;
        pieces[last].push(c);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_no_wider_than_asked() {
        let parts = [
            "Hit".to_owned(),
            "[a < b && c > d && longer_name_here]".to_owned(),
            "x".repeat(80),
        ];
        let lines = wrap(&parts, 120.0);
        assert!(
            lines.len() > 4 && lines.iter().all(|line| width(line, SMALL) <= 120.0),
            "{lines:?}"
        );
        assert_eq!(
            lines.concat().replace(' ', ""),
            parts.concat().replace(' ', ""),
            "nothing is lost"
        );
        assert_eq!(wrap(&["a".to_owned(), "b".to_owned()], 120.0), ["a b"]);
        assert!(wrap(&[], 10.0).is_empty());
    }

    #[test]
    fn wide_letters_are_wide() {
        assert!(width("WWW", SMALL) > width("iii", SMALL));
        assert!(width("漢字", SMALL) > width("ab", SMALL));
    }
}
