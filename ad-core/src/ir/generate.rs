//! Random well-typed programs of Core with inputs on which they have a value, and their shrinking.
//! For tests: the same seed gives the same program.
//!
//! While a program grows, the range of every integer and a bound on every real are known, so that
//! indices stay within the arrays, functions within their domains, and numbers small. Sizes are
//! fixed when generation starts, but written with symbols: `dim(x, 0)`, `n`, `n - 1`.

use super::core::{Binder, Expr, Extremum, Fresh, Kind, Param, Program, ReduceOp, Sym, Ty};
use super::core_check::check;
use super::core_eval::eval;
use super::prims::Prim;
use super::ty::{Elem, Lit};
use super::value::{Tensor, Value};

/// The generator splitmix64.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The sequence that belongs to a seed.
    pub fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x9e37_79b9_7f4a_7c15)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, which must not be 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// True in `percent` of a hundred cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of a list.
    pub fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())].clone()
    }

    /// A real number of `low..high`.
    pub fn real(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A position, with these odds.
    pub fn weighted(&mut self, odds: &[usize]) -> usize {
        let mut at = self.below(odds.iter().sum());
        for (k, &o) in odds.iter().enumerate() {
            if at < o {
                return k;
            }
            at -= o;
        }
        unreachable!("the odds add up")
    }
}

/// What is known of a value's elements.
#[derive(Clone, Copy, Debug)]
struct Info {
    /// The range of integers, both ends included.
    lo: i64,
    hi: i64,
    /// The largest magnitude of reals.
    mag: f64,
}

impl Info {
    fn int(lo: i64, hi: i64) -> Info {
        Info { lo, hi, mag: 0.0 }
    }
    fn real(mag: f64) -> Info {
        Info { lo: 0, hi: 0, mag }
    }
    fn join(self, o: Info) -> Info {
        Info {
            lo: self.lo.min(o.lo),
            hi: self.hi.max(o.hi),
            mag: self.mag.max(o.mag),
        }
    }
}

/// How the index of a triangular loop is bounded by another.
#[derive(Clone, Copy, Debug)]
enum Bound {
    /// `self <= other + offset`
    UpTo(u32, i64),
    /// `self + other < n`
    Below(u32, i64),
}

#[derive(Clone)]
struct Entry {
    sym: Sym,
    elem: Elem,
    shape: Vec<usize>,
    info: Info,
    /// Whether its value may differ between the turns of a loop around it.
    varies: bool,
    /// Whether it is the index of a loop.
    is_index: bool,
    /// Whether it is an integer made of sizes alone, so that it may be an extent.
    is_size: bool,
    bound: Option<Bound>,
}

impl Entry {
    fn expr(&self) -> Expr {
        let ty = Ty {
            elem: self.elem,
            rank: self.shape.len(),
        };
        Expr::var(&self.sym, ty)
    }
}

struct Gen {
    rng: Rng,
    fresh: Fresh,
    scope: Vec<Entry>,
    /// How often the current place runs, at most.
    work: usize,
    /// Whether the current place never runs.
    dead: bool,
}

/// What a condition says about an integer variable: its range in either branch.
type Narrow = (u32, (i64, i64), (i64, i64));

const MOST: f64 = 30.0;

fn p1(p: Prim, a: Expr) -> Expr {
    Expr::prim(p, vec![a])
}
fn p2(p: Prim, a: Expr, b: Expr) -> Expr {
    Expr::prim(p, vec![a, b])
}
fn p3(p: Prim, a: Expr, b: Expr, c: Expr) -> Expr {
    Expr::prim(p, vec![a, b, c])
}

/// A random program of about `budget` nodes, and inputs for it. It passes the verifier, has a value
/// on the inputs, and that value is finite. The result is a real scalar or a real array.
pub fn program(seed: u64, budget: usize) -> (Program, Vec<Value>) {
    let mut g = Gen {
        rng: Rng::new(seed),
        fresh: Fresh::default(),
        scope: vec![],
        work: 1,
        dead: false,
    };
    let (params, inputs) = g.params();
    let rank = g.rng.weighted(&[45, 30, 18, 7]);
    let shape: Vec<usize> = (0..rank).map(|_| g.some_size()).collect();
    let (body, _) = g.sequence(&shape, budget);
    let name = format!("p{seed}");
    (Program { name, params, body }, inputs)
}

impl Gen {
    // -----------------------------------------------------------------------------------------
    // Parameters and sizes

    fn params(&mut self) -> (Vec<Param>, Vec<Value>) {
        let sizes: Vec<usize> = (0..2 + self.rng.below(3))
            .map(|_| match self.rng.weighted(&[4, 8, 26, 30, 20, 12]) {
                // The smallest size is rare: everything over it is nothing.
                0 if self.rng.chance(50) => 1,
                n => n,
            })
            .collect();
        let mut inputs = vec![];
        for k in 0..1 + self.rng.weighted(&[25, 40, 25, 10]) {
            let rank = self.rng.weighted(&[15, 45, 30, 10]);
            // The first one is no scalar, so that there is something to loop over.
            let rank = if k == 0 { rank.max(1) } else { rank };
            let shape: Vec<usize> = (0..rank).map(|_| self.rng.pick(&sizes)).collect();
            let n = shape.iter().product();
            let data = (0..n).map(|_| self.rng.real(-2.0, 2.0)).collect();
            inputs.push(Value::Real(Tensor::new(shape.clone(), data)));
            let hint = ["x", "y", "z", "w"][k];
            self.declare(hint, Elem::Real, &shape, Info::real(2.0));
        }
        if self.rng.chance(40) {
            let n = self.rng.pick(&sizes) as i64;
            inputs.push(Value::Int(Tensor::scalar(n)));
            self.declare("n", Elem::Int, &[], Info::int(n, n));
        }
        if self.rng.chance(12) {
            let k = self.rng.below(3) as i64;
            inputs.push(Value::Int(Tensor::scalar(k)));
            self.declare("k", Elem::Int, &[], Info::int(k, k));
        }
        if self.rng.chance(35) {
            let rank = 1 + self.rng.weighted(&[75, 25]);
            let shape: Vec<usize> = (0..rank).map(|_| self.rng.pick(&sizes)).collect();
            let below = self.rng.pick(&sizes).max(1);
            let n = shape.iter().product();
            let data = (0..n).map(|_| self.rng.below(below) as i64).collect();
            inputs.push(Value::Int(Tensor::new(shape.clone(), data)));
            self.declare("idx", Elem::Int, &shape, Info::int(0, below as i64 - 1));
        }
        if self.rng.chance(25) {
            let rank = self.rng.weighted(&[30, 55, 15]);
            let shape: Vec<usize> = (0..rank).map(|_| self.rng.pick(&sizes)).collect();
            let n = shape.iter().product();
            let data = (0..n).map(|_| self.rng.chance(50)).collect();
            inputs.push(Value::Bool(Tensor::new(shape.clone(), data)));
            self.declare("mask", Elem::Bool, &shape, Info::int(0, 0));
        }
        let params = (self.scope.iter())
            .map(|e| Param {
                sym: e.sym.clone(),
                ty: Ty {
                    elem: e.elem,
                    rank: e.shape.len(),
                },
            })
            .collect();
        (params, inputs)
    }

    fn declare(&mut self, hint: &str, elem: Elem, shape: &[usize], info: Info) {
        let sym = self.fresh.sym(hint);
        self.push(sym, elem, shape, info, false);
        let last = self.scope.last_mut().expect("just pushed");
        last.is_size = elem == Elem::Int && shape.is_empty();
    }

    fn push(&mut self, sym: Sym, elem: Elem, shape: &[usize], info: Info, varies: bool) {
        self.scope.push(Entry {
            sym,
            elem,
            shape: shape.to_vec(),
            info,
            varies,
            is_index: false,
            is_size: false,
            bound: None,
        });
    }

