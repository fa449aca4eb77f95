//! What a growing file is made of: frames that go out whole, so that everything that was flushed
//! can be read after a crash.
//!
//! ```text
//! sealed beginning | frame 0: head, content | frame 1: head, content | ... | closing frame
//! ```
//!
//! Each frame has a checksum of its content and one of its head. Both are seeded with the checksum
//! of the beginning, so frames of one file do not fit into another; the number of the frame is in
//! both, so none can be missing, doubled or moved.

use core::fmt;

use xxhash_rust::xxh3::xxh3_64_with_seed;
use zerocopy::byteorder::little_endian::{U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The first bytes of every frame.
const MAGIC: [u8; 4] = *b"swfr";
/// The kind of the frame that says that the file is complete. Others are the format's own.
pub const CLOSING: u32 = 0;
/// Bytes of the head of a frame.
pub const FRAME_HEAD: usize = size_of::<FrameHead>();

/// The head of a frame; its content follows.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct FrameHead {
    magic: [u8; 4],
    /// Bytes of the content.
    length: U32,
    /// Frames before this one.
    number: U32,
    kind: U32,
    /// Tick of the first thing in it.
    tick: U64,
    /// Checksum of the content.
    content: U64,
    /// Of everything before it in this head.
    checksum: U64,
}

const CHECKED: usize = FRAME_HEAD - size_of::<u64>();
const _: () = assert!(FRAME_HEAD == 40);

impl FrameHead {
    fn expected(&self, file: u64) -> u64 {
        let bytes = self.as_bytes();
        xxh3_64_with_seed(bytes.get(..CHECKED).unwrap_or(bytes), file)
    }
}

fn content_checksum(content: &[u8], file: u64, number: u32) -> u64 {
    xxh3_64_with_seed(content, file ^ u64::from(number))
}

/// Writes the head of a frame into the first [`FRAME_HEAD`] bytes, which are followed by its
/// content and nothing else. `file` is what [`seal`](crate::seal) returned for the beginning.
pub fn seal_frame(frame: &mut [u8], file: u64, number: u32, kind: u32, tick: u64) {
    let Some((place, content)) = frame.split_at_mut_checked(FRAME_HEAD) else {
        return;
    };
    let mut head = FrameHead {
        magic: MAGIC,
        length: U32::new(content.len() as u32),
        number: U32::new(number),
        kind: U32::new(kind),
        tick: U64::new(tick),
        content: U64::new(content_checksum(content, file, number)),
        checksum: U64::new(0),
    };
    head.checksum.set(head.expected(file));
    place.copy_from_slice(head.as_bytes());
}

/// A whole frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawFrame<'b> {
    /// Where its content begins, from the start of the file.
    pub offset: usize,
    /// What it holds; never [`CLOSING`].
    pub kind: u32,
    /// Tick of the first thing in it.
    pub tick: u64,
    /// What it holds.
    pub content: &'b [u8],
}

/// Why there is no next frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The file was closed.
    Closed,
    /// It ends after a whole frame, but nobody said that it was the last.
    Open,
    /// It ends within a frame.
    CutOff {
        /// Where the frame begins.
        offset: usize,
    },
    /// Here stands something that cannot be believed.
    Damaged {
        /// Where.
        offset: usize,
        /// What is wrong.
        damage: Damage,
    },
}

/// What is wrong with a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// It does not begin like one.
    Magic,
    /// The checksum of its head.
    Head,
    /// It is not the next one, or longer than any.
    Number(u32),
    /// The checksum of its content.
    Content(u32),
    /// So many bytes behind the closing frame.
    Trailing(usize),
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Magic => f.write_str("no frame begins here"),
            Self::Head => f.write_str("the head of a frame has another checksum"),
            Self::Number(number) => {
                write!(f, "frame {number} is missing or has an impossible head")
            }
            Self::Content(number) => {
                write!(f, "the content of frame {number} has another checksum")
            }
            Self::Trailing(bytes) => write!(f, "{bytes} bytes behind the end"),
        }
    }
}

/// Reads frame after frame, each checked before it is believed.
#[derive(Clone, Debug)]
pub struct Frames<'b> {
    rest: &'b [u8],
    offset: usize,
    /// Checksum of the beginning.
    file: u64,
    number: u32,
    longest: usize,
}

impl<'b> Frames<'b> {
    /// Frames from an offset of a file on, none of them with more than `longest` bytes of content.
    pub fn new(bytes: &'b [u8], offset: usize, file: u64, longest: usize) -> Self {
        Self {
            rest: bytes.get(offset..).unwrap_or(&[]),
            offset,
            file,
            number: 0,
            longest,
        }
    }

