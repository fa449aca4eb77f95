//! Whatever is lost is counted, and once.

use bevy_app::prelude::*;
use bevy_statewright::prelude::*;
use bevy_statewright::{Problems, Target};

use crate::bad_input::{OTHER, Other};
use crate::common::*;
use crate::misfits::LAMP;

#[test]
fn an_event_for_everybody_is_lost_only_if_nobody_knows_it() {
    let mut app = app();
    app.add_agents(Other::functions);
    let machine = Machine::from_text("other.sw.json", OTHER).unwrap();
    let unknown = Machine::from_text("lamp.sw.json", LAMP)
        .unwrap()
        .event("Push")
        .unwrap();
    let other = add_machine(&mut app, machine);
    let soldier = spawn(&mut app);
    (0..5).for_each(|_| _ = app.world_mut().spawn(Agent::<Other>::new(other.clone())));
    app.update();
    let noise = app.world().resource::<Events>().noise;
    send_typed(&mut app, Target::All, noise, 9_i32);
    app.update();
    assert_eq!(path(&mut app, soldier), "alert/look");
    assert_eq!(lost(&app), [0, 0, 0], "the others were not meant");
    send_typed(&mut app, Target::All, unknown, ());
    app.update();
    assert_eq!(lost(&app), [0, 0, 1]);
    assert_eq!(problems(&app), []);
}

#[test]
fn events_for_those_who_have_ended_are_counted() {
    let mut app = app();
    let entity = spawn(&mut app);
    app.update();
    stop(&mut app, entity);
    app.update();
    assert_eq!(path(&mut app, entity), "", "it has ended");
    let noise = app.world().resource::<Events>().noise;
    (0..3).for_each(|_| send(&mut app, entity, noise, 9_i32));
    app.update();
    let problems = app.world().resource::<Problems>();
    assert_eq!((problems.lost_to_ended, problems.lost()), (3, 3));
}

#[test]
fn signals_that_no_tick_reads_are_counted() {
    let mut app = app();
    let entity = spawn(&mut app);
    app.update();
    let noise = app.world().resource::<Events>().noise;
    for _ in 0..3 {
        let signal = Signal::new(entity, noise, 9_i32);
        app.world_mut().write_message(signal);
    }
    // Two frames pass without a tick.
    (0..2).for_each(|_| app.world_mut().run_schedule(First));
    app.world_mut()
        .write_message(Signal::new(entity, noise, 9_i32));
    app.update();
    assert_eq!(
        path(&mut app, entity),
        "alert/look",
        "the last one is heard"
    );
    let problems = app.world().resource::<Problems>();
    assert_eq!((problems.lost_signals, problems.lost()), (3, 3));
}
