//! Who of a job is looked at, and how: neighbors of whom the same is written down run in one piece.
//!
//! ```text
//!  agents    0 1 2 3 4 5 6 7 8 9
//!  sealed      s s
//!  traced        t t       t
//!  stretches |.|s|*|t|. . .|t|. .|     whoever is in none of the lists runs as if there were none
//! ```

use crate::sealed::Sealed;

/// What is written down of the agents of a stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Looked {
    /// What user code says and does.
    pub(super) seal: bool,
    /// What the kernel tells.
    pub(super) trace: bool,
}

impl Looked {
    /// Nothing is.
    pub(super) fn is_plain(self) -> bool {
        !self.seal && !self.trace
    }
}

/// Some of all agents, by index.
#[derive(Clone, Copy, Debug)]
enum Chosen<'l> {
    Nobody,
    All,
    /// Ascending.
    Indices(&'l [u32]),
}

impl Chosen<'_> {
    /// Whether the agent at an index is one of them, and up to which index the same holds.
    #[inline]
    fn at(self, at: usize, to: usize) -> (bool, usize) {
        let indices = match self {
            Self::Nobody => return (false, to),
            Self::All => return (true, to),
            Self::Indices(indices) => indices,
        };
        let first = indices.partition_point(|&index| (index as usize) < at);
        let rest = indices.get(first..).unwrap_or_default();
        match rest.first() {
            Some(&next) if next as usize == at => {
                let neighbors = (at..to).zip(rest);
                let run = neighbors.take_while(|&(own, &index)| own == index as usize);
                (true, at + run.count())
            }
            Some(&next) => (false, to.min(next as usize)),
            None => (false, to),
        }
    }
}

/// Who is looked at in a tick.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretches<'l> {
    sealed: Chosen<'l>,
    traced: Chosen<'l>,
}

impl<'l> Stretches<'l> {
    /// Whose user code is written down; whether there is a trace, and of whom if not of all.
    pub(super) fn new(
        sealed: Option<&'l Sealed>,
        (has_trace, traced): (bool, Option<&'l [u32]>),
    ) -> Self {
        Self {
            sealed: match sealed {
                None => Chosen::Nobody,
                Some(Sealed::All) => Chosen::All,
                Some(Sealed::Agents(indices)) => Chosen::Indices(indices),
            },
            traced: match traced {
                _ if !has_trace => Chosen::Nobody,
                None => Chosen::All,
                Some(indices) => Chosen::Indices(indices),
            },
        }
    }

    /// How the agent at an index is looked at, and up to which index, not behind `to`, the others are, too.
    #[inline]
    pub(super) fn at(&self, at: usize, to: usize) -> (Looked, usize) {
        let (seal, sealed_to) = self.sealed.at(at, to);
        let (trace, traced_to) = self.traced.at(at, to);
        (Looked { seal, trace }, sealed_to.min(traced_to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every index by itself, and then the stretches: they must say the same, and go on each time.
    fn check(sealed: Option<&Sealed>, traced: (bool, Option<&[u32]>)) {
        let stretches = Stretches::new(sealed, traced);
        let has = |index: usize| Looked {
            seal: sealed.is_some_and(|sealed| sealed.has(index as u32)),
            trace: traced.0 && traced.1.is_none_or(|list| list.contains(&(index as u32))),
        };
        for from in 0..12 {
            let mut at = from;
            while at < 12 {
                let (looked, end) = stretches.at(at, 12);
                assert!(end > at && end <= 12, "{at} to {end}");
                assert!((at..end).all(|index| has(index) == looked));
                at = end;
            }
        }
    }

    #[test]
    fn stretches_are_those_of_each_agent_alone() {
        for bits in 0_u32..1 << 8 {
            let list = |shift: u32| -> Vec<u32> {
                let all = (0..4).filter(|bit| bits >> (bit + shift) & 1 != 0);
                all.map(|bit| bit * 2 + bit / 2).collect()
            };
            let (sealed, traced) = (Sealed::Agents(list(0)), list(4));
            for sealed in [None, Some(&Sealed::All), Some(&sealed)] {
                check(sealed, (false, Some(&traced)));
                check(sealed, (true, None));
                check(sealed, (true, Some(&traced)));
            }
        }
    }
}
