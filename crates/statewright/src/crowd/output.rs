//! Commands of a crowd: where their pages come from, what the crowd does itself, and how the host
//! gets the rest (CMD-1 to CMD-4).

use std::fmt;
use std::sync::Arc;

use statewright_kernel::{Event, InboxEvent};
use statewright_rom::Rom;

use super::mail::Letter;
use super::part::Part;
use super::{Crowd, is_alive};
use crate::board::Board;
use crate::commands::{
    CommandRef, Lane, MAX_BUDGET, Merge, Net, Pool, PoolTooSmall, What, agents_per_page,
};

/// A budget that no agent can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrongBudget(pub usize);

impl fmt::Display for WrongBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a budget of {} bytes: it must be at least 1 and at most {MAX_BUDGET}, one page",
            self.0
        )
    }
}

impl std::error::Error for WrongBudget {}

/// Settings of commands. They are the host's and in no snapshot: runs that shall be equal need the
/// same ones.
impl<B: Board, C> Crowd<B, C> {
    /// Takes pages for commands from this pool, which other crowds may share. A pool that is too
    /// small for a tick refuses it ([`Self::try_tick`]). Without this call a crowd has a pool
    /// of its own that grows with it.
    pub fn with_pool(mut self, pool: Arc<Pool>) -> Self {
        // The old pages belong to the old pool.
        self.parts.clear();
        (self.pool, self.grows) = (pool, false);
        self
    }

    /// The pool that pages come from. That of a crowd without [`Self::with_pool`] is its own: when
    /// it needs more pages than are free there, it goes on with a new one, and whoever was
    /// given the old one keeps it.
    pub fn pool(&self) -> &Arc<Pool> {
        &self.pool
    }

    /// Bytes of commands that one agent may write per tick: what the machine file says
    /// (`command_bytes`, else 1,024; no more than a page of 4,096) unless told. The last
    /// quarter is for critical commands alone. A command takes its own bytes in whole words and
    /// 24 more.
    pub fn set_budget(&mut self, bytes: usize) -> Result<(), WrongBudget> {
        if !(1..=MAX_BUDGET).contains(&bytes) {
            return Err(WrongBudget(bytes));
        }
        self.budget = bytes;
        Ok(())
    }

    /// Whether commands are forgotten while the tick runs: for hosts that read none. What the crowd
    /// itself carries out, messages and writes in strict mode, is not; and nothing else that
    /// agents do changes.
    pub fn set_forgets_commands(&mut self, forgets: bool) {
        self.forgets = forgets;
    }

    /// Strict mode, as the machine file says (`strict_writes`) unless told: what actions of the
    /// machine file write to the blackboard waits in the lane [`Lane::BLACKBOARD`] for the end of
    /// the tick, so that every read in a tick sees the values from before it (CODE-5).
    /// Functions in Rust write at once in either mode.
    pub fn set_strict(&mut self, strict: bool) {
        self.strict = strict;
    }
}

/// The host's side.
impl<B: Board, C> Crowd<B, C> {
    /// Commands of the last tick as they were written, in the order of agents and of emission
    /// (CMD-3).
    pub fn commands(&self) -> impl Iterator<Item = CommandRef<'_>> {
        self.ran().flat_map(|part| part.writer.iter())
    }

    /// Lanes that the last tick has commands in, by number.
    pub fn lanes(&self) -> impl Iterator<Item = Lane> + use<B, C> {
        Lane::of_bits(self.ran().fold(0, |bits, part| bits | part.writer.lanes()))
    }

    /// What the merge rule leaves of one lane of the last tick, in the order of agents and of
    /// emission (CMD-1). Allocates nothing.
    pub fn lane(&self, lane: impl Into<Lane>) -> LaneCommands<'_> {
        let lane = lane.into();
        LaneCommands {
            parts: self.parts.iter(),
            net: None,
            lane,
            merge: self.program.merge(lane),
        }
    }

    /// Hands all commands of the last tick over, lane by lane in the order of their numbers, each
    /// lane as in [`Self::lane`]. After it there are none, and their pages are free. Messages
    /// and staged writes are done already; they are shown all the same.
    ///
    /// Where the host must look at the crowd meanwhile, it goes over [`Self::lanes`] and
    /// [`Self::lane`] instead.
    pub fn commit(&mut self, mut take: impl FnMut(CommandRef<'_>)) {
        self.lanes()
            .for_each(|lane| self.lane(lane).for_each(&mut take));
        self.clear_commands();
    }

    /// The same with the lanes side by side on the threads of rayon's pool: `take` gets each lane
    /// once, and each lane is in order.
    #[cfg(feature = "parallel")]
    pub fn commit_parallel(&mut self, take: impl Fn(Lane, LaneCommands<'_>) + Sync) {
        let (parts, program, take) = (self.parts.as_slice(), &self.program, &take);
        let lanes = self.lanes();
        rayon::in_place_scope(|scope| {
            for lane in lanes {
                let commands = LaneCommands {
                    parts: parts.iter(),
                    net: None,
                    lane,
                    merge: program.merge(lane),
                };
                scope.spawn(move |_| take(lane, commands));
            }
        });
        self.clear_commands();
    }

    /// Forgets the commands of the last tick; their pages are free.
    fn clear_commands(&mut self) {
        self.parts
            .iter_mut()
            .filter(|part| part.ran)
            .for_each(|part| part.writer.clear());
    }
}

/// Commands of one lane after its merge rule.
#[derive(Clone, Debug)]
pub struct LaneCommands<'a> {
    parts: std::slice::Iter<'a, Part>,
    net: Option<Net<'a>>,
    lane: Lane,
    merge: Merge,
}

