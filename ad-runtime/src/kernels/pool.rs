//! Memory that is used again.
//!
//! Where an array is large, most of the time that a new one takes is the operating system's, which
//! hands out its pages one by one and takes them back when the array is freed; for a million
//! elements that is several times what an elementwise function takes. So each thread keeps the
//! memory of large intermediate arrays for the next ones.
//!
//! A [`Workspace`] keeps all of it, of arrays of any size, from one call to the next. Sizes are
//! rounded up to those of a class, and memory goes to arrays of its class only. So a call that
//! needs as many arrays of each class at a time as the call before finds them all.
//!
//! New memory that is large has large pages where the system has them (`pages.rs`), for results
//! leave for good. What is filled with zeros is left as it comes: it may be that a few of them are
//! touched.
//!
//! With `COTANGENT_POOL=off` in the environment all memory goes back to the allocator, to see what
//! that costs.

mod pages;

use std::alloc::{Layout, dealloc};
use std::cell::{Cell, RefCell};
use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::sync::OnceLock;

/// Less than this is left to the allocator. An allocator keeps larger arrays, too, but not many of
/// them: what a loop collects is freed together, and glibc returns the free top of its heap beyond
/// 128 KiB to the system.
const LEAST: usize = 4 << 10;

/// How much a thread keeps at most.
const MOST: usize = 512 << 20;

/// Classes of the smallest sizes are so far apart.
const STEP: usize = 32;

/// There are so many classes between a power of two and the next, and as many of the smallest
/// sizes.
const PARTS: usize = 16;

/// Alignments are powers of two below `1 << ALIGNMENTS`.
const ALIGNMENTS: usize = 4;

/// A class of sizes: its number, and the size that all of them are rounded up to.
///
/// ```text
/// 32, 64, ..., 512,     544, 576, ..., 1024,     1088, 1152, ..., 2048,     ...
/// ```
fn class_of(bytes: usize) -> Option<(usize, usize)> {
    let smallest = STEP * PARTS;
    let last = bytes.checked_sub(1)?;
    if bytes <= smallest {
        return Some((last / STEP, (last / STEP + 1) * STEP));
    }
    let octave = last.ilog2() as usize;
    let shift = octave - PARTS.ilog2() as usize;
    // From `PARTS` to `2 * PARTS`, which is excluded.
    let part = last >> shift;
    let octaves = octave - smallest.ilog2() as usize;
    let class = PARTS + octaves * PARTS + (part - PARTS);
    let size = (part + 1).checked_mul(1 << shift)?;
    (size <= isize::MAX as usize).then_some((class, size))
}

/// Memory of one class and alignment.
#[derive(Default)]
struct Shelf {
    /// Memory of the global allocator that holds nothing.
    blocks: Vec<NonNull<u8>>,
    layout: Option<Layout>,
    /// How many arrays there are that have not come back.
    away: usize,
    /// When it was used last.
    last: u64,
}

impl Drop for Shelf {
    fn drop(&mut self) {
        for block in self.blocks.drain(..) {
            if let Some(layout) = self.layout {
                // SAFETY: it has been allocated with the layout of the shelf, and nothing else has
                // it.
                unsafe { dealloc(block.as_ptr(), layout) }
            }
        }
    }
}

/// Memory by class and alignment.
struct Pool {
    shelves: Vec<Shelf>,
    bytes: usize,
    /// How much is kept at most.
    most: usize,
    time: u64,
}

// SAFETY: memory that holds nothing is of no thread.
unsafe impl Send for Pool {}

impl Pool {
    const fn keeping(most: usize) -> Pool {
        Pool {
            shelves: vec![],
            bytes: 0,
            most,
            time: 0,
        }
    }

    /// The place of a shelf, and the layout of all that is there.
    fn place(bytes: usize, align: usize) -> Option<(usize, Layout)> {
        let alignment = align.ilog2() as usize;
        let (class, size) = class_of(bytes)?;
        let layout = Layout::from_size_align(size, align).ok()?;
        (alignment < ALIGNMENTS).then_some((class * ALIGNMENTS + alignment, layout))
    }

