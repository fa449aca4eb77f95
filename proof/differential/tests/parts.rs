//! LANG-5: parts do what the same states do that somebody wrote out.

use statewright_differential::parts::compare;

#[test]
fn a_part_used_three_times_does_what_three_copies_by_hand_do() {
    let (mut moved, mut lines) = (0, 0);
    for seed in 0..300 {
        let compared = compare(seed).unwrap_or_else(|problem| panic!("seed {seed}: {problem}"));
        moved += usize::from(compared.moved);
        lines += compared.lines;
    }
    // The comparison means something: most went somewhere, and much was said.
    assert!(moved > 150, "{moved} of 300 moved");
    assert!(lines > 50_000, "{lines} lines compared");
}