    /// Every length in scope, with an expression for it that is the same on all turns of all loops.
    fn lengths(&self) -> Vec<(usize, Expr)> {
        let mut all = vec![];
        for e in &self.scope {
            for (axis, &n) in e.shape.iter().enumerate() {
                all.push((n, Expr::dim(e.expr(), axis)));
            }
            if e.is_size {
                all.push((e.info.lo as usize, e.expr()));
            }
        }
        all
    }

    /// A size to loop over.
    fn some_size(&mut self) -> usize {
        let known: Vec<usize> = self.lengths().iter().map(|l| l.0).collect();
        let n = match self.rng.weighted(&[75, 8, 8, 9]) {
            0 => self.rng.pick(&known),
            1 => self.rng.pick(&known) + 1,
            2 => self.rng.pick(&known).saturating_sub(1).max(1),
            _ => 1 + self.rng.below(3),
        };
        // Nothing at all now and then, but not where something known offers it by chance each time.
        if n == 0 && self.rng.chance(40) {
            return 1 + self.rng.below(3);
        }
        n.min(if self.work > 60 { 3 } else { 5 })
    }

    /// An expression for a size.
    fn size(&mut self, n: usize) -> Expr {
        let all = self.lengths();
        let same: Vec<&Expr> = all.iter().filter(|l| l.0 == n).map(|l| &l.1).collect();
        if !same.is_empty() && self.rng.chance(85) {
            return same[self.rng.below(same.len())].clone();
        }
        if self.rng.chance(12) {
            return Expr::int(n as i64);
        }
        let ((a, x), (b, y)) = (self.rng.pick(&all), self.rng.pick(&all));
        let int = |k: usize| Expr::int(k as i64);
        let mut ways = vec![];
        if a.min(b) == n {
            ways.push(p2(Prim::IMin, x.clone(), y.clone()));
        } else if a.max(b) == n {
            ways.push(p2(Prim::IMax, x.clone(), y.clone()));
        }
        if a + b == n {
            ways.push(p2(Prim::IAdd, x.clone(), y.clone()));
        }
        if a * b == n {
            ways.push(p2(Prim::IMul, x.clone(), y.clone()));
        }
        if 2 * a == n {
            ways.push(p2(Prim::IMul, int(2), x.clone()));
        }
        if a / 2 == n {
            ways.push(p2(Prim::IDiv, x.clone(), int(2)));
        }
        if a + 1 == n + b {
            // The number of windows of length b.
            let d = p2(Prim::ISub, x.clone(), y);
            ways.push(p2(Prim::IAdd, d, int(1)));
        }
        if a > n {
            ways.push(p2(Prim::ISub, x, int(a - n)));
        } else if a < n {
            ways.push(p2(Prim::IAdd, x, int(n - a)));
        }
        if ways.is_empty() {
            return int(n);
        }
        self.rng.pick(&ways)
    }

    fn split(&mut self, budget: usize) -> (usize, usize) {
        let b = budget.saturating_sub(1);
        let k = self.rng.below(b + 1);
        (k, b - k)
    }

    /// Whether the value of an expression may differ between the turns of a loop around it.
    fn varies(&self, e: &Expr) -> bool {
        let mut found = false;
        visit(e, &mut |e| match &*e.kind {
            Kind::Var(s) => {
                found |= self.scope.iter().any(|v| v.sym == *s && v.varies);
                true
            }
            Kind::Dim(..) => false,
            Kind::Lit(_)
            | Kind::Prim(..)
            | Kind::Let(..)
            | Kind::If(..)
            | Kind::Build(..)
            | Kind::Reduce(..)
            | Kind::ArgReduce(..)
            | Kind::Scatter { .. }
            | Kind::Index(..)
            | Kind::Stop(_) => true,
        });
        found
    }

    // -----------------------------------------------------------------------------------------
    // Binders

    /// Runs `f` inside a loop of at most `most` turns.
    fn inside<T>(
        &mut self,
        var: &Sym,
        most: usize,
        bound: Option<Bound>,
        f: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let (work, dead) = (self.work, self.dead);
        self.work *= most.max(1);
        self.dead |= most == 0;
        self.scope.push(Entry {
            sym: var.clone(),
            elem: Elem::Int,
            shape: vec![],
            info: Info::int(0, (most as i64 - 1).max(0)),
            varies: true,
            is_index: true,
            is_size: false,
            bound,
        });
        let result = f(self);
        self.scope.pop();
        (self.work, self.dead) = (work, dead);
        result
    }

    fn index_sym(&mut self) -> Sym {
        let depth = self.scope.iter().filter(|e| e.is_index).count();
        self.fresh.sym(["i", "j", "k", "l", "m"][depth.min(4)])
    }

    /// The loop of a reduction: its variable, extent, fewest and most turns, and what bounds it.
    fn reduction(&mut self) -> (Sym, Expr, usize, usize, Option<Bound>) {
        let indices: Vec<Entry> = (self.scope.iter())
            .filter(|e| e.is_index && e.info.lo <= e.info.hi && e.info.lo >= 0)
            .cloned()
            .collect();
        let triangular = !indices.is_empty() && !self.dead && self.rng.chance(22);
        if !triangular {
            let n = self.some_size();
            let extent = self.size(n);
            return (self.index_sym(), extent, n, n, None);
        }
        let v = self.rng.pick(&indices);
        let (lo, hi) = (v.info.lo as usize, v.info.hi as usize);
        let at = v.expr();
        let id = v.sym.id;
        let (extent, few, most, bound) = match self.rng.weighted(&[30, 40, 30]) {
            0 => (at, lo, hi, Bound::UpTo(id, -1)),
            1 => {
                let e = p2(Prim::IAdd, at, Expr::int(1));
                (e, lo + 1, hi + 1, Bound::UpTo(id, 0))
            }
            _ => {
                let n = hi + self.rng.below(2);
                let e = p2(Prim::ISub, self.size(n), at);
                (e, n - hi, n - lo, Bound::Below(id, n as i64))
            }
        };
        (self.index_sym(), extent, few, most, Some(bound))
    }

    fn build(&mut self, n: usize, body: impl FnOnce(&mut Self) -> (Expr, Info)) -> (Expr, Info) {
        let extent = self.size(n);
        let var = self.index_sym();
        let (body, info) = self.inside(&var, n, None, body);
        (Expr::build(var, extent, body), info)
    }

    // -----------------------------------------------------------------------------------------
    // Conditions

    fn truth(&mut self, budget: usize) -> (Expr, Option<Narrow>) {
        let indices: Vec<Entry> = (self.scope.iter())
            .filter(|e| e.is_index && e.info.lo <= e.info.hi)
            .cloned()
            .collect();
        let has = usize::from(!indices.is_empty());
        let masks: Vec<Entry> = self.readable(Elem::Bool);
        let deep = usize::from(budget > 1);
        let odds = [
            30,
            30 * has,
            12,
            15 * usize::from(!masks.is_empty()),
            10 * deep,
            8 * deep,
            2,
        ];
        match self.rng.weighted(&odds) {
            0 => {
                let (b1, b2) = self.split(budget);
                let (a, info) = self.real(b1);
                let b = if self.rng.chance(60) {
                    Expr::real(self.round(-0.5 * info.mag.min(2.0), 0.5 * info.mag.min(2.0)))
                } else {
                    self.real(b2).0
                };
                let p = self.rng.pick(&[Prim::Lt, Prim::Gt, Prim::Le, Prim::Ge]);
                (p2(p, a, b), None)
            }
            1 => {
                let v = self.rng.pick(&indices);
                let (lo, hi) = (v.info.lo, v.info.hi);
                let c = lo + self.rng.below((hi - lo + 1) as usize) as i64;
                let below = ((lo, c - 1), (c, hi));
                let above = ((c + 1, hi), (lo, c));
                let at = ((c, c), (lo, hi));
                let swap = |(a, b)| (b, a);
                let (p, (then, other)) = match self.rng.below(6) {
                    0 => (Prim::ILt, below),
                    1 => (Prim::IGe, swap(below)),
                    2 => (Prim::IGt, above),
                    3 => (Prim::ILe, swap(above)),
                    4 => (Prim::IEq, at),
                    _ => (Prim::INe, swap(at)),
                };
                (p2(p, v.expr(), Expr::int(c)), Some((v.sym.id, then, other)))
            }
            2 => {
                let (b1, b2) = self.split(budget);
                let (a, ..) = self.int(b1);
                let (b, ..) = self.int(b2);
                let p = self
                    .rng
                    .pick(&[Prim::ILt, Prim::ILe, Prim::IGt, Prim::IEq, Prim::INe]);
                (p2(p, a, b), None)
            }
            3 => {
                let e = self.rng.pick(&masks);
                (self.read(&e, budget).0, None)
            }
            4 => {
                let (b1, b2) = self.split(budget);
                let (a, b) = (self.truth(b1).0, self.truth(b2).0);
                let p = self.rng.pick(&[Prim::And, Prim::Or, Prim::Xor]);
                (p2(p, a, b), None)
            }
            5 => {
                let (e, narrow) = self.truth(budget.saturating_sub(1));
                (p1(Prim::Not, e), narrow.map(|(v, a, b)| (v, b, a)))
            }
            _ => (Expr::lit(Lit::Bool(self.rng.chance(50))), None),
        }
    }

