//! One body, compiled for several instruction sets.
//!
//! The compiler uses the instructions that every processor of an architecture has; on x86-64 these
//! are vectors of two `f64`. A generated function hands its body to [`dispatch`], which has copies
//! of it for wider vectors, and runs the best one that the processor has.
//!
//! A copy is made by inlining the body into a function that is compiled for an instruction set.
//! What is in the body follows only if it is inlined as well. Closures are, if they are called at
//! one place: so the body has a type parameter that says which copy it is, and all copies have
//! closures of their own.
//!
//! Nothing rounds differently in the copies: products and sums are not contracted, and reductions
//! have the same number of partial results everywhere.

/// What a copy is compiled for.
pub trait InstructionSet: sealed::Sealed {
    /// How many bytes a vector has.
    const VECTOR: usize;

    /// Calls a function from code that is compiled for this. What another thread calls has to begin
    /// so.
    #[doc(hidden)]
    #[track_caller]
    fn within<R>(f: impl FnOnce() -> R) -> R;
}

/// What the whole program is compiled for.
#[derive(Clone, Copy, Debug)]
pub struct Baseline;

impl InstructionSet for Baseline {
    const VECTOR: usize = 16;

    #[inline(always)]
    fn within<R>(f: impl FnOnce() -> R) -> R {
        f()
    }
}

mod sealed {
    pub trait Sealed {}

    impl Sealed for super::Baseline {}
}

/// A body with what it is given.
pub trait Kernel {
    /// What it computes.
    type Output;

    /// Computes it. This has to be `#[inline(always)]`.
    #[track_caller]
    fn run<Set: InstructionSet>(self) -> Self::Output;
}

/// Runs a body, compiled for the best instruction set that the processor has.
///
/// The environment variable `COTANGENT_ISA` demands less: `baseline`, or `avx2`. With debug
/// assertions there is only the baseline, so that there is less to compile.
#[inline]
#[track_caller]
pub fn dispatch<K: Kernel>(body: K) -> K::Output {
    #[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
    {
        x86::dispatch(body)
    }
    #[cfg(not(all(target_arch = "x86_64", not(debug_assertions))))]
    {
        body.run::<Baseline>()
    }
}

/// How many bytes the vectors have that bodies are compiled for in this process. Results may not
/// depend on it.
#[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
#[inline(always)]
pub(super) fn vector() -> usize {
    match Level::chosen() {
        Level::Avx512 => 64,
        Level::Avx2 => 32,
        Level::Baseline => Baseline::VECTOR,
    }
}

/// The same where there is only the baseline. With debug assertions it is more, so that tests see
/// what depends on it.
#[cfg(not(all(target_arch = "x86_64", not(debug_assertions))))]
#[inline(always)]
pub(super) fn vector() -> usize {
    if cfg!(debug_assertions) {
        64
    } else {
        Baseline::VECTOR
    }
}

/// What vectors the processor has, of those that we are allowed to use.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Baseline,
    Avx2,
    Avx512,
}

#[cfg(target_arch = "x86_64")]
mod level {
    use super::Level;
    use std::sync::atomic::{AtomicU8, Ordering};

    const UNKNOWN: u8 = 0;
    const BASELINE: u8 = 1;
    const AVX2: u8 = 2;
    const AVX512: u8 = 3;

    /// Which copies run in this process.
    static CHOSEN: AtomicU8 = AtomicU8::new(UNKNOWN);

    impl Level {
        /// Those of this process.
        #[inline]
        pub(in super::super) fn chosen() -> Level {
            match CHOSEN.load(Ordering::Relaxed) {
                AVX512 => Level::Avx512,
                AVX2 => Level::Avx2,
                BASELINE => Level::Baseline,
                _ => choose(),
            }
        }

        /// The best of the processor.
        pub(in super::super) fn best() -> Level {
            macro_rules! has {
                ($($feature:tt)*) => { $(is_x86_feature_detected!($feature))&&* };
            }
            let avx2 = has!("avx2" "fma" "bmi1" "bmi2" "lzcnt" "popcnt");
            let avx512 = avx2 && has!("avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl");
            match (avx512, avx2) {
                (true, _) => Level::Avx512,
                (false, true) => Level::Avx2,
                (false, false) => Level::Baseline,
            }
        }
    }

