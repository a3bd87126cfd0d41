//! A secret: make the request without it. The host adds the header where the operator said so.

use fumehood_tool::http::Request;
use fumehood_tool::{Code, Context, Tool, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const NOT_ISSUES: Code = Code::new("NOT_ISSUES");

pub struct IssueTitles;

#[derive(Deserialize, JsonSchema)]
pub struct Args {
    /// Where the issues are listed, as JSON.
    url: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub struct Issue {
    title: String,
}

impl Tool for IssueTitles {
    type Args = Args;
    type Value = Vec<Issue>;

    const NAME: &str = "issue_titles";
    const DESCRIPTION: &str = "List the titles of the issues at an address.";

    fn execute(args: Args, context: &Context) -> Result<Vec<Issue>, ToolError> {
        let answer = context.fetch(&Request::get(args.url).header("accept", "application/json"))?;
        // Without the operator's grant for the secret the request goes out without it, and this is what comes back.
        if answer.status == 401 || answer.status == 403 {
            return Err(ToolError::denied("the server wants a token; the operator can grant `issues-token`"));
        }
        let issues = serde_json::from_slice(&answer.body);
        issues.map_err(|error| ToolError::failed(NOT_ISSUES, format!("the answer is no list of issues: {error}")))
    }
}
