//! The legend as bytes: numbers little-endian, lists and texts with their length before them.

use std::sync::Arc;

use statewright_bytes::{ReadError, ReadProblem, Reader, Writer};

use super::Refused;
use crate::legend::{Guard, Legend, State, Transition, Trigger};
use statewright_rom::ids::FunctionId;
use statewright_symbols::{GuardCode, Symbol, SymbolTable};

const NONE: u16 = 0xFFFF;
/// In a guard: an expression.
const EXPRESSION: u16 = 0xFFFE;
const INTERNAL: u8 = 1;
const POP: u8 = 2;
const LISTED: u8 = 4;
/// Later than the others: files of this version may lack it where it would be true.
const STAY: u8 = 8;

impl Legend {
    /// As it stands in a file.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let symbols = &self.symbols;
        out.put_text(&symbols.machine);
        out.put_u16(self.tick_rate);
        let mut paths = symbols.states.iter();
        out.put_list(&self.states, |out, state| {
            out.put_text(paths.next().map_or("", |symbol| &symbol.name));
            out.put_u16(state.parent.unwrap_or(NONE));
            out.put_u16(state.region.unwrap_or(NONE));
            out.put_u8(u8::from(state.is_leaf));
        });
        out.put_list(&self.regions, |out, owner| out.put_u16(*owner));
        let lists = [
            &symbols.events,
            &symbols.timers,
            &symbols.functions,
            &symbols.keys,
        ];
        for names in lists {
            out.put_list(names, |out, symbol| out.put_text(&symbol.name));
        }
        out.put_list(&self.texts, |out, text| out.put_text(text));
        out.put_list(&self.transitions, |out, transition| {
            out.put_u16(transition.source);
            let (kind, number) = match transition.trigger {
                Trigger::Event(event) => (0, event),
                Trigger::Timer(timer) => (1, timer),
                Trigger::Any => (2, 0),
                Trigger::Always => (3, 0),
                Trigger::Done => (4, 0),
                Trigger::Failed => (5, 0),
            };
            out.put_u8(kind);
            out.put_u16(number);
            out.put_u16(match transition.guard {
                Guard::None => NONE,
                Guard::Expression => EXPRESSION,
                Guard::Function(function) => function,
            });
            out.put_u8(
                if transition.is_internal { INTERNAL } else { 0 }
                    | if transition.is_pop { POP } else { 0 }
                    | if transition.is_listed { LISTED } else { 0 }
                    | if transition.is_stay { STAY } else { 0 },
            );
            out.put_list(&transition.targets, |out, target| out.put_u16(*target));
        });
        out.put_list(&symbols.guard_codes, |out, code| {
            out.put_u16(code.function.raw());
            out.put_u16(code.code);
            out.put_text(&code.text);
        });
        out
    }

    /// Reads what stands in a file about the machine of these hashes. Every number in it leads to
    /// something.
    pub(crate) fn from_bytes(
        [structure_hash, parameter_hash]: [u64; 2],
        bytes: &[u8],
    ) -> Result<Self, Refused> {
        let mut from = Reader::new(bytes);
        let mut symbols = SymbolTable {
            machine: from.text()?.to_owned(),
            structure_hash,
            parameter_hash,
            ..SymbolTable::default()
        };
        let tick_rate = from.u16()?;
        let states = from.list(|from| -> Result<_, Refused> {
            symbols.states.push(symbol(from)?);
            Ok(State {
                parent: some(from)?,
                region: some(from)?,
                is_leaf: from.u8()? != 0,
            })
        })?;
        let regions = from.list(Reader::u16)?;
        symbols.events = from.list(symbol)?;
        symbols.timers = from.list(symbol)?;
        symbols.functions = from.list(symbol)?;
        symbols.keys = from.list(symbol)?;
        let texts = from.list(|from| from.text().map(str::to_owned))?;
        let transitions = from.list(transition)?;
        symbols.guard_codes = from.list(guard_code)?;
        from.end()?;
        let legend = Self {
            symbols,
            tick_rate,
            states,
            regions,
            transitions,
            texts,
            commands: Arc::default(),
        };
        legend.check().map_err(|reason| Refused::new(0, reason))?;
        Ok(legend)
    }

    fn check(&self) -> Result<(), &'static str> {
        let (states, regions) = (self.states.len(), self.regions.len());
        let below = |number: u16, count: usize| usize::from(number) < count;
        let states_are_sound = (0_usize..).zip(&self.states).all(|(number, state)| {
            state.parent.is_none_or(|parent| below(parent, number))
                && state.region.is_none_or(|r| below(r, regions))
        });
        let transitions_are_sound = self.transitions.iter().all(|transition| {
            let trigger = match transition.trigger {
                Trigger::Event(event) => below(event, self.symbols.events.len()),
                Trigger::Timer(timer) => below(timer, self.symbols.timers.len()),
                _ => true,
            };
            let guard = match transition.guard {
                Guard::Function(function) => below(function, self.symbols.functions.len()),
                _ => true,
            };
            let targets = transition
                .targets
                .iter()
                .all(|&target| below(target, states));
            trigger && guard && targets && below(transition.source, states)
        });
        let owners = self.regions.iter().all(|&owner| below(owner, states));
        if states_are_sound && transitions_are_sound && owners {
            Ok(())
        } else {
            Err("its names refer to states, events or timers that it does not have")
        }
    }
}

impl From<ReadError> for Refused {
    fn from(error: ReadError) -> Self {
        let reason = match error.problem {
            ReadProblem::Short | ReadProblem::Count(_) => "its names end in the middle of one",
            ReadProblem::Text => "a name is no text",
            ReadProblem::Number => "its names have a number that is none",
            ReadProblem::Trailing => "there is more behind its names",
        };
        Self::new(error.offset, reason)
    }
}

fn some(from: &mut Reader<'_>) -> Result<Option<u16>, ReadError> {
    Ok(Some(from.u16()?).filter(|&number| number != NONE))
}

fn symbol(from: &mut Reader<'_>) -> Result<Symbol, ReadError> {
    from.text().map(Symbol::named)
}

fn transition(from: &mut Reader<'_>) -> Result<Transition, Refused> {
    let at = from.offset();
    let source = from.u16()?;
    let (kind, number) = (from.u8()?, from.u16()?);
    let trigger = match kind {
        0 => Trigger::Event(number),
        1 => Trigger::Timer(number),
        2 => Trigger::Any,
        3 => Trigger::Always,
        4 => Trigger::Done,
        5 => Trigger::Failed,
        _ => return Err(Refused::new(at, "a transition waits for something unknown")),
    };
    let guard = match from.u16()? {
        NONE => Guard::None,
        EXPRESSION => Guard::Expression,
        function => Guard::Function(function),
    };
    let flags = from.u8()?;
    let targets = from.list(Reader::u16)?;
    Ok(Transition {
        source,
        trigger,
        guard,
        is_internal: flags & INTERNAL != 0,
        is_stay: flags & STAY != 0,
        is_pop: flags & POP != 0,
        is_listed: flags & LISTED != 0,
        targets,
    })
}

fn guard_code(from: &mut Reader<'_>) -> Result<GuardCode, Refused> {
    let function = FunctionId::new(from.u16()?);
    Ok(GuardCode {
        function: function
            .ok_or_else(|| Refused::new(from.offset(), "a code belongs to no function"))?,
        code: from.u16()?,
        text: from.text()?.to_owned(),
    })
}
