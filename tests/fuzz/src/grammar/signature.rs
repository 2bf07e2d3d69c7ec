//! A whole program: its parameters, its body, its result.

use super::{Dim, Extent, Gen, Real, Ty};
use crate::rng::Rng;
use crate::tree::{Sort, Tree};

/// Chance writes what nobody means.
pub(super) const LINTS: &str = "unused_argument, zero_gradient, loop_memory";

/// How large a length is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// The size that a program is run at.
    Long,
    /// A part of that.
    Part,
    /// A length that stays small.
    Short,
    /// Always this.
    Fixed(usize),
}

/// What one array or number of an argument holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeafKind {
    /// Real numbers.
    Real,
    /// Integers between these.
    Int(i64, i64),
    /// Indices into what has this length.
    Index(Length),
    /// Truth values.
    Bool,
}

/// One array or number of an argument.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// What it holds.
    pub kind: LeafKind,
    /// Its lengths.
    pub dims: Vec<Length>,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its name.
    pub name: String,
    /// Its type, owned.
    pub owned: String,
    /// Its type as declared.
    pub declared: String,
    /// What is passed, where `_` is an owned value.
    pub passed: &'static str,
    /// What it consists of.
    pub leaves: Vec<Leaf>,
}

impl Param {
    /// Whether it is differentiated.
    pub fn is_real(&self) -> bool {
        self.leaves.iter().any(|leaf| leaf.kind == LeafKind::Real)
    }
}

/// A generated program.
#[derive(Clone, Debug)]
pub struct Program {
    /// What it was generated from.
    pub seed: u64,
    /// The real type.
    pub real: Real,
    /// The parameters.
    pub params: Vec<Param>,
    /// The type of the result.
    pub result: String,
    /// Whether that is a number.
    pub scalar: bool,
    /// Options of the attribute beside those for derivatives.
    pub option: &'static str,
    /// A struct and its implementation, if a parameter is one.
    pub structure: bool,
    /// The functions beside it, its statements and the result.
    pub parts: Tree,
}

impl Program {
    /// The program of a seed.
    pub fn of(seed: u64) -> Program {
        let mut rng = Rng::new(seed);
        let real = match rng.below(20) {
            0 | 1 => Real::Single,
            2 | 3 => Real::Any,
            _ => Real::Double,
        };
        let mut gen_ = Gen {
            real,
            dims: vec![],
            vars: vec![],
            helpers: vec![],
            next: 0,
            fuel: 40 + rng.below(80) as isize,
            nests: (0, 0),
            own: 0,
            nonempty: false,
            leaves: None,
            rng,
        };
        gen_.program(seed)
    }

    /// The source text, with the function under this name.
    pub fn text(&self, name: &str) -> String {
        let Program {
            real,
            params,
            result,
            scalar,
            option,
            ..
        } = self;
        let generics = if *real == Real::Any { "<T: Real>" } else { "" };
        let modes = match scalar {
            true => "value, grad, vjp, jvp, into",
            false => "value, vjp, jvp",
        };
        let params: Vec<String> = (params.iter())
            .map(|p| format!("{}: {}", p.name, p.declared))
            .collect();
        let structure = match self.structure {
            true => STRUCT.replace("REAL", real.name()),
            false => String::new(),
        };
        let text = self.parts.to_string();
        let head = format!(
            "#[differentiable({modes}{option}, allow({LINTS}))]\npub fn {name}{generics}({}) -> {result} {{",
            params.join(", ")
        );
        format!(
            "use cotangent::prelude::*;\n\n{structure}{}",
            text.replace("FUNCTION", &head)
        )
    }

    /// Programs that are smaller by one change.
    pub fn smaller(&self) -> Vec<Program> {
        let literal = |sort| super::simplest(self.real, sort);
        let trees = self.parts.smaller(&literal);
        let mut out: Vec<Program> = (trees.into_iter())
            .map(|parts| Program {
                parts,
                ..self.clone()
            })
            .collect();
        if !self.option.is_empty() {
            let option = "";
            out.insert(
                0,
                Program {
                    option,
                    ..self.clone()
                },
            );
        }
        out
    }
}

const STRUCT: &str = "\
#[derive(Clone, Differentiable)]
pub struct Model {
    pub w: ndarray::Array1<REAL>,
    pub c: [REAL; 3],
    pub p: (REAL, REAL),
    pub k: usize,
}

";

