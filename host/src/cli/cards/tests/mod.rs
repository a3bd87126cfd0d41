//! What cards look like, and what holds of every drawing.

mod cards;
mod goldens;
mod hostile;
mod long;
mod strict;

use std::time::Duration;

use super::Screen;

/// No picture depends on how fast a machine is.
const PATIENCE: Duration = Duration::from_secs(600);

/// A terminal of so many columns.
fn terminal(width: usize, colour: bool) -> Screen {
    Screen { width: Some(width), frame: true, colour, links: colour, fold: Some(40), patience: PATIENCE }
}
