//! Blackboards in snapshots: who they are by name, and what their bytes mean, so that another version of
//! the game can read them.
//!
//! A snapshot names each type of blackboard and carries its form, field by field. The names are those of
//! the types: of a type that was moved into another module, its last part is enough if there is one type
//! of that name alone.

use std::any::{Any, type_name};

use bevy_ecs::entity::Entity;
use bevy_ecs::resource::Resource;
use bevy_ecs::world::World;
use statewright::form::Forms;
use statewright::{Inspection, Machine, Reload, Saved};

use crate::board::SchemaBoard;
use crate::compare::see_saved;
use crate::kind::AgentBoard;

/// How blackboards are written and read, for each type that is [`Saved`]; by name.
#[derive(Resource, Clone, Default)]
pub(crate) struct Boards(Vec<BoardCodec>);

/// One type of blackboard.
#[derive(Clone, Copy)]
pub(crate) struct BoardCodec {
    pub(crate) name: &'static str,
    pub(crate) form: fn() -> Forms,
    see: fn(&Machine, u64, &[u8], &[u8]) -> Option<Inspection>,
    pub(crate) save: fn(&World, Entity, &mut Vec<u8>) -> bool,
    load: fn(&mut World, Entity, &BoardForm, &Reload, &Machine, &[u8]) -> bool,
}

/// A type of blackboard as a snapshot knows it.
#[derive(Clone, Debug)]
pub(crate) struct BoardForm {
    pub(crate) name: String,
    pub(crate) form: Forms,
    /// The form as it was written: equal bytes are equal forms.
    pub(crate) bytes: Vec<u8>,
}

/// The name of a type without its modules.
fn last_part(name: &str) -> &str {
    // Types of the parameters have modules, too: those are left as they are.
    let end = name.find('<').unwrap_or(name.len());
    let begin = name[..end].rfind("::").map_or(0, |place| place + 2);
    &name[begin..]
}

impl Boards {
    /// Blackboards `B` are part of snapshots.
    pub(crate) fn add<B: AgentBoard + Saved>(&mut self) {
        let codec = BoardCodec {
            name: type_name::<B>(),
            form: Forms::of::<B>,
            see: see_saved::<B>,
            save: save::<B>,
            load: load::<B>,
        };
        let place = self.0.binary_search_by_key(&codec.name, |one| one.name);
        // Twice is once.
        if let Err(place) = place {
            self.0.insert(place, codec);
        }
    }

    /// Of the blackboard that an entity has, if it is one of these.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &BoardCodec> {
        self.0.iter()
    }

    /// The type of today that a snapshot means.
    fn find(&self, name: &str) -> Option<&BoardCodec> {
        let same = self.0.iter().find(|one| one.name == name);
        let moved = || {
            let short = last_part(name);
            let mut all = self.0.iter().filter(|one| last_part(one.name) == short);
            all.next().filter(|_| all.next().is_none())
        };
        same.or_else(moved)
    }

    /// Puts a blackboard of a snapshot on an entity, whose machine was another one then. It stays as it was
    /// if the bytes are none.
    pub(crate) fn load(
        &self,
        world: &mut World,
        entity: Entity,
        (form, bytes): (&BoardForm, &[u8]),
        (plan, today): (&Reload, &Machine),
    ) -> bool {
        let codec = self.find(&form.name);
        codec.is_some_and(|codec| (codec.load)(world, entity, form, plan, today, bytes))
    }

    /// An agent by name, whose blackboard is one of these, as it is today.
    pub(crate) fn see(
        &self,
        form: &BoardForm,
        machine: &Machine,
        now: u64,
        instance: &[u8],
        board: &[u8],
    ) -> Option<Inspection> {
        let codec = self.find(&form.name)?;
        let is_same = (codec.form)().to_bytes() == form.bytes;
        (codec.see)(machine, now, instance, board).filter(|_| is_same)
    }
}

fn save<B: AgentBoard + Saved>(world: &World, entity: Entity, bytes: &mut Vec<u8>) -> bool {
    let Some(board) = world.get::<B>(entity) else {
        return false;
    };
    let any: &dyn Any = board;
    if any
        .downcast_ref::<SchemaBoard>()
        .is_some_and(|board| board.blackboard().is_none())
    {
        // Its agent has not begun: there is nothing in it.
        return false;
    }
    board.save(bytes);
    true
}

fn load<B: AgentBoard + Saved>(
    world: &mut World,
    entity: Entity,
    form: &BoardForm,
    plan: &Reload,
    today: &Machine,
    mut bytes: &[u8],
) -> bool {
    let [old, new] = plan.hashes();
    let board = if old == new && Forms::of::<B>().to_bytes() == form.bytes {
        B::load(today, &mut bytes).filter(|_| bytes.is_empty())
    } else {
        plan.saved_board::<B>(&form.form, bytes).ok()
    };
    let (Some(board), Some(mut own)) = (board, world.get_mut::<B>(entity)) else {
        return false;
    };
    let values: Option<&SchemaBoard> = (&board as &dyn Any).downcast_ref();
    let schema: Option<&mut SchemaBoard> = (&mut *own as &mut dyn Any).downcast_mut();
    match (values, schema) {
        (Some(values), Some(schema)) => schema.take_values(values),
        _ => *own = board,
    }
    true
}
