//! Parts: other machine files whose roots become states of this one (LANG-5).
//!
//! Comes in: a machine with states that say `use`, and a way to read files. Goes out: the same
//! machine as if everything had been written into one file, under the names of the file that uses
//! it. Later passes know nothing of parts but where a span lies ([`Source::part_at`]).
//!
//! ```text
//!  soldier.sw.json                parts/fight.sw.json          the machine
//!  fight: { use: "parts/…",       parameters: { rage: 25 }     fight: { states: aim, hit }
//!           with: { rage: 40 },   states: { aim, hit }         parameters: { fight/rage: 40 }
//!           map: { Hit: Hurt } }  events: [Hit]                events: [Hurt]
//! ```
//!
//! A part that uses parts is put together first, as the machine that it is on its own; then it is
//! joined in whole. No file is read here: [`PartFiles`] is whoever knows files.

mod declare;
mod given;
mod merge;
mod rename;
mod tree;
mod walk;

use std::collections::HashMap;
use std::sync::Arc;

use crate::codes::DiagnosticCode;
use crate::diagnostic::{Diagnostic, Diagnostics, Fix, Label};
use crate::graph::{JoinedPart, Machine, PartUse, State};
use crate::span::{Name, Source};
use crate::text;
use rename::{Place, Renamer};
use walk::Moved;

/// Uses of parts in one machine, nested ones counted each time. A file can use two parts that use
/// two parts each, and so on: without a limit a few short files would fill any memory.
pub const MAX_PART_USES: usize = 1024;

/// How the name of a part must end. Nothing else is read: the message about a file shows its text.
const PART_ENDING: &str = ".json";

/// What [`PartFiles::read`] says of a file that is not text.
pub const NOT_UTF8: &str = "it is not UTF-8 text";

/// What [`PartFiles::read`] says of a pipe or a device. Whoever reads from disk asks before the file
/// is opened: that alone may wait for ever.
pub const NOT_A_FILE: &str = "it is a pipe or a device, not a file";

/// Whoever can read the files of parts.
pub trait PartFiles {
    /// The text of a file: the folder of the file that says `use`, and the path that it says. An
    /// error is one sentence.
    fn read(&self, name: &str) -> Result<String, String>;
}

/// For machines whose files cannot be found: from standard input, from memory.
#[derive(Clone, Copy, Debug)]
pub struct NoFiles;

impl PartFiles for NoFiles {
    fn read(&self, _: &str) -> Result<String, String> {
        Err("other files cannot be read from here".to_owned())
    }
}

/// Texts by name, for tests and for programs that carry their machines with them.
impl PartFiles for HashMap<&str, &str> {
    fn read(&self, name: &str) -> Result<String, String> {
        let text = self.get(name).map(|text| (*text).to_owned());
        text.ok_or_else(|| "no text of this name was given".to_owned())
    }
}

/// Reads a machine file and its parts.
pub fn read(name: &str, text: &str, files: &dyn PartFiles) -> (Machine, Diagnostics) {
    let (mut machine, mut problems) = text::read(name, text);
    join(&mut machine, files, &mut problems);
    (machine, problems)
}

/// Reads a machine file, which must be UTF-8, and its parts.
pub fn read_bytes(name: &str, bytes: &[u8], files: &dyn PartFiles) -> (Machine, Diagnostics) {
    let (mut machine, mut problems) = text::read_bytes(name, bytes);
    join(&mut machine, files, &mut problems);
    (machine, problems)
}

/// Joins the parts of a machine in.
pub fn join(machine: &mut Machine, files: &dyn PartFiles, out: &mut Diagnostics) {
    let name = machine.source.name().to_owned();
    let mut joiner = Joiner {
        files,
        source: std::mem::take(&mut machine.source),
        out: std::mem::take(out),
        open: vec![name],
        texts: HashMap::new(),
        without_functions: Vec::new(),
    };
    joiner.note_functions(machine, None);
    joiner.machine(machine);
    machine.source = joiner.source;
    if machine.declares_functions() {
        machine.undeclared_functions = joiner.without_functions;
    }
    joiner.out.sort();
    *out = joiner.out;
}

