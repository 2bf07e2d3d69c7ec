//! Products of matrices, by `rt::contract` and by the crate `matrixmultiply`, in turns.
//!
//! `cargo bench -p cotangent-runtime --bench gemm -- [PART OF A NAME..]`
//!
//! Prints the shortest time of many runs in microseconds, and billions of operations in a second.

use cotangent_runtime::Real;
use cotangent_runtime::kernels as rt;
use std::hint::black_box;

/// Seconds that this process has been running, where the system says so, so that other processes
/// count less.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
fn now() -> f64 {
    unsafe extern "C" {
        fn clock_gettime(clock: i32, time: *mut [i64; 2]) -> i32;
    }
    const PROCESS: i32 = 2;
    let mut time = [0; 2];
    // SAFETY: this is the layout of the time, seconds and nanoseconds, on these systems.
    let failed = unsafe { clock_gettime(PROCESS, &mut time) } != 0;
    assert!(!failed, "no clock");
    time[0] as f64 + 1e-9 * time[1] as f64
}

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
fn now() -> f64 {
    use std::sync::LazyLock;
    use std::time::Instant;
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed().as_secs_f64()
}

type Gemm<T> = unsafe fn(
    usize,
    usize,
    usize,
    T,
    *const T,
    isize,
    isize,
    *const T,
    isize,
    isize,
    T,
    *mut T,
    isize,
    isize,
);

fn numbers<T: Real>(shape: [usize; 3]) -> rt::Dense<T, 3> {
    rt::build(shape.map(|n| n as i64), |index| {
        let at = index.iter().fold(7, |at, i| (at * 1597 + i) % 4093);
        T::of(at as f64 / 4096.0 - 0.5)
    })
}

/// Microseconds of ours and theirs. Row-major matrices that may be read transposed.
fn times<T: Real>(
    [batch, m, k, n]: [usize; 4],
    [a_turned, b_turned]: [bool; 2],
    gemm: Gemm<T>,
) -> [f64; 2] {
    let shape = |x, y, turned| if turned { [batch, y, x] } else { [batch, x, y] };
    let axes = |x, y, turned| if turned { [0, y, x] } else { [0, x, y] };
    let strides = |x, y, turned| if turned { (1, x) } else { (y, 1) };
    let a = numbers::<T>(shape(m, k, a_turned));
    let b = numbers::<T>(shape(k, n, b_turned));
    let (a_axes, b_axes) = (axes(1, 2, a_turned), axes(2, 3, b_turned));
    let ours = || {
        black_box(rt::contract(
            black_box(a.view()),
            a_axes,
            black_box(b.view()),
            b_axes,
            [0, 1, 3],
        ));
    };
    // Theirs has the memory of the result already.
    let mut out = numbers::<T>([batch, m, n]).into_array();
    let (a_data, b_data) = (
        numbers::<T>(shape(m, k, a_turned)).into_array(),
        numbers::<T>(shape(k, n, b_turned)).into_array(),
    );
    let (a_row, a_sum) = strides(m as isize, k as isize, a_turned);
    let (b_sum, b_column) = strides(k as isize, n as isize, b_turned);
    let mut theirs = || {
        for g in 0..batch {
            // SAFETY: all of these are matrices of these sizes.
            unsafe {
                gemm(
                    m,
                    k,
                    n,
                    T::of(1.0),
                    black_box(a_data.as_ptr().add(g * m * k)),
                    a_row,
                    a_sum,
                    black_box(b_data.as_ptr().add(g * k * n)),
                    b_sum,
                    b_column,
                    T::of(0.0),
                    out.as_mut_ptr().add(g * m * n),
                    n as isize,
                    1,
                );
            }
        }
    };
    let work = (batch * m * k * n) as f64;
    let calls = (4e6 / work).ceil() as usize;
    let rounds = (1e9 / (work * calls as f64)).clamp(8.0, 300.0) as usize;
    let mut best = [f64::INFINITY; 2];
    for _ in 0..rounds {
        let start = now();
        (0..calls).for_each(|_| ours());
        let between = now();
        (0..calls).for_each(|_| theirs());
        let end = now();
        for (best, time) in best.iter_mut().zip([between - start, end - between]) {
            *best = best.min(time * 1e6 / calls as f64);
        }
    }
    best
}

fn main() {
    let wanted: Vec<String> = (std::env::args().skip(1))
        .filter(|a| !a.starts_with('-'))
        .collect();
    let squares = [16, 20, 24, 32, 48, 64, 100, 128, 256, 512, 1024].map(|n| [1, n, n, n]);
    let shapes = [
        [1, 100, 20, 14],
        [1, 1000, 20, 20],
        [1, 20, 1000, 20],
        [1, 1000, 20, 800],
        [1, 1000, 800, 20],
        [1, 20, 1000, 800],
        [1, 20, 800, 1000],
        [1, 800, 1000, 20],
        [1, 4, 1000, 1000],
        [50, 1000, 64, 64],
        [100, 32, 32, 32],
        [1, 256, 784, 512],
        [1, 784, 256, 512],
        [1, 1000, 1000, 9],
    ];
    println!(
        "| product | `f64`, µs | theirs | Gop/s | theirs | `f32`, µs | theirs | Gop/s | theirs |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for shape in squares.into_iter().chain(shapes) {
        for turned in [[false, false], [false, true], [true, false], [true, true]] {
            let [batch, m, k, n] = shape;
            let mark = |turned| if turned { "ᵀ" } else { "" };
            let name = format!(
                "{batch}: A{} B{}, {m} × {k} × {n}",
                mark(turned[0]),
                mark(turned[1])
            );
            if !wanted.is_empty() && !wanted.iter().any(|w| name.contains(w.as_str())) {
                continue;
            }
            let work = 2e-3 * (batch * m * k * n) as f64;
            let [x, y] = times::<f64>(shape, turned, matrixmultiply::dgemm);
            let [z, w] = times::<f32>(shape, turned, matrixmultiply::sgemm);
            println!(
                "| {name} | {x:.1} | {y:.1} | {:.1} | {:.1} | {z:.1} | {w:.1} | {:.1} | {:.1} |",
                work / x,
                work / y,
                work / z,
                work / w
            );
        }
    }
}
