//! Finds the place of every edit and applies them. All places are looked for in the text as it is,
//! so that the order of the edits does not matter.

use std::ops::Range;
use std::path::PathBuf;

use crate::list::{Edit, List};

/// A file of kernel or compiler: its path, and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Below the folder of the workspace.
    pub path: PathBuf,
    /// As it is, or edited.
    pub text: String,
}

/// Where an edit belongs: which of the files, and which bytes of it.
struct Place<'e> {
    file: usize,
    bytes: Range<usize>,
    edit: &'e Edit,
}

/// The files with all edits applied, or everything that does not fit.
pub fn apply(list: &List, sources: &[Source]) -> Result<Vec<Source>, Vec<String>> {
    let sparse: Vec<Sparse> = sources
        .iter()
        .map(|source| Sparse::new(&source.text))
        .collect();
    let (mut places, mut problems) = (Vec::new(), Vec::new());
    for edit in &list.edits {
        match find(edit, &sparse) {
            Ok((file, bytes)) => places.push(Place { file, bytes, edit }),
            Err(found) => problems.push(format!(
                "{}: this text must occur exactly once in kernel, compiler and author, {found}:\n{}",
                list.name(edit.number),
                edit.find
            )),
        }
    }
    places.sort_by_key(|place| (place.file, place.bytes.start));
    problems.extend(
        places
            .windows(2)
            .filter_map(|pair| overlap(list, sources, pair)),
    );
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut edited = sources.to_vec();
    // From the back, so that earlier places stay where they are.
    for place in places.iter().rev() {
        let text = &mut edited[place.file].text;
        text.replace_range(place.bytes.clone(), place.edit.replace.trim_end());
    }
    Ok(edited)
}

fn overlap(list: &List, sources: &[Source], pair: &[Place<'_>]) -> Option<String> {
    let [a, b] = pair else { return None };
    (a.file == b.file && b.bytes.start < a.bytes.end).then(|| {
        format!(
            "{} and {}: two edits of the same text in {}:\n{}",
            list.name(a.edit.number),
            list.name(b.edit.number),
            sources[a.file].path.display(),
            b.edit.find
        )
    })
}

/// The only place of an edit, or how many there are.
fn find(edit: &Edit, sources: &[Sparse]) -> Result<(usize, Range<usize>), String> {
    let wanted = Sparse::new(&edit.find);
    let mut places = sources
        .iter()
        .enumerate()
        .flat_map(|(file, source)| source.places(&wanted.text).map(move |bytes| (file, bytes)));
    match (places.next(), places.count()) {
        (Some(place), 0) => Ok(place),
        (None, _) => Err("but it does not".to_owned()),
        (Some(_), more) => Err(format!("but it does {} times", more + 1)),
    }
}

/// A text without its white space, and where each byte of it was.
struct Sparse {
    text: String,
    positions: Vec<usize>,
}

impl Sparse {
    fn new(text: &str) -> Self {
        let kept = || text.char_indices().filter(|(_, c)| !c.is_whitespace());
        Self {
            text: kept().map(|(_, c)| c).collect(),
            positions: kept().flat_map(|(at, c)| at..at + c.len_utf8()).collect(),
        }
    }

    /// Where a text without white space occurs, as bytes of the original.
    fn places(&self, wanted: &str) -> impl Iterator<Item = Range<usize>> {
        let length = wanted.len();
        let starts = self.text.match_indices(wanted).map(|(at, _)| at);
        starts.map(move |at| self.positions[at]..self.positions[at + length - 1] + 1)
    }
}