    /// A branch, whose arms `f` generates knowing what the condition says.
    fn branch(
        &mut self,
        budget: usize,
        f: &mut dyn FnMut(&mut Self, usize) -> (Expr, Info),
    ) -> (Expr, Info) {
        let (b1, b2) = self.split(budget);
        let (cond, narrow) = self.truth(b1 / 2);
        let (b2, b3) = self.split(b2 + b1 / 2 + 1);
        let (a, info_a) = self.narrowed(narrow.map(|n| (n.0, n.1)), |g| f(g, b2));
        let (b, info_b) = self.narrowed(narrow.map(|n| (n.0, n.2)), |g| f(g, b3));
        (Expr::cond(cond, a, b), info_a.join(info_b))
    }

    fn narrowed<T>(
        &mut self,
        range: Option<(u32, (i64, i64))>,
        f: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let Some((id, (lo, hi))) = range else {
            return f(self);
        };
        let dead = self.dead;
        let at = (self.scope.iter())
            .position(|e| e.sym.id == id)
            .expect("the variable is in scope");
        let info = self.scope[at].info;
        if lo > hi {
            self.dead = true;
        } else {
            (self.scope[at].info.lo, self.scope[at].info.hi) = (lo, hi);
        }
        let result = f(self);
        self.scope[at].info = info;
        self.dead = dead;
        result
    }

    // -----------------------------------------------------------------------------------------
    // Integers

    fn indices(&self) -> Vec<Entry> {
        let scalars = (self.scope.iter()).filter(|e| e.elem == Elem::Int && e.shape.is_empty());
        let all: Vec<Entry> = scalars.cloned().collect();
        let loops: Vec<Entry> = all.iter().filter(|e| e.is_index).cloned().collect();
        // Loop indices are what is interesting: they count fivefold.
        (0..4).flat_map(|_| loops.clone()).chain(all).collect()
    }

    /// An integer, with its range.
    fn int(&mut self, budget: usize) -> (Expr, i64, i64) {
        let vars = self.indices();
        let has = usize::from(!vars.is_empty());
        let deep = usize::from(budget > 1);
        let tables = self.readable(Elem::Int);
        let table = usize::from(!tables.is_empty() && budget > 0);
        let looping = usize::from(budget > 3 && self.work <= 80);
        let odds = [
            40 * has,
            8,
            5,
            12 * has,
            8 * has,
            6 * has * deep,
            12 * table,
            4 * has,
            14 * looping,
            3 * looping,
            3 * deep,
            2 * deep,
            2 * deep,
            1,
        ];
        match self.rng.weighted(&odds) {
            0 => {
                let v = self.rng.pick(&vars);
                (v.expr(), v.info.lo, v.info.hi)
            }
            1 => {
                let c = self.rng.below(4) as i64;
                (Expr::int(c), c, c)
            }
            2 => {
                let n = self.some_size();
                (self.size(n), n as i64, n as i64)
            }
            3 => {
                let (v, w) = (self.rng.pick(&vars), self.rng.pick(&vars));
                if self.rng.chance(50) {
                    let e = p2(Prim::IAdd, v.expr(), w.expr());
                    (e, v.info.lo + w.info.lo, v.info.hi + w.info.hi)
                } else {
                    let e = p2(Prim::ISub, v.expr(), w.expr());
                    (e, v.info.lo - w.info.hi, v.info.hi - w.info.lo)
                }
            }
            4 => {
                let v = self.rng.pick(&vars);
                let c = 1 + self.rng.below(2) as i64;
                let (p, c1) = self.rng.pick(&[(Prim::IAdd, c), (Prim::ISub, -c)]);
                (
                    p2(p, v.expr(), Expr::int(c)),
                    v.info.lo + c1,
                    v.info.hi + c1,
                )
            }
            5 => {
                let (a, lo, hi) = self.int(budget - 1);
                let c = self.rng.pick(&[2, 2, 3, -1]);
                let (x, y) = (lo * c, hi * c);
                (p2(Prim::IMul, Expr::int(c), a), x.min(y), x.max(y))
            }
            6 => {
                let e = self.rng.pick(&tables);
                let (x, info) = self.read(&e, budget - 1);
                (x, info.lo, info.hi)
            }
            7 => {
                let v = self.rng.pick(&vars);
                let c = 2 + self.rng.below(2) as i64;
                match self.rng.below(3) {
                    0 if v.info.lo >= 0 => {
                        let e = p2(Prim::IDiv, v.expr(), Expr::int(c));
                        (e, v.info.lo / c, v.info.hi / c)
                    }
                    1 if v.info.lo >= 0 => {
                        let e = p2(Prim::IRem, v.expr(), Expr::int(c));
                        (e, 0, v.info.hi.min(c - 1))
                    }
                    _ => (p2(Prim::IRemEuclid, v.expr(), Expr::int(c)), 0, c - 1),
                }
            }
            8 => {
                let (var, extent, _, most, bound) = self.reduction();
                let (body, _) = self.inside(&var, most, bound, |g| g.real(budget - 2));
                let op = self.rng.pick(&[Extremum::Max, Extremum::Min]);
                let e = Expr::arg_reduce(op, var, extent, body);
                (e, 0, (most as i64 - 1).max(0))
            }
            9 => {
                let (var, extent, _, most, bound) = self.reduction();
                let (body, lo, hi) = self.inside(&var, most, bound, |g| g.int(budget - 2));
                let n = most as i64;
                let e = Expr::reduce(ReduceOp::Sum, var, extent, body);
                self.small(e, (lo * n).min(0), (hi * n).max(0))
            }
            10 => {
                let (b1, b2) = self.split(budget);
                let ((a, l, h), (b, m, k)) = (self.int(b1), self.int(b2));
                if self.rng.chance(50) {
                    (p2(Prim::IMin, a, b), l.min(m), h.min(k))
                } else {
                    (p2(Prim::IMax, a, b), l.max(m), h.max(k))
                }
            }
            11 => {
                let (e, info) = self.branch(budget, &mut |g, b| {
                    let (e, lo, hi) = g.int(b);
                    (e, Info::int(lo, hi))
                });
                (e, info.lo, info.hi)
            }
            12 => {
                let (e, _) = self.truth(budget / 2);
                (p1(Prim::BoolToInt, e), 0, 1)
            }
            _ => {
                let (e, info) = self.real(budget.min(3));
                let (e, mag) = self.tame(e, info.mag, 3.0);
                let n = mag.ceil() as i64;
                (p1(Prim::RealToInt, e), -n, n)
            }
        }
    }

    /// Keeps integers small.
    fn small(&mut self, e: Expr, lo: i64, hi: i64) -> (Expr, i64, i64) {
        if lo > -50 && hi < 50 {
            return (e, lo, hi);
        }
        let c = 5 + self.rng.below(4) as i64;
        (p2(Prim::IRemEuclid, e, Expr::int(c)), 0, c - 1)
    }

