//! What a panic of user code leaves for whoever looks for it (TICK-3). A program of its own: panic
//! hooks are for a whole process.

use std::cell::RefCell;

use statewright::prelude::*;

thread_local! {
    /// Line and message of each panic of this thread.
    static SEEN: RefCell<Vec<(u32, String)>> = const { RefCell::new(Vec::new()) };
}

/// Panics of this thread while something runs.
fn panics_of(run: impl FnOnce()) -> Vec<(u32, String)> {
    std::panic::set_hook(Box::new(|panic| {
        let line = panic
            .location()
            .filter(|at| at.file().ends_with("panics.rs"));
        let line = line.map_or(0, std::panic::Location::line);
        let text = panic.payload_as_str().unwrap_or_default().to_owned();
        SEEN.with_borrow_mut(|seen| seen.push((line, text)));
    }));
    SEEN.take();
    run();
    SEEN.take()
}

const DOG: &str = r#"{ "machine": "Dog", "events": { "Pat": { "payload": "i32" }, "Call": {} },
  "parameters": { "zeal": 0.5 }, "initial": "duty",
  "states": { "duty": { "initial": "sit", "states": { "sit": { "transitions": [
    { "on": "Call", "do": "Err" }, { "on": "Pat", "if": "Likes", "do": "Err" } ] } } } } }"#;

struct Body;
impl Board for Body {}

/// What the function does, the dog's own event, and one of another machine.
struct Mistake(
    u32,
    [statewright::EventHandle; 2],
    statewright::ParameterHandle,
);

const FIRST_LINE: u32 = line!() + 4;
fn err(_: &mut Body, Mistake(what, [pat, foreign], zeal): &Mistake, cx: &mut ActionCx) {
    // One mistake per line.
    match what {
        0 => _ = cx.parameter::<i32>(*zeal),
        1 => _ = cx.post(*pat, 2.5_f32),
        2 => _ = cx.raise(*foreign, ()),
        3 => _ = cx.send(cx.agent(), *foreign, ()),
        4 => panic!("I am {}", "tired"),
        _ => std::panic::panic_any(7_u8),
    }
}

fn dogs() -> (Crowd<Body, Mistake>, AgentId, impl Fn(u32) -> Mistake) {
    let machine = Machine::from_text("dog.sw.json", DOG).unwrap();
    let cat = Machine::from_text(
        "cat.sw.json",
        &DOG.replace("Dog", "Cat").replace("Call", "Miau"),
    )
    .unwrap();
    let events = [machine.event("Pat").unwrap(), cat.event("Miau").unwrap()];
    let zeal = machine.parameter("zeal").unwrap();
    let functions = Functions::<Body, Mistake>::new()
        .action("Err", err)
        .guard("Likes", |_, _, cx| Verdict::from(cx.payload::<bool>()));
    let mut crowd = Crowd::new(machine.bind(functions).unwrap(), 1);
    let mistake = move |what| Mistake(what, events, zeal);
    crowd.spawn(Body);
    let dog = crowd.spawn(Body);
    crowd.tick(&mistake(0));
    (crowd, dog, mistake)
}

#[test]
fn tick_3_a_panic_of_user_code_names_agent_function_state_and_line() {
    let words = [
        "parameter `zeal` is f32, not i32",
        "event `Pat` of `Dog` carries i32, not f32",
        "is none of `Dog`",
        "is none of `Dog`",
        "I am tired",
        "",
    ];
    for (what, words) in (0..).zip(words) {
        let (mut crowd, dog, mistake) = dogs();
        let call = crowd.machine().event("Call").unwrap();
        crowd.send(dog, call, ()).unwrap();
        let seen = panics_of(|| _ = crowd.tick(&mistake(what)));
        let panicked: Vec<_> = crowd.panicked().collect();
        let [panicked] = panicked[..] else {
            panic!("one panicked");
        };
        assert_eq!(seen.len(), 1, "{what}");
        assert_eq!(
            seen[0].0,
            FIRST_LINE + what,
            "{what}: the line in user code"
        );
        let place = format!("{dog}, `Err` in `duty/sit`: ");
        assert_eq!(panicked.agent, dog);
        assert!(panicked.message.contains(words), "{what}: {panicked}");
        assert!(
            !panicked.message.contains("duty/sit"),
            "{what}: once is enough"
        );
        assert_eq!(panicked.to_string(), format!("{place}{}", panicked.message));
        assert_eq!(
            seen[0].1.starts_with(&place),
            what < 4,
            "{what}: {}",
            seen[0].1
        );
        let machine = crowd.machine();
        assert_eq!(
            panicked.state,
            machine.state("duty/sit").ok().map(|state| state.id())
        );
        assert_eq!(
            panicked
                .function
                .map(|it| machine.function_name(it))
                .as_deref(),
            Some("Err")
        );
        assert_eq!(crowd.faults().count(), 0, "a panic is no fault");
        crowd.tick(&mistake(0));
        assert_eq!(crowd.panicked().count(), 0, "until the next tick");
    }
}

#[test]
fn tick_3_a_guard_that_reads_another_payload_is_named_too() {
    let (mut crowd, dog, mistake) = dogs();
    let pat = crowd.machine().event("Pat").unwrap();
    crowd.send(dog, pat, 5).unwrap();
    let seen = panics_of(|| _ = crowd.tick(&mistake(0)));
    let words = format!("{dog}, `Likes` in `duty/sit`: event `Pat` of `Dog` carries i32, not bool");
    assert_eq!(
        crowd
            .panicked()
            .map(ToString::to_string)
            .collect::<Vec<_>>(),
        [words.as_str()]
    );
    assert!(seen[0].0 > FIRST_LINE && seen[0].1 == words, "{seen:?}");
}

#[test]
fn inspect_says_why_an_agent_is_quarantined_until_it_is_reset() {
    let (mut crowd, dog, mistake) = dogs();
    let call = crowd.machine().event("Call").unwrap();
    crowd.send(dog, call, ()).unwrap();
    panics_of(|| _ = crowd.tick(&mistake(4)));
    crowd.tick(&mistake(4));
    let why = format!("{dog}, `Err` in `duty/sit`: I am tired");
    let seen = crowd.inspect(dog).unwrap();
    assert_eq!(seen.panicked.as_ref(), Some(&why));
    assert!(seen.to_string().contains(&why), "{seen}");
    let other = crowd.agents().next().unwrap();
    assert_eq!(crowd.inspect(other).unwrap().panicked, None);

    crowd.reset(dog).unwrap();
    assert_eq!(crowd.inspect(dog).unwrap().panicked, None);
}

#[test]
fn a_long_message_of_a_panic_is_cut_at_a_character() {
    let machine = Machine::build("Mouse", |m| {
        m.state("nest", |s| {
            s.entry("Squeak");
        });
    })
    .unwrap();
    let functions =
        Functions::<Body, ()>::new().action("Squeak", |_, _, _| panic!("x{}", "ü".repeat(4000)));
    let mut mice = Crowd::new(machine.bind(functions).unwrap(), 1);
    mice.spawn(Body);
    panics_of(|| _ = mice.tick(&()));
    let lengths: Vec<usize> = mice.panicked().map(|one| one.message.len()).collect();
    assert_eq!(lengths, [499]);
}