/// Adds to each problem that lies in a part where that is used. One that several uses of a file
/// have is told once.
pub fn note_uses(source: &Source, out: &mut Diagnostics) {
    let mut uses: HashMap<_, Vec<usize>> = HashMap::new();
    out.retain(|problem| {
        let Some((part, place)) = place_in_part(source, problem) else {
            return true;
        };
        let uses = uses.entry(place).or_default();
        if uses.last() != Some(&part) {
            uses.push(part);
        }
        uses.first() == Some(&part)
    });
    for problem in out.iter_mut() {
        note_use(source, problem);
        let place = place_in_part(source, problem).map(|(_, place)| place);
        let others = place.and_then(|place| uses.get(&place)).map_or(0, Vec::len);
        if others > 1 {
            let more = others - 1;
            let word = if more == 1 { "use" } else { "uses" };
            problem
                .notes
                .push(format!("and {more} more {word} of this part"));
        }
    }
}

/// What a problem is about, whoever uses the part: its file, the bytes there, the code.
type PlaceInPart<'s> = ((&'s str, u32, u32), DiagnosticCode);

/// The use that a problem lies in, and the place in its file.
fn place_in_part<'s>(source: &'s Source, problem: &Diagnostic) -> Option<(usize, PlaceInPart<'s>)> {
    let at = source.part_at(problem.span)?;
    Some((at, (source.place_in_part(problem.span)?, problem.code)))
}

/// Adds who uses the part that a problem lies in, from the inside out.
fn note_use(source: &Source, problem: &mut Diagnostic) {
    let mut at = source.part_at(problem.span);
    while let Some(part) = at.map(|part| &source.parts()[part]) {
        at = source.part_at(part.used_at);
        if let Some(step) = source.step(part.used_at) {
            problem.notes.push(format!("used by {step}"));
            continue;
        }
        problem.related.push(Label {
            span: part.used_at,
            text: "used here".to_owned(),
        });
    }
}

/// The path of a file from where the file that names it lies: `machines/soldier.sw.json` and
/// `parts/fight.sw.json` give `machines/parts/fight.sw.json`.
pub fn path_from(user: &str, path: &str) -> String {
    let folder = user.rfind(['/', '\\']).map_or("", |end| &user[..=end]);
    let mut segments: Vec<&str> = folder
        .split(['/', '\\'])
        .filter(|s| !s.is_empty())
        .collect();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." if segments
                .last()
                .is_some_and(|last| !matches!(*last, "." | "..")) =>
            {
                segments.pop();
            }
            _ => segments.push(segment),
        }
    }
    let root = if folder.starts_with(['/', '\\']) {
        "/"
    } else {
        ""
    };
    format!("{root}{}", segments.join("/"))
}

struct Joiner<'f> {
    files: &'f dyn PartFiles,
    source: Source,
    out: Diagnostics,
    /// The file that is being put together, and those that use it.
    open: Vec<String>,
    texts: HashMap<String, Arc<str>>,
    /// The texts that declare no functions, as [`Machine::undeclared_functions`] has them.
    without_functions: Vec<Option<usize>>,
}

