//! Names: plain ones, the same ones in several places, and odd ones that need quoting.

use crate::rng::Rng;

const STATES: [&str; 24] = [
    "idle", "patrol", "combat", "attack", "cover", "flee", "search", "alert", "reload", "aim",
    "fire", "hurt", "dead", "talk", "walk", "run", "sleep", "eat", "guard", "chase", "wait",
    "spawn", "stunned", "phase_2",
];
const ODD_STATES: [&str; 10] = [
    "läuft weg",
    "a.b",
    "9",
    "Idle 2",
    "it's",
    "back\\slash",
    "\"quoted\"",
    "🙂",
    "root",
    "in",
];
const REGIONS: [&str; 6] = ["body", "mind", "voice", "legs", "arms", "eyes 2"];
const ODD: [&str; 6] = ["done.state.x", "Grüße", "a b", "#1", "x'y", "-"];

/// Chooses names.
#[derive(Clone, Debug)]
pub struct Words {
    odd: u32,
}

impl Words {
    /// Some machines have odd names, most have none.
    pub fn new(rng: &mut Rng) -> Self {
        Self {
            odd: if rng.chance(25) { 20 } else { 0 },
        }
    }

    /// A name of a state that is not in use around it.
    pub fn state(&self, rng: &mut Rng, used: &[&str]) -> String {
        let pool: &[&str] = if rng.chance(self.odd) {
            &ODD_STATES
        } else {
            &STATES
        };
        fresh(rng, pool, |name| used.iter().any(|other| same(other, name)))
    }

    /// A name of a region.
    pub fn region(&self, rng: &mut Rng, used: &mut Vec<String>) -> String {
        unused(rng, &REGIONS, used)
    }
}

/// A name from a list, or with a number if it is in use; it is then in use.
pub fn unused(rng: &mut Rng, pool: &[&str], used: &mut Vec<String>) -> String {
    let name = fresh(rng, pool, |name| used.iter().any(|other| same(other, name)));
    used.push(name.clone());
    name
}

/// The same, with odd names now and then; not for identifiers.
pub fn unused_odd(rng: &mut Rng, pool: &[&str], used: &mut Vec<String>) -> String {
    if rng.chance(5) {
        unused(rng, &ODD, used)
    } else {
        unused(rng, pool, used)
    }
}

fn same(a: &str, b: &str) -> bool {
    a.to_lowercase() == b.to_lowercase()
}

fn fresh(rng: &mut Rng, pool: &[&str], taken: impl Fn(&str) -> bool) -> String {
    let name = rng.one(pool);
    if !taken(name) {
        return name.to_owned();
    }
    // Bound: fewer names are taken than there are numbers.
    (2_u32..)
        .map(|number| format!("{name}_{number}"))
        .find(|name| !taken(name))
        .unwrap_or_default()
}
