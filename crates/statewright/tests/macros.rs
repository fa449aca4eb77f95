//! The macros, through a crowd: every function is called with what it asked for.

use statewright::prelude::*;

statewright::machine!(
    /// What guards do.
    mod guard = "tests/machines/guard.sw.json",
    functions = Body,
    // It declares more than it uses.
    warnings = allow,
);

struct World {
    fear: i32,
}

#[derive(Clone, Debug, PartialEq, Board)]
struct Body {
    courage: i32,
    health: i32,
    #[board(name = "speed")]
    pace: f32,
    alert: bool,
    home: [f32; 2],
    #[board(skip)]
    secret: i32,
    log: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Command)]
#[command(lane = AUDIO)]
struct Cry {
    power: i32,
    far: bool,
    at: [f32; 3],
    who: AgentId,
}

#[derive(Clone, Copy, Debug, PartialEq, Command)]
#[command(lane = guard::lanes::EFFECTS, name = "fx.Spark")]
struct Spark(f32);

#[derive(Arguments)]
struct Far {
    far: bool,
    at: [f32; 3],
}

#[functions(context = World)]
impl Body {
    const NEW: Self = Self {
        courage: 5,
        health: 100,
        pace: 1.5,
        alert: false,
        home: [1.0, 2.0],
        secret: 0,
        log: Vec::new(),
    };

    fn note(&mut self, text: &str) {
        self.log.push(text.to_owned());
    }

    #[guard]
    fn is_brave(&self, world: &World) -> bool {
        self.courage > world.fear
    }

    #[guard]
    fn knows(&self, cx: &GuardCx, number: i32, world: &World, text: &str) -> Verdict {
        Verdict {
            holds: number == 3 && text == "foe" && cx.payload::<i32>() > world.fear,
            code: 4,
        }
    }

    #[guard(rng)]
    fn lucky(&self, cx: &mut GuardCx<'_, '_, '_>) -> bool {
        cx.rng().is_some()
    }

    #[scorer]
    fn danger(&self) -> f32 {
        self.pace
    }

    #[action]
    fn shout(&mut self, power: i32, far: Far, cx: &mut ActionCx, line: &str) {
        self.note(line);
        assert!(cx.emit(Cry {
            power,
            far: far.far,
            at: far.at,
            who: cx.agent()
        }));
    }

    #[action(name = "fx::Spark")]
    fn spark(&self, cx: &mut ActionCx, size: f32) {
        assert!(cx.emit(Spark(size)));
    }

    #[action(name = "Note")]
    fn take_note(&mut self) {
        self.note("calm");
    }

    #[cfg(any())]
    #[action]
    fn never(&self) {}

    #[activity]
    fn track(&mut self, step: i32, mode: Mode) -> Status {
        self.note(match mode {
            Mode::Run => "track",
            Mode::Cancel => "cancel",
        });
        self.secret += step;
        Status::Running
    }

    #[activity]
    fn sleep(&mut self) -> Status {
        self.note("sleep");
        Status::Running
    }
}

fn crowd() -> Crowd<Body, World> {
    let program = guard::machine()
        .bind(Body::functions())
        .unwrap_or_else(|error| panic!("{error}"));
    Crowd::new(program, 7)
}