impl Joiner<'_> {
    fn machine(&mut self, machine: &mut Machine) {
        let mut root = std::mem::take(&mut machine.root);
        let place = Place {
            segments: Vec::new(),
            shown: String::new(),
        };
        self.children(machine, &mut root, &place);
        machine.root = root;
    }

    fn children(&mut self, machine: &mut Machine, state: &mut State, place: &Place) {
        let names: Vec<String> = state
            .regions
            .iter()
            .flat_map(|region| &region.states)
            .map(|child| child.name.value.clone())
            .collect();
        for region in &mut state.regions {
            let name = region.name.as_ref().map(|name| name.value.clone());
            for child in region.states.iter_mut().filter(|child| !child.muted) {
                let own = &child.name.value;
                let alike = names.iter().filter(|name| *name == own).count() > 1;
                let inside = place.child(name.as_deref(), own, alike);
                self.state(machine, child, &inside);
            }
        }
    }

    fn state(&mut self, machine: &mut Machine, state: &mut State, place: &Place) {
        match state.part.take() {
            Some(part) => state.part = self.part(machine, state, *part, place).map(Box::new),
            None => self.children(machine, state, place),
        }
    }

    /// Joins one part in. Without it the state is an empty one, and the problem has been reported.
    fn part(
        &mut self,
        machine: &mut Machine,
        state: &mut State,
        part_use: PartUse,
        place: &Place,
    ) -> Option<PartUse> {
        let name = self.name_of(machine, &part_use.file)?;
        let text = self.text(&name, &part_use.file)?;
        let Some(joined) = self
            .source
            .add_part(&name, text.clone(), part_use.file.span)
        else {
            self.too_many(
                &part_use.file,
                "the files of this machine are too long together",
            );
            return None;
        };
        let before = self.out.errors();
        let mut part = self.read(&name, &text, self.source.parts()[joined].start);
        self.note_functions(&part, Some(joined));
        let joined = JoinedPart {
            text: joined,
            machine: part.name.value.clone(),
            id: part.id.clone(),
        };
        self.open.push(name);
        self.machine(&mut part);
        self.open.pop();
        let is_whole = self.out.errors() == before;
        declare::check_rules(machine, &part, &mut self.out);
        let mut unknown = Diagnostics::default();
        let renames = (
            given::parameters(machine, &mut part, &part_use, place, &mut unknown),
            given::names(&mut part, &part_use, &mut unknown),
        );
        // What a part that could not be read as a whole seems to lack may be in the rest.
        if is_whole {
            self.out.append(unknown);
        }
        let mut renamer = Renamer::new(&part, place, renames, &mut self.out);
        walk::machine(&mut part, &mut renamer);
        let mut conflicts = Diagnostics::default();
        declare::merge(machine, &mut part, &renamer, place, &mut conflicts);
        merge::root_into(state, part.root, part_use.file.span, &mut conflicts);
        self.out.append(conflicts);
        Some(PartUse {
            joined: Some(joined),
            ..part_use
        })
    }

    /// Writes down whether a text, before anything is joined in, declares functions.
    fn note_functions(&mut self, machine: &Machine, text: Option<usize>) {
        if !machine.declares_functions() {
            self.without_functions.push(text);
        }
    }

    /// A part on its own, with spans behind the texts before it.
    fn read(&mut self, name: &str, text: &str, start: u32) -> Machine {
        let (mut part, mut problems) = text::read(name, text);
        walk::machine(&mut part, &mut Moved { by: start });
        for problem in problems.iter_mut() {
            problem.span = problem.span.moved_by(start);
            for label in &mut problem.related {
                label.span = label.span.moved_by(start);
            }
        }
        self.out.append(problems);
        part
    }

    /// The file that is meant, if it may be used here.
    fn name_of(&mut self, machine: &Machine, file: &Name) -> Option<String> {
        let path = file.value.as_str();
        let drive = path.as_bytes().get(1) == Some(&b':');
        if path.is_empty() || path.starts_with('/') || path.contains('\\') || drive {
            let problem = Diagnostic::new(
                DiagnosticCode::PartUnreadable,
                file.span,
                format!("`{path}` is not a path from the folder of this file"),
            );
            self.out.push(
                problem
                    .label("cannot be found on every machine")
                    .help("write it from here and with `/`: `\"parts/fight.sw.json\"`"),
            );
            return None;
        }
        if !path.ends_with(PART_ENDING) {
            self.out.push(no_machine_file(machine, file));
            return None;
        }
        let user = self.open.last().map_or("", String::as_str);
        let name = path_from(user, path);
        if let Some(first) = self.open.iter().position(|open| *open == name) {
            let circle = self.open[first..].join("` uses `");
            let problem = Diagnostic::new(
                DiagnosticCode::PartCircle,
                file.span,
                format!("`{name}` uses itself"),
            );
            self.out.push(
                problem
                    .label("the circle closes here")
                    .note(format!("`{circle}` uses `{name}`"))
                    .help("a part must end somewhere: remove one of these uses"),
            );
            return None;
        }
        if self.source.parts().len() >= MAX_PART_USES {
            let text = format!("more than {MAX_PART_USES} uses of parts in one machine");
            self.too_many(file, &text);
            return None;
        }
        Some(name)
    }

    fn too_many(&mut self, file: &Name, text: &str) {
        self.out.push(
            Diagnostic::new(DiagnosticCode::PartUnreadable, file.span, text)
                .label("one too many")
                .help("parts that use parts are counted each time they are used"),
        );
    }

    fn text(&mut self, name: &str, file: &Name) -> Option<Arc<str>> {
        if let Some(text) = self.texts.get(name) {
            return Some(text.clone());
        }
        match self.files.read(name) {
            Ok(text) => {
                let text: Arc<str> = text.strip_prefix('\u{feff}').unwrap_or(&text).into();
                self.texts.insert(name.to_owned(), text.clone());
                Some(text)
            }
            Err(reason) => {
                let problem = Diagnostic::new(
                    DiagnosticCode::PartUnreadable,
                    file.span,
                    format!("the part `{name}` cannot be read: {reason}"),
                );
                let help = match reason == NOT_UTF8 {
                    true => "a part is a machine file: save it as UTF-8",
                    false => "paths begin at the folder of the file that says `use`",
                };
                self.out.push(problem.label("used here").help(help));
                None
            }
        }
    }
}

