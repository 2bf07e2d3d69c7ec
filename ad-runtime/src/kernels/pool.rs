//! Memory that is used again.
//!
//! Where an array is large, most of the time that a new one takes is the operating system's, which hands out its
//! pages one by one and takes them back when the array is freed; for a million elements that is several times what
//! an elementwise function takes. So each thread keeps the memory of large intermediate arrays for the next ones.

use std::alloc::{Layout, dealloc};
use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::ptr::NonNull;

/// Less than this is left to the allocator, which keeps it anyway.
const LEAST: usize = 64 << 10;

/// How much a thread keeps at most.
const MOST: usize = 256 << 20;

/// Memory of the global allocator that holds nothing.
struct Block {
    start: NonNull<u8>,
    layout: Layout,
}

// Not sent anywhere, but dropped with its thread.
impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: it has been allocated with this layout, and nothing else has it.
        unsafe { dealloc(self.start.as_ptr(), self.layout) }
    }
}

/// Blocks, those that came first in front.
#[derive(Default)]
struct Pool {
    blocks: Vec<Block>,
    bytes: usize,
}

thread_local! {
    static POOL: RefCell<Pool> = RefCell::default();
}

impl Pool {
    /// The smallest block for that many bytes, if there is one that is not much too large.
    fn take(&mut self, wanted: Layout) -> Option<Block> {
        let size = wanted.size();
        let fits = |b: &Block| {
            let is_close = (size..=size + size / 8).contains(&b.layout.size());
            is_close && b.layout.align() == wanted.align()
        };
        let fitting = self.blocks.iter().enumerate().filter(|(_, b)| fits(b));
        let (at, _) = fitting.min_by_key(|(_, b)| b.layout.size())?;
        let block = self.blocks.remove(at);
        self.bytes -= block.layout.size();
        Some(block)
    }

    fn give(&mut self, block: Block) {
        let size = block.layout.size();
        if size > MOST {
            return;
        }
        let mut gone = 0;
        while self.bytes + size > MOST {
            self.bytes -= self.blocks[gone].layout.size();
            gone += 1;
        }
        self.blocks.drain(..gone);
        self.bytes += size;
        self.blocks.push(block);
    }
}

/// An empty vector with room for so many, out of memory that was used before.
fn kept<T>(capacity: usize) -> Option<Vec<T>> {
    let wanted = Layout::array::<T>(capacity).ok()?;
    if wanted.size() < LEAST {
        return None;
    }
    // A thread that ends has none.
    let block = POOL.try_with(|pool| pool.try_borrow_mut().ok()?.take(wanted));
    let block = ManuallyDrop::new(block.ok()??);
    let capacity = block.layout.size() / size_of::<T>();
    if capacity * size_of::<T>() != block.layout.size() {
        // Not a whole number of these.
        drop(ManuallyDrop::into_inner(block));
        return None;
    }
    // SAFETY: the block is of the global allocator, with the alignment of `T` and room for that many. It is
    // not dropped here, so nothing else has it.
    Some(unsafe { Vec::from_raw_parts(block.start.as_ptr().cast(), 0, capacity) })
}

/// An empty vector with room for at least so many.
#[inline]
pub(super) fn with_capacity<T>(capacity: usize) -> Vec<T> {
    if capacity.saturating_mul(size_of::<T>()) < LEAST {
        return Vec::with_capacity(capacity);
    }
    kept(capacity).unwrap_or_else(|| Vec::with_capacity(capacity))
}

/// So many of the same.
#[inline]
pub(super) fn filled<T: Copy>(x: T, len: usize) -> Vec<T> {
    if len.saturating_mul(size_of::<T>()) < LEAST {
        return vec![x; len];
    }
    match kept(len) {
        Some(mut data) => {
            data.resize(len, x);
            data
        }
        None => vec![x; len],
    }
}

/// Keeps the memory of a vector.
#[inline]
pub(super) fn give<T>(data: Vec<T>) {
    if std::mem::needs_drop::<T>() || data.capacity().saturating_mul(size_of::<T>()) < LEAST {
        return;
    }
    keep(data);
}

#[cold]
#[inline(never)]
fn keep<T>(data: Vec<T>) {
    let mut data = ManuallyDrop::new(data);
    let Some(start) = NonNull::new(data.as_mut_ptr().cast()) else {
        return;
    };
    let Ok(layout) = Layout::array::<T>(data.capacity()) else {
        return;
    };
    let block = Block { start, layout };
    // Where the pool is gone or in use, the block is dropped.
    let _ = POOL.try_with(|pool| {
        if let Ok(mut pool) = pool.try_borrow_mut() {
            pool.give(block);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_used_again() {
        let data = with_capacity::<f64>(LEAST);
        let (start, room) = (data.as_ptr(), data.capacity());
        give(data);
        let bools = with_capacity::<bool>(8 * LEAST);
        assert_ne!(bools.as_ptr().cast(), start, "the alignment differs");
        let smaller = with_capacity::<f64>(LEAST / 2);
        assert_ne!(smaller.as_ptr(), start, "that would be a waste");
        let integers = filled(7_i64, LEAST - 5);
        assert_eq!(integers.as_ptr().cast(), start);
        assert_eq!((integers.capacity(), integers.len()), (room, LEAST - 5));
        assert!(integers.iter().all(|&x| x == 7));
    }

    #[test]
    fn not_everything_is_kept() {
        let bytes = || POOL.with(|pool| pool.borrow().bytes);
        give(vec![0_u8; LEAST - 1]);
        assert_eq!(bytes(), 0);
        for _ in 0..5 {
            give(Vec::<u8>::with_capacity(MOST / 4));
        }
        assert_eq!(bytes(), MOST);
        give(Vec::<u8>::with_capacity(MOST / 3));
        assert!(bytes() <= MOST && bytes() > MOST / 2);
        give(Vec::<u8>::with_capacity(MOST + 1));
        assert!(bytes() <= MOST);
    }
}
