//! An allocator that hands out memory full of 0xA5: whoever reads what it has not written finds
//! that, and not zeros by luck.

use std::alloc::{GlobalAlloc, Layout, System};

/// Fills what it hands out, and what it gets back.
pub struct Filling;

const BYTE: u8 = 0xA5;

#[expect(unsafe_code, reason = "a global allocator cannot be had otherwise")]
// SAFETY: every call goes to the system's allocator unchanged; bytes are written only where the
// layout says that they are the caller's.
unsafe impl GlobalAlloc for Filling {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        let place = unsafe { System.alloc(layout) };
        if !place.is_null() {
            // SAFETY: so many bytes were just allocated.
            unsafe { place.write_bytes(BYTE, layout.size()) };
        }
        place
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: the caller gives back so many bytes and does not use them any more.
        unsafe { place.write_bytes(BYTE, layout.size()) };
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(place, layout) }
    }
}
