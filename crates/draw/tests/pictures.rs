//! Every format for every sample, read back by something that did not write it, also with names
//! that mean harm.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use statewright_compile::symbols::Symbol;
use statewright_compile::{Output, compile_text};
use statewright_draw::{Chart, Facts, Heat, Options, Theme, dot, mermaid, page, plantuml, svg};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn compiled(name: &str) -> Output {
    let text =
        std::fs::read_to_string(root().join("machines").join(format!("{name}.sw.json"))).unwrap();
    compile_text(name, &text, &Default::default()).0.unwrap()
}

fn chart(name: &str) -> Chart {
    let output = compiled(name);
    Chart::new(&output.rom.as_rom(), &output.symbols)
}

const SAMPLES: [&str; 5] = ["boss", "pedestrian", "soldier", "traffic_light", "watchman"];

/// Text that would be more than text in some format.
const HOSTILE: [&str; 8] = [
    "</text><script>alert(1)</script>",
    "\"]; evil [label=\"x",
    "\u{1b}[31mred\u{1b}[0m",
    "two\nlines }",
    "--> [*] : x",
    "a\\\"b\\",
    "<U+0041>&amp;#65;<b>",
    "\u{202e}back'ward' %%{init: {}}%%",
];

/// The boss with all its names replaced.
fn hostile() -> Chart {
    let output = compiled("boss");
    let mut symbols = output.symbols.clone();
    for (shared, name) in symbols.shared.iter_mut().zip(HOSTILE) {
        shared.set = Some(name.to_owned());
    }
    let mut next = 0;
    let mut rename = |list: &mut Vec<Symbol>| {
        for symbol in list {
            symbol.name = HOSTILE[next % HOSTILE.len()].to_owned();
            next += 1;
        }
    };
    for list in [
        &mut symbols.states,
        &mut symbols.regions,
        &mut symbols.events,
        &mut symbols.timers,
        &mut symbols.history,
        &mut symbols.functions,
        &mut symbols.keys,
        &mut symbols.parameters,
        &mut symbols.variants,
        &mut symbols.lanes,
        &mut symbols.channels,
    ] {
        rename(list);
    }
    symbols.machine = HOSTILE.concat();
    Chart::new(&output.rom.as_rom(), &symbols)
}

fn all_charts() -> Vec<Chart> {
    SAMPLES.map(chart).into_iter().chain([hostile()]).collect()
}

fn is_plain(text: &str) -> bool {
    let hidden = |c: char| c.is_control() && c != '\n';
    !text
        .chars()
        .any(|c| hidden(c) || ('\u{202a}'..='\u{202e}').contains(&c))
}

#[test]
fn an_svg_is_xml_with_every_state_and_every_line() {
    for chart in all_charts() {
        for theme in [Theme::Auto, Theme::Light, Theme::Dark] {
            let drawing = svg(
                &chart,
                &Options {
                    theme,
                    ..Options::default()
                },
            );
            let tree = roxmltree::Document::parse(&drawing.svg).unwrap();
            assert!(is_plain(&drawing.svg));
            let states = tree
                .descendants()
                .filter(|node| node.has_attribute("data-state"));
            let states: Vec<&str> = states
                .filter_map(|node| node.attribute("data-state"))
                .collect();
            let expected: Vec<&str> = chart
                .states
                .iter()
                .map(|state| state.path.as_str())
                .collect();
            assert_eq!(states, expected);
            let drawn: BTreeSet<usize> = tree
                .descendants()
                .filter_map(|node| node.attribute("data-transitions"))
                .flat_map(|list| {
                    list.split_whitespace()
                        .map(|number| number.parse::<usize>().unwrap())
                })
                .collect();
            let leading: BTreeSet<usize> = (0..chart.transitions.len())
                .filter(|&number| !chart.transitions[number].targets.is_empty())
                .collect();
            assert_eq!(
                drawn, leading,
                "in the samples every transition that leads somewhere is a line"
            );
            let tags: BTreeSet<&str> = tree
                .descendants()
                .filter(|n| n.is_element())
                .map(|n| n.tag_name().name())
                .collect();
            let known = [
                "svg", "style", "rect", "g", "title", "text", "path", "circle",
            ];
            assert!(tags.iter().all(|tag| known.contains(tag)), "{tags:?}");
            assert_eq!(
                drawing.svg.contains("@media"),
                theme == Theme::Auto,
                "fixed themes ask nobody"
            );
            assert_eq!(drawing.written, 0);
        }
    }
}

