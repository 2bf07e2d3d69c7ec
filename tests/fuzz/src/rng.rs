//! Random numbers by SplitMix64: the same seed gives the same numbers on every machine.

/// A generator of random numbers.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The generator of a seed.
    pub fn new(seed: u64) -> Rng {
        let mut rng = Rng(seed ^ 0x9e37_79b9_7f4a_7c15);
        rng.word();
        rng
    }

    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.word() % n as u64) as usize
    }

    /// An integer from `lo` to `hi`, both included.
    pub fn int(&mut self, lo: i64, hi: i64) -> i64 {
        lo + (self.word() % (hi - lo + 1) as u64) as i64
    }

    /// A real number from `lo` to `hi`.
    pub fn real(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * (self.word() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Whether something happens that happens in this many of 100 cases.
    pub fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }

    /// One of several.
    pub fn pick<T: Copy>(&mut self, among: &[T]) -> T {
        among[self.below(among.len())]
    }
}
