//! Medians, and how far the rest lies from them.

/// The value below which `share` of all lie.
pub(crate) fn quantile(figures: &[f64], share: f64) -> f64 {
    let mut figures = figures.to_vec();
    figures.sort_by(f64::total_cmp);
    figures[((figures.len() - 1) as f64 * share) as usize]
}

/// The median of `ours / theirs` over turns in which both ran in the same moment, with the middle half of them.
pub(crate) fn print_ratio(what: &str, bound: &str, ours: &[f64], theirs: &[f64]) {
    let ratios: Vec<_> = ours.iter().zip(theirs).map(|(ours, theirs)| ours / theirs).collect();
    let [low, middle, high] = [0.25, 0.5, 0.75].map(|share| quantile(&ratios, share));
    println!("==> {what} {middle:.2} ({bound}; middle half {low:.2} to {high:.2})");
}
