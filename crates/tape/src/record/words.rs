//! Records in words, for people.

use statewright::{AnyValue, Event, Machine};
use statewright_rom::layout::PayloadKind;

use super::TapeInput;

impl TapeInput {
    /// In words, with the names of a machine.
    pub fn told(&self, machine: &Machine) -> String {
        let event = |event: &Event| {
            let Some(id) = event.id() else {
                return format!("event {}", event.id.get());
            };
            let record = machine.rom();
            let carries = record.event(id);
            let kind = carries.map_or(PayloadKind::Empty, |record| record.carries());
            match AnyValue::new(machine, kind, event.words()) {
                AnyValue::Nothing => format!("`{}`", machine.event_name(id)),
                value => format!("`{}({value})`", machine.event_name(id)),
            }
        };
        match self {
            Self::Send(agent, sent) => format!("send {} to {agent}", event(sent)),
            Self::Broadcast(sent) => format!("send {} to all", event(sent)),
            Self::Spawn { variant, board } => match variant {
                Some(variant) => {
                    let name = machine.symbols().of(*variant).unwrap_or_default();
                    format!("spawn as `{name}`, blackboard of {} bytes", board.len())
                }
                None => format!("spawn, blackboard of {} bytes", board.len()),
            },
            Self::Agent(input, agent) => format!("{} {agent}", input.word()),
            Self::Written(agent, board) => {
                format!("write the blackboard of {agent}, {} bytes", board.len())
            }
            Self::SetVariant(agent, variant) => {
                let name = machine.symbols().of(*variant).unwrap_or_default();
                format!("give {agent} the variant `{name}`")
            }
            Self::SetParameter(change) => {
                let name = machine.symbols().of(change.parameter).unwrap_or_default();
                let [x, y, z] = change.words;
                let kind = PayloadKind::of_value(change.ty);
                let value = AnyValue::new(machine, kind, [x, y, z, 0]);
                format!("set the parameter `{name}` to {value}")
            }
            Self::Settings(_) => "change the settings".to_owned(),
            Self::StartAt(tick) => format!("begin at tick {tick}"),
            Self::Number(number) => format!("become crowd {number}"),
            Self::Instance(agent, _) => format!("replace the bytes of {agent}"),
            Self::ResetCounters => "reset the counters".to_owned(),
            Self::Message {
                to, event: sent, ..
            } => format!("message {} for {to}", event(sent)),
        }
    }
}