#[test]
fn code_2_functions_of_an_impl_block() {
    let (mut crowd, world) = (crowd(), World { fear: 3 });
    let (seen, calm, rest) = (
        guard::events::SEEN,
        guard::events::CALM,
        guard::events::REST,
    );
    let agent = crowd.spawn(Body::NEW);
    crowd.tick(&world);
    crowd.send(agent, seen, 3).unwrap();
    crowd.tick(&world);
    assert_eq!(
        crowd.path(agent).unwrap(),
        "watch",
        "3 is not more than the fear"
    );
    crowd.send(agent, seen, 4).unwrap();
    crowd.tick(&world);
    assert!(crowd.is_in(agent, guard::states::FIGHT_CLOSE_IN).unwrap());
    let cries: Vec<_> = crowd
        .commands()
        .filter_map(|command| command.get::<Cry>())
        .collect();
    assert_eq!(
        cries,
        [Cry {
            power: 3,
            far: true,
            at: [1.0, 2.0, 3.0],
            who: agent
        }]
    );
    let sparks: Vec<_> = crowd
        .commands()
        .filter_map(|command| Some((command.lane(), command.get::<Spark>()?)))
        .collect();
    assert_eq!(sparks, [(Lane::own(1), Spark(0.5))]);
    let body = crowd.board(agent).unwrap();
    assert_eq!(
        (body.health, body.alert),
        (90, true),
        "the file wrote these"
    );
    crowd.tick(&world);
    crowd.send(agent, calm, ()).unwrap();
    crowd.tick(&world);
    crowd.send(agent, rest, ()).unwrap();
    crowd.tick(&world);
    crowd.tick(&world);
    crowd.send(agent, calm, ()).unwrap();
    crowd.tick(&world);
    let body = crowd.board(agent).unwrap();
    let log = body.log.join(" ");
    assert_eq!(
        log, "to arms track cancel calm sleep",
        "without a `Mode` nothing is called when the state is left"
    );
    assert_eq!(body.secret, 4);
}

#[test]
fn code_2_names_of_a_machine_file_are_constants() {
    let machine = guard::machine();
    assert_eq!(machine.name(), "Guard");
    assert_eq!(machine.state("root").unwrap(), guard::states::ROOT);
    assert_eq!(
        machine.state("fight/close In").unwrap(),
        guard::states::FIGHT_CLOSE_IN
    );
    assert_eq!(machine.state("a").unwrap(), guard::states::A);
    assert_eq!(machine.event("InRange").unwrap(), guard::events::IN_RANGE);
    assert_eq!(machine.key("home").unwrap(), guard::keys::HOME);
    assert_eq!(
        machine.parameter("flee_below").unwrap(),
        guard::parameters::FLEE_BELOW
    );
    assert_eq!(machine.variant("elite").unwrap(), guard::variants::ELITE);
    assert_eq!(machine.channel("legs").unwrap(), guard::channels::LEGS);
    assert_eq!(machine.timer("fuse").unwrap(), guard::timers::FUSE);
    let tired = [
        guard::timers::FIGHT_CLOSE_IN_TIRED,
        guard::timers::SLEEP_TIRED,
    ];
    assert_eq!(
        tired.map(|timer| machine.symbols().of(timer.id()).unwrap()),
        ["tired"; 2]
    );
    let (close_in, sleep) = (guard::states::FIGHT_CLOSE_IN, guard::states::SLEEP);
    assert_eq!(
        machine.scratch(close_in, "aim").unwrap(),
        guard::scratch::AIM
    );
    assert_eq!(
        machine.scratch(close_in, "steps").unwrap(),
        guard::scratch::FIGHT_CLOSE_IN_STEPS
    );
    assert_eq!(
        machine.scratch(sleep, "steps").unwrap(),
        guard::scratch::SLEEP_STEPS
    );
    let error = machine.scratch(sleep, "aim").unwrap_err().to_string();
    assert_eq!(
        error,
        "the machine has no scratch of this state named `aim`"
    );
    assert_eq!(
        Lane::from(machine.lane("effects").unwrap()),
        guard::lanes::EFFECTS
    );
    assert_eq!(machine.structure_hash(), guard::STRUCTURE_HASH);
    let unused = "tests/machines/guard.sw.json:10:6: event `InRange` is never used [SW0402]";
    assert_eq!(machine.warnings()[0], unused);
    // HASH-2
    assert_eq!(machine.symbol("to arms").unwrap(), guard::symbols::TO_ARMS);
    assert_eq!(machine.symbol_text(guard::symbols::FOE), Some("foe"));
    let text = std::fs::read_to_string("tests/machines/guard.sw.json").unwrap();
    let at_run_time = Machine::from_text("guard.sw.json", &text).unwrap();
    assert_eq!(machine.bytes(), at_run_time.bytes(), "the same machine");
    assert_eq!(machine.symbols(), at_run_time.symbols());
}

