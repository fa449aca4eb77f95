//! Numbers, texts and lists as bytes: what [`Reader`](crate::Reader) reads.

use alloc::vec::Vec;

/// Writes behind bytes that are there.
pub trait Writer {
    /// Bytes as they are.
    fn put(&mut self, bytes: &[u8]);

    /// One byte.
    fn put_u8(&mut self, number: u8) {
        self.put(&[number]);
    }

    /// Two bytes.
    fn put_u16(&mut self, number: u16) {
        self.put(&number.to_le_bytes());
    }

    /// Four bytes.
    fn put_u32(&mut self, number: u32) {
        self.put(&number.to_le_bytes());
    }

    /// Four bytes each, as many calls of [`Self::put_u32`] would write them. Where many are written this
    /// costs a copy of them.
    fn put_u32s(&mut self, numbers: &[u32]) {
        let mut bytes = [0; 256];
        for some in numbers.chunks(bytes.len() / 4) {
            let cells = bytes.as_chunks_mut::<4>().0.iter_mut();
            cells
                .zip(some)
                .for_each(|(cell, number)| *cell = number.to_le_bytes());
            self.put(bytes.get(..size_of_val(some)).unwrap_or_default());
        }
    }

    /// Eight bytes.
    fn put_u64(&mut self, number: u64) {
        self.put(&number.to_le_bytes());
    }

    /// A number in as few bytes as it needs: seven bits in each, low ones first; the last is below 128.
    fn put_varint(&mut self, mut number: u64) {
        // Bound: 64 bits are ten times seven.
        while number >= 0x80 {
            self.put_u8(number as u8 | 0x80);
            number >>= 7;
        }
        self.put_u8(number as u8);
    }

    /// A text with its length (u16) before it. One of more than 65,535 bytes is cut at a character.
    fn put_text(&mut self, text: &str) {
        let end = text.floor_char_boundary(usize::from(u16::MAX));
        let text = text.get(..end).unwrap_or_default();
        self.put_u16(text.len() as u16);
        self.put(text.as_bytes());
    }

    /// A list with its count (u16) before it; only the first 65,535 are written.
    fn put_list<T>(&mut self, list: &[T], mut one: impl FnMut(&mut Self, &T)) {
        let list = list.get(..usize::from(u16::MAX)).unwrap_or(list);
        self.put_u16(list.len() as u16);
        list.iter().for_each(|item| one(self, item));
    }
}

impl Writer for Vec<u8> {
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ReadError, Reader};

    #[test]
    fn what_is_written_is_read() {
        let mut bytes = Vec::new();
        bytes.put_u16(258);
        bytes.put_text("dé");
        bytes.put_list(&[5_u32, 6], |bytes, number| bytes.put_u32(*number));
        assert_eq!(bytes[..2], [2, 1], "little-endian");
        let mut reader = Reader::new(&bytes);
        assert_eq!((reader.u16(), reader.text()), (Ok(258), Ok("dé")));
        let list: Result<Vec<u32>, ReadError> = reader.list(Reader::u32);
        assert_eq!((list.unwrap(), reader.end()), (Vec::from([5, 6]), Ok(())));
    }

    #[test]
    fn short_numbers_take_few_bytes() {
        let numbers = [0, 127, 128, 300, 1 << 28, u64::from(u32::MAX), u64::MAX];
        let lengths = [1, 1, 2, 2, 5, 5, 10];
        for (number, length) in numbers.into_iter().zip(lengths) {
            let mut bytes = Vec::new();
            bytes.put_varint(number);
            assert_eq!(bytes.len(), length);
            let mut reader = Reader::new(&bytes);
            assert_eq!((reader.varint(), reader.end()), (Ok(number), Ok(())));
            assert!(Reader::new(&bytes[..length - 1]).varint().is_err());
        }
        for wrong in [[0xFF; 11], [0x80; 11]] {
            assert!(Reader::new(&wrong).varint().is_err());
        }
    }

    #[test]
    fn what_is_too_long_is_cut() {
        let mut bytes = Vec::new();
        bytes.put_text(&"é".repeat(40_000));
        assert_eq!(bytes.len(), 2 + 65_534);
        assert!(Reader::new(&bytes).text().is_ok());
        bytes.clear();
        bytes.put_list(&[0_u8; 70_000], |bytes, number| bytes.put_u8(*number));
        assert_eq!(bytes.len(), 2 + 65_535);
    }
}
