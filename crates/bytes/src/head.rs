//! The head that every file begins with.

use core::fmt;

use zerocopy::byteorder::little_endian::{U16, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::checksum::checksum;

/// Reads as this number in the right byte order only.
pub const BYTE_ORDER_MARK: u16 = 0x0102;

/// The first 32 bytes of a file.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    FromBytes,
    IntoBytes,
    Immutable,
    KnownLayout,
    Unaligned,
)]
#[repr(C)]
pub struct Head {
    /// [`Format::magic`].
    pub magic: [u8; 4],
    /// [`Format::version`].
    pub version: U16,
    /// [`BYTE_ORDER_MARK`], in the order of the numbers behind the head.
    pub byte_order: U16,
    /// Of the machine that the file is about: everything instance bytes refer to (ROM-5).
    pub structure_hash: U64,
    /// Of the same machine: everything else that changes behavior (ROM-5).
    pub parameter_hash: U64,
    /// [`checksum()`].
    pub checksum: U64,
}

impl Head {
    /// Structure hash and parameter hash: which machine the file is about.
    pub fn hashes(&self) -> [u64; 2] {
        [self.structure_hash.get(), self.parameter_hash.get()]
    }

    /// The bytes of the head, to write the rest behind.
    pub fn to_bytes(self) -> [u8; size_of::<Self>()] {
        zerocopy::transmute!(self)
    }
}

/// In which order the bytes of numbers behind the head lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteOrder {
    /// The same on every computer.
    Little,
    /// As the computer holds them; one of the other order refuses the file.
    OfThisComputer,
}

impl ByteOrder {
    /// The mark as [`Head::byte_order`] reads it.
    const fn mark(self) -> u16 {
        match self {
            Self::Little => BYTE_ORDER_MARK,
            Self::OfThisComputer => u16::from_le_bytes(BYTE_ORDER_MARK.to_ne_bytes()),
        }
    }
}

/// A kind of file. Each has one constant, so magic and version are written nowhere else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// The first four bytes.
    pub magic: [u8; 4],
    /// The version that is written, and the only one that is read. Whoever changes what the bytes
    /// mean raises it.
    pub version: u16,
    /// Of what is behind the head.
    pub byte_order: ByteOrder,
    /// Beginnings of earlier versions that had another head, with the version: they are refused for
    /// their version, not for being something else.
    pub former: &'static [(&'static [u8], u16)],
}

impl Format {
    /// A head without checksum; [`seal`](crate::seal) it when the rest is there.
    pub const fn head(&self, [structure, parameters]: [u64; 2]) -> Head {
        Head {
            magic: self.magic,
            version: U16::new(self.version),
            byte_order: U16::new(self.byte_order.mark()),
            structure_hash: U64::new(structure),
            parameter_hash: U64::new(parameters),
            checksum: U64::new(0),
        }
    }

    /// Do bytes begin like a file of this kind, of any version?
    pub fn begins(&self, bytes: &[u8]) -> bool {
        bytes.starts_with(&self.magic) || self.former_version(bytes).is_some()
    }

    fn former_version(&self, bytes: &[u8]) -> Option<u16> {
        let is_it = |(start, _): &&(&[u8], u16)| bytes.starts_with(start);
        self.former.iter().find(is_it).map(|&(_, version)| version)
    }

    /// Head and content of a whole file: kind, version, byte order and checksum are right.
    pub fn open<'b>(&self, bytes: &'b [u8]) -> Result<(&'b Head, &'b [u8]), HeadError> {
        let (head, content) = self.read_head(bytes)?;
        self.check_sum(head, bytes)?;
        Ok((head, content))
    }

    /// Head and what is behind it; the checksum was not looked at.
    pub fn read_head<'b>(&self, bytes: &'b [u8]) -> Result<(&'b Head, &'b [u8]), HeadError> {
        let expected = self.version;
        if let Some(found) = self.former_version(bytes) {
            return Err(HeadError::Version { found, expected });
        }
        // What is too short is called so only if it could become one.
        let start = bytes.get(..4).unwrap_or(bytes);
        if !self.magic.starts_with(start) {
            return Err(HeadError::Magic(first_four(bytes)));
        }
        let (head, content) = Head::ref_from_prefix(bytes).map_err(|_| HeadError::Truncated {
            expected: size_of::<Head>() as u64,
            found: bytes.len() as u64,
        })?;
        let (found, order) = (head.version.get(), head.byte_order.get());
        // A head of the other byte order has a version that reads wrong as well.
        if found != expected && found != expected.swap_bytes() {
            Err(HeadError::Version { found, expected })
        } else if order != self.byte_order.mark() {
            Err(HeadError::ByteOrder {
                found: order,
                expected: self.byte_order.mark(),
            })
        } else if found != expected {
            Err(HeadError::Version { found, expected })
        } else {
            Ok((head, content))
        }
    }

    /// Is the checksum of a head that of these bytes, which begin with it?
    pub fn check_sum(&self, head: &Head, bytes: &[u8]) -> Result<(), HeadError> {
        let (expected, found) = (head.checksum.get(), checksum(bytes));
        if expected == found {
            Ok(())
        } else {
            Err(HeadError::Checksum { expected, found })
        }
    }
}