    fn shelf(&mut self, place: usize, layout: Layout) -> &mut Shelf {
        if self.shelves.len() <= place {
            self.shelves.resize_with(place + 1, Shelf::default);
        }
        self.time += 1;
        let shelf = &mut self.shelves[place];
        shelf.last = self.time;
        shelf.layout = Some(layout);
        shelf
    }

    /// Memory from a shelf, if there is some. There is an array more that may come back.
    fn take(&mut self, place: usize, layout: Layout) -> Option<NonNull<u8>> {
        let shelf = self.shelf(place, layout);
        shelf.away += 1;
        let block = shelf.blocks.pop()?;
        self.bytes -= layout.size();
        Some(block)
    }

    /// Memory for a shelf; whether it is kept. What did not come from here is not, or there would
    /// be more and more of it.
    fn give(&mut self, place: usize, layout: Layout, block: NonNull<u8>) -> bool {
        if layout.size() > self.most {
            return false;
        }
        let shelf = self.shelf(place, layout);
        if shelf.away == 0 {
            return false;
        }
        shelf.away -= 1;
        shelf.blocks.push(block);
        self.bytes += layout.size();
        while self.bytes > self.most {
            self.drop_oldest();
        }
        true
    }

    /// Frees a block of the shelf that has not been used for the longest time.
    fn drop_oldest(&mut self) {
        let full = self.shelves.iter_mut().filter(|s| !s.blocks.is_empty());
        let oldest = full.min_by_key(|s| s.last);
        let Some((shelf, layout)) = oldest.and_then(|s| s.layout.map(|layout| (s, layout))) else {
            return;
        };
        if let Some(block) = shelf.blocks.pop() {
            self.bytes -= layout.size();
            // SAFETY: it has been allocated with the layout of its shelf, and nothing else has it.
            unsafe { dealloc(block.as_ptr(), layout) }
        }
    }
}

thread_local! {
    static POOL: RefCell<Pool> = const { RefCell::new(Pool::keeping(MOST)) };
    /// What is smaller goes to the allocator.
    static SMALLEST: Cell<usize> = const { Cell::new(LEAST) };
}

/// The first call with some sizes allocates what it needs; further calls with the same sizes do not
/// allocate. One workspace serves any number of functions, one after another.
#[derive(Default)]
pub struct Workspace {
    pool: Option<Box<Pool>>,
}

impl Workspace {
    /// Without any memory yet.
    #[must_use]
    pub fn new() -> Workspace {
        Workspace::default()
    }

    /// How many bytes it keeps.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.pool.as_ref().map_or(0, |pool| pool.bytes)
    }
}

impl std::fmt::Debug for Workspace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Workspace")
            .field("bytes", &self.bytes())
            .finish_non_exhaustive()
    }
}

/// Computes with the memory of a workspace.
pub fn within<R>(workspace: &mut Workspace, compute: impl FnOnce() -> R) -> R {
    /// Exchanges the pools, and does so again at the end, however that comes.
    struct Exchanged<'a> {
        pool: &'a mut Pool,
        smallest: usize,
    }
    impl Exchanged<'_> {
        fn exchange(&mut self) {
            // Nothing of ours runs while the pool is borrowed. A thread that ends has none.
            let _ = POOL.try_with(|pool| {
                if let Ok(mut pool) = pool.try_borrow_mut() {
                    std::mem::swap(&mut *pool, self.pool);
                    self.smallest = SMALLEST.replace(self.smallest);
                }
            });
        }
    }
    impl Drop for Exchanged<'_> {
        fn drop(&mut self) {
            self.exchange();
        }
    }
    let new = || Box::new(Pool::keeping(usize::MAX));
    let pool = workspace.pool.get_or_insert_with(new);
    // What was lost in the last call does not come back.
    pool.shelves.iter_mut().for_each(|s| s.away = 0);
    let mut exchanged = Exchanged { pool, smallest: 1 };
    exchanged.exchange();
    let result = compute();
    drop(exchanged);
    result
}

/// Whether nothing is kept.
fn is_off() -> bool {
    static OFF: OnceLock<bool> = OnceLock::new();
    *OFF.get_or_init(|| std::env::var_os("COTANGENT_POOL").is_some_and(|is| is == "off"))
}

