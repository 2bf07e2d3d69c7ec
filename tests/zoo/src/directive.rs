//! The test cases in the head of a program.

use cotangent_core::ir::value::{Tensor, Value};

use crate::random::Random;
use crate::{Case, Elem, Flags, Param};

/// The cases that a source declares, or what is wrong with them.
pub(crate) fn cases(name: &str, source: &str, params: &[Param]) -> Result<Vec<Case>, String> {
    let mut all = Flags::default();
    let mut found: Vec<(String, Flags)> = Vec::new();
    for line in source.lines() {
        let Some(text) = line.trim().strip_prefix("//!") else {
            continue;
        };
        let text = text.trim();
        if let Some(words) = text.strip_prefix("@@") {
            all = all | flags(words)?;
        } else if let Some(case) = text.strip_prefix('@') {
            let (arguments, words) = case.split_once("@@").unwrap_or((case, ""));
            let flags = flags(words)?;
            found.extend(sized(arguments.trim(), flags)?);
        }
    }
    if found.is_empty() {
        return Err("there is no case".into());
    }
    found
        .into_iter()
        .enumerate()
        .map(|(number, (text, flags))| {
            let args = arguments(&format!("{name}/{number}"), &text, params)
                .map_err(|message| format!("case `{text}`: {message}"))?;
            Ok(Case {
                text,
                args,
                flags: all | flags,
            })
        })
        .collect()
}

/// One case, or after `for N in {9, 300}` one large case for each of these values of `N`.
fn sized(text: &str, flags: Flags) -> Result<Vec<(String, Flags)>, String> {
    let Some(rest) = text.strip_prefix("for N in {") else {
        return Ok(vec![(text.to_owned(), flags)]);
    };
    let (sizes, text) = rest.split_once('}').ok_or("a `}` is missing")?;
    let large = Flags {
        large: true,
        ..flags
    };
    let at = |n: usize| {
        let words = text.split_inclusive(|c: char| !c.is_alphanumeric() && c != '_');
        let word = |word: &str| match word.strip_prefix('N') {
            Some(after) if !after.starts_with(|c: char| c.is_alphanumeric() || c == '_') => {
                format!("{n}{after}")
            }
            _ => word.to_owned(),
        };
        words.map(word).collect::<String>().trim().to_owned()
    };
    items(sizes).map(|n| Ok((at(number(n)?), large))).collect()
}

fn flags(words: &str) -> Result<Flags, String> {
    let mut flags = Flags::default();
    for word in words.split_whitespace() {
        match word {
            "nonsmooth" => flags.nonsmooth = true,
            "loose" => flags.loose = true,
            "nonfinite" => flags.nonfinite = true,
            "deep" => flags.deep = true,
            "large" => flags.large = true,
            _ => return Err(format!("there is no flag `{word}`")),
        }
    }
    Ok(flags)
}

fn arguments(seed: &str, text: &str, params: &[Param]) -> Result<Vec<Value>, String> {
    let mut found: Vec<Option<Value>> = vec![None; params.len()];
    for argument in text.split(';') {
        let (name, spec) = argument
            .split_once(':')
            .ok_or_else(|| format!("`{argument}` is not of the form `name: value`"))?;
        let name = name.trim();
        let at = params
            .iter()
            .position(|param| param.name == name)
            .ok_or_else(|| format!("there is no parameter `{name}`"))?;
        let mut random = Random::new(&format!("{seed}/{name}"));
        let value = Spec::parse(spec.trim())
            .and_then(|spec| spec.value(&params[at], &mut random))
            .map_err(|message| format!("`{name}`: {message}"))?;
        if found[at].replace(value).is_some() {
            return Err(format!("`{name}` is given twice"));
        }
    }
    found
        .into_iter()
        .zip(params)
        .map(|(value, param)| value.ok_or_else(|| format!("`{}` is not given", param.name)))
        .collect()
}

/// What a case says about one argument.
#[derive(Debug, PartialEq)]
struct Spec<'a> {
    shape: Option<Vec<usize>>,
    content: Content<'a>,
}