    /// An index into an axis of length `n`.
    fn index(&mut self, n: usize, budget: usize) -> Expr {
        let vars = self.indices();
        if n == 0 || self.dead {
            // Never evaluated.
            let loops: Vec<Entry> = vars.into_iter().filter(|e| e.is_index).collect();
            return match loops.is_empty() {
                true => Expr::int(0),
                false => self.rng.pick(&loops).expr(),
            };
        }
        let top = n as i64 - 1;
        let fits = |lo: i64, hi: i64| lo >= 0 && hi <= top;
        let bounded: Vec<Entry> = vars.iter().filter(|e| e.bound.is_some()).cloned().collect();
        for _ in 0..8 {
            let (e, lo, hi) = match self.rng.weighted(&[50, 14, 16, 10, 6, 14]) {
                0 => {
                    let fit: Vec<&Entry> = vars
                        .iter()
                        .filter(|e| e.is_index && fits(e.info.lo, e.info.hi))
                        .collect();
                    if fit.is_empty() {
                        continue;
                    }
                    return fit[self.rng.below(fit.len())].expr();
                }
                1 => {
                    // From the end: (m - 1) - v
                    if vars.is_empty() {
                        continue;
                    }
                    let v = self.rng.pick(&vars);
                    let m = if self.rng.chance(50) {
                        n as i64
                    } else {
                        v.info.hi + 1
                    };
                    if m < 1 {
                        continue;
                    }
                    let last = p2(Prim::ISub, self.size(m as usize), Expr::int(1));
                    let e = p2(Prim::ISub, last, v.expr());
                    (e, m - 1 - v.info.hi, m - 1 - v.info.lo)
                }
                2 => self.int(budget),
                3 => {
                    if bounded.is_empty() {
                        continue;
                    }
                    let v = self.rng.pick(&bounded);
                    let other = |id: u32| vars.iter().find(|e| e.sym.id == id).cloned();
                    match v.bound {
                        Some(Bound::UpTo(id, k)) => {
                            let Some(w) = other(id) else { continue };
                            let d = p2(Prim::ISub, w.expr(), v.expr());
                            let e = match k {
                                0 => d,
                                _ => p2(Prim::IAdd, d, Expr::int(k)),
                            };
                            (e, 0, w.info.hi + k)
                        }
                        Some(Bound::Below(id, m)) => {
                            let Some(w) = other(id) else { continue };
                            let e = p2(Prim::IAdd, w.expr(), v.expr());
                            (e, w.info.lo.max(0), m - 1)
                        }
                        None => continue,
                    }
                }
                4 => {
                    let c = self.rng.below(n) as i64;
                    (Expr::int(c), c, c)
                }
                _ => {
                    // A neighbour: as far as the range allows, here and behind conditions.
                    if vars.is_empty() {
                        continue;
                    }
                    let v = self.rng.pick(&vars);
                    let (low, high) = (-v.info.lo, top - v.info.hi);
                    if low > high {
                        continue;
                    }
                    let c = low + self.rng.below((high - low + 1) as usize) as i64;
                    let e = match c {
                        0 => v.expr(),
                        c if c < 0 => p2(Prim::ISub, v.expr(), Expr::int(-c)),
                        c => p2(Prim::IAdd, v.expr(), Expr::int(c)),
                    };
                    (e, v.info.lo + c, v.info.hi + c)
                }
            };
            if fits(lo, hi) {
                return e;
            }
        }
        match self.rng.below(3) {
            0 => {
                let (e, ..) = self.int(budget);
                let n = self.size(n);
                p2(Prim::IRemEuclid, e, n)
            }
            1 => {
                let (e, ..) = self.int(budget);
                let last = p2(Prim::ISub, self.size(n), Expr::int(1));
                let e = p2(Prim::IMax, e, Expr::int(0));
                p2(Prim::IMin, e, last)
            }
            _ => Expr::int(self.rng.below(n) as i64),
        }
    }

    /// What has an element to read.
    fn readable(&self, elem: Elem) -> Vec<Entry> {
        let fits = |e: &&Entry| e.elem == elem && (self.dead || !e.shape.contains(&0));
        self.scope.iter().filter(fits).cloned().collect()
    }

    /// An element of a variable.
    fn read(&mut self, v: &Entry, budget: usize) -> (Expr, Info) {
        if v.shape.is_empty() {
            return (v.expr(), v.info);
        }
        let each = (budget / v.shape.len()).min(4);
        let mut at = vec![];
        for &n in &v.shape {
            at.push(Some(self.index(n, each)));
        }
        // Sometimes in two steps.
        if at.len() > 1 && self.rng.chance(10) {
            let last = at.pop();
            at.push(None);
            return (
                Expr::index(Expr::index(v.expr(), at), last.into_iter().collect()),
                v.info,
            );
        }
        (Expr::index(v.expr(), at), v.info)
    }

    // -----------------------------------------------------------------------------------------
    // Reals

    fn round(&mut self, low: f64, high: f64) -> f64 {
        (self.rng.real(low, high) * 1000.0).round() / 1000.0
    }

    /// The same number, or a function of it that is no larger than `most`.
    fn tame(&mut self, e: Expr, mag: f64, most: f64) -> (Expr, f64) {
        if mag <= most {
            return (e, mag);
        }
        match self.rng.weighted(&[30, 20, 35, 15]) {
            0 if most >= 1.0 => (p1(Prim::Tanh, e), 1.0),
            1 if most >= 1.0 => (p1(Prim::Sin, e), 1.0),
            3 if most >= 1.6 => (p1(Prim::Atan, e), 1.6),
            _ => {
                // A power of two, so that it prints short.
                let c = (most / mag).log2().floor().exp2();
                (p2(Prim::Mul, Expr::real(c), e), c * mag)
            }
        }
    }

    /// A number that is used more than once.
    fn shared(&mut self, e: Expr, body: impl FnOnce(&mut Self, Expr) -> Expr) -> Expr {
        if let Kind::Var(_) = &*e.kind {
            return body(self, e);
        }
        let t = self.fresh.sym("t");
        let v = Expr::var(&t, e.ty);
        let body = body(self, v);
        Expr::bind(t, e, body)
    }

    /// A number of at least 1/5, made of another.
    fn positive(&mut self, e: Expr, mag: f64) -> (Expr, f64) {
        match self.rng.weighted(&[30, 15, 15, 12, 10, 8]) {
            0 => {
                let (e, m) = self.tame(e, mag, 4.0);
                let e = self.shared(e, |_, t| {
                    let square = p2(Prim::Mul, t.clone(), t);
                    p2(Prim::Add, Expr::real(0.5), square)
                });
                (e, 0.5 + m * m)
            }
            1 => {
                let (e, m) = self.tame(e, mag, 4.0);
                let square = p2(Prim::Powi, e, Expr::int(2));
                (p2(Prim::Add, square, Expr::real(0.75)), 0.75 + m * m)
            }
            2 => (p2(Prim::Add, Expr::real(1.25), p1(Prim::Sin, e)), 2.25),
            3 => {
                let (e, m) = self.tame(e, mag, 1.5);
                (p1(Prim::Exp, e), m.exp())
            }
            4 => {
                let e = p1(Prim::Softplus, e);
                (p2(Prim::Add, e, Expr::real(0.25)), mag + 1.0)
            }
            _ => (
                p2(Prim::Add, p1(Prim::Abs, e), Expr::real(0.375)),
                mag + 0.375,
            ),
        }
    }

    fn leaf(&mut self, budget: usize) -> (Expr, Info) {
        let all = self.readable(Elem::Real);
        let odds = [85 * usize::from(!all.is_empty()), 10, 5];
        match self.rng.weighted(&odds) {
            0 => {
                // What was bound last is more likely to be read.
                let a = self.rng.below(all.len());
                let b = self.rng.below(all.len());
                let k = if self.rng.chance(25) {
                    all.len() - 1
                } else {
                    a.max(b)
                };
                let v = all[k].clone();
                // Now and then the index is worth something.
                let index = if self.rng.chance(10) {
                    8
                } else {
                    budget.min(6)
                };
                self.read(&v, index)
            }
            1 => {
                let c = self.round(-2.0, 2.0);
                (Expr::real(c), Info::real(c.abs()))
            }
            _ => {
                let (e, lo, hi) = self.int(1);
                let (e, lo, hi) = self.small(e, lo, hi);
                let mag = lo.abs().max(hi.abs()) as f64;
                (p1(Prim::IntToReal, e), Info::real(mag))
            }
        }
    }

