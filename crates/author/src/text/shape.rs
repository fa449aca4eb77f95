//! Owns the vocabulary in which the file format is described: object kinds, fields, types, groups.
//!
//! The description itself is data, in `shapes`. The check of a file, the JSON Schema and the
//! formatter's key order all walk it, so they cannot disagree.

use std::sync::LazyLock;

pub use super::name::{Item, NameKind, Role};

/// A kind of JSON value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// A number.
    Number,
    /// A string.
    Text,
    /// `[ … ]`
    List,
    /// `{ … }`
    Object,
}

impl Json {
    /// What a message calls it.
    pub fn words(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "true or false",
            Self::Number => "a number",
            Self::Text => "text",
            Self::List => "a list",
            Self::Object => "an object",
        }
    }
}

/// The type of a value in the file.
#[derive(Debug)]
pub enum Type {
    /// `true` or `false`.
    Bool,
    /// Any text, such as documentation.
    Text,
    /// The path of another machine file, from the folder of this one (LANG-5).
    PartFile,
    /// A name or a reference.
    Name(NameKind),
    /// A whole number in a range.
    Int {
        /// Least.
        min: u32,
        /// Greatest.
        max: u32,
    },
    /// One of some whole numbers.
    OneInt(&'static [u32]),
    /// Any number.
    Number,
    /// Text such as `1.5s`.
    Duration,
    /// The same, or a parameter, an expression or a range (LANG-3).
    AnyDuration,
    /// Text such as `1.5s`, or a parameter.
    AskedDuration,
    /// Text of 1 to 16 hexadecimal digits.
    StableId,
    /// Source text of an action or a call.
    Code,
    /// Source text of an expression; a number or a truth value stands for its text.
    Expression,
    /// One of some words.
    Word(&'static Words),
    /// A value of a blackboard key or parameter.
    Literal,
    /// Two or three numbers; only inside a literal.
    Vector,
    /// Whatever the author likes.
    Any,
    /// An object with fields.
    Object(ObjectKind),
    /// An object whose kind follows from which of the keys it has.
    Tagged(&'static [(&'static str, ObjectKind)]),
    /// An object whose keys are names.
    Map(&'static Map),
    /// A list.
    List(&'static Type),
    /// The alternative that fits the kind of JSON value; no two accept the same kind.
    OneOf(&'static [Type]),
}

/// Words that a field may hold.
#[derive(Debug)]
pub struct Words {
    /// The words, as they should be written.
    pub words: &'static [&'static str],
    /// Other spellings that are read as well.
    pub aliases: &'static [&'static str],
}

impl Words {
    /// All spellings.
    pub fn all(&self) -> impl Iterator<Item = &'static str> + Clone + use<> {
        self.words.iter().chain(self.aliases).copied()
    }
}

/// An object whose keys are names.
#[derive(Debug)]
pub struct Map {
    /// What the keys are.
    pub keys: NameKind,
    /// What stands under each.
    pub value: Type,
    /// Fields that stand beside the names; they begin with `$`.
    pub fields: &'static [Field],
    /// May have no entries.
    pub may_be_empty: bool,
}

impl Map {
    /// The field of a key that is not a name.
    pub fn field(&self, key: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.key == key)
    }
}

/// A field of an object.
#[derive(Debug)]
pub struct Field {
    /// Its key.
    pub key: &'static str,
    /// Type of its value.
    pub ty: Type,
    /// What it says, in one line.
    pub doc: &'static str,
    /// Must be given.
    pub required: bool,
    /// What holds if it is not given: JSON, or a few words.
    pub default: Option<&'static str>,
}

impl Field {
    /// A field that may be left out.
    pub const fn new(key: &'static str, ty: Type, doc: &'static str) -> Self {
        Self {
            key,
            ty,
            doc,
            required: false,
            default: None,
        }
    }

    /// A field that must be given.
    pub const fn required(key: &'static str, ty: Type, doc: &'static str) -> Self {
        Self {
            key,
            ty,
            doc,
            required: true,
            default: None,
        }
    }

    /// A field that may be left out, and what holds then.
    pub const fn or(key: &'static str, ty: Type, default: &'static str, doc: &'static str) -> Self {
        Self {
            key,
            ty,
            doc,
            required: false,
            default: Some(default),
        }
    }

    /// Whether it is on or off.
    pub const fn is_flag(&self) -> bool {
        matches!(self.ty, Type::Bool)
    }
}

/// How many fields of a group an object has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Exactly one.
    One,
    /// None or one.
    AtMostOne,
    /// One or more.
    AtLeastOne,
    /// The others only beside the first, which must be text.
    BesideText,
}

/// Fields that depend on each other.
#[derive(Debug)]
pub struct Group {
    /// Their keys.
    pub keys: &'static [&'static str],
    /// How many of them.
    pub rule: Rule,
}

/// The description of one object kind.
#[derive(Debug)]
pub struct Shape {
    /// Its name in the schema.
    pub name: &'static str,
    /// What messages call it, with its article.
    pub title: &'static str,
    /// What it is, in one line.
    pub doc: &'static str,
    /// Its fields in canonical order, in parts that shapes may share.
    pub parts: &'static [&'static [Field]],
    /// How its fields depend on each other.
    pub groups: &'static [Group],
}

impl Shape {
    /// The fields in canonical order.
    pub fn fields(&self) -> impl Iterator<Item = &'static Field> + Clone + use<> {
        self.parts.iter().flat_map(|part| part.iter())
    }

    /// The field with a key.
    pub fn field(&self, key: &str) -> Option<&'static Field> {
        self.fields().find(|field| field.key == key)
    }
}

