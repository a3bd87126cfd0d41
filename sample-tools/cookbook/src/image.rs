//! An image: the value holds the numbers, and `render` draws them. Value and picture cannot disagree.

use fumehood_tool::{Card, Content, ContentBlock, Context, GenericCard, Tool, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// In pixels: one bar, and the whole picture's height.
const WIDTH: u32 = 8;
const HEIGHT: u32 = 64;

pub struct DrawBars;

#[derive(Deserialize, JsonSchema)]
pub struct Args {
    /// The height of each bar, in percent.
    #[schemars(length(min = 1, max = 100), inner(range(max = 100)))]
    bars: Vec<u8>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub struct Bars {
    #[schemars(length(min = 1, max = 100), inner(range(max = 100)))]
    bars: Vec<u8>,
}

impl Tool for DrawBars {
    type Args = Args;
    type Value = Bars;

    const NAME: &str = "draw_bars";
    const DESCRIPTION: &str = "Draw numbers from 0 to 100 as bars.";

    fn execute(args: Args, _context: &Context) -> Result<Bars, ToolError> {
        Ok(Bars { bars: args.bars })
    }

    fn render(_args: &Args, value: &Bars) -> Content {
        Content::from(format!("{} bars", value.bars.len())).and(picture(&value.bars))
    }

    fn present(_args: &Args, value: Option<&Bars>) -> Option<Card> {
        let bars = &value?.bars;
        Some(GenericCard::new(format!("{} bars", bars.len())).body(Content::from(picture(bars))).into())
    }
}

fn picture(bars: &[u8]) -> ContentBlock {
    let width = WIDTH * bars.len() as u32;
    let mut pixels = vec![255; (width * HEIGHT) as usize];
    for (at, pixel) in pixels.iter_mut().enumerate() {
        let (x, y) = (at as u32 % width, at as u32 / width);
        let bar = u32::from(bars[(x / WIDTH) as usize]);
        if (HEIGHT - y) * 100 <= bar * HEIGHT && x % WIDTH != 0 {
            *pixel = 64;
        }
    }
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, HEIGHT);
    encoder.set_color(png::ColorType::Grayscale);
    let drawn = encoder.write_header().and_then(|mut writer| writer.write_image_data(&pixels));
    match drawn {
        Ok(()) => ContentBlock::image(file, "image/png"),
        Err(error) => ContentBlock::text(format!("not drawn: {error}")),
    }
}