#[test]
fn the_same_machine_gives_the_same_bytes() {
    for name in SAMPLES {
        let drawn = || {
            let chart = chart(name);
            (
                svg(&chart, &Options::default()).svg,
                mermaid(&chart),
                dot(&chart),
                plantuml(&chart),
            )
        };
        assert_eq!(drawn(), drawn());
    }
}

#[test]
fn active_states_and_heat_change_colors_only() {
    let chart = chart("soldier");
    let plain = svg(&chart, &Options::default()).svg;
    let patrol = chart.find("alive.idle.patrol").unwrap();
    assert_eq!(chart.find("patrol"), Ok(patrol));
    assert_eq!(chart.find("idle/patrol"), Ok(patrol));
    assert!(chart.find("nobody").is_err());
    let twins = r#"{ "machine": "Twins", "initial": "a", "states": {
        "a": { "initial": "x", "states": { "x": {} } }, "b": { "initial": "x", "states": { "x": {} } } } }"#;
    let output = compile_text("twins", twins, &Default::default()).0.unwrap();
    let twins = Chart::new(&output.rom.as_rom(), &output.symbols);
    assert_eq!(
        twins.find("x"),
        Err("`x` could be `a/x` or `b/x`".to_owned())
    );
    assert!(
        twins
            .find("b.x")
            .is_ok_and(|state| twins.states[state].path == "b/x")
    );
    let lit = svg(
        &chart,
        &Options {
            active: vec![patrol],
            ..Options::default()
        },
    )
    .svg;
    let tree = roxmltree::Document::parse(&lit).unwrap();
    let class = |path: &str| {
        let state = tree
            .descendants()
            .find(|node| node.attribute("data-state") == Some(path))
            .unwrap();
        let shape = state
            .children()
            .find(|node| node.has_tag_name("rect"))
            .or_else(|| {
                state
                    .children()
                    .find(|node| node.tag_name().name() == "rect")
            });
        shape.unwrap().attribute("class").unwrap().to_owned()
    };
    assert!(class("alive/idle/patrol").contains("active"));
    assert!(class("alive/idle").ends_with(" lit") && class("root").ends_with(" lit"));
    assert!(!class("alive/combat").contains("lit"));
    let without = |svg: &str| svg.replace(" lit active", "").replace(" lit\"", "\"");
    assert_eq!(without(&lit), plain);
    let mut heat = Heat {
        states: vec![0; chart.states.len()],
        transitions: vec![0; chart.transitions.len()],
    };
    heat.states[patrol] = 1000;
    heat.transitions[0] = 7;
    let hot = svg(
        &chart,
        &Options {
            heat: Some(heat),
            ..Options::default()
        },
    )
    .svg;
    assert!(
        hot.contains("class=\"box heat5\"")
            && hot.contains("line warm5")
            && hot.contains(" times; without color or dotted: never")
    );
    assert!(hot.contains("line never"));
}

#[test]
fn states_and_transitions_have_their_numbers_in_the_rom() {
    for name in SAMPLES {
        let output = compiled(name);
        let rom = output.rom.as_rom();
        let chart = Chart::new(&rom, &output.symbols);
        assert_eq!(chart.transitions.len(), output.symbols.transitions.len());
        let names: Vec<&str> = output
            .symbols
            .states
            .iter()
            .map(|symbol| symbol.name.as_str())
            .collect();
        assert_eq!(
            chart
                .states
                .iter()
                .map(|state| state.path.as_str())
                .collect::<Vec<_>>(),
            names
        );
        let by_rom: Vec<usize> = rom
            .state_ids()
            .flat_map(|state| {
                let count = if chart.states[state.index()].branches.is_empty() {
                    rom.transitions_of(state).len()
                } else {
                    0
                };
                std::iter::repeat_n(state.index(), count)
            })
            .collect();
        assert_eq!(
            chart
                .transitions
                .iter()
                .map(|one| one.source)
                .collect::<Vec<_>>(),
            by_rom
        );
    }
}

/// A reader of the part of DOT that we write.
mod dot_reader {
    #[derive(Debug, PartialEq)]
    pub enum Token {
        Word(String),
        Text(String),
        Sign(char),
        Arrow,
    }

