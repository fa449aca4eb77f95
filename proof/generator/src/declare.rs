//! What a machine declares besides states: events, keys, parameters, variants, channels, lanes,
//! functions, timers.

use statewright_author::graph::{
    Channel, Event, Function, Key, Lane, Parameter, Payload, Timer, Variant,
};
use statewright_author::value::{
    BuiltInLane, Class, Duration, FunctionKind, LaneKey, LaneScope, Literal, MergeRule,
    ParameterType, ValueType,
};

use crate::generator::Generator;
use crate::text::{name, spanned};
use crate::words::{unused, unused_odd};

const EVENTS: [&str; 10] = [
    "Hit", "Seen", "Lost", "Noise", "Order", "Dodge", "Fall", "Land", "Reload", "Empty",
];
const KEYS: [&str; 12] = [
    "health", "ammo", "speed", "armed", "enemy", "goal", "home", "mood", "fear", "range", "alive",
    "offset",
];
const PARAMETERS: [&str; 8] = [
    "limit", "reach", "brave", "post", "style", "drift", "gain", "quota",
];
const TIMERS: [&str; 5] = ["burst", "cool", "blink", "watch", "breath"];
const LANES: [&str; 3] = ["camera", "rumble", "score"];
const CHANNELS: [&str; 4] = ["locomotion", "weapon", "face", "sound"];
const VARIANTS: [&str; 3] = ["veteran", "rookie", "boss"];

/// What may be called, and with what.
pub const FUNCTIONS: [(&str, FunctionKind); 12] = [
    ("HasAmmo", FunctionKind::Guard),
    ("CanSee", FunctionKind::Guard),
    ("ai::IsNear", FunctionKind::Guard),
    ("Shout", FunctionKind::Action),
    ("Shoot", FunctionKind::Action),
    ("fx::Spark", FunctionKind::Action),
    ("Patrol", FunctionKind::Activity),
    ("Chase", FunctionKind::Activity),
    ("ai::Follow", FunctionKind::Activity),
    ("Threat", FunctionKind::Scorer),
    ("Need", FunctionKind::Scorer),
    ("ai::Weight", FunctionKind::Scorer),
];
/// Value functions, and what they give (LANG-11).
pub const VALUES: [(&str, ValueType); 8] = [
    ("near", ValueType::F32),
    ("danger", ValueType::F32),
    ("heads", ValueType::I32),
    ("ready", ValueType::Bool),
    ("foe", ValueType::Entity),
    ("spot", ValueType::Vec2),
    ("ai::aim", ValueType::Vec3),
    ("tag", ValueType::Symbol),
];
const ARGUMENTS: [&str; 4] = ["count", "power", "label", "point"];

/// Everything declared; see [`Machine`](statewright_author::graph::Machine).
#[derive(Clone, Debug, Default)]
pub struct Declarations {
    pub events: Vec<Event>,
    pub keys: Vec<Key>,
    pub parameters: Vec<Parameter>,
    pub variants: Vec<Variant>,
    pub channels: Vec<Channel>,
    pub lanes: Vec<Lane>,
    pub built_in_lanes: Vec<Lane>,
    pub timers: Vec<Timer>,
    /// Empty if functions are used without declaration.
    pub functions: Vec<Function>,
    /// The policy excludes classes, coalescing, time to live and deferral (EVT-10).
    pub internal_first: bool,
}

impl Generator {
    /// Declares everything; timers of the machine come first, because they take places.
    pub(crate) fn declare(&mut self) {
        self.declared.internal_first = self.rng.chance(10);
        self.declare_events();
        self.declare_keys();
        self.declare_parameters();
        self.declare_commands();
        self.declare_functions();
    }

    fn count(&mut self) -> u32 {
        self.rng.between(0, self.size.declarations)
    }

    fn declare_events(&mut self) {
        let mut used = Vec::new();
        for _ in 0..self.count().max(1) {
            let plain = self.declared.internal_first;
            let indirect = self.rng.chance(10);
            let event = Event {
                name: name(unused_odd(&mut self.rng, &EVENTS, &mut used)),
                id: self.id(),
                doc: self.doc(),
                payload: self.payload(indirect).map(spanned),
                class: (!plain && self.rng.chance(30)).then(|| spanned(self.class())),
                coalesce: !plain && self.rng.chance(20),
                ttl: (!plain && self.rng.chance(20)).then(|| spanned(self.duration())),
                indirect,
                ephemeral: self.rng.chance(10),
                // A mark for warnings alone; a draw more would change every known seed.
                sent: false,
                meta: self.meta(),
            };
            self.declared.events.push(event);
        }
    }