impl Gen {
    fn array_param(&mut self, name: &str, dims: &[Dim]) -> Param {
        let (real, rank) = (self.real.name(), dims.len());
        let slice = rank == 1 && self.rng.percent(12);
        let owned_array = format!("ndarray::Array{rank}<{real}>");
        let (owned, declared, passed, by_value) = match self.rng.below(8) {
            _ if slice => (format!("Vec<{real}>"), format!("&[{real}]"), "&_", false),
            0 => (owned_array.clone(), owned_array, "_", true),
            1 => (
                owned_array,
                format!("ndarray::ArrayView{rank}<'_, {real}>"),
                "_.view()",
                true,
            ),
            _ => (owned_array.clone(), format!("&{owned_array}"), "&_", false),
        };
        if slice {
            // A slice is read by index only: the array that it becomes has all methods.
            self.push(&format!("{name}_"), Ty::Array(dims.to_vec(), true), false);
        } else {
            self.push(name, Ty::Array(dims.to_vec(), by_value), false);
        }
        Param {
            name: name.to_owned(),
            owned,
            declared,
            passed,
            leaves: vec![Leaf {
                kind: LeafKind::Real,
                dims: dims.iter().map(|&d| self.dims[d].length).collect(),
            }],
        }
    }

    fn scalar(&mut self, name: &str, ty: &str, kind: LeafKind) -> Param {
        Param {
            name: name.to_owned(),
            owned: ty.to_owned(),
            declared: ty.to_owned(),
            passed: "_",
            leaves: vec![Leaf { kind, dims: vec![] }],
        }
    }