    /// A real scalar.
    fn real(&mut self, budget: usize) -> (Expr, Info) {
        let (e, info) = self.real_untamed(budget);
        let (e, mag) = self.tame(e, info.mag, MOST);
        (e, Info::real(mag))
    }

    fn real_untamed(&mut self, budget: usize) -> (Expr, Info) {
        if budget <= 1 {
            return self.leaf(budget);
        }
        let looping = usize::from(budget > 2 && self.work <= 120);
        let odds = [6, 34, 24, 30 * looping, 10, 9, 5, 4 * looping, 3];
        match self.rng.weighted(&odds) {
            0 => self.leaf(budget),
            1 => self.arithmetic(budget),
            2 => self.function(budget),
            3 => self.fold(budget),
            4 => self.branch(budget, &mut |g, b| g.real(b)),
            5 => self.binding(&[], budget),
            6 => {
                // Both are computed, one is taken; the other may have no value.
                let (e, info) = self.real(budget - 1);
                let p = self.rng.pick(&[Prim::Ln, Prim::Sqrt, Prim::Recip]);
                let lazily = self.rng.chance(50);
                let e = self.shared(e, |g, t| {
                    let above = Expr::real(g.round(0.25, 0.5));
                    let c = p2(Prim::Gt, t.clone(), above);
                    let f = p1(p, t.clone());
                    if lazily {
                        Expr::cond(c, f, t)
                    } else {
                        p3(Prim::Select, c, f, t)
                    }
                });
                (e, Info::real(info.mag.max(4.0)))
            }
            7 => {
                // An element of an array that exists for it alone.
                let n = self.some_size();
                if n == 0 {
                    return self.leaf(budget);
                }
                let (b1, b2) = self.split(budget);
                let (a, info) = self.array(Elem::Real, &[n], b1);
                let at = self.index(n, b2.min(4));
                (Expr::index(a, vec![Some(at)]), info)
            }
            _ => {
                let (e, info) = self.real(budget - 1);
                (Expr::stop(e), info)
            }
        }
    }

    fn arithmetic(&mut self, budget: usize) -> (Expr, Info) {
        let (b1, b2) = self.split(budget);
        let (a, m) = self.real(b1);
        let (b, n) = self.real(b2);
        let (m, n) = (m.mag, n.mag);
        let (e, mag) = match self
            .rng
            .weighted(&[22, 16, 34, 8, 5, 3, 3, 3, 4, 2, 1, 1, 4])
        {
            0 => (p2(Prim::Add, a, b), m + n),
            1 => (p2(Prim::Sub, a, b), m + n),
            2 => (p2(Prim::Mul, a, b), m * n),
            3 => {
                let (b, _) = self.positive(b, n);
                (p2(Prim::Div, a, b), 5.0 * m)
            }
            4 => {
                let c = self.round(-1.0, 1.0);
                let e = p3(Prim::MulAdd, a, b, Expr::real(c));
                (e, m * n + 1.1)
            }
            5 => (p2(Prim::Max, a, b), m.max(n)),
            6 => (p2(Prim::Min, a, b), m.max(n)),
            7 => {
                let (b, k) = self.positive(b, n);
                (p2(Prim::Atan2, a, b), 1.6 + 0.0 * k)
            }
            8 => {
                let (b, n) = self.positive(b, n);
                (p2(Prim::Hypot, a, b), m + n)
            }
            9 => {
                let (a, m) = self.positive(a, m);
                let (a, m) = if m > 8.0 {
                    (p1(Prim::Sqrt, a), m.sqrt())
                } else {
                    (a, m)
                };
                let (b, n) = self.tame(b, n, 2.0);
                (p2(Prim::Powf, a, b), m.max(5.0).powf(n))
            }
            10 => {
                let c = self.round(0.75, 1.75);
                let p = self.rng.pick(&[Prim::Rem, Prim::RemEuclid]);
                (p2(p, a, Expr::real(c)), 1.8)
            }
            11 => (p2(Prim::Copysign, a, b), m),
            _ => {
                let (c, _) = self.truth(2);
                (p3(Prim::Select, c, a, b), m.max(n))
            }
        };
        (e, Info::real(mag))
    }

    fn function(&mut self, budget: usize) -> (Expr, Info) {
        let (e, info) = self.real(budget - 1);
        let m = info.mag;
        let usual = self.rng.pick(&[
            Prim::Neg,
            Prim::Sin,
            Prim::Cos,
            Prim::Tanh,
            Prim::Exp,
            Prim::Atan,
            Prim::Sigmoid,
            Prim::Softplus,
            Prim::Erf,
            Prim::Asinh,
            Prim::Ln,
            Prim::Sqrt,
            Prim::Powi,
            Prim::Recip,
            Prim::Abs,
            Prim::Relu,
        ]);
        let unusual = self.rng.pick(&[
            Prim::Exp2,
            Prim::ExpM1,
            Prim::Log2,
            Prim::Log10,
            Prim::Ln1p,
            Prim::Cbrt,
            Prim::Tan,
            Prim::Asin,
            Prim::Acos,
            Prim::Sinh,
            Prim::Cosh,
            Prim::Acosh,
            Prim::Atanh,
            Prim::Sign0,
            Prim::Signum,
            Prim::Floor,
            Prim::Ceil,
            Prim::Round,
            Prim::Trunc,
            Prim::Fract,
            Prim::Lgamma,
            Prim::Digamma,
            Prim::Polygamma,
        ]);
        let p = if self.rng.chance(10) { unusual } else { usual };
        let is = |ps: &[Prim]| ps.contains(&p);
        let (e, mag) = if is(&[Prim::Neg, Prim::Abs, Prim::Relu]) {
            (p1(p, e), m)
        } else if is(&[Prim::Floor, Prim::Ceil, Prim::Round, Prim::Trunc]) {
            (p1(p, e), m + 1.0)
        } else if is(&[
            Prim::Sin,
            Prim::Cos,
            Prim::Tanh,
            Prim::Sigmoid,
            Prim::Erf,
            Prim::Sign0,
            Prim::Signum,
            Prim::Fract,
        ]) {
            (p1(p, e), 1.0)
        } else if is(&[Prim::Atan]) {
            (p1(p, e), 1.6)
        } else if is(&[Prim::Softplus, Prim::Asinh]) {
            (p1(p, e), m + 1.0)
        } else if is(&[Prim::Exp, Prim::Exp2, Prim::ExpM1, Prim::Sinh, Prim::Cosh]) {
            let (e, m) = self.tame(e, m, 2.5);
            (p1(p, e), m.exp())
        } else if is(&[Prim::Powi]) {
            let n = self.rng.below(4) as i64;
            let (e, m) = self.tame(e, m, 3.0);
            let e = p2(p, e, Expr::int(n));
            (e, m.max(1.0).powf(n as f64))
        } else if is(&[Prim::Recip]) {
            let (e, _) = self.positive(e, m);
            (p1(p, e), 5.0)
        } else if is(&[Prim::Ln, Prim::Log2, Prim::Log10, Prim::Ln1p]) {
            let (e, m) = self.positive(e, m);
            (p1(p, e), 2.5 + 1.5 * (1.0 + m).ln())
        } else if is(&[Prim::Sqrt, Prim::Cbrt]) {
            let (e, m) = self.positive(e, m);
            (p1(p, e), 1.0 + m.sqrt())
        } else if is(&[Prim::Tan, Prim::Asin, Prim::Acos, Prim::Atanh]) {
            let (e, _) = self.tame(e, m, 1.0);
            (p1(p, p2(Prim::Mul, Expr::real(0.8), e)), 2.5)
        } else if is(&[Prim::Acosh]) {
            let (e, m) = self.positive(e, m);
            (
                p1(p, p2(Prim::Add, Expr::real(1.25), e)),
                2.0 + (2.0 + m).ln(),
            )
        } else {
            let (e, m) = self.tame(e, m, 2.0);
            let (e, m) = self.positive(e, m);
            let e = p2(Prim::Add, Expr::real(0.5), e);
            let mag = 3.0 + m * (1.0 + m).ln();
            if p == Prim::Polygamma {
                let n = 1 + self.rng.below(2) as i64;
                (p2(p, e, Expr::int(n)), 10.0)
            } else {
                (p1(p, e), mag)
            }
        };
        (e, Info::real(mag))
    }

