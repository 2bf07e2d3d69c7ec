//! A small generator of reproducible numbers.

/// A generator that is seeded by a text.
pub(crate) struct Random(u64);

impl Random {
    /// The generator that belongs to this text.
    pub(crate) fn new(seed: &str) -> Self {
        // FNV-1a.
        let hash = seed.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Random(hash)
    }

    /// Any 64 bits (SplitMix64).
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A real number, at least `low` and below `high`.
    pub(crate) fn real(&mut self, low: f64, high: f64) -> f64 {
        let unit = (self.bits() >> 11) as f64 / (1_u64 << 53) as f64;
        low + unit * (high - low)
    }

    /// An integer, at least `low` and below `high`.
    pub(crate) fn integer(&mut self, low: i64, high: i64) -> i64 {
        let width = high.abs_diff(low);
        low.wrapping_add_unsigned(self.bits() % width)
    }

    /// Either truth value.
    pub(crate) fn boolean(&mut self) -> bool {
        self.bits() >> 63 == 1
    }
}
