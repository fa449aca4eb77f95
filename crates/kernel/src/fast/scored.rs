//! Jumps that compete by their scores: the best of those side by side in a ladder (SEL-3).
//!
//! As the slow path does it: all guards, then all scores, then the best that reaches its threshold.

use statewright_rom::ids::*;
use statewright_rom::layout::*;

use crate::code::eval::evaluate;
use crate::code::straight::straight_word;
use crate::context::{Context, Planned, Site};
use crate::fast::jumps::guard_holds;
use crate::host::cx::GuardCx;
use crate::host::{AnyHost, Host};
use crate::instance::event::Event;
use crate::tick::Tick;

/// One that is enabled, with its score. They lie on the stack while user code runs.
#[derive(Clone, Copy)]
struct Rival<'a> {
    /// `None` if it is out of the question.
    jump: Option<&'a Jump>,
    score: f32,
}

/// The best of a group, or else the jump behind it.
pub(super) enum Best<'a> {
    Found(&'a Jump),
    Next(Option<&'a Jump>),
}

/// Judges the group that begins with a jump. Bound: each names one behind itself.
#[inline(never)]
pub(super) fn best<'a, H: AnyHost + ?Sized>(
    cx: &mut Context<'a>,
    host: &mut H,
    first: &'a Jump,
    event: Option<&'a Event>,
) -> Best<'a> {
    let nobody = Rival {
        jump: None,
        score: f32::NAN,
    };
    let mut rivals = [nobody; MAX_JUMP_SCORES];
    let mut next = Some(first);
    for rival in &mut rivals {
        let Some(jump) = next.filter(|jump| jump.flags.get() & jump_flag::SCORED != 0) else {
            break;
        };
        cx.jump = Some((jump, event));
        if jump.guard.get() == NONE || guard_holds(cx, host, jump) {
            rival.jump = Some(jump);
        }
        next = cx.rom.jumps().get(jump.otherwise.get() as usize);
    }
    for rival in &mut rivals {
        if let Some(jump) = rival.jump {
            cx.jump = Some((jump, event));
            rival.score = score(cx, host, jump);
        }
    }
    match best_of(cx, host, &mut rivals, event) {
        Some(jump) => Best::Found(jump),
        None => Best::Next(next),
    }
}

/// Bound: each round takes one out.
fn best_of<'a, H: AnyHost + ?Sized>(
    cx: &mut Context<'a>,
    host: &mut H,
    rivals: &mut [Rival<'a>],
    event: Option<&'a Event>,
) -> Option<&'a Jump> {
    for _ in 0..rivals.len() {
        let best = rivals
            .iter_mut()
            .filter(|rival| rival.jump.is_some())
            .reduce(|best, other| {
                if number(other) > number(best) {
                    other
                } else {
                    best
                }
            })?;
        let (score, jump) = (best.score, best.jump.take()?);
        cx.jump = Some((jump, event));
        let threshold = threshold(cx, host, jump);
        // NaN is below any threshold, and any score is below a threshold of NaN.
        if score >= threshold {
            return Some(jump);
        }
    }
    None
}

/// A score as it is compared.
fn number(rival: &Rival<'_>) -> f32 {
    match rival.score.is_nan() {
        true => f32::NEG_INFINITY,
        false => rival.score,
    }
}

fn extra_of<'a>(cx: &Context<'a>, jump: &Jump) -> Option<&'a TransitionExtra> {
    let transition = cx
        .rom
        .transitions()
        .get(usize::from(jump.transition.get()))?;
    cx.rom
        .transition_extras()
        .get(usize::from(transition.extra.get()))
}

/// The score of a jump.
#[inline(always)]
fn score<'a, H: AnyHost + ?Sized>(cx: &mut Context<'a>, host: &mut H, jump: &'a Jump) -> f32 {
    let op = extra_of(cx, jump).and_then(|extra| cx.rom.ops().get(usize::from(extra.score.get())));
    let Some(op) = cx.proved(op) else {
        return f32::NAN;
    };
    if op.kind == ActionOp::Call {
        let call = Planned::by_jump(op, jump);
        return cx.call_planned(call, |function, cx| host.score(function, GuardCx::new(cx)));
    }
    let site = cx.jump_site(jump.asker, jump);
    if op.kind == ActionOp::Evaluate {
        return value(cx, host, ExpressionId::read(op.a), &site);
    }
    if op.kind == ActionOp::CallWith {
        compute_apart(cx, host.any_mut(), op, &site);
    }
    let function = cx.prepare_call(op, &site);
    function.map_or(f32::NAN, |function| host.score(function, GuardCx::new(cx)))
}

#[inline(never)]
fn compute_apart(cx: &mut Context<'_>, host: &mut dyn Host, op: &OpRecord, site: &Site) {
    Tick::new(cx, host, None).compute_arguments(op, site);
}

/// The least score that counts (LANG-12).
#[inline(always)]
fn threshold<H: AnyHost + ?Sized>(cx: &mut Context<'_>, host: &mut H, jump: &Jump) -> f32 {
    let Some(extra) = cx.proved(extra_of(cx, jump)) else {
        return f32::NAN;
    };
    if extra.threshold_code.get() == NONE {
        return extra.threshold.get();
    }
    let site = cx.jump_site(jump.asker, jump);
    value(cx, host, ExpressionId::read(extra.threshold_code), &site)
}

/// What an expression comes to.
#[inline(always)]
fn value<H: AnyHost + ?Sized>(
    cx: &mut Context<'_>,
    host: &mut H,
    expression: Option<ExpressionId>,
    site: &Site,
) -> f32 {
    let record = expression.and_then(|id| cx.rom.expression(id));
    let word = record.and_then(|record| straight_word(cx, host, record, site));
    let bits = match (word, expression) {
        (Some(word), _) => word,
        (None, Some(expression)) => evaluate(cx, host.any(), expression, site, None)[0],
        (None, None) => return f32::NAN,
    };
    f32::from_bits(bits)
}
