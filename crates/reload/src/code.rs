//! Whether an expression is the same in both machines: what it refers to has other numbers there.

use statewright_rom::Rom;
use statewright_rom::code::op;
use statewright_rom::ids::*;
use statewright_rom::layout::*;

/// Does an expression of each machine mean the same?
pub(crate) fn are_alike(old: (&Rom<'_>, ExpressionId), new: (&Rom<'_>, ExpressionId)) -> bool {
    let (before, after) = (old.0.code_of(old.1), new.0.code_of(new.1));
    let mut pairs = before.iter().zip(after);
    before.len() == after.len()
        && pairs.all(|(one, other)| {
            (one.op, one.a, one.c) == (other.op, other.a, other.c)
                && is_same(old.0, one, new.0, other)
        })
}

/// Do two instructions refer to the same? A state or scratch that is gone and one that is new may be the
/// same under another id: only names could tell, and ROMs have none.
fn is_same(
    old: &Rom<'_>,
    one: &InstructionRecord,
    new: &Rom<'_>,
    other: &InstructionRecord,
) -> bool {
    let group = match one.op {
        op::TICKS_IN_STATE | op::IN_STATE => StableGroup::States,
        op::SCRATCH => StableGroup::Scratch,
        _ => return named(old, one) == named(new, other),
    };
    let [before, after] = [old, new].map(|rom| rom.stable_ids_of(group));
    let own = before.get(usize::from(one.b.get()));
    let Some((own, its)) = own.zip(after.get(usize::from(other.b.get()))) else {
        return false;
    };
    let is_in =
        |list: &[StableIdRecord], id: &StableIdRecord| list.iter().any(|one| one.id == id.id);
    own.id == its.id || !is_in(after, own) && !is_in(before, its)
}

/// What an instruction refers to, by a number that is the same in every version; `None` if it is not
/// there.
fn named(rom: &Rom<'_>, instruction: &InstructionRecord) -> Option<u64> {
    let number = instruction.b.get();
    match instruction.op {
        op::KEY | op::KEY_FIELD => Some(rom.key(KeyId::new(number)?)?.name_hash.get()),
        op::PARAMETER | op::PARAMETER_FIELD => {
            Some(rom.parameter(ParameterId::new(number)?)?.name_hash.get())
        }
        op::CALL_GUARD | op::CALL_VALUE => {
            let call = rom.op(OpId::new(number)?)?;
            let function = rom.function(FunctionId::read(call.a)?)?;
            Some(function.hash.get().into())
        }
        _ => Some(number.into()),
    }
}
