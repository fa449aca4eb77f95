//! Jumps that begin otherwise than with the only event of an agent at rest: jumps of several leaves
//! at once, of a timer that is due, and of agents that have polled.
//!
//! What has polled and found nothing eventless takes one event or one timer by a jump, and the slow
//! path does the rest of its tick. Tracers are told of these by the slow path.

use statewright_rom::Rom;
use statewright_rom::ids::*;
use statewright_rom::layout::*;

use crate::batch::inbox::Inbox;
use crate::context::Context;
use crate::events::timers::Due;
use crate::fast::jumps::{Jumped, Left, finish_jump, put_leaf, run_steps, take_steps};
use crate::fast::route::FastPath;
use crate::host::{AnyHost, Host};
use crate::instance::event::Event;
use crate::tick::{Tick, Used};

/// Takes an event by jumps of several leaves, in the order of the tree: the exits of all, then the
/// effects of all, then the entries of all (EXEC-1).
#[inline(never)]
pub(crate) fn take_together<'a, H: AnyHost + ?Sized>(
    cx: &mut Context<'a>,
    host: &mut H,
    event: &Event,
) -> Jumped {
    cx.running = true;
    cx.queued = *event;
    let mut jumps: [Option<Together<'a>>; MAX_LEAVES] = [None; MAX_LEAVES];
    let count = cx.expected(gather(cx, event, &mut jumps)).unwrap_or(0);
    let jumps = jumps.get(..count).unwrap_or(&[]);
    cx.jumped = cx.jumped.wrapping_add(1);
    let more = count.saturating_sub(1);
    cx.counters.transitions = cx.counters.transitions.wrapping_add(more as u64);
    for part in [Part::Exits, Part::Effects, Part::Entries] {
        for one in jumps.iter().flatten() {
            run_part(cx, host, one, part);
        }
    }
    let jumps = jumps.iter().flatten().map(|one| one.jump);
    if cx.ram.header().event_count != 0 && jumps.clone().any(|jump| moves(cx.rom, jump)) {
        cx.clear_marks();
    }
    let polls = |jump: &Jump| jump.flags.get() & jump_flag::POLLS != 0;
    if !jumps.into_iter().any(polls) {
        return finish_jump(cx);
    }
    Jumped {
        microsteps: 1,
        left: Left::Something,
    }
}

/// One of the jumps that are taken together, and the leaf number of its way.
#[derive(Clone, Copy)]
struct Together<'a> {
    jump: &'a Jump,
    line: LeafId,
}

/// The jumps of all active leaves for an event, in the order of the tree, and how many they are; `None` if the
/// leaves are no configuration of the machine.
#[inline(always)]
fn gather<'a>(
    cx: &Context<'a>,
    event: &Event,
    jumps: &mut [Option<Together<'a>>; MAX_LEAVES],
) -> Option<usize> {
    let mut links = cx.links();
    let mut count = 0_usize;
    while let Some((place, leaf)) = links.next(cx)? {
        let FastPath::Jump(jump) = FastPath::of(cx.rom, Some(leaf), event) else {
            continue;
        };
        // What several leaves have in common is carried out once.
        let mut others = jumps.iter().map_while(|jump| *jump);
        if !others.any(|other| other.jump.transition == jump.transition) {
            let line = LeafId::new(place)?;
            *jumps.get_mut(count)? = Some(Together { jump, line });
            count = count.saturating_add(1);
        }
    }
    Some(count)
}

/// A part of the steps of a jump.
#[derive(Clone, Copy)]
enum Part {
    Exits,
    Effects,
    Entries,
}

/// Carries out a part of a jump that is taken beside others, which see what it has left and entered.
#[inline(always)]
fn run_part<'a, H: AnyHost + ?Sized>(
    cx: &mut Context<'a>,
    host: &mut H,
    one: &Together<'a>,
    part: Part,
) {
    let jump = one.jump;
    let (exits, effects) = (jump.exits.get(), jump.effects.get());
    let (from, to) = match part {
        Part::Exits => (0, exits),
        Part::Effects => (exits, effects),
        Part::Entries => (effects, jump.count.get()),
    };
    if from != to {
        let steps = cx.rom.jump_steps_of(jump);
        let steps = steps.and_then(|steps| steps.get(usize::from(from)..usize::from(to)));
        if let Some(steps) = cx.proved(steps) {
            cx.jump = Some((jump, None));
            run_steps(cx, host, jump, steps);
        }
    }
    let leaf = match part {
        Part::Exits => jump.between,
        Part::Effects => return,
        Part::Entries => jump.leaf,
    };
    put_leaf(cx, Some(one.line), leaf);
}

