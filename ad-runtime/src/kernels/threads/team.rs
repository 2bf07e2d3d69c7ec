//! Threads that help another one.
//!
//! Work is divided into shares, which are claimed one by one. The thread that has the work claims
//! shares, too, the first one in any case, and waits only for those that others have claimed. Who
//! helps stays for a while when there is nothing left, as waking a thread takes as long as many a
//! share: a gradient is a row of such works, with little between them.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// So long a thread waits for more work, which is about what waking another one takes, and what is
/// computed by one thread between two works.
const PATIENCE: Duration = Duration::from_micros(60);

/// So many rounds a thread looks for what is about to happen before it lets others run.
const ROUNDS: usize = 200;

/// So many times it lets others run before it sleeps.
const YIELDS: usize = 50;

/// A thread and those that help it.
#[derive(Default)]
pub(super) struct Team {
    /// How many works there have been.
    works: AtomicUsize,
    /// The last of them.
    last: Mutex<Option<Arc<Work>>>,
    /// How many threads help, or will.
    helpers: AtomicUsize,
}

/// What is computed in shares.
struct Work {
    /// How many shares there are.
    count: usize,
    /// The next that nobody has.
    next: AtomicUsize,
    /// How many have been computed.
    done: AtomicUsize,
    /// What computes a share, and its data, which are there until all shares have been computed.
    share: unsafe fn(*const (), usize),
    data: *const (),
    /// Who waits for the end, and whether it sleeps.
    caller: Thread,
    sleeps: AtomicBool,
    /// The first share that panicked, and with what.
    panic: Mutex<Option<(usize, Box<dyn Any + Send>)>>,
}

