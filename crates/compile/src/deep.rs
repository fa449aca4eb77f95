//! Proves that the plans of a ROM equal what follows from its other tables (ROM-2, `statewright
//! check --deep`).

use statewright_rom::Rom;
use statewright_rom::layout::Section;

use crate::hash;
use crate::plan;
use crate::tables::Tables;

/// A table that is not what it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The table, or `header`.
    pub table: &'static str,
    /// First record that differs; the shorter length if one is a prefix of the other.
    pub record: usize,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{}[{}] does not equal its derivation",
            self.table, self.record
        )
    }
}

/// Derives the plans and hashes anew and lists the tables that differ; none if all is well.
pub fn verify(rom: &Rom<'_>) -> Vec<Difference> {
    let found = Tables::from_rom(rom);
    let mut derived = found.clone();
    if plan::derive(&mut derived).is_err() {
        return vec![Difference {
            table: "header",
            record: 0,
        }];
    }
    hash::assign(&mut derived);
    let mut differences = Vec::new();
    if found.header != derived.header {
        differences.push(Difference {
            table: "header",
            record: 0,
        });
    }
    for &section in Section::ALL {
        let (a, b) = (found.section_bytes(section), derived.section_bytes(section));
        if a != b {
            let size = section.record_size();
            let record = a
                .chunks(size)
                .zip(b.chunks(size))
                .take_while(|(a, b)| a == b)
                .count();
            differences.push(Difference {
                table: section.name(),
                record,
            });
        }
    }
    differences
}
