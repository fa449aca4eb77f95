//! The examples do what they say.

#[path = "../examples/collectors.rs"]
#[allow(dead_code, reason = "only the story is run")]
mod collectors;
#[path = "../examples/crowd.rs"]
#[allow(dead_code, reason = "only the story is run")]
mod crowd;
#[path = "../examples/start.rs"]
#[allow(dead_code, reason = "only the story is run")]
mod start;

#[test]
fn collectors_deliver_all_coins_and_the_fast_one_most() {
    let [runner, dreamer, plain] = collectors::run();
    assert_eq!(runner + dreamer + plain, 5);
    assert!(
        runner > dreamer && runner > plain,
        "{runner} {dreamer} {plain}"
    );
}

#[test]
fn a_crowd_walks_and_cries() {
    let (steps, cries) = crowd::run(3000, 200);
    assert!(steps > 3000, "{steps}");
    assert!(cries > 300, "{cries}");
}

#[test]
fn a_light_is_red_and_green() {
    let mut app = start::app();
    (0..10).for_each(|_| app.update());
    let world = app.world_mut();
    let rings: Vec<i32> = world
        .query::<&start::Light>()
        .iter(world)
        .map(|light| light.rings)
        .collect();
    assert_eq!(rings, [2]);
}

#[test]
fn the_machine_file_of_the_readme_is_the_one_that_its_program_loads() {
    let readme = include_str!("../README.md");
    let file = include_str!("../assets/guard.sw.json");
    assert!(readme.contains(&format!("```json\n{file}```")));
}
