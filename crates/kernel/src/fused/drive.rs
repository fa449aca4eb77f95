//! A tick by fused code, from part to part (TICK-1): as the slow path does it, and with it whenever
//! the code does not know how to go on.

use super::{Fuse, Phase, Step, Taking};
use crate::context::{Context, TakenFor};
use crate::counters::count;
use crate::host::Host;
use crate::instance::{Instance, flag};
use crate::poll::{Polled, poll};
use crate::tick::{Begun, Input, Report, Tick, Used, run, run_polled};

/// A tick of an agent that is at rest but for polling, timers and events; `None` if its leaves are no
/// configuration, or if the tables have to look closer. The agent is attached.
#[inline]
pub(crate) fn drive<'a, I: Instance, H: Host>(
    cx: &mut Context<'a>,
    host: &mut H,
    input: &Input<'a>,
) -> Option<Report> {
    let polled = if cx.ram.has(flag::POLLS) {
        match poll::<I, H>(cx, host, true) {
            Polled::Slow => return None,
            polled => polled,
        }
    } else {
        match host.fused(Fuse::new(cx), Phase::Check).is_done() {
            true => Polled::Settled,
            false => return None,
        }
    };
    Some(go_on::<H>(cx, host, input, polled))
}

/// What is left to do of a tick that began with polling.
pub(crate) fn go_on<'a, H: Host>(
    cx: &mut Context<'a>,
    host: &mut H,
    input: &Input<'a>,
    polled: Polled,
) -> Report {
    go_on_from::<H>(cx, host, input, Used::default(), Some(polled))
}

/// The same where something was used already; an eventless round comes first if nothing is known of
/// it.
pub(crate) fn go_on_from<'a, H: Host>(
    cx: &mut Context<'a>,
    host: &mut H,
    input: &Input<'a>,
    mut used: Used,
    polled: Option<Polled>,
) -> Report {
    let header = cx.rom.header();
    let near = header.microsteps_per_tick.get().saturating_sub(1);
    let near_events = header.events_per_tick.get();
    if let Some(polled) = polled
        && cx.ram.header().stack_depth != 0
    {
        // Frames go with what is left: the tables know how.
        return run_polled(cx, host, input, polled);
    }
    cx.running = true;
    let mut known = polled;
    // Bound: each round carries out a transition or takes an event, and there are caps for both.
    loop {
        let polled = match known.take() {
            Some(polled) => polled,
            // A fault ends the agent, and it may have ended by itself.
            None if cx.check_fault().is_err() || cx.has_ended() => {
                return run(cx, host, input, used, Begun::Settled);
            }
            // Frames go with what is left: the tables know how.
            None if cx.ram.header().stack_depth != 0 => {
                return run(cx, host, input, used, Begun::Moved);
            }
            None => match host.fused(Fuse::new(cx), Phase::Ask).polled() {
                Some(polled) => polled,
                None => return run(cx, host, input, used, Begun::Moved),
            },
        };
        match polled {
            Polled::Halted(halt) => {
                let step = match halt.enabled && used.microsteps < near {
                    true => host.fused(Fuse::new(cx), Phase::Take(halt)),
                    false => Step::Tables,
                };
                let taking = step.taking();
                if !taking.is_taken() {
                    // Another leaf may have found one, too.
                    let halt = match step.polled() {
                        Some(Polled::Halted(other)) => other,
                        Some(_) | None => halt,
                    };
                    return run(cx, host, input, used, Begun::Halted(halt));
                }
                if taking != Taking::Carried {
                    count(&mut cx.counters.microsteps);
                    count(&mut cx.counters.transitions);
                }
                used.microsteps = used.microsteps.saturating_add(1);
            }
            Polled::Settled => {
                if used.microsteps >= near || used.events >= near_events {
                    return run(cx, host, input, used, Begun::Settled);
                }
                match take_next::<H>(cx, host, input, &mut used) {
                    Next::Nothing => break,
                    Next::Tables => return run(cx, host, input, used, Begun::Settled),
                    Next::Taken => used.microsteps = used.microsteps.saturating_add(1),
                    Next::Seen => {}
                }
            }
            Polled::Failed(_) => return run(cx, host, input, used, Begun::Settled),
            Polled::Done | Polled::Slow => return run_polled(cx, host, input, polled),
        }
    }
    finish(cx, host, input, used)
}

/// What came of looking for an event.
enum Next {
    Nothing,
    Tables,
    /// A transition was carried out.
    Taken,
    /// An event was taken and nothing carried out.
    Seen,
}

/// Takes the next event or timer, if there is one.
#[inline]
fn take_next<'a, H: Host>(
    cx: &mut Context<'a>,
    host: &mut H,
    input: &Input<'a>,
    used: &mut Used,
) -> Next {
    if cx.ram.header().event_count != 0 && cx.has_visible_event() {
        return Next::Tables;
    }
    let due = cx.due_mask();
    let event = input.inbox.get(used.inbox);
    let step = match event {
        None if due == 0 => return Next::Nothing,
        None => host.fused(Fuse::new(cx), Phase::Timer(due)),
        Some(_) if due != 0 => return Next::Tables,
        Some(event) => {
            cx.fixed_cause = TakenFor::Event(event);
            host.fused(Fuse::new(cx), Phase::Event(event))
        }
    };
    cx.fixed_cause = TakenFor::Nothing;
    let taking = step.taking();
    match taking {
        Taking::Done => return Next::Nothing,
        Taking::Tables => return Next::Tables,
        Taking::Ignored
        | Taking::Nobody
        | Taking::Taken
        | Taking::Rests
        | Taking::Both
        | Taking::Carried
        | Taking::Handled => count_taken(cx, taking),
    }
    used.events = used.events.saturating_add(1);
    used.inbox = used.inbox.saturating_add(usize::from(event.is_some()));
    match taking.is_taken() {
        true => Next::Taken,
        false => Next::Seen,
    }
}

/// Counts an event or a timer, and what was carried out for it.
#[inline]
pub(crate) fn count_taken(cx: &mut Context<'_>, taking: Taking) {
    match taking {
        Taking::Taken | Taking::Rests => cx.jumped = cx.jumped.wrapping_add(1),
        Taking::Both => {
            cx.jumped = cx.jumped.wrapping_add(1);
            count(&mut cx.counters.transitions);
        }
        Taking::Ignored | Taking::Nobody => cx.unhandled = cx.unhandled.wrapping_add(1),
        Taking::Handled | Taking::Carried => count(&mut cx.counters.events),
        Taking::Tables | Taking::Done => {}
    }
}

/// Phase (3) and the end of the tick.
#[inline]
fn finish<'a, H: Host>(
    cx: &mut Context<'a>,
    host: &mut H,
    input: &Input<'a>,
    used: Used,
) -> Report {
    cx.ram.header_mut().clamped = 0;
    let chain = cx.expected(cx.chain());
    if let Some(chain) = chain
        && !host.fused(Fuse::new(cx), Phase::Run).is_done()
    {
        Tick::new(cx, host, None).run_activities(&chain);
    }
    if cx.check_fault().is_err() {
        return run(cx, host, input, used, Begun::Settled);
    }
    cx.show_posted();
    cx.update_polls(chain.as_ref());
    cx.finish();
    Report {
        inbox_taken: used.inbox,
        overflowed: cx.has_overflowed(),
        rests: cx.idle.get().is_idle(cx.ram.header()),
        ..Report::default()
    }
}