/// Whether arrays of so many bytes come from the pool.
#[inline(always)]
fn is_kept(bytes: usize) -> bool {
    bytes >= LEAST || bytes >= SMALLEST.get()
}

/// Memory for so many, empty, from the pool; or for how many new memory has to have room.
#[inline(never)]
fn taken<T>(capacity: usize) -> Result<Vec<T>, usize> {
    let wanted = Layout::array::<T>(capacity).map_err(|_| capacity)?;
    if is_off() {
        return Err(capacity);
    }
    let place = Pool::place(wanted.size(), wanted.align()).ok_or(capacity)?;
    let (place, layout) = place;
    let rounded = layout.size() / size_of::<T>();
    if rounded * size_of::<T>() != layout.size() {
        // Not a whole number of these.
        return Err(capacity);
    }
    // A thread that ends has none.
    let block = POOL.try_with(|pool| pool.try_borrow_mut().ok()?.take(place, layout));
    let block = block.ok().flatten().ok_or(rounded)?;
    // SAFETY: the block is of the global allocator, with the alignment of `T` and room for that
    // many, and nothing else has it.
    Ok(unsafe { Vec::from_raw_parts(block.as_ptr().cast(), 0, rounded) })
}

/// An empty vector with room for at least so many.
#[inline]
pub(super) fn with_capacity<T>(capacity: usize) -> Vec<T> {
    if !is_kept(capacity.saturating_mul(size_of::<T>())) {
        return Vec::with_capacity(capacity);
    }
    taken(capacity).unwrap_or_else(pages::fresh)
}

/// So many of the same.
#[inline]
pub(super) fn filled<T: Copy>(x: T, len: usize) -> Vec<T> {
    if !is_kept(len.saturating_mul(size_of::<T>())) {
        // Not `vec![x; len]`: that asks for zeroed memory, which glibc finds several times slower
        // than memory of any content where it is little.
        let mut data = Vec::with_capacity(len);
        data.resize(len, x);
        return data;
    }
    match taken(len) {
        Ok(mut data) => {
            data.resize(len, x);
            data
        }
        Err(rounded) => {
            // The system's memory is zero already.
            let mut data = vec![x; rounded];
            data.truncate(len);
            data
        }
    }
}

/// The same elements with room for so many more at least, and for as many as there are.
///
/// # Panics
///
/// Panics if no vector has room for them.
#[cold]
#[inline(never)]
#[track_caller]
pub(super) fn grown<T: Copy>(data: Vec<T>, more: usize) -> Vec<T> {
    let needed = data.len().checked_add(more).expect("a length fits `usize`");
    let mut larger = with_capacity(needed.max(data.len().saturating_mul(2)).max(8));
    larger.extend_from_slice(&data);
    give(data);
    larger
}

/// A vector whose memory is kept when it is dropped.
#[derive(Debug)]
pub(super) struct Room<T>(pub(super) Vec<T>);

impl<T> Drop for Room<T> {
    #[inline]
    fn drop(&mut self) {
        give(std::mem::take(&mut self.0));
    }
}

/// Keeps the memory of a vector.
#[inline]
pub(super) fn give<T>(data: Vec<T>) {
    if std::mem::needs_drop::<T>() || !is_kept(data.capacity().saturating_mul(size_of::<T>())) {
        return;
    }
    keep(data);
}

