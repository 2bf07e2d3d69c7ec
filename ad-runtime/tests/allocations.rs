//! Products of matrices use memory again.

use cotangent_runtime::kernels as rt;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Counts what each thread allocates.
struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: all is left to the allocator of the system.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        // SAFETY: the same as here.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: the same as here.
        unsafe { System.dealloc(start, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(compute: impl FnOnce()) -> usize {
    let before = COUNT.get();
    compute();
    COUNT.get() - before
}

#[test]
#[cfg(target_arch = "x86_64")]
fn a_second_product_allocates_nothing() {
    if !is_x86_feature_detected!("avx2") || std::env::var_os("COTANGENT_ISA").is_some() {
        // Then another crate computes it, which has memory of its own.
        return;
    }
    let x = rt::build([200, 300], |[i, j]| (i * 3 + j) as f64);
    let y = rt::build([300, 250], |[i, j]| (i - j * 5) as f64);
    let compute = || {
        let out = rt::contract(x.view(), [0, 1], y.view(), [1, 2], [0, 2]);
        assert_eq!(out[[0, 0]], 8_955_050.0);
    };
    assert!(allocations(compute) > 0);
    assert_eq!(allocations(compute), 0);
}