    pub fn tokens(text: &str) -> Vec<Token> {
        let mut out = Vec::new();
        let mut rest = text.chars().peekable();
        while let Some(c) = rest.next() {
            match c {
                c if c.is_whitespace() => {}
                '"' => {
                    let mut inside = String::new();
                    loop {
                        match rest.next().expect("a string ends") {
                            '"' => break,
                            '\\' => match rest.next().unwrap() {
                                '"' => inside.push('"'),
                                '\\' => inside.push('\\'),
                                'n' | 'l' => inside.push('\n'),
                                other => panic!("escape \\{other}"),
                            },
                            c => inside.push(c),
                        }
                    }
                    out.push(Token::Text(inside));
                }
                '-' => {
                    assert_eq!(rest.next(), Some('>'));
                    out.push(Token::Arrow);
                }
                '{' | '}' | '[' | ']' | '=' | ';' | ',' => out.push(Token::Sign(c)),
                c if c.is_ascii_alphanumeric() || c == '_' => {
                    let mut word = c.to_string();
                    while let Some(c) =
                        rest.next_if(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'))
                    {
                        word.push(c);
                    }
                    out.push(Token::Word(word));
                }
                other => panic!("unexpected {other:?}"),
            }
        }
        out
    }
}

#[test]
fn dot_is_read_back_with_every_state_and_arrow() {
    use dot_reader::{Token, tokens};
    for chart in all_charts() {
        let text = dot(&chart);
        assert!(is_plain(&text));
        let tokens = tokens(&text);
        let open = |sign: char| {
            tokens
                .iter()
                .filter(|token| **token == Token::Sign(sign))
                .count()
        };
        assert_eq!((open('{'), open('[')), (open('}'), open(']')));
        let mut declared = BTreeSet::new();
        let mut arrows = 0;
        for window in tokens.windows(3) {
            match window {
                [Token::Word(node), Token::Sign('['), Token::Word(first)]
                    if node != "node" && node != "edge" =>
                {
                    let is_arrow_end = first == "ltail" || first == "lhead";
                    if !is_arrow_end {
                        declared.insert(node.clone());
                    }
                }
                [Token::Word(_), Token::Arrow, Token::Word(_)] => arrows += 1,
                _ => {}
            }
        }
        for window in tokens.windows(3) {
            if let [Token::Word(from), Token::Arrow, Token::Word(to)] = window {
                assert!(
                    declared.contains(from) && declared.contains(to),
                    "{from} {to}"
                );
            }
        }
        let targets = chart
            .transitions
            .iter()
            .map(|one| one.targets.len())
            .sum::<usize>();
        let branches = chart
            .states
            .iter()
            .flat_map(|state| &state.branches)
            .map(|one| one.targets.len())
            .sum::<usize>();
        let starts = chart
            .regions
            .iter()
            .map(|region| region.initial.len())
            .sum::<usize>();
        let defaults = chart
            .histories
            .iter()
            .map(|history| history.default.len())
            .sum::<usize>();
        assert_eq!(arrows, targets + branches + starts + defaults);
        let texts: Vec<&str> = tokens
            .iter()
            .filter_map(|token| match token {
                Token::Text(text) => Some(text.as_str()),
                _ => None,
            })
            .collect();
        for state in chart.states.iter().skip(1) {
            assert!(
                texts
                    .iter()
                    .any(|text| text.split('\n').next() == Some(&state.name)),
                "{}",
                state.name
            );
        }
    }
}

/// What a line of Mermaid or PlantUML is: id, arrow, text after a colon.
fn arrow_of(line: &str) -> Option<(&str, &str, Option<&str>)> {
    let (from, rest) = line.split_once(" --> ")?;
    let (to, words) = rest
        .split_once(" : ")
        .map_or((rest, None), |(to, words)| (to, Some(words)));
    Some((from, to, words))
}

fn is_id(id: &str) -> bool {
    let number = id.strip_prefix(['s', 'h']).unwrap_or(id);
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// `#65;` as it is meant.
fn from_mermaid(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('#') {
        out.push_str(&rest[..at]);
        let (code, after) = rest[at + 1..].split_once(';').expect("an entity ends");
        out.push(char::from_u32(code.parse().expect("a number")).unwrap());
        rest = after;
    }
    out + rest
}

#[test]
fn mermaid_is_read_back_line_by_line() {
    for chart in all_charts() {
        let text = mermaid(&chart);
        assert!(is_plain(&text));
        let mut lines = text.lines().map(str::trim);
        assert_eq!(lines.next(), Some("stateDiagram-v2"));
        let (mut depth, mut names) = (0, Vec::new());
        for line in lines {
            if let Some(comment) = line.strip_prefix("%% ") {
                assert!(
                    !comment.contains(['{', '}', ':']) || comment.matches(':').count() == 1,
                    "{comment}"
                );
            } else if let Some((from, to, words)) = arrow_of(line) {
                assert!(
                    (from == "[*]" || is_id(from)) && (to == "[*]" || is_id(to)),
                    "{line}"
                );
                assert!(
                    !words
                        .unwrap_or_default()
                        .contains([':', '<', '>', '{', '}', '[', ']', '"', '-']),
                    "{line}"
                );
            } else if let Some(rest) = line.strip_prefix("state \"") {
                let (name, rest) = rest.split_once("\" as ").unwrap();
                depth += usize::from(rest.ends_with(" {"));
                assert!(is_id(rest.trim_end_matches(" {")), "{line}");
                names.push(from_mermaid(name));
            } else if let Some(rest) = line.strip_prefix("state ") {
                assert!(is_id(rest.strip_suffix(" <<choice>>").unwrap()), "{line}");
            } else if line == "}" {
                depth -= 1;
            } else if line != "--" {
                let (id, words) = line.split_once(" : ").unwrap_or_else(|| panic!("{line}"));
                assert!(is_id(id) && !words.contains([':', '{', '}']), "{line}");
            }
        }
        assert_eq!(depth, 0);
        for state in chart
            .states
            .iter()
            .skip(1)
            .filter(|state| state.branches.is_empty())
        {
            assert!(names.contains(&state.name), "{}", state.name);
        }
    }
}

#[test]
fn plantuml_is_read_back_line_by_line() {
    for chart in all_charts() {
        let text = plantuml(&chart);
        assert!(is_plain(&text) && text.starts_with("@startuml\n") && text.ends_with("@enduml\n"));
        let mut depth = 0;
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        for line in &lines[3..lines.len() - 1] {
            let is_end = |id: &str| {
                id == "[*]" || is_id(id.trim_end_matches("[H*]").trim_end_matches("[H]"))
            };
            let is_tame = |words: &str| {
                let words = words.replace("<U+", "").replace('>', "");
                !words.contains(['<', '"', '%', '{', '}', '\\'])
                    && !words.contains("--")
                    && !words.contains("[[")
            };
            if let Some((from, to, words)) = arrow_of(line) {
                assert!(
                    is_end(from) && is_end(to) && is_tame(words.unwrap_or_default()),
                    "{line}"
                );
            } else if let Some(rest) = line.strip_prefix("state \"") {
                let (name, rest) = rest.split_once("\" as ").unwrap();
                depth += usize::from(rest.ends_with(" {"));
                assert!(
                    is_id(rest.trim_end_matches(" {")) && is_tame(name),
                    "{line}"
                );
            } else if let Some(rest) = line.strip_prefix("state ") {
                let (id, kind) = rest.split_once(' ').unwrap();
                assert!(
                    is_id(id) && ["<<choice>>", "<<history>>", "<<history*>>"].contains(&kind),
                    "{line}"
                );
            } else if *line == "}" {
                depth -= 1;
            } else if *line != "||" {
                let (id, words) = line.split_once(" : ").unwrap_or_else(|| panic!("{line}"));
                assert!(is_id(id) && is_tame(words), "{line}");
            }
        }
        assert_eq!(depth, 0);
    }
}

#[test]
fn a_page_holds_everything_as_text() {
    for chart in all_charts() {
        let html = page(&chart, &Facts::default(), &Options::default());
        assert!(is_plain(&html) && !html.contains("<script"));
        let markup = html.strip_prefix("<!DOCTYPE html>\n").unwrap();
        let tree = roxmltree::Document::parse(markup).unwrap();
        let cells: Vec<String> = tree
            .descendants()
            .filter(|node| node.tag_name().name() == "td")
            .map(|cell| {
                cell.descendants()
                    .filter_map(|node| node.text().filter(|_| node.is_text()))
                    .collect()
            })
            .collect();
        for state in &chart.states {
            assert!(cells.contains(&state.path), "{}", state.path);
        }
        for label in chart
            .transitions
            .iter()
            .filter_map(|one| one.label.guard.clone())
        {
            assert!(cells.contains(&label), "{label}");
        }
        assert!(
            tree.descendants()
                .any(|node| node.tag_name().name() == "svg")
        );
        let outside = ["src", "href", "action", "onload"];
        for node in tree.descendants() {
            for attribute in node
                .attributes()
                .filter(|attribute| outside.contains(&attribute.name()))
            {
                assert!(attribute.value().starts_with('#'), "{attribute:?}");
            }
        }
    }
}

#[test]
fn the_page_of_a_machine_file_has_docs_budgets_and_warnings() {
    let text = std::fs::read_to_string(root().join("machines/traffic_light.sw.json")).unwrap();
    let (machine, found) = statewright_author::text::read("t", &text);
    let (output, _) = statewright_compile::compile_with(&machine, found, &Default::default());
    let output = output.unwrap();
    let chart = Chart::new(&output.rom.as_rom(), &output.symbols);
    let problems = serde_json::json!([{ "code": "SW0999", "message": "<odd>", "range": { "start": { "line": 7 } } }]);
    let facts = Facts {
        machine: Some(&machine),
        report: Some(&output.report),
        problems: Some(&problems),
    };
    let html = page(&chart, &facts, &Options::default());
    for expected in [
        "Red, green, amber by time; a button shortens the wait of a pedestrian.",
        "A pedestrian wants to cross.",
        "The lamp that is lit.",
        "<td>Bytes per agent</td><td>64</td>",
        "Who pays for what",
        "<td>SW0999</td><td>line 7</td><td>&lt;odd&gt;</td>",
        "time_in_state() &gt;= 8.0",
    ] {
        assert!(html.contains(expected), "{expected}");
    }
}

#[test]
fn the_pictures_of_the_documentation_are_those_of_today() {
    for name in ["boss", "soldier", "traffic_light"] {
        let path = root().join("docs/pictures").join(format!("{name}.svg"));
        let shown = std::fs::read_to_string(&path).unwrap_or_default();
        let today = svg(&chart(name), &Options::default()).svg;
        if std::env::var_os("BLESS").is_some_and(|bless| bless == "1") {
            std::fs::write(&path, &today).unwrap();
            continue;
        }
        assert!(
            shown == today,
            "{name}.svg is not what `draw` makes: cargo run --bin statewright -- draw machines/{name}.sw.json -o docs/pictures/{name}.svg"
        );
    }
}

/// A machine of so many states in one region, each with so many transitions.
fn crowded(states: usize, each: usize) -> String {
    let mut text = String::from("{ \"machine\": \"Crowded\", \"events\": [\"E0\"");
    (1..each).for_each(|event| text.push_str(&format!(", \"E{event}\"")));
    text.push_str("], \"initial\": \"s0\", \"states\": {");
    for state in 0..states {
        let transitions: Vec<String> = (0..each)
            .map(|event| {
                let to = (state * 7 + event * 31 + 1) % states;
                format!("{{ \"on\": \"E{event}\", \"to\": \"s{to}\" }}")
            })
            .collect();
        let comma = if state == 0 { "" } else { "," };
        text.push_str(&format!(
            "{comma} \"s{state}\": {{ \"transitions\": [{}] }}",
            transitions.join(", ")
        ));
    }
    text + "} }"
}

#[test]
fn too_many_lines_are_written_and_none_is_lost() {
    for (states, least) in [(120, 500), (300, 1700)] {
        too_many_lines(&crowded(states, 6), least);
    }
}

fn too_many_lines(text: &str, least: usize) {
    let output = compile_text("crowded", text, &Default::default())
        .0
        .unwrap();
    let chart = Chart::new(&output.rom.as_rom(), &output.symbols);
    let drawing = svg(&chart, &Options::default());
    assert!(drawing.written >= least, "{}", drawing.written);
    let size = drawing
        .svg
        .split('"')
        .filter_map(|part| part.parse::<f64>().ok())
        .take(2)
        .fold(0.0, f64::max);
    assert!(size < 20_000.0, "{size}");
    assert!(drawing.svg.contains("transitions are written in the boxes"));
    let tree = roxmltree::Document::parse(&drawing.svg).unwrap();
    let drawn: usize = tree
        .descendants()
        .filter_map(|node| node.attribute("data-transitions"))
        .map(|list| list.split_whitespace().count())
        .sum();
    assert_eq!(drawn + drawing.written, chart.transitions.len());
    let written = tree
        .descendants()
        .filter(|n| n.is_text())
        .filter(|n| n.text().unwrap_or("").contains('→'))
        .count();
    assert_eq!(written, drawing.written);
}