    /// A reduction to a real scalar.
    fn fold(&mut self, budget: usize) -> (Expr, Info) {
        let (var, extent, few, most, bound) = self.reduction();
        let op = match self.rng.weighted(&[64, 10, 9, 7, 10]) {
            0 => ReduceOp::Sum,
            1 => ReduceOp::Product,
            2 => ReduceOp::Max,
            3 => ReduceOp::Min,
            _ => ReduceOp::LogSumExp,
        };
        // An extremum of nothing is infinite.
        let finite = matches!(op, ReduceOp::Sum | ReduceOp::Product) || few > 0 || self.dead;
        let op = if finite { op } else { ReduceOp::Sum };
        let (body, mag) = self.inside(&var, most, bound, |g| g.term(op, &[], budget - 2));
        let n = most as f64;
        let mag = match op {
            ReduceOp::Sum => mag * n,
            ReduceOp::Product => mag.max(1.0).powf(n),
            ReduceOp::Max | ReduceOp::Min => mag,
            ReduceOp::LogSumExp => mag + n.max(1.0).ln(),
        };
        (Expr::reduce(op, var, extent, body), Info::real(mag))
    }

    /// What is reduced, with its magnitude.
    fn term(&mut self, op: ReduceOp, shape: &[usize], budget: usize) -> (Expr, f64) {
        if !shape.is_empty() {
            let (e, info) = self.array(Elem::Real, shape, budget);
            return (e, info.mag);
        }
        if op == ReduceOp::Sum && self.rng.chance(20) {
            // A product of two elements, as in the product of matrices.
            let (a, m) = self.leaf(1);
            let most = 2 + self.rng.below(6);
            let (b, n) = self.real(budget.saturating_sub(1).min(most));
            return (p2(Prim::Mul, a, b), m.mag * n.mag);
        }
        let (e, info) = self.real(budget);
        if op != ReduceOp::Product {
            return (e, info.mag);
        }
        let (e, m) = self.tame(e, info.mag, 1.4);
        if self.rng.chance(50) {
            return (e, m);
        }
        let e = p2(Prim::Mul, Expr::real(0.25), e);
        (p2(Prim::Add, Expr::real(1.0), e), 1.0 + 0.25 * m)
    }

    // -----------------------------------------------------------------------------------------
    // Arrays, and what has any type

    fn any(&mut self, elem: Elem, shape: &[usize], budget: usize) -> (Expr, Info) {
        if !shape.is_empty() {
            return self.array(elem, shape, budget);
        }
        match elem {
            Elem::Real => self.real(budget),
            Elem::Int => {
                let (e, lo, hi) = self.int(budget);
                let (e, lo, hi) = self.small(e, lo, hi);
                (e, Info::int(lo, hi))
            }
            Elem::Bool => (self.truth(budget).0, Info::int(0, 0)),
        }
    }

    /// Variables of a shape, also as parts of larger ones.
    fn part(&mut self, elem: Elem, shape: &[usize], budget: usize) -> Option<(Expr, Info)> {
        let mut found: Vec<(Entry, Vec<bool>)> = vec![];
        for e in &self.scope {
            let extra = e.shape.len().checked_sub(shape.len());
            let (true, Some(extra)) = (e.elem == elem, extra) else {
                continue;
            };
            // Which axes are kept: every choice that leaves this shape.
            for bits in 0..1u32 << e.shape.len() {
                let kept: Vec<bool> = (0..e.shape.len()).map(|k| bits >> k & 1 == 1).collect();
                let axes = || e.shape.iter().zip(&kept);
                let left = axes().filter(|a| *a.1).map(|a| *a.0);
                let fixed = axes().filter(|a| !*a.1).map(|a| *a.0);
                let sound = self.dead || fixed.clone().all(|n| n > 0);
                if fixed.count() == extra && sound && left.eq(shape.iter().copied()) {
                    found.push((e.clone(), kept));
                }
            }
        }
        if found.is_empty() {
            return None;
        }
        let (e, kept) = self.rng.pick(&found);
        if kept.iter().all(|&k| k) {
            return Some((e.expr(), e.info));
        }
        let mut at = vec![];
        for (&n, &kept) in e.shape.iter().zip(&kept) {
            at.push(match kept {
                true => None,
                false => Some(self.index(n, budget.min(3))),
            });
        }
        Some((Expr::index(e.expr(), at), e.info))
    }

    /// An array, of one axis at least.
    fn array(&mut self, elem: Elem, shape: &[usize], budget: usize) -> (Expr, Info) {
        let (e, info) = self.array_untamed(elem, shape, budget);
        if info.mag <= MOST || elem != Elem::Real {
            return (e, info);
        }
        // Bring every element down again.
        let t = self.fresh.sym("a");
        let varies = self.varies(&e);
        self.push(t.clone(), elem, shape, info, varies);
        let whole = Expr::var(&t, e.ty);
        let (body, info) = self.scaled(whole, shape, vec![], info.mag);
        self.scope.pop();
        (Expr::bind(t, e, body), info)
    }

    fn scaled(&mut self, a: Expr, shape: &[usize], mut at: Vec<Sym>, mag: f64) -> (Expr, Info) {
        let Some(&n) = shape.get(at.len()) else {
            let index = |s: &Sym| Some(Expr::var(s, Ty::scalar(Elem::Int)));
            let e = Expr::index(a, at.iter().map(index).collect());
            let (e, mag) = self.tame(e, mag, MOST);
            return (e, Info::real(mag));
        };
        let extent = self.size(n);
        let var = self.index_sym();
        at.push(var.clone());
        let (body, info) = self.inside(&var, n, None, |g| g.scaled(a, shape, at, mag));
        (Expr::build(var, extent, body), info)
    }

    fn array_untamed(&mut self, elem: Elem, shape: &[usize], budget: usize) -> (Expr, Info) {
        let volume: usize = shape.iter().product();
        let deep = usize::from(budget > 2);
        let real = usize::from(elem == Elem::Real);
        let looping = usize::from(budget > 3 && self.work * volume <= 120) * real;
        let odds = [
            if budget <= 2 { 30 } else { 9 },
            50,
            9 * deep,
            8 * deep,
            9 * looping,
            2 * looping,
            10 * looping,
            3 * deep,
            4 * looping,
        ];
        match self.rng.weighted(&odds) {
            0 => {
                if let Some(found) = self.part(elem, shape, budget) {
                    return found;
                }
                self.build(shape[0], |g| {
                    g.any(elem, &shape[1..], budget.saturating_sub(1))
                })
            }
            1 => self.build(shape[0], |g| {
                g.any(elem, &shape[1..], budget.saturating_sub(1))
            }),
            2 => self.branch(budget, &mut |g, b| g.array(elem, shape, b)),
            3 => match elem {
                Elem::Real => self.binding(shape, budget),
                Elem::Int | Elem::Bool => {
                    self.build(shape[0], |g| g.any(elem, &shape[1..], budget - 1))
                }
            },
            4 | 5 if !self.rng.chance(20) => {
                let (var, extent, _, most, bound) = self.reduction();
                let inner = |g: &mut Self| g.term(ReduceOp::Sum, shape, budget - 2);
                let (body, mag) = self.inside(&var, most, bound, inner);
                let e = Expr::reduce(ReduceOp::Sum, var, extent, body);
                (e, Info::real(mag * most as f64))
            }
            4 | 5 => {
                let (var, extent, _, most, bound) = self.reduction();
                let inner = |g: &mut Self| g.factors(shape, budget.saturating_sub(2));
                let (body, mag) = self.inside(&var, most, bound, inner);
                let e = Expr::reduce(ReduceOp::Product, var, extent, body);
                (e, Info::real(mag.max(1.0).powf(most as f64)))
            }
            6 => self.scatter(shape, budget),
            7 => {
                let (e, info) = self.array(elem, shape, budget - 1);
                (Expr::stop(e), info)
            }
            _ => {
                // A part of an array that exists for it alone.
                let n = self.some_size().max(1);
                let axis = self.rng.below(shape.len() + 1);
                let mut larger = shape.to_vec();
                larger.insert(axis, n);
                let (b1, b2) = self.split(budget);
                let (a, info) = self.array(elem, &larger, b1);
                let mut at = vec![None; shape.len()];
                at.insert(axis, Some(self.index(n, b2.min(3))));
                (Expr::index(a, at), info)
            }
        }
    }

