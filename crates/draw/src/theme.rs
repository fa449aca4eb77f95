//! The colors of a picture.

use std::fmt::Write;

/// Which colors a picture has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the reader's system wants it; light where nobody can ask.
    #[default]
    Auto,
    /// Dark lines on white.
    Light,
    /// Light lines on black.
    Dark,
}

/// How many steps of heat there are above "never".
pub(crate) const HEAT_STEPS: usize = 6;

/// One set of colors.
struct Colors {
    paper: &'static str,
    /// Boxes with others inside, by depth in turn.
    inside: [&'static str; 2],
    leaf: &'static str,
    border: &'static str,
    title: &'static str,
    text: &'static str,
    line: &'static str,
    lane: &'static str,
    interrupt: &'static str,
    active: &'static str,
    active_border: &'static str,
    /// From seldom to often.
    heat: [&'static str; HEAT_STEPS],
    /// Lines, from seldom to often.
    heat_lines: [&'static str; HEAT_STEPS],
}

const LIGHT: Colors = Colors {
    paper: "#ffffff",
    inside: ["#f6f8fb", "#ecf1f7"],
    leaf: "#ffffff",
    border: "#66758c",
    title: "#17202e",
    text: "#445064",
    line: "#56657c",
    lane: "#9aa7ba",
    interrupt: "#b5390b",
    active: "#ffe7a3",
    active_border: "#b87503",
    heat: [
        "#d3e5f8", "#cfe3d4", "#f5ecb0", "#fbd38d", "#f9a870", "#f0806a",
    ],
    heat_lines: [
        "#7fa6cc", "#5f9e70", "#b39b1d", "#cf8412", "#cf5c15", "#bd2f1d",
    ],
};

const DARK: Colors = Colors {
    paper: "#0d1117",
    inside: ["#151b24", "#1c2430"],
    leaf: "#263040",
    border: "#8391a7",
    title: "#eef3f9",
    text: "#b9c5d4",
    line: "#93a2b8",
    lane: "#5d6b80",
    interrupt: "#ff9a62",
    active: "#5c4300",
    active_border: "#f5b83d",
    heat: [
        "#1d4a78", "#1f4434", "#4a4716", "#643f10", "#77350f", "#8a2a1f",
    ],
    heat_lines: [
        "#5b86b3", "#57a877", "#c2ae3a", "#e09b35", "#ee7a3a", "#ff5c4a",
    ],
};

/// The style sheet of a theme.
pub(crate) fn style(theme: Theme) -> String {
    let mut out = String::from(
        "text{font-family:Helvetica,Arial,'Liberation Sans','DejaVu Sans',sans-serif;font-size:11px}\
.title{font-size:13px;font-weight:bold}.name{font-style:italic}.mark{font-weight:bold}.mark,.middle{text-anchor:middle}\
.box,.ring{stroke-width:1.2}.line{fill:none;stroke-width:1.2}.touch{fill:none;stroke:none;stroke-width:12;pointer-events:stroke}.lane{fill:none;stroke-dasharray:6 4}.shared{stroke-dasharray:3 3}\
.rule{fill:none;stroke-width:1;stroke-opacity:.5}.lit{stroke-width:2.4}.never{opacity:.6}.line.never{stroke-dasharray:2 4}\n",
    );
    match theme {
        Theme::Dark => colors(&mut out, &DARK),
        Theme::Light => colors(&mut out, &LIGHT),
        Theme::Auto => {
            colors(&mut out, &LIGHT);
            out.push_str("@media (prefers-color-scheme:dark){\n");
            colors(&mut out, &DARK);
            out.push_str("}\n");
        }
    }
    out
}

fn colors(out: &mut String, c: &Colors) {
    let [even, odd] = c.inside;
    // Writing to a string cannot fail.
    _ = writeln!(
        out,
        ".paper{{fill:{}}}.even{{fill:{even}}}.odd{{fill:{odd}}}.leaf,.shared{{fill:{}}}",
        c.paper, c.leaf
    );
    _ = writeln!(
        out,
        ".box,.rule{{stroke:{}}}.ring{{stroke:{}}}.lane{{stroke:{}}}",
        c.border, c.line, c.lane
    );
    _ = writeln!(
        out,
        ".title,.mark{{fill:{}}}.text,.label{{fill:{}}}.name{{fill:{}}}",
        c.title, c.text, c.line
    );
    _ = writeln!(
        out,
        ".line{{stroke:{}}}.head,.dot{{fill:{}}}.dot{{fill:{}}}",
        c.line, c.line, c.title
    );
    _ = writeln!(
        out,
        ".line.interrupt{{stroke:{0}}}.head.interrupt,.label.interrupt{{fill:{0}}}",
        c.interrupt
    );
    for (step, (fill, line)) in c.heat.iter().zip(c.heat_lines).enumerate() {
        _ = writeln!(
            out,
            ".heat{step}{{fill:{fill}}}.line.warm{step}{{stroke:{line};stroke-width:2}}.head.warm{step}{{fill:{line}}}"
        );
    }
    _ = writeln!(
        out,
        ".lit{{stroke:{0}}}.active{{fill:{1};stroke:{0}}}",
        c.active_border, c.active
    );
}