/// Declares [`ObjectKind`] and where the shape of each kind stands.
macro_rules! kinds {
    ($($kind:ident => $module:ident :: $shape:ident, $doc:literal;)+) => {
        /// A kind of object in a machine file.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ObjectKind { $(#[doc = $doc] $kind,)+ }

        impl ObjectKind {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$kind),+];

            /// Its description.
            pub fn shape(self) -> &'static Shape {
                match self { $(Self::$kind => &super::shapes::$module::$shape),+ }
            }
        }
    };
}

kinds! {
    Machine => machine::MACHINE, "The whole file, nested shape.";
    Policies => machine::POLICIES, "Departures from the default rules.";
    Budgets => machine::BUDGETS, "Caps per tick.";
    Event => declare::EVENT, "An event type.";
    Bytes => declare::BYTES, "A payload of raw bytes.";
    Key => declare::KEY, "A blackboard key.";
    Parameter => declare::PARAMETER, "A parameter.";
    Channel => declare::CHANNEL, "A channel.";
    Lane => declare::LANE, "A lane.";
    Function => declare::FUNCTION, "A user function.";
    Observer => declare::OBSERVER, "An observer.";
    State => state::STATE, "A state.";
    Region => state::REGION, "A region.";
    Initial => state::INITIAL, "Where default entry goes.";
    Branch => state::BRANCH, "A branch of a choice.";
    History => state::HISTORY, "A history point.";
    Timer => state::TIMER, "A named timer.";
    Scratch => state::SCRATCH, "Scratch slots.";
    Transition => transition::TRANSITION, "A transition.";
    AnyTransition => transition::ANY_TRANSITION, "A transition of several children.";
    Decision => transition::DECISION, "Two transitions on one condition.";
    DecisionBranch => transition::DECISION_BRANCH, "One way of a decision.";
    TransitionSet => transition::TRANSITION_SET, "A transition set that uses others.";
    Call => action::CALL, "Calls a function.";
    Computed => action::COMPUTED, "A computed argument.";
    Set => action::SET, "Writes a key.";
    Add => action::ADD, "Adds to a key.";
    Raise => action::RAISE, "Posts an internal event.";
    Send => action::SEND, "Sends an event.";
    Emit => action::EMIT, "Emits a command.";
    Start => action::START, "Starts a timer.";
    Stop => action::STOP, "Stops a timer.";
    ClearHistory => action::CLEAR_HISTORY, "Forgets history.";
    If => action::IF, "Runs one of two lists.";
    FlatMachine => flat::MACHINE, "The whole file, flat shape.";
    FlatState => flat::STATE, "A state of the flat shape.";
    FlatRegion => flat::REGION, "A region of the flat shape.";
    FlatTransition => flat::TRANSITION, "A transition of the flat shape.";
}

/// What a value consists of, once its kind of JSON value is known.
#[derive(Clone, Copy, Debug)]
pub enum Content {
    /// An object with the fields of this kind.
    Object(ObjectKind),
    /// An object with names as keys.
    Map(&'static Map),
    /// A list of such values.
    List(&'static Type),
    /// An object that should have one of these keys and has none.
    Untagged(&'static [(&'static str, ObjectKind)]),
    /// Nothing that has a shape of its own.
    Leaf(&'static Type),
}

impl Type {
    /// Whether this kind of JSON value can be legal here.
    pub fn accepts(&self, json: Json) -> bool {
        match self {
            Self::Bool => json == Json::Bool,
            Self::Text
            | Self::PartFile
            | Self::Name(_)
            | Self::Duration
            | Self::AnyDuration
            | Self::AskedDuration
            | Self::StableId
            | Self::Code
            | Self::Word(_) => json == Json::Text,
            Self::Int { .. } | Self::OneInt(_) | Self::Number => json == Json::Number,
            Self::Expression => matches!(json, Json::Text | Json::Number | Json::Bool),
            Self::Literal => matches!(json, Json::Text | Json::Number | Json::Bool | Json::List),
            Self::Any => true,
            Self::Object(_) | Self::Tagged(_) | Self::Map(_) => json == Json::Object,
            Self::List(_) | Self::Vector => json == Json::List,
            Self::OneOf(types) => types.iter().any(|ty| ty.accepts(json)),
        }
    }

    /// What a message says it must be, in a few words.
    pub fn expected(&self) -> String {
        super::describe::expected(self)
    }

    /// What a value of this type consists of; `None` if this kind of JSON value is not legal here.
    pub fn content(&'static self, json: Json, has_key: &dyn Fn(&str) -> bool) -> Option<Content> {
        if !self.accepts(json) {
            return None;
        }
        Some(match self {
            Self::Object(kind) => Content::Object(*kind),
            Self::Tagged(tags) => match tags.iter().find(|(key, _)| has_key(key)) {
                Some(&(_, kind)) => Content::Object(kind),
                None => Content::Untagged(tags),
            },
            Self::Map(map) => Content::Map(map),
            Self::List(item) => Content::List(item),
            Self::OneOf(types) => types.iter().find_map(|ty| ty.content(json, has_key))?,
            _ => Content::Leaf(self),
        })
    }
}

/// The kind of a whole file: flat if its `states` is a list.
pub fn file_kind(states: Option<Json>) -> ObjectKind {
    if states == Some(Json::List) {
        ObjectKind::FlatMachine
    } else {
        ObjectKind::Machine
    }
}

/// The keys of an object kind in the order in which the formatter writes them.
pub fn key_order(kind: ObjectKind) -> &'static [&'static str] {
    static ORDERS: LazyLock<Vec<Vec<&'static str>>> = LazyLock::new(|| {
        ObjectKind::ALL
            .iter()
            .map(|kind| kind.shape().fields().map(|field| field.key).collect())
            .collect()
    });
    &ORDERS[kind as usize]
}