    fn factors(&mut self, shape: &[usize], budget: usize) -> (Expr, f64) {
        match shape.split_first() {
            None => self.term(ReduceOp::Product, &[], budget),
            Some((&n, rest)) => {
                let (e, info) = self.build(n, |g| {
                    let (e, mag) = g.factors(rest, budget.saturating_sub(1));
                    (e, Info::real(mag))
                });
                (e, info.mag)
            }
        }
    }

    fn scatter(&mut self, shape: &[usize], budget: usize) -> (Expr, Info) {
        let extents: Vec<Expr> = shape.iter().map(|&n| self.size(n)).collect();
        // Nothing can be added to what has no elements.
        let n = if shape.contains(&0) && !self.dead {
            0
        } else {
            self.some_size()
        };
        let extent = self.size(n);
        let var = self.index_sym();
        let (b1, b2) = self.split(budget);
        let (index, value, mag) = self.inside(&var, n, None, |g| {
            let each = (b1 / shape.len()).min(4);
            let index: Vec<Expr> = shape.iter().map(|&n| g.index(n, each)).collect();
            let (value, info) = g.real(b2);
            (index, value, info.mag)
        });
        let ty = Ty {
            elem: Elem::Real,
            rank: shape.len(),
        };
        let kind = Kind::Scatter {
            extents,
            binder: Binder { var, extent },
            index,
            value,
        };
        (Expr::new(kind, ty), Info::real(mag * n as f64))
    }

    /// A binding of something, then a result of this shape.
    fn binding(&mut self, shape: &[usize], budget: usize) -> (Expr, Info) {
        let (b1, b2) = self.split(budget);
        let (elem, rank) = match self.rng.weighted(&[30, 30, 10, 14, 8, 4, 4]) {
            0 => (Elem::Real, 0),
            1 => (Elem::Real, 1),
            2 => (Elem::Real, 2),
            3 => (Elem::Int, 0),
            4 => (Elem::Int, 1),
            5 => (Elem::Bool, 0),
            _ => (Elem::Bool, 1),
        };
        let rank = if self.work > 60 { 0 } else { rank };
        let bound_shape: Vec<usize> = (0..rank).map(|_| self.some_size()).collect();
        // A size, sometimes.
        let is_size = (elem, rank) == (Elem::Int, 0) && self.rng.chance(50);
        let (bound, info) = if is_size {
            let n = self.some_size();
            (self.size(n), Info::int(n as i64, n as i64))
        } else {
            self.any(elem, &bound_shape, b1)
        };
        let hint = match elem {
            Elem::Real => ["s", "v", "m"][rank],
            Elem::Int => ["c", "ks"][rank],
            Elem::Bool => ["p", "ps"][rank],
        };
        let sym = self.fresh.sym(hint);
        let varies = self.varies(&bound);
        self.push(sym.clone(), elem, &bound_shape, info, varies);
        self.scope.last_mut().expect("just pushed").is_size = is_size;
        let (body, info) = self.any(Elem::Real, shape, b2);
        self.scope.pop();
        (Expr::bind(sym, bound, body), info)
    }

    /// The body of a function: some bindings, then the result.
    fn sequence(&mut self, shape: &[usize], budget: usize) -> (Expr, Info) {
        if budget > 8 && self.rng.chance(35) {
            let lets = self.scope.len();
            let (e, info) = self.binding(shape, budget);
            debug_assert_eq!(lets, self.scope.len());
            return (e, info);
        }
        self.any(Elem::Real, shape, budget)
    }
}

/// Calls `f` on `e` and what is in it, from the outside in; `f` says whether to go deeper.
fn visit(e: &Expr, f: &mut dyn FnMut(&Expr) -> bool) {
    if f(e) {
        for c in children(e) {
            visit(c, f);
        }
    }
}

/// The expressions that an expression is made of, in a fixed order.
fn children(e: &Expr) -> Vec<&Expr> {
    match &*e.kind {
        Kind::Var(_) | Kind::Lit(_) => vec![],
        Kind::Prim(_, args) => args.iter().collect(),
        Kind::Let(_, a, b) => vec![a, b],
        Kind::If(a, b, c) => vec![a, b, c],
        Kind::Build(b, body) | Kind::Reduce(_, b, body) | Kind::ArgReduce(_, b, body) => {
            vec![&b.extent, body]
        }
        Kind::Scatter {
            extents,
            binder,
            index,
            value,
        } => (extents.iter())
            .chain([&binder.extent])
            .chain(index)
            .chain([value])
            .collect(),
        Kind::Index(a, at) => [a].into_iter().chain(at.iter().flatten()).collect(),
        Kind::Dim(a, _) | Kind::Stop(a) => vec![a],
    }
}

/// The same, to be changed.
fn children_mut(e: &mut Expr) -> Vec<&mut Expr> {
    match &mut *e.kind {
        Kind::Var(_) | Kind::Lit(_) => vec![],
        Kind::Prim(_, args) => args.iter_mut().collect(),
        Kind::Let(_, a, b) => vec![a, b],
        Kind::If(a, b, c) => vec![a, b, c],
        Kind::Build(b, body) | Kind::Reduce(_, b, body) | Kind::ArgReduce(_, b, body) => {
            vec![&mut b.extent, body]
        }
        Kind::Scatter {
            extents,
            binder,
            index,
            value,
        } => (extents.iter_mut())
            .chain([&mut binder.extent])
            .chain(index)
            .chain([value])
            .collect(),
        Kind::Index(a, at) => [a].into_iter().chain(at.iter_mut().flatten()).collect(),
        Kind::Dim(a, _) | Kind::Stop(a) => vec![a],
    }
}

// ---------------------------------------------------------------------------------------------
// Shrinking

/// How complicated an expression is. Every step of the shrinking lowers it.
fn weight(e: &Expr) -> usize {
    let own = match &*e.kind {
        Kind::Lit(l) if simple(l.elem()).contains(l) => 1,
        Kind::Lit(_) => 2,
        Kind::Var(_) => 3,
        Kind::Dim(..) => 1,
        Kind::Prim(..) | Kind::Let(..) | Kind::Index(..) | Kind::Stop(_) => 4,
        Kind::If(..) => 5,
        Kind::Build(..) | Kind::Reduce(..) | Kind::ArgReduce(..) | Kind::Scatter { .. } => 7,
    };
    own + children(e).into_iter().map(weight).sum::<usize>()
}

fn simple(elem: Elem) -> Vec<Lit> {
    match elem {
        Elem::Real => vec![Lit::Real(0.0), Lit::Real(1.0), Lit::Real(2.0)],
        Elem::Int => vec![Lit::Int(0), Lit::Int(1), Lit::Int(2)],
        Elem::Bool => vec![Lit::Bool(false), Lit::Bool(true)],
    }
}

