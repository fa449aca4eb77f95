//! The debug sidecar (`*.swdbg`): a symbol table as a file beside a ROM or a machine file (ROM-7).
//! JSON, one list per kind. What only a program knows (codes of guards, places in Rust) is there if a
//! program wrote it: `statewright build` knows machine files alone.

use serde::{Deserialize, Serialize};

use crate::table::SymbolTable;

/// Extension of sidecar files.
pub const SIDECAR_EXTENSION: &str = "swdbg";

/// Version of the sidecar's shape.
pub const SIDECAR_VERSION: u32 = 1;

/// What comes before the lists.
#[derive(Deserialize)]
struct Version {
    version: u32,
}

/// A file.
#[derive(Serialize)]
struct Sidecar<'t> {
    version: u32,
    #[serde(flatten)]
    table: &'t SymbolTable,
}

impl SymbolTable {
    /// The bytes of a sidecar file.
    pub fn to_json(&self) -> String {
        let sidecar = Sidecar {
            version: SIDECAR_VERSION,
            table: self,
        };
        let mut text = serde_json::to_string_pretty(&sidecar).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Reads a sidecar file; the error says what is wrong.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let wrong = |error| format!("not a debug sidecar: {error}");
        let Version { version } = serde_json::from_str(text).map_err(wrong)?;
        if version != SIDECAR_VERSION {
            return Err(format!(
                "sidecar version {version}, but this tool reads version {SIDECAR_VERSION}"
            ));
        }
        serde_json::from_str(text).map_err(wrong)
    }
}

/// A hash as 16 hex digits.
pub(crate) mod hex {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(hash: &u64, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&format_args!("{hash:016x}"))
    }

    pub(crate) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<u64, D::Error> {
        let text = String::deserialize(from)?;
        u64::from_str_radix(&text, 16).map_err(|_| D::Error::custom("a hash is 16 hex digits"))
    }
}

/// The number of a function.
pub(crate) mod function {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};
    use statewright_rom::ids::FunctionId;

    pub(crate) fn serialize<S: Serializer>(id: &FunctionId, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u16(id.raw())
    }

    pub(crate) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<FunctionId, D::Error> {
        FunctionId::new(u16::deserialize(from)?).ok_or_else(|| D::Error::custom("no function"))
    }
}

/// The numbers of transitions.
pub(crate) mod transitions {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};
    use statewright_rom::ids::TransitionId;

    pub(crate) fn serialize<S: Serializer>(ids: &[TransitionId], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(ids.iter().map(|id| id.raw()))
    }

    pub(crate) fn deserialize<'d, D: Deserializer<'d>>(
        from: D,
    ) -> Result<Vec<TransitionId>, D::Error> {
        let id = |raw| TransitionId::new(raw).ok_or_else(|| D::Error::custom("no transition"));
        Vec::<u16>::deserialize(from)?.into_iter().map(id).collect()
    }
}

#[cfg(test)]
mod tests {
    use statewright_rom::ids::{FunctionId, TransitionId};

    use super::*;
    use crate::{GuardCode, RustPlace, SharedTransitions, Symbol, SymbolKind};

    fn table() -> SymbolTable {
        let mut table = SymbolTable {
            machine: "Door".to_owned(),
            file: "door.sw.json".to_owned(),
            structure_hash: 0x00ab,
            parameter_hash: u64::MAX,
            ..SymbolTable::default()
        };
        for &kind in SymbolKind::ALL {
            let symbol = Symbol {
                name: format!("a {}", kind.word()),
                line: 3,
                column: 14,
                part: 0,
            };
            table.list_mut(kind).push(symbol);
        }
        table
    }

    #[test]
    fn a_sidecar_reads_as_it_was_written() {
        let mut table = table();
        assert_eq!(SymbolTable::from_json(&table.to_json()), Ok(table.clone()));
        table.guard_codes.push(GuardCode {
            function: FunctionId::from_index(0).unwrap(),
            code: 7,
            text: "somebody leans on it".to_owned(),
        });
        table.rust_places.push(place("lean_on", 12));
        table.shared.push(SharedTransitions {
            set: Some("panic".to_owned()),
            transitions: [2, 5]
                .map(|id| TransitionId::from_index(id).unwrap())
                .to_vec(),
        });
        table.shared.push(SharedTransitions::default());
        assert_eq!(SymbolTable::from_json(&table.to_json()), Ok(table));
    }

    fn place(function: &str, line: u32) -> RustPlace {
        RustPlace {
            function: function.to_owned(),
            file: "src/door.rs".to_owned(),
            line,
            column: 8,
        }
    }

    #[test]
    fn places_in_rust_are_found_by_both_spellings_of_a_name() {
        let mut table = table();
        assert_eq!(table.rust_places("Lean").count(), 0);
        table.rust_places = vec![
            place("lean_on", 12),
            place("Lean", 20),
            place("lean_on", 31),
        ];
        let lines = |name| -> Vec<u32> { table.rust_places(name).map(|one| one.line).collect() };
        assert_eq!(lines("LeanOn"), [12, 31]);
        assert_eq!(lines("lean_on"), [12, 31]);
        assert_eq!(lines("lean"), [0; 0]);
        let text = table.to_json();
        let start = text.find("  \"rust_places\"").unwrap();
        let lines: Vec<&str> = text[start..].lines().take(7).map(str::trim).collect();
        assert_eq!(
            lines,
            [
                "\"rust_places\": [",
                "{",
                "\"function\": \"lean_on\",",
                "\"file\": \"src/door.rs\",",
                "\"line\": 12,",
                "\"column\": 8",
                "},",
            ]
        );
    }

    #[test]
    fn the_format_is_the_one_of_version_1() {
        let text = table().to_json();
        let first: Vec<&str> = text.lines().take(12).map(str::trim).collect();
        assert_eq!(
            first,
            [
                "{",
                "\"version\": 1,",
                "\"machine\": \"Door\",",
                "\"file\": \"door.sw.json\",",
                "\"structure_hash\": \"00000000000000ab\",",
                "\"parameter_hash\": \"ffffffffffffffff\",",
                "\"states\": [",
                "{",
                "\"name\": \"a state\",",
                "\"line\": 3,",
                "\"column\": 14",
                "}",
            ]
        );
        let lists: Vec<&str> = text
            .lines()
            .filter_map(|line| line.strip_prefix("  \"")?.strip_suffix("\": ["))
            .collect();
        let expected: Vec<&str> = SymbolKind::ALL.iter().map(|kind| kind.list()).collect();
        assert_eq!(
            lists, expected,
            "and nothing of programs where there is none"
        );
    }

    #[test]
    fn other_files_and_versions_are_refused() {
        let refused = |text: &str| SymbolTable::from_json(text).unwrap_err();
        assert!(refused("[]").starts_with("not a debug sidecar: "));
        assert!(refused("{ \"version\": 1 }").contains("missing field `machine`"));
        let newer = table()
            .to_json()
            .replace("\"version\": 1", "\"version\": 2");
        assert_eq!(
            refused(&newer),
            "sidecar version 2, but this tool reads version 1"
        );
        let wrong = table().to_json().replace("00000000000000ab", "xy");
        assert!(refused(&wrong).contains("a hash is 16 hex digits"));
    }
}
