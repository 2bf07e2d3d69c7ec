//! Core as text: what is printed reads back as the same program.
//!
//! ```text
//! fn dot(x.0: real[_], y.1: real[_]) -> real {
//!   let n.2 = dim(x.0, 0);
//!   sum(i.3 < n.2 => mul(x.0[i.3], y.1[i.3]))
//! }
//! ```
//!
//! | form | meaning |
//! |---|---|
//! | `x.0` | the variable of number 0, called `x` |
//! | `1.0` `-inf` `NaN` `1` `true` | literals |
//! | `add(a, b)` | a primitive, by its name in the table |
//! | `{ let v.1 = a; b }` | a binding; needs no braces where a body is expected |
//! | `if c { a } else { b }` | a branch |
//! | `build(i.1 < n => a)` | an array |
//! | `sum(i.1 < n => a)`, `argmax(i.1 < n => a)` and their kin | reductions |
//! | `scatter([n, m]; i.1 < k, j.2 < l => let x.3 = c; [a, b] += v)` | a scatter |
//! | `a[i, _]` | an element or a part |
//! | `dim(a, 0)` `stop(a)` | the length of an axis; a constant |
//! | `where(c, a)` | a scalar where `c` holds, a structural zero elsewhere |
//! | `recur(forward 0, a, mask(m), each(b))` | a recurrence along an axis, of factors `a`; also `backward`, `one`, `first(b)`, `all(b)`, and without a mask |
//! | `demand(at_least(n, m) [k] => a)` | `a`, where `n >= m` if `k > 0`; also `equal(n, m)` |

mod parse;
mod print;
#[cfg(test)]
mod tests;
mod tokens;

pub use self::parse::parse;

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}
