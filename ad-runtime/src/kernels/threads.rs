//! Work for several threads, with the feature `parallel`.

/// How many threads work together; one without the feature.
pub(super) fn count() -> usize {
    #[cfg(feature = "parallel")]
    {
        rayon::current_num_threads()
    }
    #[cfg(not(feature = "parallel"))]
    {
        1
    }
}

/// The same where nothing else is computed at the same time, and one where something is.
pub(super) fn idle() -> usize {
    #[cfg(feature = "parallel")]
    if rayon::current_thread_index().is_some() {
        return 1;
    }
    count()
}

/// Does something with each item, at the same time where there are threads.
pub(super) fn each<T: Send>(items: Vec<T>, f: impl Fn(T) + Shared) {
    #[cfg(feature = "parallel")]
    {
        use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};
        if items.len() > 1 {
            return items.into_par_iter().with_max_len(1).for_each(&f);
        }
    }
    items.into_iter().for_each(f);
}

/// What threads have in common: anything, if there is only one.
#[cfg(feature = "parallel")]
pub trait Shared: Sync {}
#[cfg(feature = "parallel")]
impl<T: Sync> Shared for T {}

/// What threads have in common: anything, if there is only one.
#[cfg(not(feature = "parallel"))]
pub trait Shared {}
#[cfg(not(feature = "parallel"))]
impl<T> Shared for T {}