// SAFETY: the data is something that threads may have in common: `Team::compute` takes nothing
// else. All other fields are such by themselves.
unsafe impl Send for Work {}
// SAFETY: the same.
unsafe impl Sync for Work {}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Work {
    /// Computes shares until all have been claimed. The first one is the caller's.
    fn take_part(&self, is_caller: bool) {
        let mut share = match is_caller {
            true => 0,
            false => self.next.fetch_add(1, Ordering::Relaxed),
        };
        while share < self.count {
            // SAFETY: nobody else has claimed this share, and it has not been computed. So the
            // caller is still in `Team::compute`, which keeps what the data points to, of the type
            // that the function is for.
            let compute = || unsafe { (self.share)(self.data, share) };
            if let Err(panic) = catch_unwind(AssertUnwindSafe(compute)) {
                let mut panic = Some((share, panic));
                let mut first = locked(&self.panic);
                if first.as_ref().is_none_or(|(k, _)| share < *k) {
                    std::mem::swap(&mut *first, &mut panic);
                }
                // To drop it could panic here.
                std::mem::forget(panic);
            }
            // What was written is there for who sees that all are done.
            let done = self.done.fetch_add(1, Ordering::SeqCst) + 1;
            if !is_caller && done == self.count && self.sleeps.load(Ordering::SeqCst) {
                self.caller.unpark();
            }
            share = self.next.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn is_done(&self) -> bool {
        self.done.load(Ordering::SeqCst) == self.count
    }

    /// Waits until all shares have been computed.
    fn wait(&self) {
        for _ in 0..ROUNDS {
            if self.is_done() {
                return;
            }
            std::hint::spin_loop();
        }
        for _ in 0..YIELDS {
            if self.is_done() {
                return;
            }
            thread::yield_now();
        }
        self.sleeps.store(true, Ordering::SeqCst);
        while !self.is_done() {
            thread::park();
        }
    }
}

impl Team {
    /// Computes so many shares, with at most so many helpers, for which `spawn` has other threads
    /// call [`Team::help`] at some time.
    ///
    /// # Panics
    ///
    /// As the first share that panics does, after all have been computed.
    pub(super) fn compute<F: Fn(usize) + Sync>(
        self: &Arc<Team>,
        count: usize,
        helpers: usize,
        f: &F,
        mut spawn: impl FnMut(Arc<Team>),
    ) {
        /// # Safety
        ///
        /// The data is an `F`.
        unsafe fn share<F: Fn(usize)>(data: *const (), k: usize) {
            // SAFETY: the caller promises it.
            unsafe { (*data.cast::<F>())(k) }
        }
        let work = Arc::new(Work {
            count,
            next: AtomicUsize::new(1),
            done: AtomicUsize::new(0),
            share: share::<F>,
            data: std::ptr::from_ref(f).cast(),
            caller: thread::current(),
            sleeps: AtomicBool::new(false),
            panic: Mutex::new(None),
        });
        let wanted = helpers.min(count.saturating_sub(1));
        for _ in self.helpers.load(Ordering::Relaxed)..wanted {
            self.helpers.fetch_add(1, Ordering::Relaxed);
            spawn(Arc::clone(self));
        }
        *locked(&self.last) = Some(Arc::clone(&work));
        self.works.fetch_add(1, Ordering::Release);
        // From here on nothing panics before all shares have been computed, so `f` is there until
        // then: `take_part` catches what they panic with.
        work.take_part(true);
        work.wait();
        let panic = locked(&work.panic).take();
        if let Some((_, panic)) = panic {
            resume_unwind(panic);
        }
    }

    /// Takes part in works until there have been none for a while.
    pub(super) fn help(&self) {
        let mut seen = None;
        let mut since = Instant::now();
        let mut rounds = 0_usize;
        loop {
            let works = self.works.load(Ordering::Acquire);
            if seen != Some(works) {
                seen = Some(works);
                let work = locked(&self.last).clone();
                if let Some(work) = work {
                    work.take_part(false);
                }
                since = Instant::now();
            }
            rounds += 1;
            if rounds.is_multiple_of(ROUNDS) {
                if since.elapsed() > PATIENCE {
                    break;
                }
                thread::yield_now();
            }
            std::hint::spin_loop();
        }
        self.helpers.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computes with threads of the system.
    fn compute(team: &Arc<Team>, count: usize, helpers: usize, f: impl Fn(usize) + Sync) -> usize {
        let mut threads = vec![];
        team.compute(count, helpers, &f, |team| {
            threads.push(thread::spawn(move || team.help()));
        });
        let spawned = threads.len();
        threads.into_iter().for_each(|t| t.join().unwrap());
        spawned
    }

    #[test]
    fn each_share_is_computed_once() {
        let team = Arc::<Team>::default();
        for count in [1, 2, 3, 7] {
            for helpers in [0, 1, 2, 5] {
                let shares: Vec<_> = (0..count).map(|_| AtomicUsize::new(0)).collect();
                let spawned = compute(&team, count, helpers, |k| {
                    shares[k].fetch_add(k + 1, Ordering::Relaxed);
                });
                assert!(spawned <= helpers.min(count - 1));
                let shares = shares.into_iter().map(AtomicUsize::into_inner);
                assert!(shares.eq(1..=count));
                assert_eq!(team.helpers.load(Ordering::Relaxed), 0);
            }
        }
    }

    #[test]
    fn helpers_stay_for_the_next_work() {
        let team = Arc::<Team>::default();
        let mut threads = vec![];
        let sum = AtomicUsize::new(0);
        for work in 0..20 {
            team.compute(
                3,
                1,
                &|k| {
                    sum.fetch_add(work * 3 + k, Ordering::Relaxed);
                },
                |team| threads.push(thread::spawn(move || team.help())),
            );
        }
        assert_eq!(sum.into_inner(), (0..60).sum());
        threads.into_iter().for_each(|t| t.join().unwrap());
    }

    #[test]
    fn who_helps_late_finds_nothing_to_do() {
        let team = Arc::<Team>::default();
        let mut late = vec![];
        let results = [0, 1, 2].map(AtomicUsize::new);
        team.compute(
            3,
            2,
            &|k| {
                results[k].fetch_add(10, Ordering::Relaxed);
            },
            |team| late.push(team),
        );
        assert_eq!(results.map(AtomicUsize::into_inner), [10, 11, 12]);
        assert_eq!(late.len(), 2);
        late.into_iter().for_each(|team| team.help());
        assert_eq!(team.helpers.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn the_caller_waits_for_what_others_compute() {
        let team = Arc::<Team>::default();
        let here = thread::current().id();
        let helped = AtomicBool::new(false);
        let is_done = AtomicBool::new(false);
        compute(&team, 2, 1, |_| {
            if thread::current().id() == here {
                while !helped.load(Ordering::SeqCst) {
                    thread::yield_now();
                }
            } else {
                helped.store(true, Ordering::SeqCst);
                thread::sleep(Duration::from_millis(5));
                is_done.store(true, Ordering::SeqCst);
            }
        });
        assert!(is_done.into_inner());
    }

    #[test]
    fn the_first_panic_counts() {
        let team = Arc::<Team>::default();
        let computed = AtomicUsize::new(0);
        let panics = AssertUnwindSafe(|| {
            compute(&team, 6, 2, |k| {
                computed.fetch_add(1, Ordering::Relaxed);
                // Not by a macro, which would print it.
                if k == 2 || k == 4 {
                    resume_unwind(Box::new(k));
                }
            })
        });
        let panic = catch_unwind(panics).unwrap_err();
        assert_eq!(panic.downcast_ref(), Some(&2_usize));
        assert_eq!(computed.into_inner(), 6);
        // The helpers of before may still be there.
        compute(&team, 2, 1, |_| {});
    }
}
