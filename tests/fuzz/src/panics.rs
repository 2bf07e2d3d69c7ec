//! The last panic, with its place, for reports.

use std::cell::RefCell;

thread_local! {
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// From here on panics are kept and not printed.
pub fn keep() {
    std::panic::set_hook(Box::new(|info| {
        let payload = info.payload();
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
        let text = text.unwrap_or("a panic without words");
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        LAST.with(|last| *last.borrow_mut() = format!("{text} at {place}"));
    }));
}

/// What the last one of this thread said.
pub fn last() -> String {
    LAST.with(|last| last.borrow().clone())
}
