//! Why bytes were refused: which table, which record, what is wrong (ROM-2).

use core::fmt;

use statewright_bytes::HeadError;

use crate::code::CodeError;
use crate::layout::Section;

/// A refused ROM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadError {
    /// The table; `None` for the header and the directory.
    pub section: Option<Section>,
    /// The record; of the directory if there is no section. [`LoadError::WHOLE`] if no single one
    /// is at fault.
    pub record: u32,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong with a record, or with a whole table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The bytes are no ROM, one of another version, cut off, or damaged.
    Head(HeadError),
    /// A directory entry names no section.
    UnknownSection(u16),
    /// A directory entry does not come after the one before.
    SectionOrder(Section),
    /// The records of a section have another size.
    RecordSize {
        /// The section.
        section: Section,
        /// Size in the directory.
        found: u16,
    },
    /// A directory entry for an empty section.
    EmptySection(Section),
    /// A section starts at a place that is not a multiple of 8.
    Misaligned(Section),
    /// A section starts before the end of what comes before it.
    Overlap(Section),
    /// A section ends after the end of the ROM.
    Outside(Section),
    /// Bytes that belong to nothing are not zero.
    Padding,
    /// Bytes after the last section.
    Trailing(u64),
    /// Too many records.
    TooMany {
        /// Present.
        found: u64,
        /// Most that are allowed.
        limit: u64,
    },
    /// A number is not below its limit.
    Range {
        /// What the number is.
        what: &'static str,
        /// The number.
        found: u64,
        /// It must be below this.
        limit: u64,
    },
    /// A number is not the one that follows from the rest.
    Expected {
        /// What the number is.
        what: &'static str,
        /// What it must be.
        expected: u64,
        /// What it is.
        found: u64,
    },
    /// Bits or values without a meaning.
    Unknown {
        /// What the number is.
        what: &'static str,
        /// The number.
        found: u64,
    },
    /// Reserved or unused bytes are not zero.
    Reserved,
    /// A reference that must be there is `NONE`, or the other way round.
    Presence {
        /// What is referred to.
        what: &'static str,
        /// It must be there.
        required: bool,
    },
    /// A state does not lie where it must.
    NotInside {
        /// What the inner state is.
        what: &'static str,
        /// The inner state.
        inner: u16,
        /// The state around it.
        outer: u16,
    },
    /// The domain of a transition is not around its source.
    Domain {
        /// The domain.
        domain: u16,
        /// The source.
        source: u16,
    },
    /// A function or an expression is used as what it is not.
    Use {
        /// What it must be.
        what: &'static str,
        /// The op.
        op: u16,
    },
    /// Bytes that are no UTF-8, from this one on.
    Utf8(u32),
    /// Unsound expression code.
    Code(CodeError),
    /// The machine uses features that the header does not name.
    Features(u32),
    /// Another rule, in words.
    Rule(&'static str),
}

impl LoadError {
    /// The record of an error that is about a whole table.
    pub const WHOLE: u32 = u32::MAX;

    pub(crate) const fn header(problem: Problem) -> Self {
        Self {
            section: None,
            record: Self::WHOLE,
            problem,
        }
    }

    pub(crate) const fn directory(record: u32, problem: Problem) -> Self {
        Self {
            section: None,
            record,
            problem,
        }
    }

    pub(crate) const fn whole(section: Section, problem: Problem) -> Self {
        Self {
            section: Some(section),
            record: Self::WHOLE,
            problem,
        }
    }
}

impl core::error::Error for LoadError {}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.section, self.record) {
            (None, Self::WHOLE) => write!(f, "header: {}", self.problem),
            (None, record) => write!(f, "directory[{record}]: {}", self.problem),
            (Some(section), Self::WHOLE) => write!(f, "{}: {}", section.name(), self.problem),
            (Some(section), record) => write!(f, "{}[{record}]: {}", section.name(), self.problem),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Head(error @ HeadError::Magic(_)) => write!(f, "not a ROM: {error}"),
            Self::Head(error) => error.fmt(f),
            Self::Reserved => f.write_str("reserved or unused bytes are not zero"),
            Self::NotInside { what, inner, outer } => {
                write!(f, "{what} {inner} is not inside state {outer}")
            }
            Self::Domain { domain, source } => {
                write!(f, "domain {domain} is not around source {source}")
            }
            Self::Use { what, op } => write!(f, "op {op} is not {what}"),
            Self::Utf8(at) => write!(f, "no valid UTF-8 at byte {at}"),
            Self::Code(error) => error.fmt(f),
            Self::Features(missing) => write!(f, "features {missing:#x} are used but not named"),
            Self::Rule(text) => f.write_str(text),
            _ => self.fmt_numbers(f).unwrap_or_else(|| self.fmt_frame(f)),
        }
    }
}

impl Problem {
    /// Problems that compare numbers; `None` for the rest.
    fn fmt_numbers(&self, f: &mut fmt::Formatter<'_>) -> Option<fmt::Result> {
        Some(match *self {
            Self::TooMany { found, limit } => {
                write!(f, "{found} records, at most {limit} are allowed")
            }
            Self::Range { what, found, limit } => {
                write!(f, "{what} {found} is out of range, the limit is {limit}")
            }
            Self::Expected {
                what,
                expected,
                found,
            } => write!(f, "{what} is {found} instead of {expected}"),
            Self::Unknown { what, found } => write!(f, "{what} {found} has no meaning"),
            Self::Presence {
                what,
                required: true,
            } => write!(f, "{what} is missing"),
            Self::Presence {
                what,
                required: false,
            } => write!(f, "{what} is not allowed here"),
            _ => return None,
        })
    }

    /// Problems of the directory.
    fn fmt_frame(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::UnknownSection(number) => write!(f, "section number {number} has no meaning"),
            Self::SectionOrder(section) => write!(f, "section {} is out of order", section.name()),
            Self::RecordSize { section, found } => {
                write!(
                    f,
                    "records of {} have {found} bytes instead of {}",
                    section.name(),
                    section.record_size()
                )
            }
            Self::EmptySection(section) => write!(f, "empty section {} is listed", section.name()),
            Self::Misaligned(section) => write!(
                f,
                "section {} does not start at a multiple of 8",
                section.name()
            ),
            Self::Overlap(section) => write!(
                f,
                "section {} overlaps what comes before it",
                section.name()
            ),
            Self::Outside(section) => write!(
                f,
                "section {} ends after the end of the ROM",
                section.name()
            ),
            Self::Padding => f.write_str("bytes between sections are not zero"),
            Self::Trailing(count) => write!(f, "{count} bytes after the last section"),
            _ => f.write_str("refused"),
        }
    }
}
