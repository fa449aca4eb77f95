//! Numbers, texts and lists from the head of bytes, never past their end.

use core::fmt;

/// Why bytes cannot be read on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// Where, from the first byte of the [`Reader`].
    pub offset: usize,
    /// What is wrong.
    pub problem: ReadProblem,
}

/// What is wrong with bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadProblem {
    /// They end in the middle of something.
    Short,
    /// A count of more things than the bytes behind it can hold.
    Count(u64),
    /// A number of more than 64 bits.
    Number,
    /// A text that is no UTF-8.
    Text,
    /// There is something behind the end.
    Trailing,
}

impl core::error::Error for ReadError {}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: {}", self.offset, self.problem)
    }
}

impl fmt::Display for ReadProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Short => f.write_str("it ends in the middle of something"),
            Self::Count(count) => write!(f, "a count of {count}, more than there are bytes for"),
            Self::Number => f.write_str("a number of more than 64 bits"),
            Self::Text => f.write_str("a text is no UTF-8"),
            Self::Trailing => f.write_str("there is something behind the end"),
        }
    }
}

/// Reads little-endian numbers, texts and lists one after the other.
#[derive(Clone, Debug)]
pub struct Reader<'b> {
    bytes: &'b [u8],
    offset: usize,
}

impl<'b> Reader<'b> {
    /// Begins with the first byte.
    pub const fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, offset: 0 }
    }

    /// Bytes that were read.
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// Everything that was not read yet.
    pub const fn rest(&self) -> &'b [u8] {
        self.bytes
    }

    /// Says that something is wrong here.
    pub const fn wrong(&self, problem: ReadProblem) -> ReadError {
        ReadError {
            offset: self.offset,
            problem,
        }
    }

    /// So many bytes.
    pub fn take(&mut self, count: usize) -> Result<&'b [u8], ReadError> {
        let split = self.bytes.split_at_checked(count);
        let (head, rest) = split.ok_or(self.wrong(ReadProblem::Short))?;
        self.bytes = rest;
        self.offset = self.offset.saturating_add(count);
        Ok(head)
    }

    /// So many bytes as an array.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], ReadError> {
        let short = self.wrong(ReadProblem::Short);
        self.take(N)?.try_into().map_err(|_| short)
    }

    /// One byte.
    pub fn u8(&mut self) -> Result<u8, ReadError> {
        self.array().map(u8::from_le_bytes)
    }

    /// Two bytes.
    pub fn u16(&mut self) -> Result<u16, ReadError> {
        self.array().map(u16::from_le_bytes)
    }

    /// Four bytes.
    pub fn u32(&mut self) -> Result<u32, ReadError> {
        self.array().map(u32::from_le_bytes)
    }

    /// Eight bytes.
    pub fn u64(&mut self) -> Result<u64, ReadError> {
        self.array().map(u64::from_le_bytes)
    }

    /// A number in as few bytes as it needs.
    pub fn varint(&mut self) -> Result<u64, ReadError> {
        let wrong = self.wrong(ReadProblem::Number);
        let mut number = 0_u64;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.u8()?;
            let bits = u64::from(byte & 0x7F);
            // The tenth byte has room for one bit.
            if bits.wrapping_shl(shift).wrapping_shr(shift) != bits {
                return Err(wrong);
            }
            number |= bits.wrapping_shl(shift);
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(wrong)
    }

    /// A count (u64) of things that take at least `bytes_each`: no number in a damaged file makes
    /// anybody reserve more memory than the file has bytes.
    pub fn count(&mut self, bytes_each: usize) -> Result<usize, ReadError> {
        let at = self.offset;
        let count = self.u64()?;
        let fits = |&count: &usize| {
            let needed = count.checked_mul(bytes_each);
            needed.is_some_and(|needed| needed <= self.bytes.len())
        };
        let known = usize::try_from(count).ok().filter(fits);
        known.ok_or(ReadError {
            offset: at,
            problem: ReadProblem::Count(count),
        })
    }

    /// A text with its length (u16) before it.
    pub fn text(&mut self) -> Result<&'b str, ReadError> {
        let wrong = self.wrong(ReadProblem::Text);
        let length = self.u16()?;
        let bytes = self.take(length.into())?;
        core::str::from_utf8(bytes).map_err(|_| wrong)
    }

    /// A list with its count (u16) before it.
    pub fn list<T, C: FromIterator<T>, E: From<ReadError>>(
        &mut self,
        mut one: impl FnMut(&mut Self) -> Result<T, E>,
    ) -> Result<C, E> {
        let count = self.u16()?;
        (0..count).map(|_| one(self)).collect()
    }

    /// Nothing may be left.
    pub fn end(self) -> Result<(), ReadError> {
        if self.bytes.is_empty() {
            Ok(())
        } else {
            Err(self.wrong(ReadProblem::Trailing))
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn what_is_there_is_read_and_nothing_else() {
        let bytes = [
            1, 2, 0, 3, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 2, 0, b'h', b'i', 2, 0, 8, 9,
        ];
        let mut reader = Reader::new(&bytes);
        assert_eq!(reader.u8(), Ok(1));
        assert_eq!(reader.u16(), Ok(2));
        assert_eq!(reader.u32(), Ok(3));
        assert_eq!(reader.u64(), Ok(4));
        assert_eq!(reader.text(), Ok("hi"));
        let two: Result<Vec<u8>, ReadError> = reader.list(Reader::u8);
        assert_eq!(two.unwrap(), [8, 9]);
        assert_eq!(reader.offset(), bytes.len());
        let short = ReadError {
            offset: bytes.len(),
            problem: ReadProblem::Short,
        };
        assert_eq!(reader.u8(), Err(short));
        assert_eq!(reader.end(), Ok(()));
        let more = Reader::new(&bytes).end().unwrap_err();
        assert_eq!((more.offset, more.problem), (0, ReadProblem::Trailing));
    }

    #[test]
    fn no_count_is_larger_than_what_is_there() {
        let count = |count: u64, each| {
            let bytes = [&count.to_le_bytes()[..], &[0; 12]].concat();
            Reader::new(&bytes).count(each)
        };
        assert_eq!(count(3, 4), Ok(3));
        assert_eq!(count(4, 4).unwrap_err().problem, ReadProblem::Count(4));
        for huge in [u64::MAX, u64::MAX / 4 + 1] {
            assert_eq!(
                count(huge, 4).unwrap_err().problem,
                ReadProblem::Count(huge)
            );
        }
        let bytes = [1, 0, 0xFF];
        let text = Reader::new(&bytes).text().unwrap_err();
        assert_eq!((text.offset, text.problem), (0, ReadProblem::Text));
    }
}
