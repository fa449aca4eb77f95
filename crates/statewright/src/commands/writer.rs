//! Where the commands of one chunk of agents are written, agent after agent, into pages of a pool
//! (CMD-2).
//!
//! A record lies in one page. An agent may write so many bytes per tick, the last quarter of them
//! for critical commands alone; what does not fit is refused whole. An agent goes on to a next page
//! at most once, because its budget is at most a page.

use std::sync::Arc;

use super::lanes::LaneRules;
use super::lost::{LostCommand, MAX_LOST, WhyLost};
use super::naming::Naming;
use super::pool::{PAGE_BYTES, Page, Pool};
use super::record::{Command, Head, Lane, what};
use super::walk::Walk;
use crate::board::Staging;
use statewright_rom::layout::MAX_LANES;

/// Bytes that an agent may write in one tick unless told otherwise: per command its own, in whole
/// words, and 24 more.
pub const BUDGET: usize = 1024;
/// The largest budget.
pub const MAX_BUDGET: usize = PAGE_BYTES;

/// What is in these the tick itself carries out, whether the host reads commands or not.
const OWN_LANES: u32 = 1 << Lane::MESSAGE.number() | 1 << Lane::BLACKBOARD.number();

/// No machine asks for more.
const _: () = assert!(statewright_rom::layout::MAX_COMMAND_BYTES as usize == MAX_BUDGET);

/// A page with something in it.
#[derive(Debug)]
pub(crate) struct Filled {
    page: Box<Page>,
    used: usize,
}

impl Filled {
    pub(crate) fn bytes(&self) -> &[u8] {
        self.page.get(..self.used).unwrap_or(&[])
    }
}

/// What holds for all writers of a crowd in one tick.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CommandLimits<'t> {
    pub(crate) pool: &'t Arc<Pool>,
    pub(crate) rules: &'t LaneRules,
    pub(crate) budget: usize,
    pub(crate) tick: u64,
    /// Nobody reads commands: those of an agent are forgotten when the next one begins.
    pub(crate) forgets: bool,
}

/// Writes commands.
#[derive(Debug, Default)]
pub struct Writer {
    /// The page that is written to. Its used bytes end at `at`; without a page that is the end of
    /// one, so that the first write gets one.
    page: Option<Box<Page>>,
    at: usize,
    /// Where commands of the agent must end: the end of its budget or of the page.
    plain_end: usize,
    critical_end: usize,
    /// Lanes that something was written to, one bit each.
    lanes: u32,
    critical_lanes: u32,
    accumulate_lanes: u32,
    /// Lanes that sum up or have a cap: few, so that others ask once.
    special_lanes: u32,
    capped_lanes: u32,
    /// Most commands of an agent by lane; 0 = no cap.
    caps: [u16; MAX_LANES],
    /// Pages before that one.
    filled: Vec<Filled>,
    begun: Begun,
    /// Something was written since the agent began, or nobody has begun.
    wrote: bool,
    forgets: bool,
    budget: usize,
    tick: u64,
    pool: Option<Arc<Pool>>,
    /// Indices of agents whose staged writes found no room, once per write.
    pub(crate) lost_writes: Vec<u32>,
    /// Indices of agents with staged writes, once per write and in their order: who owns the
    /// blackboard that a write is for, whatever ids agents have.
    pub(crate) staged: Vec<u32>,
    /// Staged writes to fields that hold no key: index of the agent, field, words.
    pub(crate) staged_fields: Vec<(u32, usize, [u32; 3])>,
    /// Commands that found no room, at most [`MAX_LOST`].
    pub(crate) lost: Vec<LostCommand>,
    /// What the user code that runs writes, in strict mode and while it is traced.
    pub(crate) staging: Staging,
    /// What it emits, while it is traced.
    pub(crate) naming: Naming,
    /// Whether everything that user code does is written down.
    sealing: bool,
}

/// Where the agent began.
#[derive(Clone, Copy, Debug, Default)]
struct Begun {
    /// Pages that were filled then.
    filled: usize,
    at: usize,
    lanes: u32,
    /// Writes that were staged then.
    staged: usize,
    staged_fields: usize,
    /// Commands that were lost then.
    lost: usize,
}