#[inline(never)]
fn keep<T>(mut data: Vec<T>) {
    let Ok(layout) = Layout::array::<T>(data.capacity()) else {
        return;
    };
    if is_off() {
        return;
    }
    // Only what has the size of its class is of use.
    let place = Pool::place(layout.size(), layout.align()).filter(|(_, of)| *of == layout);
    let (Some((place, _)), Some(start)) = (place, NonNull::new(data.as_mut_ptr().cast())) else {
        return;
    };
    // Where the pool is gone or in use, the vector is dropped.
    let kept = POOL.try_with(|pool| {
        let mut pool = pool.try_borrow_mut().ok()?;
        Some(pool.give(place, layout, start))
    });
    if kept.ok().flatten() == Some(true) {
        // The pool has it now.
        let _ = ManuallyDrop::new(data);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_rounded_up() {
        let mut before = class_of(1).unwrap();
        for bytes in 2..20_000 {
            let (class, size) = class_of(bytes).unwrap();
            assert!(
                size >= bytes && size - bytes < STEP.max(bytes / PARTS + 1),
                "{bytes}"
            );
            // All sizes of a class are rounded to the same, which is one of them.
            if before.0 == class {
                assert_eq!(before.1, size);
            } else {
                assert_eq!(before, (class - 1, bytes - 1));
            }
            before = (class, size);
        }
        assert_eq!(class_of(0), None);
        assert_eq!(class_of(usize::MAX), None);
    }

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
        give(vec![0_u8; LEAST]);
        assert_eq!(bytes(), 0, "it came from elsewhere");
        let some: Vec<Vec<u8>> = (0..5).map(|_| with_capacity(MOST / 4)).collect();
        some.into_iter().for_each(give);
        assert_eq!(bytes(), MOST);
        let (third, large) = (with_capacity::<u8>(MOST / 3), with_capacity::<u8>(MOST + 1));
        give(third);
        assert!(bytes() <= MOST && bytes() > MOST / 2);
        give(large);
        assert!(bytes() <= MOST);
    }

    #[test]
    fn vectors_grow_to_what_is_needed() {
        for (len, more) in [(0, 0), (0, 1), (0, 9), (3, 9), (300, 1), (7, 5000)] {
            let larger = grown(vec![0.5_f64; len], more);
            assert_eq!(larger, vec![0.5; len]);
            assert!(larger.capacity() >= len + more.max(len), "{len} and {more}");
        }
        assert_eq!(grown(vec![(); 9], 1).len(), 9);
    }

    #[test]
    #[should_panic(expected = "a length fits `usize`")]
    fn vectors_do_not_grow_without_end() {
        grown(vec![(); 2], usize::MAX);
    }

    #[test]
    #[should_panic(expected = "capacity overflow")]
    fn vectors_do_not_grow_beyond_memory() {
        grown(vec![0.0_f64], usize::MAX / 8);
    }

    #[test]
    fn a_workspace_keeps_all_that_it_gave() {
        let mut workspace = Workspace::new();
        let compute = |workspace: &mut Workspace| {
            within(workspace, || {
                let mut first = with_capacity::<f64>(3);
                first.extend([1.0, 2.0, 3.0, 4.0]);
                let mut stack = grown(Vec::<i64>::new(), 1);
                for k in 0..100 {
                    if stack.len() == stack.capacity() {
                        stack = grown(stack, 1);
                    }
                    stack.push(k);
                }
                let second = filled(0.5_f32, 1000);
                let starts = (first.as_ptr(), stack.as_ptr(), second.as_ptr());
                give(first);
                give(stack);
                give(second);
                starts
            })
        };
        let starts = compute(&mut workspace);
        let bytes = workspace.bytes();
        assert!(bytes > 0);
        assert_eq!(compute(&mut workspace), starts);
        assert_eq!(workspace.bytes(), bytes);
        // What comes from elsewhere is not kept, however often it comes.
        within(&mut workspace, || give(vec![0.0_f64; 4]));
        assert_eq!(workspace.bytes(), bytes);
        // Memory that leaves for good makes no room for other memory in the next call.
        let left = within(&mut workspace, || with_capacity::<f64>(3));
        let bytes = workspace.bytes();
        within(&mut workspace, || give(vec![0.0_f64; 4]));
        assert_eq!(workspace.bytes(), bytes);
        drop(left);
        // A panic leaves the thread with its own pool.
        let panics = std::panic::AssertUnwindSafe(|| {
            within(&mut workspace, || {
                let lost = with_capacity::<f64>(3);
                assert!(lost.capacity() < 3, "as expected");
            });
        });
        assert!(std::panic::catch_unwind(panics).is_err());
        assert_eq!(SMALLEST.get(), LEAST);
        assert_eq!(with_capacity::<f64>(3).capacity(), 3);
        assert_eq!(compute(&mut workspace).2, starts.2);
    }
}
