//! Numbers of texts: a symbol is the hash of what it says, so that it means the same in every machine
//! and after every edit (HASH-2).

use xxhash_rust::const_xxh3::xxh3_64;

use crate::layout::StringRecord;

/// The number of a text: 0 for the empty one, for any other the low half of its xxh3. A machine
/// holds no two texts of one number: the compiler refuses them.
pub const fn symbol_number(text: &str) -> u32 {
    number_of(text.as_bytes())
}

/// The same of the bytes of a text.
pub(crate) const fn number_of(text: &[u8]) -> u32 {
    if text.is_empty() {
        return 0;
    }
    xxh3_64(text) as u32
}

/// Where the text of a number is in the strings table, which is sorted by it.
pub(crate) fn find_symbol(strings: &[StringRecord], number: u32) -> Option<usize> {
    strings
        .binary_search_by_key(&number, |string| string.number.get())
        .ok()
}

/// Is it the number of a text of the machine? The empty one is of every machine.
pub(crate) fn is_symbol(strings: &[StringRecord], number: u32) -> bool {
    number == 0 || find_symbol(strings, number).is_some()
}