/// Life.
impl Writer {
    /// Begins a tick, without commands.
    pub(crate) fn restart(&mut self, limits: &CommandLimits<'_>) {
        self.recycle();
        self.lost.clear();
        if !self
            .pool
            .as_ref()
            .is_some_and(|pool| Arc::ptr_eq(pool, limits.pool))
        {
            self.pool = Some(Arc::clone(limits.pool));
        }
        let rules = limits.rules;
        (self.critical_lanes, self.accumulate_lanes) = (rules.critical, rules.accumulate);
        self.caps = rules.caps;
        self.capped_lanes = rules.capped;
        self.sealing = false;
        self.note_names(false);
        (self.budget, self.tick, self.forgets) = (limits.budget, limits.tick, limits.forgets);
    }

    /// Begins a tick by the limits of the last one.
    #[inline]
    pub(crate) fn go_on(&mut self, tick: u64) {
        if self.wrote {
            self.recycle();
            self.lost.clear();
        }
        self.tick = tick;
    }

    /// Takes down which typed commands are emitted from now on, or no longer. Meanwhile all lanes are
    /// special, so that nobody else has to ask.
    #[cold]
    pub(crate) fn note_names(&mut self, is_on: bool) {
        self.naming.set(is_on);
        self.special_lanes = match is_on || self.sealing {
            true => u32::MAX,
            false => self.accumulate_lanes | self.capped_lanes,
        };
    }

    /// Everything that user code does is written down from now on, or no longer.
    #[cold]
    pub(crate) fn set_sealing(&mut self, is_on: bool) {
        self.sealing = is_on;
        self.note_names(self.naming.is_on());
    }

    /// The agent's commands so far that are like this one, in order.
    pub(crate) fn like(&mut self, head: &Head) -> Vec<Box<[u8]>> {
        let mut found = Vec::new();
        self.merge(head, |bytes| {
            found.push(Box::from(&*bytes));
            false
        });
        found
    }

    /// Forgets all commands; their pages are free for everybody.
    pub(crate) fn clear(&mut self) {
        let pages = self.pages();
        self.recycle();
        if let Some(pool) = &self.pool {
            pool.release(pages);
        }
    }

    /// Forgets all commands; their pages go back, but stay promised to the crowd.
    pub(crate) fn recycle(&mut self) {
        let pages = self
            .filled
            .drain(..)
            .map(|filled| filled.page)
            .chain(self.page.take());
        if let Some(pool) = &self.pool {
            pages.for_each(|page| pool.put(page));
        }
        (self.at, self.plain_end, self.critical_end) = (PAGE_BYTES, 0, 0);
        self.wrote = true;
        self.lanes = 0;
        self.lost_writes.clear();
        self.staged.clear();
        self.staged_fields.clear();
    }

    /// Pages that it holds.
    pub(crate) fn pages(&self) -> usize {
        self.filled.len() + usize::from(self.page.is_some())
    }

    /// The next agent begins.
    #[inline]
    pub(crate) fn begin(&mut self) {
        // Where the one before wrote nothing, all stands as it did for it.
        if self.wrote {
            self.begin_here();
        }
    }

    #[inline]
    fn begin_here(&mut self) {
        if self.forgets {
            self.forget();
        }
        self.wrote = false;
        self.begun = Begun {
            filled: self.filled.len(),
            at: self.at,
            lanes: self.lanes,
            staged: self.staged.len(),
            staged_fields: self.staged_fields.len(),
            lost: self.lost.len(),
        };
        self.set_ends(self.at, 0);
    }

    /// Forgets what was written so far, unless it is for the crowd itself.
    #[cold]
    #[inline(never)]
    fn forget(&mut self) {
        if self.lanes & OWN_LANES == 0 && self.page.is_some() {
            let pages = self.filled.drain(..).map(|filled| filled.page);
            if let Some(pool) = &self.pool {
                pages.for_each(|page| pool.put(page));
            }
            (self.at, self.lanes) = (0, 0);
        }
    }

