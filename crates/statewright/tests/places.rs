//! Functions know where they were written: a program tells it to whoever looks for their code.

use statewright::Callback;
use statewright::prelude::*;
use statewright::symbols::RustPlace;

/// This file, as the compiler was given it.
const FILE: &str = file!();

struct Body {
    health: i32,
}
impl Board for Body {}

/// The places of a program, and each with the text that stands there.
fn places<B, C>(functions: Functions<B, C>) -> Vec<(RustPlace, &'static str)>
where
    B: Board,
{
    let machine = Machine::build("Calm", |m| {
        m.state("home", |_| {});
    })
    .unwrap();
    let symbols = machine.bind(functions).unwrap().symbols();
    assert_eq!(machine.symbols().rust_places, [], "the machine knows none");
    let places = symbols.rust_places.into_iter();
    places
        .map(|place| {
            let text = include_str!("places.rs");
            let line = text.lines().nth(place.line as usize - 1).unwrap();
            (place.clone(), &line[place.column as usize - 1..])
        })
        .collect()
}

#[track_caller]
fn check(found: &[(RustPlace, &str)], wanted: &[(&str, &str)]) {
    let found: Vec<(&str, &str)> = found
        .iter()
        .map(|(place, text)| {
            assert_eq!(place.file, FILE.replace('\\', "/"));
            let end = text.find('(').unwrap();
            (place.function.as_str(), &text[..=end])
        })
        .collect();
    assert_eq!(found, wanted);
}

#[test]
fn functions_by_hand_are_where_they_were_added() {
    fn rest(me: &mut Body, _: &(), _: &mut statewright::ActionCx<'_, '_, '_>) {
        me.health = 100;
    }
    let functions = Functions::new()
        .guard("IsHurt", |me: &Body, _: &(), _| {
            Verdict::from(me.health < 30)
        })
        .scorer("Fear", |me, _, _| me.health as f32)
        .value("pulse", statewright::Type::I32, |_, _, _| [60, 0, 0])
        .action("Rest", rest)
        .activity("Walk", |_, _, _, _| Status::Running)
        .add("Fall", Callback::<Body, ()>::Action(|_, _, _| {}));
    let wanted = [
        ("IsHurt", "guard("),
        ("Fear", "scorer("),
        ("pulse", "value("),
        ("Rest", "action("),
        ("Walk", "activity("),
        ("Fall", "add("),
    ];
    check(&places(functions.clone()), &wanted);
    let twice = Functions::new().and(functions);
    check(&places(twice), &wanted);
}

#[test]
fn paths_are_those_of_the_compiler_and_lead_to_no_computer() {
    let functions = Functions::<(), ()>::new().action("Ring", |_, _, _| {});
    let [(place, _)] = places(functions).try_into().unwrap();
    assert!(!place.file.starts_with('/') && !place.file.contains(':'));
    assert!(place.file.ends_with("crates/statewright/tests/places.rs"));
}

#[cfg(feature = "macros")]
mod by_macro {
    use super::*;

    #[derive(Board)]
    struct Dog {
        hunger: f32,
    }

    #[functions]
    impl Dog {
        /// Documentation, marks and attributes stand before a function, and are not its place.
        #[guard]
        #[allow(clippy::float_cmp)]
        pub fn is_hungry(&self, more_than: f32) -> bool {
            self.hunger > more_than
        }

        fn not_for_machines(&self) {}

        #[scorer]
        fn appetite(&self) -> f32 {
            self.not_for_machines();
            self.hunger
        }

        #[value]
        fn bones(&self) -> i32 {
            3
        }

        #[action(name = "dog::Bark")]
        fn bark(&mut self, _loud: bool, _cx: &mut ActionCx) {}

        #[rustfmt::skip]
        #[activity]        fn chew(&mut self) -> Status { Status::Running }
    }

    #[functions(board = Dog)]
    mod tricks {
        use super::Dog;

        #[action]
        pub(super) fn roll_over(_dog: &mut Dog) {}
    }

    #[test]
    fn functions_of_an_impl_block_are_where_their_names_are() {
        check(
            &places(Dog::functions()),
            &[
                ("is_hungry", "is_hungry("),
                ("appetite", "appetite("),
                ("bones", "bones("),
                ("dog::Bark", "bark("),
                ("chew", "chew("),
            ],
        );
    }

    #[test]
    fn functions_of_a_module_are_where_their_names_are() {
        let found = places(tricks::functions());
        check(&found, &[("roll_over", "roll_over(")]);
    }
}

/// What a program writes is read by tools, and belongs to the machine.
#[cfg(feature = "sidecar")]
#[test]
fn a_sidecar_has_the_names_of_the_machine_and_the_places_of_the_program() {
    let text = r#"{ "machine": "Bell", "events": ["Pull"], "functions": { "HasRope": "guard", "Ring": "action" },
      "states": { "still": { "transitions": [{ "on": "Pull", "if": "HasRope", "do": "Ring" }] } } }"#;
    let machine = Machine::from_text("bell.sw.json", text).unwrap();
    let bytes = machine.bytes().to_vec();
    let line = line!() + 2;
    let functions = Functions::<(), ()>::new()
        .guard("has_rope", |_, _, _| Verdict::from(true))
        .guard_code("has_rope", 7, "torn")
        .action("Ring", |_, _, _| {})
        .action("Knock", |_, _, _| {});
    let program = machine.bind(functions).unwrap();
    let read = statewright::SymbolTable::from_json(&program.sidecar()).unwrap();
    assert_eq!(read, program.symbols());
    assert!(read.belongs_to(&machine.rom()));
    assert_eq!(read.guard_codes.len(), 1);
    let lines = |name| -> Vec<u32> { read.rust_places(name).map(|place| place.line).collect() };
    assert_eq!(lines("HasRope"), [line]);
    assert_eq!(lines("Ring"), [line + 2]);
    assert_eq!(lines("Knock"), [line + 3], "nothing calls it yet");
    // With them it is the same machine, and knows what the sidecar knows.
    let again = Machine::from_rom(bytes.clone(), read.clone()).unwrap();
    assert_eq!((again.bytes(), again.symbols()), (&bytes[..], &read));
}
