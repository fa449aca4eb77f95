//! From bytes to a view: frame, checksum, then the proof of every table (ROM-2).
//!
//! The frame is the header and the directory: where each table lies. Reading it is all that a
//! trusted caller pays. Everything else is proven by `validate`, in its written order.

use statewright_bytes::HeadError;
use zerocopy::FromBytes;

use crate::error::{LoadError, Problem};
use crate::layout::{DirectoryEntry, FORMAT, Header, SECTION_ALIGNMENT, Section};
use crate::validate::validate;
use crate::view::Rom;
#[cfg(feature = "alloc")]
use crate::view::{Place, Places};

impl<'a> Rom<'a> {
    /// Reads a ROM in place after proving that it is safe to run.
    ///
    /// No bytes make this function panic, and none that it accepts make an accessor of [`Rom`]
    /// panic or answer with an index that is out of range (`tests/damage.rs`).
    pub fn from_bytes(bytes: &'a [u8]) -> Result<Self, LoadError> {
        let rom = read_frame(bytes)?;
        check_sum(&rom)?;
        validate(&rom)?;
        Ok(rom)
    }
}

/// Header and directory: which bytes belong to which table.
pub(crate) fn read_frame(bytes: &[u8]) -> Result<Rom<'_>, LoadError> {
    let header = read_header(bytes)?;
    let entries = read_directory(bytes, header)?;
    let mut frame = Frame {
        end: directory_end(entries),
        last: 0,
    };
    let mut rom = Rom::empty(bytes, header);
    for (number, entry) in (0_u32..).zip(entries) {
        let refuse = |problem| LoadError::directory(number, problem);
        let (section, records) = frame.place(bytes, entry).map_err(refuse)?;
        rom.put(section, records)
            .ok_or(refuse(Problem::Outside(section)))?;
    }
    frame.close(bytes).map_err(LoadError::header)?;
    Ok(rom)
}

/// Where the tables of such bytes lie, for views that need no look at the directory.
#[cfg(feature = "alloc")]
pub(crate) fn read_places(bytes: &[u8]) -> Result<Places, LoadError> {
    let entries = read_directory(bytes, read_header(bytes)?)?;
    let mut places = Places::default();
    for entry in entries {
        if let Some(section) = Section::from_number(entry.kind.get()) {
            let (start, count) = (entry.offset.get(), entry.count.get());
            places.put(section, Place { start, count });
        }
    }
    Ok(places)
}

fn read_header(bytes: &[u8]) -> Result<&Header, LoadError> {
    FORMAT
        .read_head(bytes)
        .map_err(|error| LoadError::header(Problem::Head(error)))?;
    let found = bytes.len() as u64;
    let header = Header::ref_from_prefix(bytes);
    let (header, _) = header.map_err(|_| truncated(size_of::<Header>() as u64, found))?;
    let length = u64::from(header.length.get());
    if length > found {
        return Err(truncated(length, found));
    }
    if length < found {
        return Err(LoadError::header(Problem::Expected {
            what: "length",
            expected: found,
            found: length,
        }));
    }
    Ok(header)
}

/// More bytes are promised than there are.
const fn truncated(expected: u64, found: u64) -> LoadError {
    LoadError::header(Problem::Head(HeadError::Truncated { expected, found }))
}

fn read_directory<'a>(bytes: &'a [u8], header: &Header) -> Result<&'a [DirectoryEntry], LoadError> {
    let offset = header.directory_offset.get();
    if usize::from(offset) != size_of::<Header>() {
        let what = "directory offset";
        return Err(LoadError::header(Problem::Expected {
            what,
            expected: 64,
            found: u64::from(offset),
        }));
    }
    let count = usize::from(header.directory_count.get());
    let rest = bytes.get(size_of::<Header>()..).unwrap_or(&[]);
    let (entries, _) =
        <[DirectoryEntry]>::ref_from_prefix_with_elems(rest, count).map_err(|_| {
            let needed = size_of::<DirectoryEntry>()
                .saturating_mul(count)
                .saturating_add(size_of::<Header>());
            truncated(needed as u64, bytes.len() as u64)
        })?;
    Ok(entries)
}

/// One past the directory.
fn directory_end(entries: &[DirectoryEntry]) -> usize {
    size_of_val(entries).saturating_add(size_of::<Header>())
}

/// What is known while the directory is read.
struct Frame {
    /// One past everything so far.
    end: usize,
    /// Number of the last section.
    last: u16,
}

impl Frame {
    /// Checks one entry and gives the bytes of its section.
    fn place<'a>(
        &mut self,
        bytes: &'a [u8],
        entry: &DirectoryEntry,
    ) -> Result<(Section, &'a [u8]), Problem> {
        let number = entry.kind.get();
        let section = Section::from_number(number).ok_or(Problem::UnknownSection(number))?;
        if number <= self.last {
            return Err(Problem::SectionOrder(section));
        }
        self.last = number;
        let found = entry.record_size.get();
        if usize::from(found) != section.record_size() {
            return Err(Problem::RecordSize { section, found });
        }
        if entry.count.get() == 0 {
            return Err(Problem::EmptySection(section));
        }
        self.take(bytes, section, entry)
    }

    fn take<'a>(
        &mut self,
        bytes: &'a [u8],
        section: Section,
        entry: &DirectoryEntry,
    ) -> Result<(Section, &'a [u8]), Problem> {
        let start = entry.offset.get() as usize;
        if !start.is_multiple_of(SECTION_ALIGNMENT) {
            return Err(Problem::Misaligned(section));
        }
        let gap = bytes.get(self.end..start).ok_or(if start < self.end {
            Problem::Overlap(section)
        } else {
            Problem::Outside(section)
        })?;
        zeros(gap)?;
        let size = section
            .record_size()
            .checked_mul(entry.count.get() as usize);
        let end = size
            .and_then(|size| start.checked_add(size))
            .ok_or(Problem::Outside(section))?;
        self.end = end;
        Ok((
            section,
            bytes.get(start..end).ok_or(Problem::Outside(section))?,
        ))
    }

    /// Only padding may follow the last section.
    fn close(&self, bytes: &[u8]) -> Result<(), Problem> {
        let rest = bytes.get(self.end..).unwrap_or(&[]);
        if rest.len() >= SECTION_ALIGNMENT {
            Err(Problem::Trailing(rest.len() as u64))
        } else {
            zeros(rest)
        }
    }
}

fn zeros(bytes: &[u8]) -> Result<(), Problem> {
    if bytes.iter().fold(0, |any, byte| any | byte) == 0 {
        Ok(())
    } else {
        Err(Problem::Padding)
    }
}

fn check_sum(rom: &Rom<'_>) -> Result<(), LoadError> {
    FORMAT
        .check_sum(&rom.header().head, rom.bytes())
        .map_err(|error| LoadError::header(Problem::Head(error)))
}