    /// The next frame, or why there is none.
    pub fn next_frame(&mut self) -> Result<RawFrame<'b>, End> {
        let (offset, number) = (self.offset, self.number);
        let cut_off = End::CutOff { offset };
        let damaged = |offset, damage| Err(End::Damaged { offset, damage });
        if self.rest.is_empty() {
            return Err(End::Open);
        }
        let start = self.rest.get(..MAGIC.len()).unwrap_or(self.rest);
        if !MAGIC.starts_with(start) {
            return damaged(offset, Damage::Magic);
        }
        let (head, rest) = FrameHead::ref_from_prefix(self.rest).map_err(|_| cut_off)?;
        if head.expected(self.file) != head.checksum.get() {
            return damaged(offset, Damage::Head);
        }
        let (length, kind) = (head.length.get() as usize, head.kind.get());
        let is_impossible = length > self.longest || (kind == CLOSING) != (length == 0);
        if head.number.get() != number || is_impossible {
            return damaged(offset, Damage::Number(number));
        }
        let (content, rest) = rest.split_at_checked(length).ok_or(cut_off)?;
        let offset = offset.saturating_add(FRAME_HEAD);
        if content_checksum(content, self.file, number) != head.content.get() {
            return damaged(offset, Damage::Content(number));
        }
        if kind == CLOSING {
            return match rest.len() {
                0 => Err(End::Closed),
                more => damaged(offset, Damage::Trailing(more)),
            };
        }
        self.rest = rest;
        self.offset = offset.saturating_add(length);
        self.number = number.saturating_add(1);
        Ok(RawFrame {
            offset,
            kind,
            tick: head.tick.get(),
            content,
        })
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    const FILE: u64 = 99;

    fn frame(file: u64, number: u32, kind: u32, content: &[u8]) -> Vec<u8> {
        let mut frame = [&[0; FRAME_HEAD][..], content].concat();
        seal_frame(&mut frame, file, number, kind, u64::from(number) * 10);
        frame
    }

    fn read(bytes: &[u8]) -> (Vec<RawFrame<'_>>, End) {
        let mut frames = Frames::new(bytes, 0, FILE, 100);
        let mut all = Vec::new();
        loop {
            match frames.next_frame() {
                Ok(frame) => all.push(frame),
                Err(end) => return (all, end),
            }
        }
    }

    fn two() -> Vec<u8> {
        [frame(FILE, 0, 1, b"one"), frame(FILE, 1, 2, b"two!")].concat()
    }

    #[test]
    fn whole_frames_are_read_up_to_any_cut() {
        let (bytes, closing) = (two(), frame(FILE, 2, CLOSING, b""));
        let whole = [&bytes[..], &closing].concat();
        let (frames, end) = read(&whole);
        assert_eq!(end, End::Closed);
        let (first, second) = (frames[0], frames[1]);
        assert_eq!((first.kind, first.tick, first.content), (1, 0, &b"one"[..]));
        assert_eq!((second.offset, second.content), (83, &b"two!"[..]));
        for end in 0..whole.len() {
            let (frames, why) = read(&whole[..end]);
            let begins = [0, 43, bytes.len()];
            let expected = if begins.contains(&end) {
                End::Open
            } else {
                let offset = *begins.iter().rfind(|begin| **begin < end).unwrap();
                End::CutOff { offset }
            };
            assert_eq!(why, expected);
            assert_eq!(
                frames.len(),
                begins.partition_point(|begin| *begin <= end) - 1
            );
        }
        let more = [&whole[..], b"x"].concat();
        let trailing = Damage::Trailing(1);
        let offset = whole.len();
        let expected = End::Damaged {
            offset,
            damage: trailing,
        };
        assert_eq!(read(&more).1, expected);
    }

    #[test]
    fn frames_of_other_files_and_places_are_damage() {
        let damage = |second: Vec<u8>| match read(&[two(), second].concat()).1 {
            End::Damaged { offset, damage } => (offset, damage),
            end => panic!("{end:?}"),
        };
        let at = two().len();
        assert_eq!(damage(frame(7, 2, 1, b"x")), (at, Damage::Head));
        assert_eq!(damage(frame(FILE, 1, 1, b"x")), (at, Damage::Number(2)));
        assert_eq!(damage(frame(FILE, 2, 1, b"")), (at, Damage::Number(2)));
        assert_eq!(
            damage(frame(FILE, 2, 1, &[0; 101])),
            (at, Damage::Number(2))
        );
        assert_eq!(damage(b"nothing".to_vec()), (at, Damage::Magic));
        let mut wrong = frame(FILE, 2, 1, b"x");
        wrong[FRAME_HEAD] ^= 1;
        assert_eq!(damage(wrong), (at + FRAME_HEAD, Damage::Content(2)));
    }
}
