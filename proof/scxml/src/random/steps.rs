//! Steps that drive a document.

use super::rng::Rng;
use crate::document::Document;

/// Something done to a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Send an external event.
    Send(String),
    /// Let so many milliseconds pass.
    Advance(u64),
}

/// So many random steps for a document: mostly events that it listens to, some that only begin like
/// one, some that nobody knows, and time.
///
/// # Panics
///
/// If the text is not a document that [`Document::parse`] takes.
pub fn random_events(seed: u64, document: &str, count: usize) -> Vec<Step> {
    let names = Document::parse(document)
        .unwrap_or_else(|error| panic!("{error}"))
        .event_names();
    let mut rng = Rng::new(seed ^ 0x5CE1_17E5_0DD5_EED5);
    (0..count).map(|_| step(&mut rng, &names)).collect()
}

fn step(rng: &mut Rng, names: &[String]) -> Step {
    let own: Vec<&String> = names
        .iter()
        .filter(|name| !name.starts_with("done"))
        .collect();
    let choice = rng.weighted(&[72, 6, 2, 2, 3, 15]);
    if choice == 5 {
        return Step::Advance(rng.between(1, 30) as u64);
    }
    let list = if choice == 4 || own.is_empty() {
        names.iter().collect()
    } else {
        own
    };
    let name = if list.is_empty() {
        "a".to_string()
    } else {
        rng.one(&list).to_string()
    };
    Step::Send(match choice {
        1 => format!("{name}.zzz"),
        2 => format!("{name}zzz"),
        3 => "zzz".to_string(),
        _ => name,
    })
}
