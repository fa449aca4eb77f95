//! Allocators for tests and benchmarks that promise something about memory.
//!
//! Put `#[global_allocator] static ALLOCATOR: Counting = Counting;` (or `Filling`) into the
//! program.

mod counting;
mod filling;

pub use counting::{Counting, allocations, in_use, peak_of};
pub use filling::Filling;
