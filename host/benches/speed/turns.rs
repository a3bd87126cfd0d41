//! Competitors measured in turn, so that a busy machine slows all of them alike.

use std::time::{Duration, Instant};

use criterion::Criterion;

/// Seconds of each competitor, turn by turn.
pub(crate) struct Turns<const N: usize>(Vec<[f64; N]>);

/// Measures competitors in turn and in equal numbers, so that a busy machine slows all of them. `most` is how many runs
/// a turn may have: short beside the machine's moods, long beside the clock's own cost. Criterion reports the first.
pub(crate) fn in_turn<const N: usize>(
    c: &mut Criterion,
    (group, name): (&str, &str),
    most: u32,
    mut competitors: [&mut dyn FnMut(); N],
) -> Turns<N> {
    let mut turns = Vec::new();
    c.benchmark_group(group).bench_function(name, |b| {
        b.iter_custom(|iterations| {
            let mut spent = Duration::ZERO;
            let mut left = iterations;
            while left > 0 {
                let runs = u32::try_from(left).unwrap_or(most).min(most);
                let times = competitors.each_mut().map(|run| {
                    let start = Instant::now();
                    (0..runs).for_each(|_| run());
                    start.elapsed()
                });
                turns.push(times.map(|time| time.as_secs_f64() / f64::from(runs)));
                spent += times[0];
                left -= u64::from(runs);
            }
            spent
        });
    });
    Turns(turns)
}

impl<const N: usize> Turns<N> {
    /// Prints the median of a figure over all turns, with the middle half of them.
    pub(crate) fn print(&self, what: &str, bound: &str, figure: impl Fn(&[f64; N]) -> f64) {
        if let Some([low, middle, high]) = quartiles(self.0.iter().map(figure)) {
            println!("==> {what} {middle:.2} ({bound}; middle half {low:.2} to {high:.2})");
        }
    }

    /// Prints each competitor's median time.
    pub(crate) fn print_times(&self, names: [&str; N]) {
        for (index, name) in names.into_iter().enumerate() {
            if let Some([_, middle, _]) = quartiles(self.0.iter().map(|turn| turn[index] * 1e6)) {
                println!("    {name}: {middle:.1} µs");
            }
        }
    }
}

fn quartiles(figures: impl Iterator<Item = f64>) -> Option<[f64; 3]> {
    let mut figures: Vec<_> = figures.collect();
    figures.sort_by(f64::total_cmp);
    let at = |quarter: usize| figures.get(figures.len() * quarter / 4).copied();
    Some([at(1)?, at(2)?, at(3)?])
}
