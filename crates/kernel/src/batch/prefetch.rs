//! Fetching memory before its turn: at a million scattered agents, waiting for memory is most of
//! the time.
//!
//! The one place of the kernel with unsafe code: there is no safe form of this instruction.

/// Events ahead of their turn at which an agent is fetched.
pub(crate) const AHEAD: usize = 16;

/// Asks the processor to fetch what a reference points to. Changes nothing but time; does nothing
/// where it is not known how.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let address = core::ptr::from_ref(value).cast::<i8>();
        #[allow(unsafe_code, reason = "the instruction has no safe form")]
        // SAFETY: a prefetch reads and writes nothing that a program could see and cannot fault,
        // whatever the address is; here it is that of a live reference. The instruction is
        // part of SSE, which every x86_64 processor has.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(address);
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