#[derive(Board, statewright::Saved)]
struct Counter {
    count: i32,
}

#[functions]
impl Counter {
    #[action]
    fn greet(&mut self) {
        self.count += 1;
    }
}

/// More functions of the same blackboard, in a module.
#[functions(board = Counter)]
mod counting {
    use super::Counter;

    fn next(number: i32) -> i32 {
        number + 1
    }

    #[guard]
    fn is_above(me: &Counter, limit: i32, _: &()) -> bool {
        me.count > limit
    }

    #[action]
    fn count(me: &mut Counter, steps: i32) {
        (0..steps).for_each(|_| me.count = next(me.count));
    }
}

statewright::machine!(mod counter = "tests/machines/counter.sw.json", functions = [Counter, counting::List]);

#[test]
fn code_2_functions_of_a_module() {
    let named = <counting::List as statewright::Named>::FUNCTIONS
        .iter()
        .map(|function| function.name);
    assert_eq!(
        named.collect::<Vec<_>>(),
        ["is_above", "IsAbove", "count", "Count"]
    );
    let functions = Counter::functions().and(counting::functions());
    let mut crowd = Crowd::new(counter::machine().bind(functions).unwrap(), 7);
    let agent = crowd.spawn(Counter { count: 0 });
    crowd.tick(&());
    crowd.send(agent, counter::events::ADD, ()).unwrap();
    crowd.tick(&());
    assert_eq!(
        (
            crowd.board(agent).unwrap().count,
            crowd.path(agent).unwrap()
        ),
        (3, "few".to_owned())
    );
    crowd.send(agent, counter::events::ADD, ()).unwrap();
    crowd.tick(&());
    assert_eq!(crowd.board(agent).unwrap().count, 5);
    assert!(crowd.is_in(agent, counter::states::MANY).unwrap());
}

/// Where the constants of a machine are used that has none of them.
type Counters = Crowd<Counter, fn(&mut ActionCx)>;

fn counters(use_: fn(&mut ActionCx)) -> (Counters, AgentId, AgentId) {
    let functions = Functions::new()
        .action("Greet", |_: &mut Counter, _: &fn(&mut ActionCx), _| {})
        .action("Count", |_, use_, cx| use_(cx))
        .guard("IsAbove", |_, _, _| Verdict::from(false));
    let mut crowd = Crowd::new(counter::machine().bind(functions).unwrap(), 1);
    let [one, other] = [(); 2].map(|()| crowd.spawn(Counter { count: 0 }));
    crowd.tick(&use_);
    (crowd, one, other)
}

#[test]
fn hash_3_constants_of_a_machine_are_refused_by_another() {
    let (mut crowd, agent, _) = counters(|_| {});
    let before = crowd.snapshot();
    let both = |error: &dyn std::fmt::Display| {
        let text = error.to_string();
        assert!(
            text.contains("`Guard`") && text.contains("`Counter`"),
            "{text}"
        );
    };
    let machine = crowd.machine().clone();
    both(&crowd.is_in(agent, guard::states::A).unwrap_err());
    both(&crowd.ticks_in_state(agent, guard::states::A).unwrap_err());
    both(&crowd.all_in(guard::states::A).unwrap_err());
    both(&crowd.send(agent, guard::events::IN_RANGE, ()).unwrap_err());
    both(&crowd.broadcast(guard::events::IN_RANGE, ()).unwrap_err());
    both(
        &crowd
            .set_variant(agent, guard::variants::ELITE)
            .unwrap_err(),
    );
    both(
        &crowd
            .set_parameter(guard::parameters::FLEE_BELOW, 1)
            .unwrap_err(),
    );
    both(&crowd.program().field(guard::keys::HOME).unwrap_err());
    both(&machine.resolve(guard::timers::FUSE).unwrap_err());
    both(&machine.resolve(guard::channels::LEGS).unwrap_err());
    both(&machine.resolve(guard::scratch::AIM).unwrap_err());
    assert_eq!(crowd.snapshot(), before, "nothing happened");
}

