//! Values side by side. Where each takes as many bytes as the next, nobody asks for room value by value:
//! the compiler sees one loop of plain copies.

use statewright_bytes::Writer;

use super::Saved;
use crate::machine::Machine;

/// Bytes that are put together before they are written.
const PIECE: usize = 4096;

/// How many bytes parts take together, if each says how many.
pub const fn sum(parts: &[Option<usize>]) -> Option<usize> {
    let (mut all, mut at) = (0_usize, 0);
    while at < parts.len() {
        match parts[at] {
            Some(bytes) => all += bytes,
            None => return None,
        }
        at += 1;
    }
    Some(all)
}

/// Writes a part that says how many bytes it takes to the head of a place; the rest of the place.
#[inline]
pub fn save_part<'p, T: Saved>(part: &T, place: &'p mut [u8]) -> &'p mut [u8] {
    let (own, rest) = place.split_at_mut(const { size_of_one::<T>() });
    part.save_into(own);
    rest
}

/// Bytes of one, if all take the same; 0 for those that do not say, too.
const fn size_of_one<T: Saved>() -> usize {
    match T::BYTES {
        Some(bytes) => bytes,
        None => 0,
    }
}

/// Writes all of them, one behind the other.
pub(crate) fn save_all<T: Saved>(all: &[T], bytes: &mut Vec<u8>) {
    let size = const { size_of_one::<T>() };
    match T::BYTES {
        Some(0) => {}
        Some(1..=PIECE) => {
            let mut piece = [0; PIECE];
            for some in all.chunks(PIECE / size) {
                let places = piece.chunks_exact_mut(size);
                let each = some.iter().zip(places);
                each.for_each(|(one, place)| one.save_into(place));
                bytes.put(&piece[..some.len() * size]);
            }
        }
        Some(_) | None => all.iter().for_each(|one| one.save(bytes)),
    }
}

/// Reads so many from the head of the bytes and moves them on, over those that are there; `None` if
/// the bytes are none.
pub(crate) fn load_all<T: Saved>(
    machine: &Machine,
    bytes: &mut &[u8],
    count: usize,
    all: &mut Vec<T>,
) -> Option<()> {
    all.truncate(count);
    let size = const { size_of_one::<T>() };
    if size == 0 {
        return load_each(machine, bytes, count, all);
    }
    let own = bytes.split_off(..count.checked_mul(size)?)?;
    let (over, behind) = own.split_at(all.len() * size);
    for (one, mut place) in all.iter_mut().zip(over.chunks_exact(size)) {
        one.load_over(machine, &mut place)?;
    }
    for mut place in behind.chunks_exact(size) {
        all.push(T::load(machine, &mut place)?);
    }
    Some(())
}

fn load_each<T: Saved>(
    machine: &Machine,
    bytes: &mut &[u8],
    count: usize,
    all: &mut Vec<T>,
) -> Option<()> {
    for one in all.iter_mut() {
        one.load_over(machine, bytes)?;
    }
    while all.len() < count {
        all.push(T::load(machine, bytes)?);
    }
    Some(())
}