    fn program(&mut self, seed: u64) -> Program {
        let real = self.real.name();
        let mut out = vec![];
        let helpers = [0, 0, 1, 1, 2, 3][self.rng.below(6)];
        for _ in 0..helpers {
            out.push(self.helper());
        }
        out.push(Tree::leaf(Sort::Other, "FUNCTION\n"));
        let mut params = vec![];
        // The lengths: of long arrays, of short ones, and of fixed ones.
        for (text, length) in [
            ("n", Length::Long),
            ("m", Length::Short),
            ("2", Length::Fixed(2)),
        ] {
            self.dims.push(Extent {
                text: text.to_owned(),
                length,
            });
        }
        params.push(self.array_param("x", &[0]));
        let mut lets = vec!["let n = x.len();\n".to_owned()];
        if params[0].declared.starts_with("&[") {
            lets.push("let x_ = ndarray::Array1::from_vec(x.to_vec());\n".to_owned());
        }
        let mut m = None;
        if self.rng.percent(45) {
            let p = self.array_param("y", &[0]);
            if p.declared.starts_with("&[") {
                lets.push("let y_ = ndarray::Array1::from_vec(y.to_vec());\n".to_owned());
            }
            params.push(p);
        }
        if self.rng.percent(45) {
            let dims = self.rng.pick(&[[0, 1], [1, 0], [0, 2], [0, 0], [1, 1]]);
            params.push(self.array_param("a", &dims));
            m = m.or(dims.iter().position(|&d| d == 1).map(|k| match k {
                0 => "a.nrows()",
                _ => "a.ncols()",
            }));
        }
        if self.rng.percent(15) {
            params.push(self.array_param("c", &[1, 2, 1]));
            m = m.or(Some("c.dim().0"));
        }
        if self.rng.percent(25) {
            let p = self.array_param("z", &[1]);
            if p.declared.starts_with("&[") {
                lets.push("let z_ = ndarray::Array1::from_vec(z.to_vec());\n".to_owned());
            }
            params.push(p);
            m = m.or(Some("z.len()"));
        }
        if self.rng.percent(60) {
            params.push(self.scalar("s", real, LeafKind::Real));
            self.push("s", Ty::Real, false);
        }
        if self.rng.percent(15) {
            let mut p = self.scalar("q", &format!("[{real}; 3]"), LeafKind::Real);
            p.leaves[0].dims = vec![Length::Fixed(3)];
            if self.rng.percent(60) {
                p.declared = format!("&{}", p.owned);
                p.passed = "&_";
            }
            params.push(p);
            self.push("q", Ty::Fixed(3), false);
        }
        if self.rng.percent(30) {
            let ty = self.any_int();
            let lo = if ty.starts_with('i') { -4 } else { 0 };
            params.push(self.scalar("k", ty, LeafKind::Int(lo, 6)));
            self.push("k", Ty::Int(ty, None), false);
        }
        if self.rng.percent(25) {
            params.push(self.scalar("j", "i64", LeafKind::Int(-5, 5)));
            self.push("j", Ty::Int("i64", None), false);
        }
        if self.rng.percent(12) {
            params.push(self.scalar("flag", "bool", LeafKind::Bool));
            self.push("flag", Ty::Bool, false);
        }
        if self.rng.percent(30) {
            let elem = self
                .rng
                .pick(&["usize", "usize", "i64", "u32", "i32", "u8"]);
            let to = if self.rng.percent(75) || m.is_none() {
                0
            } else {
                1
            };
            let slice = self.rng.percent(40);
            let to_length = if elem == "u8" {
                Length::Fixed(1)
            } else {
                self.dims[to].length
            };
            params.push(Param {
                name: "at".into(),
                owned: match slice {
                    true => format!("Vec<{elem}>"),
                    false => format!("ndarray::Array1<{elem}>"),
                },
                declared: match slice {
                    true => format!("&[{elem}]"),
                    false => format!("&ndarray::Array1<{elem}>"),
                },
                passed: "&_",
                leaves: vec![Leaf {
                    kind: LeafKind::Index(to_length),
                    dims: vec![Length::Long],
                }],
            });
            self.push("at", Ty::Indices(0, to, elem), false);
        }
        let structure = self.real != Real::Any && self.rng.percent(15);
        if structure {
            let leaf = |kind, dims: &[Length]| Leaf {
                kind,
                dims: dims.to_vec(),
            };
            params.push(Param {
                name: "model".into(),
                owned: "Model".into(),
                declared: "&Model".into(),
                passed: "&_",
                leaves: vec![
                    leaf(LeafKind::Real, &[Length::Long]),
                    leaf(LeafKind::Real, &[Length::Fixed(3)]),
                    leaf(LeafKind::Real, &[]),
                    leaf(LeafKind::Real, &[]),
                    leaf(LeafKind::Int(0, 4), &[]),
                ],
            });
            self.push("model.w", Ty::Array(vec![0], true), false);
            self.push("model.c", Ty::Fixed(3), false);
            self.push("model.p.0", Ty::Real, false);
            self.push("model.p.1", Ty::Real, false);
            self.push("model.k", Ty::Int("usize", None), false);
        }
        let m = m.unwrap_or("3");
        lets.push(format!("let m: usize = {m};\n"));
        self.push("n", Ty::Int("usize", None), false);
        self.push("m", Ty::Int("usize", None), false);
        out.extend(lets.into_iter().map(|text| Tree::leaf(Sort::Other, text)));

        let (result, scalar) = match self.rng.below(20) {
            0..14 => (real.to_owned(), true),
            14..16 => (format!("ndarray::Array1<{real}>"), false),
            16 => (format!("ndarray::Array2<{real}>"), false),
            17 => (format!("({real}, ndarray::Array1<{real}>)"), false),
            18 => (format!("[{real}; 2]"), false),
            _ => (format!("Vec<{real}>"), false),
        };
        if scalar && self.rng.percent(35) {
            self.nonempty = true;
            let e = self.real_literal();
            let c = self
                .rng
                .pick(&["n == 0 || m == 0", "x.len() * m == 0", "n < 1 || m < 1"]);
            out.push(Tree::of(
                Sort::Stmt,
                &format!("if {c} {{ return @; }}\n"),
                [e],
            ));
        }
        let count = 1 + self.rng.below(5);
        // Something that loops may change.
        if self.rng.percent(60) {
            let s = self.name("s");
            let e = self.real_literal();
            self.push(&s, Ty::Real, true);
            out.push(Tree::of(
                Sort::Stmt,
                &format!("let mut {s}: {real} = @;\n"),
                [e],
            ));
        }
        out.push(self.statements(3, count));
        self.fuel = self.fuel.max(15);
        let last = match result.as_str() {
            _ if scalar => {
                let mut sum = self.real(4);
                // What was computed before is used.
                let before: Vec<_> = (self.vars.iter().filter(|v| v.mutable).cloned()).collect();
                for v in before.into_iter().take(4) {
                    let term = match v.ty {
                        Ty::Real => v.text,
                        Ty::Array(..) => format!("{}.sum()", v.text),
                        Ty::Fixed(_) => format!("{}[1]", v.text),
                        Ty::Int(..) | Ty::Bool | Ty::Indices(..) | Ty::Closure => continue,
                    };
                    let term = Tree::leaf(Sort::Real, term);
                    sum = Tree::of(Sort::Real, "@ + @", [sum, term]);
                }
                sum
            }
            r if r.starts_with("ndarray::Array1") => self.result_array(1),
            r if r.starts_with("ndarray::Array2") => self.result_array(2),
            r if r.starts_with("Vec") => {
                let x = self.result_array(1);
                Tree::of(Sort::Other, "(@).to_vec()", [x])
            }
            r if r.starts_with('(') => {
                let parts = [self.real(3), self.result_array(1)];
                Tree::of(Sort::Other, "(@, @)", parts)
            }
            _ => {
                let parts = [self.real(3), self.real(3)];
                Tree::of(Sort::Other, "[@, @]", parts)
            }
        };
        out.push(last);
        out.push(Tree::leaf(Sort::Other, "\n}\n"));
        let option = match self.rng.below(20) {
            0 => ", checkpoint = \"sqrt\"",
            1 => ", checkpoint = \"every = 4\"",
            _ => "",
        };
        Program {
            seed,
            real: self.real,
            params,
            result,
            scalar,
            option,
            structure,
            parts: Tree::list(out),
        }
    }

    fn result_array(&mut self, rank: usize) -> Tree {
        let dims = self.dims_of(rank);
        let dims = dims.unwrap_or_else(|| if rank == 1 { vec![0] } else { vec![0, 1] });
        self.array(&dims, 3)
    }
}