#[test]
fn hash_3_user_code_with_a_constant_of_another_machine_ends_its_agent_alone() {
    let uses: [fn(&mut ActionCx); 7] = [
        |cx| _ = cx.is_active(guard::states::A),
        |cx| _ = cx.post(guard::events::IN_RANGE, ()),
        |cx| _ = cx.parameter::<i32>(guard::parameters::FLEE_BELOW),
        |cx| cx.start_timer(guard::timers::FUSE, 3),
        |cx| _ = cx.scratch(guard::scratch::AIM, 0),
        |cx| _ = cx.send(cx.agent(), guard::events::IN_RANGE, ()),
        |cx| cx.clear_history(guard::states::A),
    ];
    for (number, use_) in uses.into_iter().enumerate() {
        let (mut crowd, agent, other) = counters(use_);
        crowd.send(agent, counter::events::ADD, ()).unwrap();
        assert_eq!(crowd.tick(&use_).panicked, 1, "use {number}");
        assert!(crowd.has_ended(agent).unwrap(), "use {number}");
        assert!(!crowd.has_ended(other).unwrap(), "use {number}");
    }
}

#[test]
fn cmd_1_bytes_of_a_command_have_no_gaps() {
    let mut bytes = [0; Cry::BYTES];
    let who = statewright::Value::from_words([7, 9, 0]);
    let cry = Cry {
        power: -2,
        far: true,
        at: [0.0, 1.0, 0.0],
        who,
    };
    cry.write(&mut bytes);
    assert_eq!(
        bytes,
        [
            0xFE, 0xFF, 0xFF, 0xFF, 1, 0, 0, 0, 0, 0, 0, 0x80, 0x3F, 0, 0, 0, 0, 7, 0, 0, 0, 9, 0,
            0, 0
        ]
    );
    assert_eq!(Cry::read(&bytes), Some(cry));
    assert_eq!(Cry::read(&bytes[1..]), None);
    assert_eq!((Cry::NAME, Spark::NAME), ("Cry", "fx.Spark"));
}

#[test]
fn code_5_fields_of_a_blackboard() {
    use statewright::Type;
    let fields = [
        ("courage", Type::I32),
        ("health", Type::I32),
        ("speed", Type::F32),
        ("alert", Type::Bool),
        ("home", Type::Vec2),
    ];
    assert_eq!(Body::FIELDS, fields);
    let mut body = Body::NEW;
    body.write(4, statewright::Value::to_words([3.0, 4.0]));
    body.write(5, [1; 3]);
    assert_eq!(
        body,
        Body {
            home: [3.0, 4.0],
            ..Body::NEW
        }
    );
    assert_eq!(Board::read(&body, 2), [1.5_f32.to_bits(), 0, 0]);
}

/// Types and functions that come from a macro of the user's own.
macro_rules! made {
    ($name:ident, $field:ident: $ty:ty) => {
        #[derive(Board, Arguments, Clone, Copy, Command)]
        #[command(lane = VFX)]
        struct $name {
            $field: $ty,
            own: bool,
        }

        #[functions]
        impl $name {
            #[guard]
            fn is_own(&self, number: i32, more: $ty, cx: &GuardCx) -> bool {
                let _ = (number, more, cx);
                self.own
            }
        }
    };
}

made!(Made, spot: [f32; 2]);

#[test]
fn code_2_macros_inside_of_macros() {
    assert_eq!(
        Made::FIELDS
            .iter()
            .map(|(name, _)| *name)
            .collect::<Vec<_>>(),
        ["spot", "own"]
    );
    assert_eq!(
        Made::TYPES,
        [statewright::Type::Vec2, statewright::Type::Bool]
    );
    assert_eq!(Made::BYTES, 9);
    assert_eq!(Made::functions().names().collect::<Vec<_>>(), ["is_own"]);
}