fn first_four(bytes: &[u8]) -> [u8; 4] {
    let mut start = [0; 4];
    start
        .iter_mut()
        .zip(bytes)
        .for_each(|(to, from)| *to = *from);
    start
}

/// Why bytes are no whole file of a [`Format`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadError {
    /// Fewer bytes than the head needs, or promises.
    Truncated {
        /// Needed.
        expected: u64,
        /// Present.
        found: u64,
    },
    /// The first four bytes are those of something else.
    Magic([u8; 4]),
    /// Made for another version of the format.
    Version {
        /// Of the file.
        found: u16,
        /// That is read here.
        expected: u16,
    },
    /// The byte-order mark reads wrong.
    ByteOrder {
        /// Of the file.
        found: u16,
        /// Of this computer.
        expected: u16,
    },
    /// The checksum differs: the bytes are damaged.
    Checksum {
        /// Stored.
        expected: u64,
        /// Of the bytes.
        found: u64,
    },
}

impl core::error::Error for HeadError {}

impl fmt::Display for HeadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Truncated { expected, found } => {
                write!(f, "{found} bytes where {expected} are needed")
            }
            Self::Magic(found) => write!(f, "it starts with {found:02x?}"),
            Self::Version { found, expected } => {
                write!(f, "format version {found}, this loader reads {expected}")
            }
            Self::ByteOrder { found, expected } => {
                write!(f, "byte-order mark {found:#06x} instead of {expected:#06x}")
            }
            Self::Checksum { expected, found } => write!(
                f,
                "checksum {found:#018x} instead of {expected:#018x}: the bytes are damaged"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seal;

    const FORMAT: Format = Format {
        magic: *b"TOYS",
        version: 3,
        byte_order: ByteOrder::OfThisComputer,
        former: &[(b"toybox", 1)],
    };

    fn file() -> alloc::vec::Vec<u8> {
        let mut file = FORMAT.head([7, 8]).to_bytes().to_vec();
        file.extend_from_slice(b"a bear");
        seal(&mut file);
        file
    }

    #[test]
    fn every_cut_and_every_wrong_bit_is_refused() {
        let good = file();
        let (head, content) = FORMAT.open(&good).unwrap();
        assert_eq!((head.hashes(), content), ([7, 8], &b"a bear"[..]));
        for end in 0..good.len() {
            FORMAT.open(&good[..end]).unwrap_err();
        }
        for bit in 0..good.len() * 8 {
            let mut bytes = good.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            FORMAT.open(&bytes).unwrap_err();
        }
    }

    #[test]
    fn other_files_versions_and_byte_orders_are_told_apart() {
        let with = |at: usize, new: &[u8]| {
            let mut bytes = file();
            bytes[at..at + new.len()].copy_from_slice(new);
            seal(&mut bytes);
            FORMAT.open(&bytes).unwrap_err()
        };
        assert_eq!(with(0, b"GAME"), HeadError::Magic(*b"GAME"));
        let version = |found| HeadError::Version { found, expected: 3 };
        assert_eq!(with(4, &[2, 0]), version(2));
        assert_eq!(with(0, b"toybox"), version(1));
        let mark = file()[6..8].to_vec();
        let other = [mark[1], mark[0]];
        assert!(matches!(with(6, &other), HeadError::ByteOrder { .. }));
        // The whole head the other way round is another byte order, not version 768.
        let swapped = [&[0, 3][..], &other].concat();
        assert!(matches!(with(4, &swapped), HeadError::ByteOrder { .. }));
        assert_eq!(with(4, &[0, 3]), version(0x300));
        assert_eq!(
            FORMAT.open(b"TO"),
            Err(HeadError::Truncated {
                expected: 32,
                found: 2
            })
        );
        assert!(FORMAT.begins(b"toybox 1") && FORMAT.begins(&file()) && !FORMAT.begins(b"toy"));
    }
}
