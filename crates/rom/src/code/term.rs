//! What a condition begins with, joined into one record (CODE-4).
//!
//! ```text
//!   health < flee_below && !BraveEnough      KEY health │ PARAMETER flee_below │ I32_LT │ AND_JUMP 6 │ …
//!
//!   term: whole numbers, key health, parameter flee_below, LESS; DECIDES_NO: if it does not hold, that is the end
//! ```
//!
//! A kernel that gets no answer from the term runs the whole condition: nothing in a term draws, calls or writes.

use super::op;
use crate::layout::{InstructionRecord, Term, TermKind, term_flag};

/// The outcomes of a comparison for which it holds.
const NOT_EQUAL: u8 = term_flag::LESS | term_flag::GREATER;
const OUTCOMES: u8 = NOT_EQUAL | term_flag::EQUAL | term_flag::UNORDERED;

/// The term of a condition; one of no kind if it does not begin with one.
pub fn term_of(code: &[InstructionRecord]) -> Term {
    let Some((mut term, mut after)) = first_term(code) else {
        return Term::default();
    };
    if let [not, rest @ ..] = after
        && not.op == op::NOT
    {
        term.flags ^= OUTCOMES;
        after = rest;
    }
    let decides = match after {
        [] => term_flag::DECIDES_YES | term_flag::DECIDES_NO,
        [join, ..] if (join.c.get() as usize) < code.len() => 0,
        [join, ..] if join.op == op::OR_JUMP => term_flag::DECIDES_YES,
        [join, ..] if join.op == op::AND_JUMP => term_flag::DECIDES_NO,
        [..] => 0,
    };
    if decides == 0 {
        return Term::default();
    }
    term.flags |= decides;
    term
}

/// A comparison of a key, a flag or a state, and what comes after it.
fn first_term(code: &[InstructionRecord]) -> Option<(Term, &[InstructionRecord])> {
    let [first, after @ ..] = code else {
        return None;
    };
    let set = |kind: TermKind| Term {
        kind: kind.into(),
        flags: NOT_EQUAL,
        a: first.b,
        ..Term::default()
    };
    match (first.op, after) {
        (op::IN_STATE, _) => Some((set(TermKind::State), after)),
        (op::KEY, [second, compare, after @ ..]) if outcomes(compare.op).is_some() => {
            let outcomes = outcomes(compare.op)?;
            let (side, b) = match second.op {
                op::PUSH => (0, second.c),
                op::KEY => (term_flag::KEY, u32::from(second.b.get()).into()),
                op::PARAMETER => (term_flag::PARAMETER, u32::from(second.b.get()).into()),
                _ => return None,
            };
            let kind = match compare.op <= op::I32_GE {
                true => TermKind::Whole,
                false => TermKind::Float,
            };
            let flags = outcomes | side;
            Some((
                Term {
                    flags,
                    b,
                    ..set(kind)
                },
                after,
            ))
        }
        (op::KEY, []) => Some((set(TermKind::Whole), after)),
        (op::KEY, [next, ..]) if matches!(next.op, op::NOT | op::AND_JUMP | op::OR_JUMP) => {
            Some((set(TermKind::Whole), after))
        }
        _ => None,
    }
}

/// When a comparison of two words holds; `None` if it is none.
const fn outcomes(op: u8) -> Option<u8> {
    use term_flag::{EQUAL, GREATER, LESS, UNORDERED};
    Some(match op {
        op::I32_EQ | op::F32_EQ => EQUAL,
        op::I32_NE => NOT_EQUAL,
        op::F32_NE => NOT_EQUAL | UNORDERED,
        op::I32_LT | op::F32_LT => LESS,
        op::I32_LE | op::F32_LE => LESS | EQUAL,
        op::I32_GT | op::F32_GT => GREATER,
        op::I32_GE | op::F32_GE => GREATER | EQUAL,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::vec::Vec;

    use super::*;

    fn code(instructions: &[(u8, u16, u32)]) -> Vec<InstructionRecord> {
        let record = |&(op, b, c): &(u8, u16, u32)| InstructionRecord {
            op,
            b: b.into(),
            c: c.into(),
            ..InstructionRecord::default()
        };
        instructions.iter().map(record).collect()
    }

    fn term(instructions: &[(u8, u16, u32)]) -> (TermKind, u8, u16, u32) {
        let Term { kind, flags, a, b } = term_of(&code(instructions));
        (kind.get(), flags, a.get(), b.get())
    }

    const NOTHING: (TermKind, u8, u16, u32) = (TermKind::None, 0, 0, 0);
    const BOTH: u8 = term_flag::DECIDES_YES | term_flag::DECIDES_NO;
    const GE: u8 = term_flag::GREATER | term_flag::EQUAL | BOTH;

    #[test]
    fn rom_6_a_comparison_with_a_number_a_key_or_a_parameter_is_a_term() {
        let compared = |second| term(&[(op::KEY, 3, 0), second, (op::F32_GE, 0, 0)]);
        let (float, whole) = (TermKind::Float, TermKind::Whole);
        assert_eq!(compared((op::PUSH, 0, 77)), (float, GE, 3, 77));
        assert_eq!(
            compared((op::KEY, 4, 0)),
            (float, GE | term_flag::KEY, 3, 4)
        );
        assert_eq!(
            compared((op::PARAMETER, 5, 0)),
            (float, GE | term_flag::PARAMETER, 3, 5)
        );
        assert_eq!(compared((op::PAYLOAD, 0, 0)), NOTHING);
        let less = [(op::KEY, 3, 0), (op::PUSH, 0, 1), (op::I32_LT, 0, 0)];
        assert_eq!(term(&less), (whole, term_flag::LESS | BOTH, 3, 1));
        let turned = [(op::PUSH, 0, 1), (op::KEY, 3, 0), (op::I32_LT, 0, 0)];
        assert_eq!(term(&turned), NOTHING);
        let symbols = [(op::KEY, 3, 0), (op::PUSH, 0, 1), (op::SYMBOL_EQ, 0, 0)];
        assert_eq!(term(&symbols), NOTHING);
    }

    #[test]
    fn rom_6_flags_and_states_are_compared_with_0_also_the_other_way_round() {
        assert_eq!(
            term(&[(op::KEY, 3, 0)]),
            (TermKind::Whole, NOT_EQUAL | BOTH, 3, 0)
        );
        let unordered_or_equal = term_flag::EQUAL | term_flag::UNORDERED;
        assert_eq!(
            term(&[(op::IN_STATE, 7, 0), (op::NOT, 0, 0)]),
            (TermKind::State, unordered_or_equal | BOTH, 7, 0)
        );
    }

    #[test]
    fn rom_6_a_join_decides_if_it_leads_to_the_end() {
        let joined = |join, to| {
            term(&[
                (op::KEY, 3, 0),
                (join, 0, to),
                (op::CALL_GUARD, 9, 0),
                (op::NOT, 0, 0),
            ])
        };
        let flag = |decides| (TermKind::Whole, NOT_EQUAL | decides, 3, 0);
        assert_eq!(joined(op::AND_JUMP, 4), flag(term_flag::DECIDES_NO));
        assert_eq!(joined(op::OR_JUMP, 4), flag(term_flag::DECIDES_YES));
        // The other side is turned round: what the first says is not the end of it.
        assert_eq!(joined(op::AND_JUMP, 3), NOTHING);
    }
}