    fn payload(&mut self, indirect: bool) -> Option<Payload> {
        let bytes = if indirect {
            self.rng.between(1, 400)
        } else {
            self.rng.between(1, 16)
        };
        match self.rng.weighted(&[30, 45, 5, 5, 5, 5]) {
            1 => Some(Payload::Value(self.rng.one(&ValueType::ALL))),
            2 => Some(Payload::U32),
            3 => Some(Payload::U64),
            4 => Some(Payload::Vec4),
            5 => Some(Payload::Bytes(bytes)),
            _ => None,
        }
    }

    fn class(&mut self) -> Class {
        self.rng.one(&Class::ALL)
    }

    fn declare_keys(&mut self) {
        let mut used = Vec::new();
        for _ in 0..self.rng.between(0, self.size.declarations * 2) {
            let ty = self.rng.one(&ValueType::ALL);
            let default = if ty != ValueType::Entity && self.rng.chance(50) {
                Some(spanned(self.literal(ty)))
            } else {
                None
            };
            let key = Key {
                host: false,
                name: name(unused(&mut self.rng, &KEYS, &mut used)),
                doc: self.doc(),
                ty: spanned(ty),
                default,
                meta: self.meta(),
            };
            self.declared.keys.push(key);
        }
    }

    fn declare_parameters(&mut self) {
        let mut used = Vec::new();
        for _ in 0..self.count() {
            let ty = if self.rng.chance(35) {
                ParameterType::Duration
            } else {
                self.literal_type().into()
            };
            let parameter = Parameter {
                host: false,
                name: name(unused(&mut self.rng, &PARAMETERS, &mut used)),
                doc: self.doc(),
                ty: spanned(ty),
                value: spanned(self.parameter_value(ty)),
                meta: self.meta(),
            };
            self.declared.parameters.push(parameter);
        }
        let mut used = Vec::new();
        for _ in 0..self.rng.below(3) {
            let mut variant = Variant {
                name: name(unused_odd(&mut self.rng, &VARIANTS, &mut used)),
                doc: self.doc(),
                values: Vec::new(),
            };
            for index in 0..self.declared.parameters.len() {
                if self.rng.chance(50) {
                    let ty = self.declared.parameters[index].ty.value;
                    let value = spanned(self.parameter_value(ty));
                    variant
                        .values
                        .push((self.declared.parameters[index].name.clone(), value));
                }
            }
            self.declared.variants.push(variant);
        }
    }

    fn parameter_value(&mut self, ty: ParameterType) -> Literal {
        match ty {
            ParameterType::Value(ty) => self.literal(ty),
            ParameterType::Duration => Literal::Text(self.duration().to_string()),
        }
    }

    /// Lanes and channels.
    fn declare_commands(&mut self) {
        let mut used = Vec::new();
        for _ in 0..self.rng.below(3) {
            let lane = Lane {
                name: name(unused_odd(&mut self.rng, &LANES, &mut used)),
                doc: self.doc(),
                merge: None,
                ..Lane::default()
            };
            let lane = self.lane_rules(lane, true);
            self.declared.lanes.push(lane);
        }
        let mut used = Vec::new();
        for _ in 0..self.rng.below(3) {
            let lane = self.rng.one(&BuiltInLane::ALL);
            if !used.contains(&lane) && self.rng.chance(50) {
                used.push(lane);
                let free = !matches!(lane, BuiltInLane::Blackboard | BuiltInLane::Message);
                let named = Lane {
                    name: name(lane.as_str()),
                    doc: self.doc(),
                    ..Lane::default()
                };
                let lane = self.lane_rules(named, free);
                self.declared.built_in_lanes.push(lane);
            }
        }
        let mut used = Vec::new();
        for _ in 0..self.rng.below(4) {
            let lane = if self.rng.chance(50) {
                Some(name(self.lane()))
            } else {
                None
            };
            let channel = Channel {
                name: name(unused_odd(&mut self.rng, &CHANNELS, &mut used)),
                doc: self.doc(),
                lane,
                release: self.rng.chance(50).then(|| name("let go")),
            };
            self.declared.channels.push(channel);
        }
    }

    /// Rules of a lane; those of merging only where they are free.
    fn lane_rules(&mut self, lane: Lane, free: bool) -> Lane {
        let merge = (free && self.rng.chance(80)).then(|| self.rng.one(&MergeRule::ALL));
        let critical = self.rng.chance(50).then(|| self.rng.chance(50));
        let cap = self.rng.chance(20).then(|| self.rng.between(1, 9));
        let key = (merge == Some(MergeRule::LastWriterWins) && self.rng.chance(50))
            .then(|| self.rng.one(&LaneKey::ALL));
        let scope = (merge == Some(MergeRule::Deduplicate) && self.rng.chance(50))
            .then(|| self.rng.one(&LaneScope::ALL));
        Lane {
            merge: merge.map(spanned),
            critical: critical.map(spanned),
            key: key.map(spanned),
            scope: scope.map(spanned),
            cap: cap.map(spanned),
            ..lane
        }
    }

