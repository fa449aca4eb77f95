//! Who may not sleep after a tick: in the order of the agents, neighbors that are alike as one entry.

use statewright_kernel::Sleep;

/// Agents that may not sleep, or not for long.
#[derive(Debug, Default)]
pub(crate) struct AwakeNext {
    runs: Vec<Run>,
    /// The same while they are asked: kept for its memory.
    asked: Vec<Run>,
}

/// Neighbors that are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    first: u32,
    count: u32,
    stay: Stay,
}

/// How long an agent stays awake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stay {
    /// It is to be asked; whoever is not stays awake.
    Asked,
    /// It is, whatever it would say.
    Awake,
    /// It wants no tick before this one.
    Until(u32),
}

impl Run {
    fn iter(self) -> impl Iterator<Item = (u32, Sleep)> {
        let sleep = match self.stay {
            Stay::Asked | Stay::Awake => Sleep::Awake,
            Stay::Until(tick) => Sleep::Until(tick),
        };
        (self.first..)
            .take(self.count as usize)
            .map(move |index| (index, sleep))
    }

    fn end(self) -> u32 {
        self.first.wrapping_add(self.count)
    }
}

/// Puts neighbors behind the others.
#[inline]
fn push(runs: &mut Vec<Run>, run: Run) {
    match runs.last_mut() {
        Some(last) if last.end() == run.first && last.stay == run.stay => last.count += run.count,
        _ => runs.push(run),
    }
}

impl AwakeNext {
    /// Nobody.
    pub(super) fn clear(&mut self) {
        self.runs.clear();
    }

    /// One who is to be asked. Agents come in order.
    #[inline]
    pub(super) fn ask(&mut self, index: u32) {
        self.ask_all(index, 1);
    }

    /// So many neighbors who are to be asked.
    #[inline]
    pub(super) fn ask_all(&mut self, first: u32, count: u32) {
        let stay = Stay::Asked;
        push(&mut self.runs, Run { first, count, stay });
    }

    /// So many neighbors who stay awake.
    #[inline]
    pub(super) fn stay_all(&mut self, first: u32, count: u32) {
        let stay = Stay::Awake;
        push(&mut self.runs, Run { first, count, stay });
    }

    /// Asks all who are to be asked; whoever sleeps is gone.
    pub(super) fn choose(&mut self, sleep: impl Fn(u32) -> Sleep) {
        self.asked.clear();
        for &run in &self.runs {
            if run.stay != Stay::Asked {
                push(&mut self.asked, run);
                continue;
            }
            for (first, _) in run.iter() {
                let stay = match sleep(first) {
                    Sleep::Awake => Stay::Awake,
                    Sleep::Until(tick) => Stay::Until(tick),
                    Sleep::Asleep => continue,
                };
                let count = 1;
                push(&mut self.asked, Run { first, count, stay });
            }
        }
        std::mem::swap(&mut self.runs, &mut self.asked);
    }

    /// Some more who stay awake, whatever is known of them; in any order.
    pub(super) fn wake(&mut self, indices: impl Iterator<Item = u32>) {
        self.asked.clear();
        let one = |(first, stay)| Run {
            first,
            count: 1,
            stay,
        };
        let known = self.runs.iter().flat_map(|run| {
            let stay = run.stay;
            run.iter().map(move |(index, _)| (index, stay))
        });
        self.asked.extend(known.map(one));
        self.asked
            .extend(indices.map(|index| one((index, Stay::Awake))));
        // To be awake comes before all else. The stable sort would allocate.
        self.asked
            .sort_unstable_by_key(|run| (run.first, run.stay != Stay::Awake));
        self.asked.dedup_by_key(|run| run.first);
        self.runs.clear();
        for &run in &self.asked {
            push(&mut self.runs, run);
        }
    }

    /// All of them, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, Sleep)> + '_ {
        self.runs.iter().flat_map(|run| run.iter())
    }

    /// Lists that were long once do not stay so.
    pub(super) fn give_back_memory(&mut self) {
        const SMALL: usize = 1024;
        let used = self.runs.len();
        for runs in [&mut self.runs, &mut self.asked] {
            if runs.capacity() > SMALL.max(used * 8) {
                runs.shrink_to(SMALL.max(used * 2));
            }
        }
    }
}
