//! `statewright trace --why` of what `run` recorded.

use crate::common::Folder;

#[test]
fn sel_7_why_says_what_a_score_falls_short_of_where_the_machine_is_known() {
    let folder = Folder::new();
    folder.write(
        "shy.sw.json",
        r#"{
          "machine": "Shy", "events": { "Look": { "sent": true } }, "parameters": { "courage": 0.75 }, "initial": "calm",
          "states": {
            "calm": {
              "transitions": [
                { "when": "always", "priority": 1, "score": "0.5", "threshold": "courage - 0.1", "to": "bold" },
                { "when": "always", "priority": 1, "score": "0.25", "threshold": 0.5, "to": "bold" },
                { "when": "always", "score": "1", "stay": true },
                { "on": "Look", "do": "Blink" },
              ],
            },
            "bold": {},
          },
        }"#,
    );
    let run = "run shy.sw.json -q --agents 1 --ticks 2 --trace t.swtrace --trace-level 3";
    let run: Vec<&str> = run.split(' ').collect();
    folder.run(&run).code(0);
    let why = |more: &[&str]| {
        let ran = folder.run(&[&["trace", "t.swtrace", "--why", "0", "1"], more].concat());
        ran.code(0)
    };
    why(&[]).prints("its score is below the threshold, scored 0.5");
    why(&["--machine", "shy.sw.json"])
        .prints("its score `0.5` of 0.5 is below its threshold of `courage - 0.1`")
        .prints("its score `0.25` of 0.25 is below its threshold of 0.5")
        .prints("calm (stays) (always)  it won, and says that nothing happens, scored 1");
}
