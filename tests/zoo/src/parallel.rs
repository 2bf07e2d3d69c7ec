//! Work for each program, on all processors.

use crate::limit::Watchdog;
use std::sync::Mutex;
use std::thread;

/// The results in the order of the items. The watchdog is told what starts.
pub fn for_each<I: Sync, T: Send>(items: &[I], run: impl Fn(&I, &Watchdog) -> T + Sync) -> Vec<T> {
    let waiting = Mutex::new(items.iter().enumerate());
    let next = || waiting.lock().ok()?.next();
    let work = || {
        let watchdog = Watchdog::new();
        let mut done = vec![];
        while let Some((k, item)) = next() {
            done.push((k, run(item, &watchdog)));
        }
        done
    };
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let mut all = thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let done = workers.into_iter().map(|w| w.join());
        let done = done.map(|done| done.unwrap_or_else(|why| std::panic::resume_unwind(why)));
        done.flatten().collect::<Vec<_>>()
    });
    all.sort_by_key(|(k, _)| *k);
    all.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_their_order() {
        let numbers: Vec<u64> = (0..100).collect();
        let squares = for_each(&numbers, |n, _| n * n);
        assert!(squares.iter().zip(&numbers).all(|(s, n)| *s == n * n));
        assert_eq!(squares.len(), numbers.len());
        assert!(for_each(&[] as &[u64], |n, _| *n).is_empty());
    }
}
