//! The recipes of `docs/tool-authors/cookbook.md`, which quotes these files.

mod file;
mod image;
mod nested;
mod page;
mod progress;
mod rows;
mod secret;

use fumehood_tool::component;

component!(
    file::LineOfFile,
    page::PageTitle,
    secret::IssueTitles,
    progress::CountPrimes,
    image::DrawBars,
    rows::Squares,
    nested::LongestText,
);
