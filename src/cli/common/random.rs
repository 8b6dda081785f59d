//! Numbers that are the same at every run, for benchmarks and evaluations: xorshift (Marsaglia, 2003).

/// The state; not 0.
pub struct Xorshift(pub u64);

impl Xorshift {
    /// The next number.
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number from 0 up to `bound`, without it.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// A number from 0 up to 1, without it.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}
