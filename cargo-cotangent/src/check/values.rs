//! Random values of the types of arguments, as Rust expressions.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "the enums of syn are open; what is not listed is refused"
)]

use super::{DEFAULT, Structs};
use cotangent_core::ir::arguments::Given;
use quote::ToTokens;
use std::fmt::Write;
use syn::{GenericArgument, PathArguments, Type};

/// An expression that makes a random value.
pub(super) struct Made {
    pub(super) text: String,
    /// Whether it holds real numbers.
    pub(super) is_real: bool,
}

/// What is known of types and lengths.
pub(super) struct Maker<'a> {
    pub(super) structs: &'a Structs,
    pub(super) given: &'a Given,
    /// The types of real numbers.
    pub(super) reals: Vec<&'a str>,
}

impl Maker<'_> {
    /// An owned random value of a type. `axis` counts the axes of the argument so far.
    pub(super) fn make(&self, ty: &Type, arg: &str, axis: &mut usize) -> Result<Made, String> {
        let unknown = || {
            let ty = ty.to_token_stream().to_string().replace(' ', "");
            format!("there is no random value of the type `{ty}` of `{arg}`")
        };
        let length = |axis: &mut usize| {
            *axis += 1;
            let own = self.given.get(arg).and_then(|own| own.get(*axis - 1));
            own.copied().unwrap_or(DEFAULT)
        };
        match ty {
            Type::Paren(inner) => return self.make(&inner.elem, arg, axis),
            Type::Slice(slice) => {
                let n = length(axis);
                return self.list(n, &slice.elem, arg, axis);
            }
            Type::Array(array) => {
                let inner = self.make(&array.elem, arg, axis)?;
                let text = format!("::core::array::from_fn(|_| {})", inner.text);
                let is_real = inner.is_real;
                let n = array.len.to_token_stream();
                let text = format!("{{ let made: [_; {n}] = {text}; made }}");
                return Ok(Made { text, is_real });
            }
            Type::Tuple(tuple) => {
                let parts = tuple.elems.iter().map(|ty| self.make(ty, arg, axis));
                let parts = parts.collect::<Result<Vec<_>, _>>()?;
                let text: String = parts.iter().map(|p| format!("{}, ", p.text)).collect();
                let is_real = parts.iter().any(|p| p.is_real);
                return Ok(Made {
                    text: format!("({text})"),
                    is_real,
                });
            }
            _ => {}
        }
        let (name, inner) = last(ty).ok_or_else(unknown)?;
        if self.reals.contains(&&name[..]) {
            let text = "random.real()".into();
            return Ok(Made {
                text,
                is_real: true,
            });
        }
        let plain = |text: String| {
            Ok(Made {
                text,
                is_real: false,
            })
        };
        match &name[..] {
            "bool" => return plain("random.flip()".into()),
            "usize" | "isize" | "u8" | "u16" | "u32" | "u64" | "i8" | "i16" | "i32" | "i64" => {
                return plain(match *axis {
                    0 => length(axis).to_string(),
                    _ => format!("(random.index({}) as {name})", self.least()),
                });
            }
            "Vec" => {
                let n = length(axis);
                return self.list(n, inner.first().ok_or_else(unknown)?, arg, axis);
            }
            _ => {}
        }
        if let Some(rank) = rank(&name, &inner) {
            let lengths: String = (0..rank).map(|_| format!("{}, ", length(axis))).collect();
            let element = self.make(
                inner
                    .iter()
                    .find(|t| !is_lifetime_or_dim(t))
                    .ok_or_else(unknown)?,
                arg,
                axis,
            )?;
            let text = format!(
                "cotangent::ndarray::Array::from_shape_simple_fn(({lengths}), || {})",
                element.text
            );
            let text = match rank {
                0 => format!("cotangent::ndarray::arr0({})", element.text),
                _ => text,
            };
            return Ok(Made {
                text,
                is_real: element.is_real,
            });
        }
        self.of_struct(ty, &name, arg, axis).ok_or_else(unknown)?
    }

    fn list(&self, n: usize, ty: &Type, arg: &str, axis: &mut usize) -> Result<Made, String> {
        let inner = self.make(ty, arg, axis)?;
        let text = format!("(0..{n}).map(|_| {}).collect::<Vec<_>>()", inner.text);
        Ok(Made {
            text,
            is_real: inner.is_real,
        })
    }

    fn of_struct(
        &self,
        ty: &Type,
        name: &str,
        arg: &str,
        axis: &mut usize,
    ) -> Option<Result<Made, String>> {
        let Type::Path(path) = ty else { return None };
        let item = self.structs.get(name)?;
        let own: Vec<String> = item
            .generics
            .type_params()
            .map(|p| p.ident.to_string())
            .collect();
        let maker = Maker {
            reals: self
                .reals
                .iter()
                .copied()
                .chain(own.iter().map(String::as_str))
                .collect(),
            ..*self
        };
        let mut path = path.path.clone();
        for segment in &mut path.segments {
            segment.arguments = PathArguments::None;
        }
        let mut text = format!("{} {{ ", path.to_token_stream());
        let mut is_real = false;
        for (k, field) in item.fields.iter().enumerate() {
            *axis = (*axis).max(1);
            let made = match maker.make(&field.ty, arg, axis) {
                Ok(made) => made,
                Err(e) => return Some(Err(e)),
            };
            let name = field
                .ident
                .as_ref()
                .map_or(k.to_string(), ToString::to_string);
            write!(text, "{name}: {}, ", made.text).expect("strings take everything");
            is_real |= made.is_real;
        }
        text.push('}');
        Some(Ok(Made { text, is_real }))
    }

    /// The least length of an axis: indices are below it.
    fn least(&self) -> usize {
        let given = self.given.values().flatten().copied().min();
        given.unwrap_or(DEFAULT).clamp(1, DEFAULT)
    }
}

/// The last name of a path, and its generic types.
pub(super) fn last(ty: &Type) -> Option<(String, Vec<Type>)> {
    let Type::Path(path) = ty else { return None };
    let segment = path.path.segments.last()?;
    let inner = match &segment.arguments {
        PathArguments::AngleBracketed(list) => (list.args.iter())
            .filter_map(|a| match a {
                GenericArgument::Type(ty) => Some(ty.clone()),
                _ => None,
            })
            .collect(),
        PathArguments::None | PathArguments::Parenthesized(_) => vec![],
    };
    Some((segment.ident.to_string(), inner))
}

/// The number of axes of an array type of ndarray.
fn rank(name: &str, inner: &[Type]) -> Option<usize> {
    let digits = name
        .strip_prefix("ArrayView")
        .or_else(|| name.strip_prefix("Array"))?;
    match digits.parse() {
        Ok(rank) => Some(rank),
        Err(_) if digits.is_empty() => {
            let (dim, _) = last(inner.get(1)?)?;
            dim.strip_prefix("Ix")?.parse().ok()
        }
        Err(_) => None,
    }
}

fn is_lifetime_or_dim(ty: &Type) -> bool {
    last(ty).is_some_and(|(name, _)| name.starts_with("Ix"))
}
