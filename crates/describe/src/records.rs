//! The raw records of every table, one line each: what `dump --tables` shows.

use std::fmt::Write;

use statewright_rom::layout::*;
use statewright_rom::{Rom, for_each_section};

/// Records of one table that are shown; machines have up to 65,534 of each, and more bytes of text.
const MAX_SHOWN: usize = 1_000;

macro_rules! define_show {
    ($($number:literal $name:ident $field:ident $record:ident $origin:ident,)+) => {
        /// Header and records, as far as they are shown. 65535 and 255 in an index mean "none".
        pub fn tables(rom: &Rom<'_>) -> String {
            let mut out = format!("header\n  {}\n", plain(&format!("{:?}", rom.header())));
            for &section in Section::ALL {
                match section {
                    Section::Text => text(&mut out, rom),
                    $(Section::$name => records(&mut out, section, rom.$field()),)+
                }
            }
            out
        }
    };
}
#[allow(
    unreachable_patterns,
    reason = "the text section has its own arm, the macro lists them all"
)]
mod show {
    use super::*;
    for_each_section!(define_show);
}
pub use show::tables;

fn records<T: std::fmt::Debug>(out: &mut String, section: Section, records: &[T]) {
    if records.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "{} ({} of {} bytes)",
        section.name(),
        records.len(),
        section.record_size()
    );
    for (index, record) in records.iter().take(MAX_SHOWN).enumerate() {
        let _ = writeln!(out, "  {index}: {}", plain(&format!("{record:?}")));
    }
    if records.len() > MAX_SHOWN {
        let _ = writeln!(out, "  … {} more", records.len() - MAX_SHOWN);
    }
}

/// The texts instead of their bytes.
fn text(out: &mut String, rom: &Rom<'_>) {
    if rom.text().is_empty() {
        return;
    }
    let _ = writeln!(out, "text ({} bytes)", rom.text().len());
    let ids = (0..rom.strings().len()).filter_map(statewright_rom::ids::StringId::from_index);
    for id in ids.take(MAX_SHOWN) {
        let _ = writeln!(out, "  {id}: {:?}", rom.string(id).unwrap_or_default());
    }
}

/// A record without the noise of its types: `parent: 3`, not `parent: U16(3)`.
fn plain(debug: &str) -> String {
    let fields = debug
        .split_once(" { ")
        .map_or(debug, |(_, fields)| fields.trim_end_matches(" }"));
    let mut out = String::with_capacity(fields.len());
    let mut rest = fields;
    while let Some(start) = ["U16(", "U32(", "U64(", "F32("]
        .iter()
        .filter_map(|name| rest.find(name))
        .min()
    {
        let inner = start + 4;
        let Some(length) = rest[inner..].find(')') else {
            break;
        };
        out.push_str(&rest[..start]);
        out.push_str(&rest[inner..inner + length]);
        rest = &rest[inner + length + 1..];
    }
    out.push_str(rest);
    out
}