impl Place {
    /// The place of a child. A name that children of several regions have is told apart by the
    /// region.
    fn child(&self, region: Option<&str>, name: &str, alike: bool) -> Self {
        let mut segments = self.segments.clone();
        segments.extend(region.map(str::to_owned));
        segments.push(name.to_owned());
        let shown = [
            Some(self.shown.as_str()),
            region.filter(|_| alike),
            Some(name),
        ];
        let shown: Vec<&str> = shown
            .into_iter()
            .flatten()
            .filter(|s| !s.is_empty())
            .collect();
        Self {
            segments,
            shown: shown.join("/"),
        }
    }
}

/// A name that no part can have.
fn no_machine_file(machine: &Machine, file: &Name) -> Diagnostic {
    let problem = Diagnostic::new(
        DiagnosticCode::PartUnreadable,
        file.span,
        format!("`{}` is not the path of a machine file", file.value),
    );
    let problem = problem.label(format!("does not end in `{PART_ENDING}`"));
    let mut sets = machine.transition_sets.iter();
    match sets.any(|set| set.name.value == file.value) {
        true => means_set(problem, file),
        false => problem.help("a part is another machine file: `\"parts/fight.sw.json\"`"),
    }
}

/// `"use": "hurt"` for `"use": ["hurt"]`.
fn means_set(problem: Diagnostic, file: &Name) -> Diagnostic {
    let list = format!("[\"{}\"]", file.value);
    let problem = problem.help(format!(
        "a text is the path of a part; for the transition set write `{list}`"
    ));
    let is_plain = (file.span.end.saturating_sub(file.span.start)) as usize == file.value.len();
    match is_plain && !file.span.is_step() {
        true => problem.fix(Fix::replace(
            format!("Write `{list}`"),
            file.span.with_quotes(),
            list,
        )),
        false => problem,
    }
}

#[cfg(test)]
mod tests {
    use super::path_from;

    #[test]
    fn paths_begin_at_the_folder_of_the_user() {
        for (user, path, expected) in [
            (
                "soldier.sw.json",
                "parts/fight.sw.json",
                "parts/fight.sw.json",
            ),
            ("m/soldier.sw.json", "parts/f.sw.json", "m/parts/f.sw.json"),
            ("/a/b/s.sw.json", "../p/f.sw.json", "/a/p/f.sw.json"),
            ("m/parts/f.sw.json", "./g.sw.json", "m/parts/g.sw.json"),
            ("../s.sw.json", "../f.sw.json", "../../f.sw.json"),
            ("<stdin>", "f.sw.json", "f.sw.json"),
        ] {
            assert_eq!(path_from(user, path), expected, "{user} {path}");
        }
    }
}