    /// A lane, built-in or declared.
    pub(crate) fn lane(&mut self) -> String {
        let built_in = [
            "animation",
            "navigation",
            "gameplay",
            "blackboard",
            "audio",
            "vfx",
            "message",
        ];
        match self.rng.pick(&self.declared.lanes) {
            Some(lane) if self.rng.chance(30) => lane.name.value.clone(),
            _ => self.rng.one(&built_in).to_owned(),
        }
    }

    fn declare_functions(&mut self) {
        if self.rng.chance(40) {
            for (function, kind) in FUNCTIONS {
                self.declare_function(function, kind, None);
            }
        }
        if self.rng.chance(60) {
            for (function, ty) in VALUES {
                self.declare_function(function, FunctionKind::Value, Some(ty));
            }
        }
    }

    fn declare_function(&mut self, function: &str, kind: FunctionKind, gives: Option<ValueType>) {
        let mut parameters = Vec::new();
        let mut used = Vec::new();
        for _ in 0..self.rng.below(3) {
            let ty = self.literal_type();
            parameters.push((
                name(unused(&mut self.rng, &ARGUMENTS, &mut used)),
                spanned(ty),
            ));
        }
        let function = Function {
            name: name(function),
            doc: self.doc(),
            kind: spanned(kind),
            returns: gives.map(spanned),
            rng: self.rng.chance(20),
            parameters,
        };
        self.declared.functions.push(function);
    }

    /// Timers of the machine; returns how many places they take.
    pub(crate) fn declare_timers(&mut self) -> u32 {
        let mut used = Vec::new();
        let mut places = 0;
        while places < self.size.timers / 2 && self.rng.chance(self.size.rare) {
            let instances = self.rng.between(1, self.size.timers / 2 - places);
            let mut timer = self.timer(&mut used);
            timer.instances = (instances > 1 || self.rng.chance(20)).then(|| spanned(instances));
            self.declared.timers.push(timer);
            places += instances;
        }
        places
    }

    /// A named timer.
    pub(crate) fn timer(&mut self, used: &mut Vec<String>) -> Timer {
        let event = match self.rng.pick(&self.declared.events) {
            Some(event) if self.rng.chance(25) => Some(event.name.clone()),
            _ => None,
        };
        Timer {
            name: name(unused_odd(&mut self.rng, &TIMERS, used)),
            id: self.id(),
            doc: self.doc(),
            instances: None,
            class: self.rng.chance(25).then(|| spanned(self.class())),
            event,
        }
    }

    /// A type that has literals.
    pub(crate) fn literal_type(&mut self) -> ValueType {
        use ValueType::{Bool, F32, I32, Symbol, Vec2, Vec3};
        self.rng.one(&[I32, F32, Bool, Symbol, Vec2, Vec3])
    }

    /// A literal of a type; an entity has none, so it gets a number that nobody must use.
    pub(crate) fn literal(&mut self, ty: ValueType) -> Literal {
        match ty {
            ValueType::I32 | ValueType::Entity => Literal::Int(i64::from(self.integer())),
            ValueType::F32 => Literal::Float(self.float()),
            ValueType::Bool => Literal::Bool(self.rng.chance(50)),
            ValueType::Symbol => Literal::Text(self.symbol()),
            ValueType::Vec2 => Literal::Vector(vec![self.float(), self.float()]),
            ValueType::Vec3 => Literal::Vector(vec![self.float(), self.float(), self.float()]),
        }
    }

    pub(crate) fn integer(&mut self) -> i32 {
        match self.rng.below(10) {
            0 => i32::MAX,
            1 => -1,
            2 => self.rng.next_u64() as i32 / 2,
            _ => self.rng.between(1, 100) as i32,
        }
    }

    /// A number that an f32 holds exactly.
    pub(crate) fn float(&mut self) -> f64 {
        let sign = if self.rng.chance(20) { -1.0 } else { 1.0 };
        sign * f64::from(self.rng.between(1, 400)) / 4.0
    }

    pub(crate) fn symbol(&mut self) -> String {
        self.rng
            .one(&["", "grunt", "red", "läuft", "it's", "a \"b\" \\c"])
            .to_owned()
    }

    pub(crate) fn duration(&mut self) -> Duration {
        match self.rng.below(4) {
            0 => Duration::Ticks(u64::from(self.rng.between(0, 90))),
            1 => Duration::Nanos(u64::from(self.rng.between(0, 20)) * 1_000_000_000),
            2 => Duration::Nanos(u64::from(self.rng.between(1, 90_000)) * 50_000),
            _ => Duration::Nanos(u64::from(self.rng.between(1, 5000)) * 1_000_000),
        }
    }
}
