//! Work for several threads, with the feature `parallel`.
//!
//! The thread that has the work takes part in it ([`team`]), so a thread that helps is woken once
//! for many pieces of work that follow each other, and one that comes late is not waited for. Which
//! thread computes a share makes no difference to any result.

#[cfg(any(feature = "parallel", test))]
mod team;

#[cfg(feature = "parallel")]
use std::cell::Cell;
#[cfg(feature = "parallel")]
use std::sync::{Arc, Mutex, PoisonError};
#[cfg(feature = "parallel")]
use team::Team;

#[cfg(feature = "parallel")]
thread_local! {
    /// Who helps this thread.
    static TEAM: Arc<Team> = Arc::default();
    /// Whether this thread computes a share.
    static IN_SHARE: Cell<bool> = const { Cell::new(false) };
}

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

/// The same where nothing else is computed at the same time, and one in a share of something.
pub(super) fn idle() -> usize {
    #[cfg(feature = "parallel")]
    if IN_SHARE.get() {
        return 1;
    }
    count()
}

/// Does something with each item, at the same time where there are threads, but in a share.
pub(super) fn each<T: Send>(items: Vec<T>, f: impl Fn(T) + Shared) {
    #[cfg(feature = "parallel")]
    if items.len() > 1 && idle() > 1 {
        /// Notes that a share is computed, until it is dropped.
        struct Within;
        impl Drop for Within {
            fn drop(&mut self) {
                IN_SHARE.set(false);
            }
        }
        let items: Vec<_> = items.into_iter().map(|x| Mutex::new(Some(x))).collect();
        let share = |k: usize| {
            let item = items[k]
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take();
            IN_SHARE.set(true);
            let _within = Within;
            item.into_iter().for_each(&f);
        };
        let team = TEAM.try_with(Arc::clone).unwrap_or_default();
        return team.compute(items.len(), count() - 1, &share, |team| {
            rayon::spawn(move || team.help());
        });
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

/// A value that is computed when it is first needed.
#[cfg(not(feature = "parallel"))]
pub use std::cell::LazyCell as Lazy;
/// A value that is computed when it is first needed.
#[cfg(feature = "parallel")]
pub use std::sync::LazyLock as Lazy;
