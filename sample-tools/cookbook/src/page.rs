//! A request: `Context::fetch`, to the hosts that the operator grants.

use fumehood_tool::http::Request;
use fumehood_tool::{Code, Context, Tool, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const NO_PAGE: Code = Code::new("NO_PAGE");

pub struct PageTitle;

#[derive(Deserialize, JsonSchema)]
pub struct Args {
    /// The page's address, with http:// or https://.
    url: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub struct Page {
    status: u16,
    title: Option<String>,
}

impl Tool for PageTitle {
    type Args = Args;
    type Value = Page;

    const NAME: &str = "page_title";
    const DESCRIPTION: &str = "Fetch a page and read its title.";

    fn execute(args: Args, context: &Context) -> Result<Page, ToolError> {
        let page = context.fetch(&Request::get(args.url).header("accept", "text/html"))?;
        // A page that is not there is an answer. A server in trouble is a failure of this call.
        if page.status >= 500 {
            return Err(ToolError::failed(NO_PAGE, format!("the server answers {}", page.status)));
        }
        let html = page.text();
        let title = html.split_once("<title>").and_then(|(_, rest)| rest.split_once("</title>"));
        Ok(Page { status: page.status, title: title.map(|(title, _)| title.trim().to_owned()) })
    }
}