    /// Looks at the processor, and at the variable. Threads that do this at once find the same.
    #[cold]
    #[inline(never)]
    fn choose() -> Level {
        let most = match std::env::var("COTANGENT_ISA").as_deref() {
            Ok("baseline") => Level::Baseline,
            Ok("avx2") => Level::Avx2,
            Ok(_) | Err(_) => Level::Avx512,
        };
        let chosen = Level::best().min(most);
        let known = match chosen {
            Level::Baseline => BASELINE,
            Level::Avx2 => AVX2,
            Level::Avx512 => AVX512,
        };
        CHOSEN.store(known, Ordering::Relaxed);
        chosen
    }
}

#[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
mod x86 {
    use super::{Baseline, InstructionSet, Kernel, Level, sealed};

    struct Avx2;
    struct Avx512;

    impl sealed::Sealed for Avx2 {}
    impl InstructionSet for Avx2 {
        const VECTOR: usize = 32;

        #[inline]
        fn within<R>(f: impl FnOnce() -> R) -> R {
            #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
            fn inside<R>(f: impl FnOnce() -> R) -> R {
                f()
            }
            // SAFETY: this type is given to bodies by [`avx2`] only, so the processor has it.
            unsafe { inside(f) }
        }
    }
    impl sealed::Sealed for Avx512 {}
    impl InstructionSet for Avx512 {
        const VECTOR: usize = 64;

        #[inline]
        fn within<R>(f: impl FnOnce() -> R) -> R {
            #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
            #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
            fn inside<R>(f: impl FnOnce() -> R) -> R {
                f()
            }
            // SAFETY: this type is given to bodies by [`avx512`] only, so the processor has it.
            unsafe { inside(f) }
        }
    }

    #[inline]
    #[track_caller]
    pub(super) fn dispatch<K: Kernel>(body: K) -> K::Output {
        match Level::chosen() {
            // SAFETY: the processor has what these are compiled for.
            Level::Avx512 => unsafe { avx512(body) },
            // SAFETY: the same.
            Level::Avx2 => unsafe { avx2(body) },
            Level::Baseline => body.run::<Baseline>(),
        }
    }

    #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
    #[track_caller]
    fn avx2<K: Kernel>(body: K) -> K::Output {
        body.run::<Avx2>()
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
    #[track_caller]
    fn avx512<K: Kernel>(body: K) -> K::Output {
        body.run::<Avx512>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Halves<'a> {
        x: &'a [f64],
    }

    impl Kernel for Halves<'_> {
        type Output = f64;

        #[inline(always)]
        fn run<Set: InstructionSet>(self) -> f64 {
            let Halves { x } = self;
            assert!(!x.is_empty(), "nothing to halve");
            super::super::sum(x.len() as i64, |i| x[i as usize] / 2.0)
        }
    }

    #[test]
    fn the_body_is_run() {
        assert_eq!(
            dispatch(Halves {
                x: &[1.0, 2.0, 4.5]
            }),
            3.75
        );
    }

    #[test]
    fn the_caller_is_to_blame() {
        let line = std::sync::Arc::new(std::sync::atomic::AtomicU32::new(0));
        let (hook, seen) = (std::panic::take_hook(), line.clone());
        let here = std::thread::current().id();
        std::panic::set_hook(Box::new(move |panic| {
            if std::thread::current().id() == here {
                let line = panic.location().map_or(0, |l| l.line());
                seen.store(line, std::sync::atomic::Ordering::Relaxed);
            }
        }));
        let of_the_call = line!() + 1;
        let result = std::panic::catch_unwind(|| dispatch(Halves { x: &[] }));
        std::panic::set_hook(hook);
        assert!(result.is_err());
        let line = line.load(std::sync::atomic::Ordering::Relaxed);
        assert_eq!(line, of_the_call);
    }
}
