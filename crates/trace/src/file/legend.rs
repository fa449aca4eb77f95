//! The legend as bytes: numbers little-endian, lists and texts with their length before them.

use super::Refused;
use crate::legend::{Guard, Legend, State, Transition, Trigger};
use statewright_rom::ids::FunctionId;
use statewright_symbols::{GuardCode, Symbol, SymbolTable};

const NONE: u16 = 0xFFFF;
/// In a guard: an expression.
const EXPRESSION: u16 = 0xFFFE;
const INTERNAL: u8 = 1;
const POP: u8 = 2;

/// Bytes under construction.
#[derive(Default)]
struct Out(Vec<u8>);

impl Out {
    fn number(&mut self, number: u16) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    fn wide(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    /// Texts of the machine file are short; a longer one is cut at a character.
    fn text(&mut self, text: &str) {
        let mut end = text.len().min(usize::from(u16::MAX));
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        self.number(end as u16);
        self.0
            .extend_from_slice(text.get(..end).unwrap_or_default().as_bytes());
    }

    /// A ROM has no table of more than 65,534 entries (ROM-3).
    fn list<T>(&mut self, list: &[T], mut one: impl FnMut(&mut Self, &T)) {
        let list = list.get(..usize::from(u16::MAX)).unwrap_or(list);
        self.number(list.len() as u16);
        list.iter().for_each(|item| one(self, item));
    }
}

/// Bytes that are read.
struct In<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> In<'b> {
    fn take(&mut self, count: usize) -> Result<&'b [u8], Refused> {
        let end = self.at.saturating_add(count);
        let taken = self.bytes.get(self.at..end);
        let taken =
            taken.ok_or_else(|| Refused::new(self.at, "its names end in the middle of one"))?;
        self.at = end;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, Refused> {
        Ok(self.take(1)?.first().copied().unwrap_or(0))
    }

    fn number(&mut self) -> Result<u16, Refused> {
        Ok(self.take(2)?.try_into().map_or(0, u16::from_le_bytes))
    }

    fn wide(&mut self) -> Result<u64, Refused> {
        Ok(self.take(8)?.try_into().map_or(0, u64::from_le_bytes))
    }

    fn some(&mut self) -> Result<Option<u16>, Refused> {
        Ok(Some(self.number()?).filter(|&number| number != NONE))
    }

    fn text(&mut self) -> Result<String, Refused> {
        let at = self.at;
        let length = self.number()?;
        let bytes = self.take(usize::from(length))?;
        let text = std::str::from_utf8(bytes).map_err(|_| Refused::new(at, "a name is no text"))?;
        Ok(text.to_owned())
    }

    fn symbol(&mut self) -> Result<Symbol, Refused> {
        self.text().map(Symbol::named)
    }

    fn list<T>(
        &mut self,
        mut one: impl FnMut(&mut Self) -> Result<T, Refused>,
    ) -> Result<Vec<T>, Refused> {
        let count = self.number()?;
        (0..count).map(|_| one(self)).collect()
    }
}

impl Legend {
    /// As it stands in a file.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut out = Out::default();
        let symbols = &self.symbols;
        out.text(&symbols.machine);
        out.wide(symbols.structure_hash);
        out.wide(symbols.parameter_hash);
        out.number(self.tick_rate);
        let mut paths = symbols.states.iter();
        out.list(&self.states, |out, state| {
            out.text(paths.next().map_or("", |symbol| &symbol.name));
            out.number(state.parent.unwrap_or(NONE));
            out.number(state.region.unwrap_or(NONE));
            out.0.push(u8::from(state.is_leaf));
        });
        out.list(&self.regions, |out, owner| out.number(*owner));
        for names in [&symbols.events, &symbols.timers, &symbols.functions] {
            out.list(names, |out, symbol| out.text(&symbol.name));
        }
        out.list(&self.transitions, |out, transition| {
            out.number(transition.source);
            let (kind, number) = match transition.trigger {
                Trigger::Event(event) => (0, event),
                Trigger::Timer(timer) => (1, timer),
                Trigger::Any => (2, 0),
                Trigger::Always => (3, 0),
                Trigger::Done => (4, 0),
                Trigger::Failed => (5, 0),
            };
            out.0.push(kind);
            out.number(number);
            out.number(match transition.guard {
                Guard::None => NONE,
                Guard::Expression => EXPRESSION,
                Guard::Function(function) => function,
            });
            out.0.push(
                if transition.is_internal { INTERNAL } else { 0 }
                    | if transition.is_pop { POP } else { 0 },
            );
            out.list(&transition.targets, |out, target| out.number(*target));
        });
        out.list(&symbols.guard_codes, |out, code| {
            out.number(code.function.raw());
            out.number(code.code);
            out.text(&code.text);
        });
        out.0
    }

    /// Reads what stands in a file. Every number in it leads to something.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, Refused> {
        let mut from = In { bytes, at: 0 };
        let mut symbols = SymbolTable {
            machine: from.text()?,
            structure_hash: from.wide()?,
            parameter_hash: from.wide()?,
            ..SymbolTable::default()
        };
        let tick_rate = from.number()?;
        let states = from.list(|from| {
            symbols.states.push(from.symbol()?);
            Ok(State {
                parent: from.some()?,
                region: from.some()?,
                is_leaf: from.byte()? != 0,
            })
        })?;
        let regions = from.list(In::number)?;
        symbols.events = from.list(In::symbol)?;
        symbols.timers = from.list(In::symbol)?;
        symbols.functions = from.list(In::symbol)?;
        let transitions = from.list(transition)?;
        symbols.guard_codes = from.list(guard_code)?;
        let legend = Self {
            symbols,
            tick_rate,
            states,
            regions,
            transitions,
        };
        if from.at != bytes.len() {
            return Err(Refused::new(from.at, "there is more behind its names"));
        }
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

fn transition(from: &mut In<'_>) -> Result<Transition, Refused> {
    let at = from.at;
    let source = from.number()?;
    let (kind, number) = (from.byte()?, from.number()?);
    let trigger = match kind {
        0 => Trigger::Event(number),
        1 => Trigger::Timer(number),
        2 => Trigger::Any,
        3 => Trigger::Always,
        4 => Trigger::Done,
        5 => Trigger::Failed,
        _ => return Err(Refused::new(at, "a transition waits for something unknown")),
    };
    let guard = match from.number()? {
        NONE => Guard::None,
        EXPRESSION => Guard::Expression,
        function => Guard::Function(function),
    };
    let flags = from.byte()?;
    let targets = from.list(In::number)?;
    Ok(Transition {
        source,
        trigger,
        guard,
        is_internal: flags & INTERNAL != 0,
        is_pop: flags & POP != 0,
        targets,
    })
}

fn guard_code(from: &mut In<'_>) -> Result<GuardCode, Refused> {
    let function = FunctionId::new(from.number()?);
    Ok(GuardCode {
        function: function.ok_or_else(|| Refused::new(from.at, "a code belongs to no function"))?,
        code: from.number()?,
        text: from.text()?,
    })
}