    /// The agent's budget, of which something is spent, goes on here.
    #[inline]
    fn set_ends(&mut self, at: usize, spent: usize) {
        let plain = self.plain_budget();
        self.plain_end = (at + plain.saturating_sub(spent)).min(PAGE_BYTES);
        self.critical_end = (at + self.budget.saturating_sub(spent)).min(PAGE_BYTES);
    }

    #[inline]
    fn plain_budget(&self) -> usize {
        self.budget - self.budget / 4
    }

    /// Forgets what the agent wrote: a panic ended it (TICK-3).
    pub(crate) fn discard_agent(&mut self) {
        if self.filled.len() > self.begun.filled
            && let Some(before) = self.filled.pop()
            && let (Some(pool), Some(page)) = (&self.pool, self.page.replace(before.page))
        {
            pool.put(page);
        }
        (self.at, self.lanes) = (self.begun.at, self.begun.lanes);
        self.staged.truncate(self.begun.staged);
        self.staged_fields.truncate(self.begun.staged_fields);
        self.lost.truncate(self.begun.lost);
    }

    /// Puts off a write to a field that holds no key.
    pub(crate) fn stage_field(&mut self, index: u32, field: usize, words: [u32; 3]) {
        self.wrote = true;
        self.staged_fields.push((index, field, words));
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Writing.
impl Writer {
    /// Is a lane critical?
    #[inline]
    pub(crate) fn is_critical(&self, lane: u8) -> bool {
        self.critical_lanes >> lane & 1 != 0
    }

    /// Does a lane sum up?
    #[inline]
    pub(crate) fn accumulates(&self, lane: u8) -> bool {
        self.accumulate_lanes >> lane & 1 != 0
    }

    /// Does a lane sum up, or has it a cap?
    #[inline]
    pub(crate) fn is_special(&self, lane: u8) -> bool {
        self.special_lanes >> lane & 1 != 0
    }

    /// Has the agent written as many commands into a lane as it may (CMD-2)?
    #[inline]
    pub(crate) fn is_full(&self, lane: u8) -> bool {
        self.is_special(lane) && self.reached_cap(lane)
    }

    /// The agent's commands are few, so they are counted when somebody asks.
    #[cold]
    #[inline(never)]
    fn reached_cap(&self, lane: u8) -> bool {
        let cap = self.caps.get(usize::from(lane)).copied().unwrap_or(0);
        let begun = self.begun;
        let before = self.filled.get(begun.filled);
        // As in `merge`: in one page, or at the end of one and at the start of the next.
        let start = if before.is_some() { 0 } else { begun.at };
        let before = before.and_then(|filled| filled.page.get(begun.at..filled.used));
        let here = self.page.as_ref().and_then(|page| page.get(start..self.at));
        let parts = before.into_iter().chain(here);
        let written: usize = parts.map(|bytes| count_in(bytes, lane)).sum();
        cap > 0 && written >= usize::from(cap)
    }

    /// Writes a whole command, or nothing if the agent's budget does not allow it.
    #[inline]
    pub(crate) fn write(&mut self, head: &Head, payload: &[u8], critical: bool) -> bool {
        let Some(bytes) = self.room(head, payload.len(), critical) else {
            return false;
        };
        bytes.copy_from_slice(payload);
        true
    }

    /// The same, and what is not written is taken down. One that is not `capped` goes past the cap
    /// of its lane.
    pub(crate) fn write_or_lose(
        &mut self,
        head: &Head,
        payload: &[u8],
        critical: bool,
        capped: bool,
    ) -> bool {
        if capped && self.is_full(head.lane) {
            self.lose(head, "", WhyLost::Cap);
            return false;
        }
        let written = self.write(head, payload, critical);
        if !written {
            let why = self.why_lost(head, critical);
            self.lose(head, "", why);
        }
        written
    }

    /// Room for the payload of a command whose head is written; nothing if the agent's budget does
    /// not allow it.
    #[inline]
    pub(crate) fn room(&mut self, head: &Head, length: usize, critical: bool) -> Option<&mut [u8]> {
        let size = Head::BYTES + length.next_multiple_of(4);
        let end = if critical {
            self.critical_end
        } else {
            self.plain_end
        };
        if self.at + size > end && !self.turn_page(size, critical) {
            return None;
        }
        let record = self.page.as_mut()?.get_mut(self.at..self.at + size)?;
        self.at += size;
        self.wrote = true;
        // Nearly always set already, and a test is cheaper than a store.
        let lane = 1 << (head.lane & 31);
        if self.lanes & lane == 0 {
            self.lanes |= lane;
        }
        let (first, rest) = record.split_first_chunk_mut()?;
        head.put(first);
        let (bytes, padding) = rest.split_at_mut_checked(length)?;
        padding.fill(0);
        Some(bytes)
    }

    /// There is no room: because the budget is spent, then nothing happens, or because the page is
    /// full, then a new one begins.
    #[cold]
    #[inline(never)]
    fn turn_page(&mut self, size: usize, critical: bool) -> bool {
        let spent = self.spent();
        let budget = if critical {
            self.budget
        } else {
            self.plain_budget()
        };
        let Some(pool) = self.pool.as_ref().filter(|_| spent + size <= budget) else {
            return false;
        };
        match self.page.replace(pool.take()) {
            Some(page) => self.filled.push(Filled {
                page,
                used: self.at,
            }),
            None => self.begun.at = 0,
        }
        self.at = 0;
        self.set_ends(0, spent);
        true
    }

    /// Takes down that a command found no room. `typed` is the name of a type of the user's own.
    #[cold]
    #[inline(never)]
    pub(crate) fn lose(&mut self, head: &Head, typed: &'static str, why: WhyLost) {
        // The agent's part of the list begins here, so the next one begins anew.
        self.wrote = true;
        if self.lost.len() < MAX_LOST {
            self.lost.push(LostCommand::new(head, typed, why));
        }
    }

    /// Why there is no room for a command.
    #[cold]
    pub(crate) fn why_lost(&self, head: &Head, critical: bool) -> WhyLost {
        if !critical && self.spent() + head.size() <= self.budget {
            WhyLost::Reserved
        } else {
            WhyLost::Budget
        }
    }

    /// Bytes that the agent wrote.
    pub(crate) fn spent(&self) -> usize {
        match self.filled.get(self.begun.filled) {
            Some(before) => before.used - self.begun.at + self.at,
            None => self.at - self.begun.at,
        }
    }

    /// Offers the agent's commands that are like this one to `merge`, in order, until one takes it.
    /// Such a command needs no room.
    pub(crate) fn merge(&mut self, head: &Head, mut merge: impl FnMut(&mut [u8]) -> bool) -> bool {
        let (at, begun) = (self.at, self.begun);
        let before = self.filled.get_mut(begun.filled);
        // What the agent wrote lies in one page, or at the end of one and at the start of the next.
        let start = if before.is_some() { 0 } else { begun.at };
        let before = before.and_then(|filled| filled.page.get_mut(begun.at..filled.used));
        let here = self.page.as_mut().and_then(|page| page.get_mut(start..at));
        before
            .into_iter()
            .chain(here)
            .any(|bytes| merge_in(bytes, head, &mut merge))
    }
}

impl Writer {
    /// Gives a command of the user's own to an earlier one of its type, if one takes it.
    pub(crate) fn merge_typed<T: Command>(&mut self, later: &T) -> bool {
        self.merge(&Head::like::<T>(), |earlier| {
            let Some(mut command) = T::read(earlier) else {
                return false;
            };
            let taken = command.merge(later);
            if taken {
                command.write(earlier);
            }
            taken
        })
    }
}

/// How many commands in some bytes count for the cap of a lane: all but releases.
fn count_in(mut rest: &[u8], lane: u8) -> usize {
    let mut count = 0;
    while let Some((head, behind)) = rest.split_first_chunk() {
        let head = Head::get(head);
        let Some(next) = behind.get(usize::from(head.length).next_multiple_of(4)..) else {
            break;
        };
        count += usize::from(head.lane == lane && head.what != what::RELEASE);
        rest = next;
    }
    count
}

/// Offers the records in some bytes that are like this one.
fn merge_in(mut rest: &mut [u8], head: &Head, merge: &mut impl FnMut(&mut [u8]) -> bool) -> bool {
    while let Some((earlier, behind)) = rest.split_first_chunk_mut() {
        let earlier = Head::get(earlier);
        let length = usize::from(earlier.length);
        let Some((record, next)) = behind.split_at_mut_checked(length.next_multiple_of(4)) else {
            return false;
        };
        if earlier.is_like(head)
            && earlier.ty == head.ty
            && record.get_mut(..length).is_some_and(&mut *merge)
        {
            return true;
        }
        rest = next;
    }
    false
}

/// Reading.
impl Writer {
    /// Lanes with commands, one bit each.
    pub(crate) fn lanes(&self) -> u32 {
        self.lanes
    }

    /// Was something written to a lane?
    pub(crate) fn has(&self, lane: Lane) -> bool {
        self.lanes.checked_shr(lane.number().into()).unwrap_or(0) & 1 != 0
    }

    /// All commands, in order.
    pub(crate) fn iter(&self) -> Walk<'_> {
        let last = self
            .page
            .as_ref()
            .and_then(|page| page.get(..self.at))
            .unwrap_or(&[]);
        Walk::new(&self.filled, last, self.tick)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent_id::AgentId;

    /// Lane 7 is critical, lane 8 takes two commands of an agent.
    const RULES: LaneRules = LaneRules {
        critical: 1 << 7,
        capped: 1 << 8,
        caps: {
            let mut caps = [0; 32];
            caps[8] = 2;
            caps
        },
        ..LaneRules::NONE
    };

    fn writer(pool: &Arc<Pool>, budget: usize) -> Writer {
        let mut writer = Writer::default();
        writer.restart(&CommandLimits {
            pool,
            rules: &RULES,
            budget,
            tick: 5,
            forgets: false,
        });
        writer
    }

    fn head(agent: u32, lane: u8, payload: &[u8]) -> Head {
        let key = statewright_rom::ids::KeyId::from_index(3).unwrap();
        Head {
            lane,
            length: payload.len() as u16,
            ..Head::write(AgentId::new(agent, 1), key)
        }
    }

    /// Small and good enough.
    fn random(state: &mut u64) -> usize {
        *state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) as usize
    }

    #[test]
    fn cmd_2_what_is_written_is_read_and_pages_stay_below_the_bound() {
        let mut state = 1;
        for round in 0..400 {
            let budget = [64, 100, 1000, 1024, 1366, 2048, 3000, 4096][round % 8];
            let agents = 1 + random(&mut state) % 60;
            let pool = Arc::new(Pool::new(Pool::pages_for(agents, budget)));
            pool.promise(pool.limit(), 0).unwrap();
            let mut writer = writer(&pool, budget);
            let mut model = Vec::new();
            for agent in 0..agents as u32 {
                writer.begin();
                let (mut spent, before) = (0, model.len());
                for _ in 0..random(&mut state) % 40 {
                    let length = random(&mut state) % [8, 64, 4200][random(&mut state) % 3];
                    let payload = vec![agent as u8; length];
                    let lane = [2, 7][random(&mut state) % 2];
                    let size = 24 + length.next_multiple_of(4);
                    let fits = spent + size
                        <= if lane == 7 {
                            budget
                        } else {
                            budget - budget / 4
                        };
                    assert_eq!(
                        writer.write(&head(agent, lane, &payload), &payload, lane == 7),
                        fits
                    );
                    if fits {
                        spent += size;
                        model.push((agent, lane, payload));
                    }
                }
                if random(&mut state).is_multiple_of(8) {
                    writer.discard_agent();
                    model.truncate(before);
                }
            }
            assert!(
                writer.pages() <= pool.limit(),
                "{} pages, {} expected",
                writer.pages(),
                pool.limit()
            );
            assert!(pool.made() <= pool.limit());
            let read = writer.iter().map(|command| {
                (
                    command.agent().index(),
                    command.head().lane,
                    command.payload.to_vec(),
                )
            });
            assert_eq!(read.collect::<Vec<_>>(), model);
            assert!(writer.iter().all(|command| command.tick() == 5));
        }
    }

    #[test]
    fn cmd_2_the_worst_agents_fill_all_pages_that_the_bound_allows() {
        for budget in [28, 1000, 1024, 1366, 2048, 2052, 4096] {
            let pool = Arc::new(Pool::new(1_000));
            pool.promise(1_000, 0).unwrap();
            let mut writer = writer(&pool, budget);
            for agent in 0..101 {
                writer.begin();
                let payload = vec![1; (budget - 24) / 4 * 4];
                assert!(writer.write(&head(agent, 7, &payload), &payload, true));
                assert!(!writer.write(&head(agent, 7, &[]), &[], true));
            }
            assert_eq!(writer.pages(), Pool::pages_for(101, budget), "{budget}");
        }
    }

    #[test]
    fn cmd_2_pages_go_back_with_their_writer() {
        let pool = Arc::new(Pool::new(2));
        pool.promise(1, 0).unwrap();
        let mut writer = writer(&pool, 1024);
        writer.begin();
        assert!(writer.write(&head(0, 2, &[1]), &[1], false));
        assert_eq!((writer.pages(), pool.in_use()), (1, 1));
        drop(writer);
        assert_eq!((pool.in_use(), pool.made()), (0, 1));
    }

    #[test]
    fn cmd_2_a_writer_that_forgets_needs_one_page_and_keeps_what_is_for_the_crowd() {
        let pool = Arc::new(Pool::new(200));
        pool.promise(200, 0).unwrap();
        let mut writer = Writer::default();
        writer.restart(&CommandLimits {
            pool: &pool,
            rules: &RULES,
            budget: 1024,
            tick: 5,
            forgets: true,
        });
        let payload = [0; 700];
        for agent in 0..100 {
            writer.begin();
            assert!(writer.write(&head(agent, 2, &payload), &payload, false));
            assert!(
                !writer.write(&head(agent, 2, &payload), &payload, false),
                "its budget is what it was"
            );
            assert!(writer.pages() == 1 && writer.iter().count() == 1);
        }
        let message = head(100, Lane::MESSAGE.number(), &[7]);
        writer.begin();
        assert!(writer.write(&message, &[7], false));
        for agent in 101..111 {
            writer.begin();
            assert!(writer.write(&head(agent, 2, &payload), &payload, false));
        }
        assert_eq!(
            writer
                .iter()
                .filter(|command| command.payload == [7])
                .count(),
            1
        );
        assert!(writer.has(Lane::MESSAGE) && pool.made() == writer.pages());
    }

    #[test]
    fn cmd_2_a_cap_counts_the_commands_of_one_agent_across_pages() {
        let pool = Arc::new(Pool::new(9));
        pool.promise(9, 0).unwrap();
        let mut writer = writer(&pool, 3000);
        for agent in 0..7 {
            writer.begin();
            for number in 0..2 {
                assert!(!writer.is_full(8), "agent {agent}, command {number}");
                assert!(writer.write(&head(agent, 8, &[0; 900]), &[0; 900], false));
                assert!(!writer.is_full(7), "no lane but the one with the cap");
            }
            assert!(writer.is_full(8));
        }
        assert!(writer.pages() > 2);
    }

    #[test]
    fn cmd_1_an_agent_finds_its_earlier_commands_across_pages_and_nobody_elses() {
        let pool = Arc::new(Pool::new(9));
        pool.promise(9, 0).unwrap();
        let mut writer = writer(&pool, 2048);
        let seen = |writer: &mut Writer, agent| {
            let mut seen: Vec<u8> = Vec::new();
            writer.merge(&head(agent, 7, &[0; 500]), |bytes| {
                (seen.push(bytes[0]), false).1
            });
            seen
        };
        for agent in 0..5 {
            writer.begin();
            assert!(seen(&mut writer, agent).is_empty());
            for number in 0..3 {
                assert!(writer.write(&head(agent, 7, &[0; 500]), &[number; 500], true));
            }
            assert_eq!(seen(&mut writer, agent), [0, 1, 2]);
        }
        assert_eq!(writer.pages(), 3);
    }
}