#[derive(Debug, PartialEq)]
enum Content<'a> {
    Default,
    Range(&'a str, &'a str),
    List(Vec<&'a str>),
    Scalar(&'a str),
}

impl<'a> Spec<'a> {
    fn parse(text: &'a str) -> Result<Self, String> {
        let mut rest = text;
        let mut shape = None;
        if let Some(inside) = text.strip_prefix('[') {
            let (lengths, after) = inside.split_once(']').ok_or("a `]` is missing")?;
            shape = Some(items(lengths).map(number).collect::<Result<_, _>>()?);
            rest = after.trim();
        }
        let content = if rest.is_empty() {
            Content::Default
        } else if let Some(range) = rest.strip_prefix("in ") {
            let (low, high) = range
                .split_once("..")
                .ok_or("a range has the form `low..high`")?;
            Content::Range(low.trim(), high.trim())
        } else if let Some(inside) = rest.strip_prefix('{') {
            let list = inside.strip_suffix('}').ok_or("a `}` is missing")?;
            Content::List(items(list).collect())
        } else if shape.is_none() {
            Content::Scalar(rest)
        } else {
            return Err(format!("`{rest}` cannot follow a shape"));
        };
        Ok(Spec { shape, content })
    }

    fn value(&self, param: &Param, random: &mut Random) -> Result<Value, String> {
        let shape = match (&self.shape, &self.content) {
            (Some(shape), _) => shape.clone(),
            (None, Content::List(list)) => vec![list.len()],
            (None, Content::Default | Content::Range(..) | Content::Scalar(_)) => vec![],
        };
        if shape.len() != param.rank {
            return Err(format!("the rank is {}, not {}", param.rank, shape.len()));
        }
        Ok(match param.elem {
            Elem::Real => {
                let (low, high) = match self.content {
                    Content::Range(low, high) => (number::<f64>(low)?, number::<f64>(high)?),
                    Content::Default | Content::List(_) | Content::Scalar(_) => (-1.0, 1.0),
                };
                if low >= high {
                    return Err("the range is empty".into());
                }
                Value::Real(self.fill(shape, || Ok(random.real(low, high)))?)
            }
            Elem::Int => {
                let range = match self.content {
                    Content::Range(low, high) => Some((number(low)?, number(high)?)),
                    Content::Default | Content::List(_) | Content::Scalar(_) => None,
                };
                if range.is_some_and(|(low, high)| low >= high) {
                    return Err("the range is empty".into());
                }
                Value::Int(self.fill(shape, || {
                    let (low, high) = range.ok_or("integers need a range or values")?;
                    Ok(random.integer(low, high))
                })?)
            }
            Elem::Bool => {
                if matches!(self.content, Content::Range(..)) {
                    return Err("there are no ranges of bools".into());
                }
                Value::Bool(self.fill(shape, || Ok(random.boolean()))?)
            }
        })
    }

    /// The array of the elements that are written down, or else of drawn ones.
    fn fill<T: std::str::FromStr + Clone>(
        &self,
        shape: Vec<usize>,
        mut draw: impl FnMut() -> Result<T, String>,
    ) -> Result<Tensor<T>, String> {
        let count = shape.iter().product();
        let data: Vec<T> = match &self.content {
            Content::Default | Content::Range(..) => {
                (0..count).map(|_| draw()).collect::<Result<_, _>>()?
            }
            Content::List(list) => list
                .iter()
                .map(|item| number(item))
                .collect::<Result<_, _>>()?,
            Content::Scalar(item) => vec![number(item)?],
        };
        if data.len() != count {
            return Err(format!(
                "{} values do not fill the shape {shape:?}",
                data.len()
            ));
        }
        Ok(Tensor::new(shape, data))
    }
}

/// The items of a list, which may be empty.
fn items(text: &str) -> impl Iterator<Item = &str> {
    let empty = text.trim().is_empty();
    text.split(',').map(str::trim).filter(move |_| !empty)
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse()
        .map_err(|_| format!("`{text}` is not a value of this type"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: Param = Param {
        name: "x",
        elem: Elem::Real,
        rank: 1,
    };
    const A: Param = Param {
        name: "a",
        elem: Elem::Real,
        rank: 2,
    };
    const S: Param = Param {
        name: "s",
        elem: Elem::Real,
        rank: 0,
    };
    const N: Param = Param {
        name: "n",
        elem: Elem::Int,
        rank: 0,
    };
    const IDX: Param = Param {
        name: "idx",
        elem: Elem::Int,
        rank: 1,
    };
    const M: Param = Param {
        name: "m",
        elem: Elem::Bool,
        rank: 1,
    };
    const B: Param = Param {
        name: "b",
        elem: Elem::Bool,
        rank: 0,
    };

    fn one(text: &str, params: &[Param]) -> Result<Vec<Value>, String> {
        arguments("p/0", text, params)
    }

    fn error(text: &str, params: &[Param]) -> String {
        one(text, params).expect_err("the case is wrong")
    }

    #[test]
    fn every_form_of_argument() {
        let text = "x: [5]; a: [3, 4] in 0.5..2.0; s: ; n: 7; idx: [40] in -2..5; m: [6]; b: true";
        let params = [X, A, S, N, IDX, M, B];
        let args = one(text, &params).unwrap();
        assert_eq!(args[0].shape(), [5]);
        assert!(args[0].real().data.iter().all(|x| (-1.0..1.0).contains(x)));
        assert_eq!(args[1].shape(), [3, 4]);
        assert!(args[1].real().data.iter().all(|x| (0.5..2.0).contains(x)));
        assert!(args[2].shape().is_empty());
        assert_eq!(args[3].int().data, [7]);
        assert!(args[4].int().data.iter().all(|i| (-2..5).contains(i)));
        assert!((-2..5).all(|i| args[4].int().data.contains(&i)));
        assert_eq!(args[5].bool().data.len(), 6);
        assert_eq!(args[6].bool().data, [true]);
    }

    #[test]
    fn explicit_values() {
        let args = one(
            "x: {1.0, -2.5, 1e3}; a: [1, 2] {3.0, -0.0}; idx: {}; s: -1.5; m: {true, false}",
            &[X, A, IDX, S, M],
        )
        .unwrap();
        assert_eq!(args[0].real().data, [1.0, -2.5, 1000.0]);
        assert_eq!(args[1].shape(), [1, 2]);
        assert!(args[1].real().data[1].is_sign_negative());
        assert_eq!(args[2].shape(), [0]);
        assert_eq!(args[3].real().data, [-1.5]);
        assert_eq!(args[4].bool().data, [true, false]);
    }

    #[test]
    fn any_order_and_empty_shapes() {
        let args = one("a: [0, 3]; s: []", &[S, A]).unwrap();
        assert!(args[0].shape().is_empty());
        assert_eq!(args[1].shape(), [0, 3]);
    }

    #[test]
    fn numbers_are_reproducible_and_differ() {
        let draw = |seed: &str| arguments(seed, "x: [3]", &[X]).unwrap();
        assert_eq!(draw("p/0"), draw("p/0"));
        assert_ne!(draw("p/0"), draw("p/1"));
        assert_ne!(draw("p/0"), draw("q/0"));
    }

    #[test]
    fn flags_of_a_case_and_of_all() {
        let source = "//! Title.\n//! @@ loose\n//! @ s: 0.0 @@ nonsmooth nonfinite\n//! @ s:\n";
        let cases = cases("p", source, &[S]).unwrap();
        assert_eq!(cases.len(), 2);
        assert_eq!(cases[0].text, "s: 0.0");
        let all = Flags {
            nonsmooth: true,
            loose: true,
            nonfinite: true,
            deep: false,
            large: false,
        };
        assert_eq!(cases[0].flags, all);
        let loose = Flags {
            loose: true,
            ..Flags::default()
        };
        assert_eq!(cases[1].flags, loose);
    }

    #[test]
    fn a_case_of_several_sizes() {
        let source = "//! @ x: {1.0}; n: 2\n//! @ for N in {9, 65} x: [N]; n: N @@ loose\n";
        let cases = cases("p", source, &[X, N]).unwrap();
        let texts: Vec<&str> = cases.iter().map(|case| case.text.as_str()).collect();
        assert_eq!(texts, ["x: {1.0}; n: 2", "x: [9]; n: 9", "x: [65]; n: 65"]);
        let large: Vec<bool> = cases.iter().map(|case| case.flags.large).collect();
        assert_eq!(large, [false, true, true]);
        assert!(cases[2].flags.loose);
        assert_eq!(
            sized("for N in {9 x: [N]", Flags::default()).unwrap_err(),
            "a `}` is missing"
        );
        let message = sized("for N in {x} s:", Flags::default()).unwrap_err();
        assert_eq!(message, "`x` is not a value of this type");
    }

    #[test]
    fn mistakes_are_named() {
        assert_eq!(error("x", &[X]), "`x` is not of the form `name: value`");
        assert_eq!(error("y: [3]", &[X]), "there is no parameter `y`");
        assert_eq!(error("x: [3]; x: [3]", &[X]), "`x` is given twice");
        assert_eq!(error("x: [3]", &[X, S]), "`s` is not given");
        assert_eq!(error("x: [3, 4]", &[X]), "`x`: the rank is 1, not 2");
        assert_eq!(error("x: [3", &[X]), "`x`: a `]` is missing");
        assert_eq!(error("x: {1.0", &[X]), "`x`: a `}` is missing");
        assert_eq!(error("x: [3] 4", &[X]), "`x`: `4` cannot follow a shape");
        assert_eq!(error("x: [2] in 1.0..1.0", &[X]), "`x`: the range is empty");
        assert_eq!(
            error("x: [2] in 1.0", &[X]),
            "`x`: a range has the form `low..high`"
        );
        assert_eq!(
            error("n: 1.5", &[N]),
            "`n`: `1.5` is not a value of this type"
        );
        assert_eq!(error("n:", &[N]), "`n`: integers need a range or values");
        assert_eq!(
            error("m: [2] in 0..1", &[M]),
            "`m`: there are no ranges of bools"
        );
        assert_eq!(
            error("a: [2, 2] {1.0}", &[A]),
            "`a`: 1 values do not fill the shape [2, 2]"
        );
        assert_eq!(
            cases("p", "//! @@ fast\n", &[S]).unwrap_err(),
            "there is no flag `fast`"
        );
        assert_eq!(
            cases("p", "//! Title.\n", &[S]).unwrap_err(),
            "there is no case"
        );
    }
}