/// Does a jump leave and enter states, so that what was deferred may be taken again (EVT-5)?
fn moves(rom: &Rom<'_>, jump: &Jump) -> bool {
    let transition = rom.transitions().get(usize::from(jump.transition.get()));
    transition.is_some_and(|record| record.flags.get() & transition_flag::INTERNAL == 0)
}

/// Takes a timer that alone is due, if it leads to a jump. The instance is attached and may jump.
/// What was used, and whether nothing is left to do.
#[inline(never)]
pub(crate) fn take_due<H: AnyHost + ?Sized>(cx: &mut Context<'_>, host: &mut H) -> (Used, bool) {
    // Tracers are told of timers by the slow path.
    if host.is_tracing() {
        return (Used::default(), false);
    }
    let due = only_due(cx, cx.due_mask());
    let jumped = due.and_then(|due| jump_by_timer(cx, host, due));
    jumped.map_or_else(Default::default, |jumped| {
        (
            Used::queued(jumped.microsteps),
            jumped.left != Left::Something,
        )
    })
}

/// What an agent that has polled has taken.
pub(crate) enum Settled {
    /// Nothing: the slow path has to look.
    Nothing,
    /// Nothing yet: this timer is next.
    Due(Due),
    /// One event or timer.
    Taken(Used),
}

/// Takes what has come for an agent that has polled and found nothing eventless: one event of the
/// inbox or one due timer, by a jump, or nobody handles it. The instance is attached.
#[inline(never)]
pub(crate) fn take_settled(cx: &mut Context<'_>, host: &mut dyn Host, inbox: Inbox<'_>) -> Settled {
    // Whatever is queued waits for another configuration: polling has looked.
    let has_frames = cx.ram.header().last_word() != 0;
    if has_frames || !cx.idle.get().has_jumps() || host.is_tracing() {
        return Settled::Nothing;
    }
    let due = cx.due_mask();
    match inbox.only() {
        Some(event) if due == 0 => {
            let jumped = match FastPath::of_all(cx.rom, cx.ram.leaves(), event) {
                FastPath::Ignore => cx.count_unhandled(),
                FastPath::Jump(jump) => {
                    cx.queued = *event;
                    take_and_recall(cx, host, jump)
                }
                FastPath::Together => take_together::<dyn Host>(cx, host, event),
                FastPath::Slow => return Settled::Nothing,
            };
            Settled::Taken(Used::one(jumped.microsteps))
        }
        None if inbox.is_empty() => match only_due(cx, due) {
            Some(due) => match jump_by_timer(cx, host, due) {
                Some(jumped) => Settled::Taken(Used::queued(jumped.microsteps)),
                None => Settled::Due(due),
            },
            None => Settled::Nothing,
        },
        Some(_) | None => Settled::Nothing,
    }
}

/// Takes a jump beside deferred events, which may be taken again if it moves.
fn take_and_recall<'a, H: AnyHost + ?Sized>(
    cx: &mut Context<'a>,
    host: &mut H,
    jump: &'a Jump,
) -> Jumped {
    let jumped = take_steps::<false, H>(cx, host, jump, None);
    if cx.ram.header().event_count != 0
        && jumped.microsteps != 0
        && cx.jump.is_some_and(|(taken, _)| moves(cx.rom, taken))
    {
        cx.clear_marks();
    }
    jumped
}

/// The timer of a mask that names one.
fn only_due(cx: &Context<'_>, due: u8) -> Option<Due> {
    if due.is_power_of_two() {
        cx.due_timer(due)
    } else {
        None
    }
}

/// Takes a due timer, if it leads to a jump (EVT-7).
#[inline(always)]
fn jump_by_timer<H: AnyHost + ?Sized>(
    cx: &mut Context<'_>,
    host: &mut H,
    due: Due,
) -> Option<Jumped> {
    let Due { timer, slot, .. } = due;
    let record = cx.proved(cx.rom.timer(timer))?;
    let column = Column::read(record.column)?;
    let FastPath::Jump(jump) = FastPath::of_timer(cx.rom, cx.ram.leaves(), column) else {
        return None;
    };
    cx.running = true;
    if record.kind == TimerKind::Every {
        Tick::new(cx, host.any_mut(), None).move_on(timer, record, slot);
    } else {
        cx.take_timer(timer, slot);
    }
    cx.fired = Some(timer);
    let jumped = take_and_recall(cx, host, jump);
    cx.fired = None;
    Some(jumped)
}