impl<'a> Iterator for LaneCommands<'a> {
    type Item = CommandRef<'a>;

    fn next(&mut self) -> Option<CommandRef<'a>> {
        loop {
            if let Some(command) = self.net.as_mut().and_then(Iterator::next) {
                return Some(command);
            }
            let part = self.parts.find(|part| part.writer.has(self.lane))?;
            self.net = Some(Net::new(part.writer.iter(), self.lane, self.merge));
        }
    }
}

/// The crowd's side.
impl<B: Board, C> Crowd<B, C> {
    /// Pages for all that may run now are set aside, and commands of the last tick end. How many
    /// pages. If there are too few, nothing changes.
    pub(super) fn promise_pages(&mut self, size: usize) -> Result<usize, PoolTooSmall> {
        let (per_page, held) = (agents_per_page(self.budget), self.held_pages());
        // Counting everybody once would be time spent for a few pages that are never made.
        let agents = self.listed.len() + self.mail.letters().len();
        let mut needed = (agents / per_page + self.lives.len().div_ceil(size)).min(agents);
        let mut promised = self.pool.promise(needed, held);
        if promised.is_err() && !self.grows {
            // Only if it may matter: with a copy, because a tick that is refused changes nothing.
            let mut mail = self.mail.clone();
            mail.prepare(|agent| is_alive(&self.lives, agent));
            needed = pages_needed(&self.listed, mail.inbox(), size, per_page);
            promised = self.pool.promise(needed, held);
        }
        match promised {
            Ok(()) => {
                needed = needed.max(held);
                self.parts
                    .iter_mut()
                    .filter(|part| part.ran)
                    .for_each(|part| part.writer.recycle());
            }
            // It is too small, or others use it, too.
            Err(_) if self.grows => {
                self.clear_commands();
                Pool::grow(&mut self.pool, needed);
                self.pool.promise(needed, 0)?;
            }
            Err(error) => return Err(error),
        }
        Ok(needed)
    }

    fn held_pages(&self) -> usize {
        self.ran().map(|part| part.writer.pages()).sum()
    }

    /// Pages that were promised and not taken are free again.
    pub(super) fn keep_pages(&self, promised: usize) {
        let held = self.held_pages();
        debug_assert!(held <= promised, "{held} pages of {promised}");
        self.pool.release(promised - held);
    }

    /// Does what commands of the last tick ask of the crowd itself: messages go out, staged writes
    /// are done.
    pub(super) fn act_on(&mut self, part: &Part, rom: &Rom<'_>) {
        let own = part.writer.has(Lane::MESSAGE) || part.writer.has(Lane::BLACKBOARD);
        for command in part.writer.iter().take_while(|_| own) {
            match command.lane() {
                Lane::MESSAGE | Lane::BLACKBOARD => self.act_on_one(&command, rom),
                _ => {}
            }
        }
    }

    fn act_on_one(&mut self, command: &CommandRef<'_>, rom: &Rom<'_>) {
        match command.what(rom) {
            What::Send { to, event, payload } => {
                let event = Event::new(event, self.program.machine().event_class(event))
                    .with_words(payload);
                self.mail.send_unchecked(Letter { to, event });
            }
            What::Write { key, words } => {
                let place = command.agent().index() as usize;
                if let Some(board) = self.boards.get_mut(place) {
                    board.write(self.program.table.field(key), words);
                    // A condition that waits for the key may hold now.
                    self.wake.wake(place);
                }
            }
            What::Typed | What::Emit { .. } | What::Release { .. } => {}
        }
    }
}

/// Pages that everybody who may run can fill, part by part: agents that are listed or have events,
/// both in order.
fn pages_needed(
    mut listed: &[u32],
    mut inbox: &[InboxEvent],
    size: usize,
    per_page: usize,
) -> usize {
    let mut pages = 0;
    let (mut part, mut agents) = (0, 0_usize);
    // Bound: each round takes an agent off a list.
    while let Some(place) = [
        listed.first().copied(),
        inbox.first().map(|event| event.place),
    ]
    .into_iter()
    .flatten()
    .min()
    {
        let of = place as usize / size;
        if of != part {
            pages += agents.div_ceil(per_page);
            (part, agents) = (of, 0);
        }
        agents += 1;
        listed = listed.strip_prefix(&[place]).unwrap_or(listed);
        while let [first, rest @ ..] = inbox
            && first.place == place
        {
            inbox = rest;
        }
    }
    pages + agents.div_ceil(per_page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cmd_2_agents_count_once_and_parts_apart() {
        let event = |place| InboxEvent {
            place,
            event: Event::default(),
        };
        let inbox = [event(0), event(0), event(2), event(9)];
        assert_eq!(pages_needed(&[0, 1, 8], &inbox, 100, 4), 2, "five agents");
        assert_eq!(pages_needed(&[0, 1, 8], &inbox, 5, 4), 2, "three and two");
        assert_eq!(pages_needed(&[0, 1, 8], &inbox, 1, 4), 5);
        assert_eq!(pages_needed(&[], &[], 1, 4), 0);
    }
}
