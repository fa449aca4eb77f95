//! Records of everything that is not a state or a transition: events, blackboard, parameters,
//! lanes, channels, stable ids.

use statewright_author::graph::Payload;
use statewright_author::value::ParameterType;
use statewright_rom::layout::*;
use xxhash_rust::xxh3::xxh3_64;
use zerocopy::byteorder::little_endian::{U16, U32, U64};

use super::{Lowering, field};
use crate::actions::narrow;
use crate::index::TransitionIndex;
use crate::lanes;
use crate::numbers;
use crate::stable::StableIds;

impl Lowering<'_, '_> {
    pub(super) fn events(&mut self) {
        for event in &self.model.machine.events {
            let ttl = event
                .ttl
                .as_ref()
                .and_then(|ttl| ttl.value.ticks(self.model.tick_rate))
                .unwrap_or(0);
            let payload = event.payload.as_ref().map(|payload| payload.value);
            let flags = [
                (event.coalesce, event_flag::COALESCE),
                (event.indirect, event_flag::INDIRECT),
                (event.ephemeral, event_flag::EPHEMERAL),
            ];
            let flags = flags.into_iter().filter(|(on, _)| *on);
            let flags = flags.fold(0, |flags, (_, flag)| flags | flag);
            let bytes = payload.map_or(0, Payload::bytes);
            self.tables.events.push(EventRecord {
                ttl_ticks: U32::new(ttl),
                class: event
                    .class
                    .as_ref()
                    .map_or(EventClass::default(), |class| {
                        numbers::event_class(class.value)
                    })
                    .into(),
                flags,
                payload: numbers::payload_kind(payload).into(),
                payload_bytes: if event.indirect { 4 } else { bytes as u8 },
            });
        }
    }

    pub(super) fn data(&mut self) {
        let mut offset = 0;
        for (key, words) in self
            .model
            .machine
            .blackboard
            .iter()
            .zip(&self.model.data.keys)
        {
            self.tables.keys.push(KeyRecord {
                name_hash: U64::new(xxh3_64(key.name.value.as_bytes())),
                default: words.map(U32::new),
                offset: U16::new(offset),
                ty: numbers::value_type(key.ty.value).into(),
                reserved: [0; 9],
            });
            offset += key.ty.value.words() as u16;
        }
        let mut offset = 0;
        for parameter in &self.model.machine.parameters {
            self.tables.parameters.push(ParameterRecord {
                name_hash: U64::new(xxh3_64(parameter.name.value.as_bytes())),
                offset: U16::new(offset),
                ty: numbers::value_type(parameter.ty.value.value()).into(),
                is_duration: u8::from(parameter.ty.value == ParameterType::Duration),
                reserved: [0; 4],
            });
            offset += parameter.ty.value.value().words() as u16;
        }
        if self.model.machine.parameters.is_empty() && self.model.machine.variants.is_empty() {
            return;
        }
        self.tables.variants.push(VariantRecord::default());
        let hash = |name: &str| U64::new(xxh3_64(name.as_bytes()));
        let variants = &self.model.machine.variants;
        self.tables
            .variants
            .extend(variants.iter().map(|v| VariantRecord {
                name_hash: hash(&v.name.value),
            }));
        for row in &self.model.data.parameters {
            for (parameter, words) in self.model.machine.parameters.iter().zip(row) {
                let used = parameter.ty.value.value().words() as usize;
                self.tables.parameter_values.extend(
                    words[..used]
                        .iter()
                        .map(|&w| WordRecord { word: U32::new(w) }),
                );
            }
        }
    }

    pub(super) fn observers(&mut self) {
        for observer in &self.model.observers {
            let Some(actions) = observer.actions else {
                continue;
            };
            self.tables.observers.push(ObserverRecord {
                event: U16::new(observer.event.map_or(SpecialTrigger::Any.number(), narrow)),
                actions: field(actions),
            });
        }
    }

    pub(super) fn stacks(&mut self) {
        self.tables
            .stacks
            .extend(self.allocation.stacks.iter().map(|stack| StackRecord {
                first_slot: stack.slot as u8,
                depth: stack.depth as u8,
                frame_slots: stack.frame_slots() as u8,
                leaves: stack.leaves as u8,
            }));
    }

    pub(super) fn scratch(&mut self) {
        for (state, node) in self.model.tree.states.enumerate() {
            let mut slot = self.allocation.scratch[state].unwrap_or(0);
            for item in &node.authored.scratch {
                self.tables.scratch.push(ScratchRecord {
                    owner: field(state),
                    slot: slot as u8,
                    count: item.slots.value as u8,
                    ty: numbers::scratch_type(item.ty.as_ref().map(|ty| ty.value)).into(),
                    reserved: [0; 3],
                });
                slot += item.slots.value;
            }
        }
    }

    pub(super) fn channels(&mut self) {
        let channels = &self.model.machine.channels;
        let strings = self.model.actions.string_numbers();
        for (node, &(command, lane)) in channels.iter().zip(&self.model.channel_commands) {
            self.tables.channels.push(ChannelRecord {
                name_hash: U64::new(xxh3_64(node.name.value.as_bytes())),
                command: U16::new(strings[command]),
                lane: field(lane),
                reserved: U32::new(0),
            });
        }
        self.tables.lanes = lanes::own_lanes(self.model.machine);
        self.tables.built_in_lanes = lanes::built_in_lanes(self.model.machine);
    }

    pub(super) fn stable_ids(&mut self, ids: &StableIds, order: &[TransitionIndex]) {
        let transitions = order.iter().map(|&from| ids.transitions[from]);
        let all = std::iter::once(ids.machine)
            .chain(ids.states.iter().copied())
            .chain(ids.regions.iter().copied())
            .chain(ids.events.iter().copied())
            .chain(ids.timers.iter().copied())
            .chain(transitions)
            .chain(ids.history.iter().copied())
            .chain(ids.scratch.iter().copied());
        self.tables.stable_ids = all.map(|id| StableIdRecord { id: U64::new(id) }).collect();
    }
}