/// What might stand in the place of an expression, simplest first.
fn simpler(e: &Expr, params: &[Param], root: bool) -> Vec<Expr> {
    let mut out = vec![];
    if e.ty.rank == 0 {
        out.extend(simple(e.ty.elem).into_iter().map(Expr::lit));
    }
    let fits = |ty: Ty| ty == e.ty || (root && ty.elem == Elem::Real);
    for p in params.iter().filter(|p| fits(p.ty)) {
        out.push(Expr::var(&p.sym, p.ty));
    }
    // What is inside, down to some depth.
    let mut level = children(e);
    for _ in 0..3 {
        out.extend(level.iter().filter(|c| fits(c.ty)).map(|c| (*c).clone()));
        level = level.into_iter().flat_map(children).collect();
    }
    let zero = || Expr::int(0);
    match &*e.kind {
        Kind::Let(s, a, b) => {
            // The bound expression, where its variable stands.
            let mut inlined = b.clone();
            if replace_var(&mut inlined, s, a) == 1 {
                out.push(inlined);
            }
        }
        // The first turn of a loop.
        Kind::Reduce(_, b, body) => out.push(Expr::bind(b.var.clone(), zero(), body.clone())),
        Kind::Build(b, body) if root => {
            out.push(Expr::bind(b.var.clone(), zero(), body.clone()));
        }
        Kind::Index(a, at) => {
            if let (Kind::Build(b, body), Some(Some(i))) = (&*a.kind, at.first()) {
                let rest = match body.ty.rank {
                    0 => body.clone(),
                    _ => Expr::index(body.clone(), at[1..].to_vec()),
                };
                out.push(Expr::bind(b.var.clone(), i.clone(), rest));
            }
        }
        Kind::Scatter { binder, value, .. } if e.ty.rank == 1 => {
            out.push(Expr::build(
                binder.var.clone(),
                binder.extent.clone(),
                value.clone(),
            ));
        }
        Kind::Var(_)
        | Kind::Lit(_)
        | Kind::Prim(..)
        | Kind::If(..)
        | Kind::Build(..)
        | Kind::ArgReduce(..)
        | Kind::Scatter { .. }
        | Kind::Dim(..)
        | Kind::Stop(_) => {}
    }
    out
}

/// Puts `by` where `s` stands; says how often.
fn replace_var(e: &mut Expr, s: &Sym, by: &Expr) -> usize {
    if let Kind::Var(v) = &*e.kind
        && v == s
    {
        *e = by.clone();
        return 1;
    }
    let mut n = 0;
    for c in children_mut(e) {
        n += replace_var(c, s, by);
    }
    n
}

/// Works out the types again, from the inside out.
fn retype(e: &mut Expr) {
    for c in children_mut(e) {
        retype(c);
    }
    match &*e.kind {
        Kind::Let(_, _, b) | Kind::If(_, b, _) | Kind::Reduce(_, _, b) | Kind::Stop(b) => {
            e.ty = b.ty;
        }
        Kind::Build(_, b) => {
            e.ty = Ty {
                elem: b.ty.elem,
                rank: b.ty.rank + 1,
            };
        }
        Kind::Var(_)
        | Kind::Lit(_)
        | Kind::Prim(..)
        | Kind::ArgReduce(..)
        | Kind::Scatter { .. }
        | Kind::Index(..)
        | Kind::Dim(..) => {}
    }
}

/// The expression at a path of child numbers.
fn at_path<'a>(e: &'a Expr, path: &[usize]) -> &'a Expr {
    match path.split_first() {
        None => e,
        Some((&k, rest)) => at_path(children(e)[k], rest),
    }
}

fn put_path(e: &mut Expr, path: &[usize], new: Expr) {
    match path.split_first() {
        None => *e = new,
        Some((&k, rest)) => put_path(children_mut(e).swap_remove(k), rest, new),
    }
}

fn paths(e: &Expr) -> Vec<Vec<usize>> {
    let mut out = vec![vec![]];
    for (k, c) in children(e).into_iter().enumerate() {
        out.extend(paths(c).into_iter().map(|mut p| {
            p.insert(0, k);
            p
        }));
    }
    out
}

/// A simpler program on which `fails` still says yes. Only programs that pass the verifier are
/// tried; if the given one has a value on the inputs, then only such as have one too. Parameters and
/// inputs stay; the type of the result may change, but stays real.
pub fn shrink(
    p: &Program,
    inputs: &[Value],
    fails: &mut dyn FnMut(&Program, &[Value]) -> bool,
) -> Program {
    let has_value = eval(p, inputs).is_ok();
    let mut best = p.clone();
    let mut tries = 20_000usize;
    loop {
        let before = weight(&best.body);
        // From the outside in: what goes early takes much with it.
        let mut all = paths(&best.body);
        all.sort_by_key(Vec::len);
        let mut k = 0;
        while k < all.len() {
            let path = all[k].clone();
            k += 1;
            let now = at_path(&best.body, &path);
            let old = weight(now);
            let mut options = simpler(now, &best.params, path.is_empty());
            options.retain(|o| weight(o) < old);
            options.sort_by_key(weight);
            for new in options {
                if tries == 0 {
                    return best;
                }
                tries -= 1;
                let mut q = best.clone();
                put_path(&mut q.body, &path, new);
                if path.is_empty() {
                    retype(&mut q.body);
                }
                let sound = check(&q).is_ok() && (!has_value || eval(&q, inputs).is_ok());
                if sound && fails(&q, inputs) {
                    best = q;
                    all = paths(&best.body);
                    all.sort_by_key(Vec::len);
                    k = 0;
                    break;
                }
            }
        }
        if weight(&best.body) == before {
            return best;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn form(e: &Expr) -> &'static str {
        match &*e.kind {
            Kind::Var(_) => "variable",
            Kind::Lit(_) => "literal",
            Kind::Prim(p, _) => p.name(),
            Kind::Let(..) => "let",
            Kind::If(..) if e.ty.rank > 0 => "if of arrays",
            Kind::If(..) => "if",
            Kind::Build(..) => "build",
            Kind::Reduce(ReduceOp::Product, _, b) if b.ty.rank > 0 => "product of arrays",
            Kind::Reduce(_, _, b) if b.ty.rank > 0 => "sum of arrays",
            Kind::Reduce(op, ..) => op.name(),
            Kind::ArgReduce(op, ..) => op.name(),
            Kind::Scatter { .. } => "scatter",
            Kind::Index(..) if e.ty.rank > 0 => "part",
            Kind::Index(..) => "element",
            Kind::Dim(..) => "dim",
            Kind::Stop(_) => "stop",
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_program() {
        for seed in 0..20 {
            assert_eq!(program(seed, 40), program(seed, 40));
        }
    }

    #[test]
    fn every_form_and_every_real_primitive_occurs() {
        let mut seen = BTreeSet::new();
        for seed in 0..3000 {
            let (p, _) = program(seed, 30);
            visit(&p.body, &mut |e| seen.insert(form(e)) | true);
        }
        let forms = [
            "let",
            "if",
            "if of arrays",
            "build",
            "sum",
            "product",
            "maximum",
            "minimum",
            "logsumexp",
            "sum of arrays",
            "product of arrays",
            "argmax",
            "argmin",
            "scatter",
            "part",
            "element",
            "dim",
            "stop",
            "select",
            "irem_euclid",
            "int_to_real",
            "real_to_int",
            "bool_to_int",
        ];
        let prims = (Prim::ALL.iter())
            .filter(|p| p.is_differentiable())
            .map(|p| p.name());
        for f in forms.into_iter().chain(prims) {
            assert!(seen.contains(f), "`{f}` never occurs");
        }
    }

    #[test]
    fn a_failure_shrinks_to_its_cause() {
        let mut tried = 0;
        for seed in 0..200 {
            let (p, inputs) = program(seed, 40);
            let mut has_tanh = |p: &Program, _: &[Value]| {
                let mut found = false;
                visit(&p.body, &mut |e| {
                    found |= matches!(&*e.kind, Kind::Prim(Prim::Tanh, _));
                    true
                });
                found
            };
            if !has_tanh(&p, &inputs) {
                continue;
            }
            tried += 1;
            let q = shrink(&p, &inputs, &mut has_tanh);
            assert_eq!(check(&q), Ok(()));
            assert!(has_tanh(&q, &inputs));
            assert!(weight(&q.body) <= 40, "{p}\n{q}");
        }
        assert!(tried > 10);
    }
}
