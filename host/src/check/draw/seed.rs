//! Where the randomness of a draw comes from: a seed that a person can copy.

use proptest::prelude::RngExt as _;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// A stream of choices. The same seed, index and purpose give the same choices on every machine.
pub(super) struct Choices(TestRunner);

impl Choices {
    /// - `seed`: the run's.
    /// - `index`: which draw of the run.
    /// - `lane`: keeps apart draws of one index, of arguments and of a value for one.
    /// - `attempt`: counts draws that did not match their schema.
    pub(super) fn new(seed: u64, index: u64, lane: u64, attempt: u64) -> Self {
        let mut bytes = [0; 32];
        for (place, part) in bytes.chunks_exact_mut(8).zip([seed, index, lane, attempt]) {
            place.copy_from_slice(&part.to_le_bytes());
        }
        Self(TestRunner::new_with_rng(Config::default(), TestRng::from_seed(RngAlgorithm::ChaCha, &bytes)))
    }

    /// For a proptest strategy.
    pub(super) fn runner(&mut self) -> &mut TestRunner {
        &mut self.0
    }

    /// One of `0..end`; 0 where there is none.
    pub(super) fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { self.0.rng().random_range(0..end) }
    }

    /// One of `low..=high`; `low` where there is none.
    pub(super) fn between(&mut self, low: i128, high: i128) -> i128 {
        if low >= high { low } else { self.0.rng().random_range(low..=high) }
    }

    /// From 0 to 1, without 1.
    pub(super) fn fraction(&mut self) -> f64 {
        self.0.rng().random()
    }

    /// Once in so many times.
    pub(super) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub(super) fn one_of<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        list.get(self.below(list.len()))
    }

    /// Into an order of its own.
    pub(super) fn shuffle<T>(&mut self, list: &mut [T]) {
        for end in (1..list.len()).rev() {
            list.swap(end, self.below(end + 1));
        }
    }
}
