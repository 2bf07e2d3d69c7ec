//! Large pages for large arrays.
//!
//! The system hands out new memory when it is first touched, 4 KB at a time, and what is as large
//! as a result of some millions of elements goes back to it with the array. That takes longer than
//! what is computed. Where Linux has pages of 2 MB for those who ask
//! (`transparent_hugepage/enabled` says `madvise`), we ask.

/// The size of a large page, and what such pages begin at a multiple of.
const PAGE: usize = 2 << 20;

/// What is smaller may have no such page.
const LEAST: usize = 2 * PAGE;

/// New memory for so many, empty, all of which will be written.
pub(super) fn fresh<T>(capacity: usize) -> Vec<T> {
    let data: Vec<T> = Vec::with_capacity(capacity);
    let bytes = data.capacity().saturating_mul(size_of::<T>());
    if bytes >= LEAST {
        let begin = data.as_ptr() as usize;
        let (from, to) = (begin.next_multiple_of(PAGE), (begin + bytes) / PAGE * PAGE);
        if from < to {
            ask(
                data.as_ptr().cast::<u8>().wrapping_add(from - begin),
                to - from,
            );
        }
    }
    data
}

/// Asks for large pages where a part of our memory is.
#[cfg(all(target_os = "linux", not(miri)))]
fn ask(at: *const u8, bytes: usize) {
    use std::ffi::{c_int, c_void};

    const MADV_HUGEPAGE: c_int = 14;

    // SAFETY: the C library, which std is linked with, has it with these types.
    unsafe extern "C" {
        fn madvise(at: *mut c_void, bytes: usize, advice: c_int) -> c_int;
    }

    // SAFETY: the advice changes nothing of what the memory holds or who may use it. Whether it is
    // taken does not matter.
    let _ = unsafe { madvise(at.cast_mut().cast(), bytes, MADV_HUGEPAGE) };
}

#[cfg(not(all(target_os = "linux", not(miri))))]
fn ask(_: *const u8, _: usize) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_memory_has_room() {
        for bytes in [0, 1, LEAST - 1, LEAST, LEAST + 1, 9 * PAGE + 12345] {
            let mut data = fresh::<u8>(bytes);
            assert!(data.is_empty() && data.capacity() >= bytes);
            data.extend((0..bytes).map(|k| k as u8));
            let all = data.iter().enumerate().step_by(4093);
            assert!(all.into_iter().all(|(k, x)| *x == k as u8));
        }
        assert!(fresh::<[f64; 3]>(500_000).capacity() >= 500_000);
    }
}
