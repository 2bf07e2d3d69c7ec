//! Programs as modules of a crate, each with the table entry that the checks run it by.

use crate::grammar::{Leaf, LeafKind, Length, Program, Real};
use std::fmt::Write;

/// The module of a program.
pub fn module(program: &Program) -> String {
    let mut out = String::from("#![allow(warnings)]\n");
    out += &program.text("f");
    if program.structure {
        out += "cotangent_fuzz::structure!(Model { w, c, p, k });\n";
    }
    out += &entry(program);
    out
}

fn leaf(leaf: &Leaf) -> String {
    let kind = match leaf.kind {
        LeafKind::Index(length) => format!("Index(Length::{length:?})"),
        kind @ (LeafKind::Real | LeafKind::Int(..) | LeafKind::Bool) => format!("{kind:?}"),
    };
    let dims: Vec<String> = leaf.dims.iter().map(|d| format!("Length::{d:?}")).collect();
    format!(
        "Leaf {{ kind: LeafKind::{kind}, dims: vec![{}] }}",
        dims.join(", ")
    )
}

fn entry(program: &Program) -> String {
    let Program {
        seed,
        params,
        result,
        scalar,
        ..
    } = program;
    let fixed = |ty: &str| match program.real {
        Real::Any => ty
            .replace("<T>", "<f64>")
            .replace("[T;", "[f64;")
            .replace("(T,", "(f64,"),
        Real::Double | Real::Single => ty.to_owned(),
    };
    let fixed = |ty: &str| {
        if ty == "T" {
            "f64".to_owned()
        } else {
            fixed(ty)
        }
    };
    let (result, single) = (fixed(result), program.real == Real::Single);
    let mut lets = "let mut v = v.iter();".to_owned();
    let mut passed = vec![];
    for (k, p) in params.iter().enumerate() {
        let owned = fixed(&p.owned);
        write!(lets, "let a{k}: {owned} = Data::of(&mut v);").expect("strings take everything");
        // By value the argument is used up, and the next call needs one.
        let one = if p.passed == "_" {
            format!("a{k}.clone()")
        } else {
            format!("a{k}")
        };
        passed.push(p.passed.replace('_', &one));
    }
    let args = passed.join(", ");
    let real: Vec<usize> = (0..params.len()).filter(|&k| params[k].is_real()).collect();
    let mut tangents = "let mut t = t.iter();".to_owned();
    let mut directions = vec![];
    for &k in &real {
        write!(tangents, "let t{k} = a{k}.like(&mut t);").expect("strings take everything");
        directions.push(params[k].passed.replace('_', &format!("t{k}")));
    }
    let directions = directions.join(", ");
    let cotangent = if *scalar { "c" } else { "&c" };
    let leaves: Vec<String> = params.iter().flat_map(|p| &p.leaves).map(leaf).collect();
    let leaves = leaves.join(", ");
    let (gradient, into) = match scalar {
        true => (
            format!(
                "Some(|v| {{ {lets} let (y, g) = f_value_and_grad({args}); (flat(&y), flat(&g)) }})"
            ),
            format!(
                "Some(|v, other| {{
                    let w = v;
                    let mut space = cotangent::Workspace::default();
                    let mut g = {{ {lets} f_grad({args}) }};
                    {{ {lets} f_grad_into({args}, &mut g, &mut space); }}
                    {{ let v = other; {lets} let mut g = f_grad({args}); f_grad_into({args}, &mut g, &mut space); }}
                    let v = w; {lets} f_value_and_grad_into({args}, &mut g, &mut space);
                    flat(&g)
                }})"
            ),
        ),
        false => ("None".to_owned(), "None".to_owned()),
    };
    format!(
        "
use cotangent_fuzz::data::{{Data, flat}};
use cotangent_fuzz::grammar::{{Leaf, LeafKind, Length}};

pub static ENTRY: cotangent_fuzz::verdict::Entry = cotangent_fuzz::verdict::Entry {{
    seed: {seed},
    single: {single},
    leaves: || vec![{leaves}],
    written: |v| {{ {lets} flat(&f({args})) }},
    value: |v| {{ {lets} flat(&f_value({args})) }},
    jvp: |v, t| {{ {lets} {tangents} let (y, t) = f_jvp({args}, {directions}); (flat(&y), flat(&t)) }},
    vjp: |v, c| {{
        {lets}
        let y: {result} = f({args});
        let c = y.like(&mut c.iter());
        let (y, g) = f_vjp({args}, {cotangent});
        (flat(&y), flat(&g))
    }},
    gradient: {gradient},
    into: {into},
}};
"
    )
}

/// A program in the form of the zoo, with cases of some sizes.
pub fn zoo(program: &Program, name: &str, about: &str) -> String {
    let mut out = format!("//! Generated: {about}.\n//!\n");
    for size in [9, 2, 0] {
        let mut parts = vec![];
        for p in &program.params {
            let fields = match p.name.as_str() {
                "model" => vec![".w", ".c", ".p.0", ".p.1", ".k"],
                _ => vec![""],
            };
            for (field, leaf) in fields.iter().zip(&p.leaves) {
                let lengths: Vec<String> = (leaf.dims.iter())
                    .map(|&dim| match dim {
                        Length::Long | Length::Part => size.to_string(),
                        Length::Short => "3".into(),
                        Length::Fixed(n) => n.to_string(),
                    })
                    .collect();
                let value = match leaf.kind {
                    LeafKind::Real if lengths.is_empty() => String::new(),
                    LeafKind::Real => format!("[{}]", lengths.join(", ")),
                    LeafKind::Int(..) => "2".into(),
                    LeafKind::Bool => "true".into(),
                    LeafKind::Index(_) => format!("{{{}}}", vec!["0"; size].join(", ")),
                };
                parts.push(format!("{}{field}: {value}", p.name));
            }
        }
        writeln!(out, "//! @ {}", parts.join("; ")).expect("strings take everything");
    }
    let text = program.text(name).replace(", into", "");
    out + "\n" + &text
}
