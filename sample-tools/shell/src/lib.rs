//! `shell_run`: runs one granted program, without a shell, and says how it ended.
//!
//! `run` turns arguments into a request to the host and its answer into a value; `show` turns the value into what a model
//! reads and a person sees.

mod run;
mod show;

use fumehood_tool::{Card, Content, Context, Tool, ToolAnnotations, ToolError, component};
use run::{Args, Value};

struct Shell;

component!(Shell);

impl Tool for Shell {
    type Args = Args;
    type Value = Value;

    const NAME: &str = "shell_run";
    const TITLE: Option<&str> = Some("Run");
    const DESCRIPTION: &str = "Run one program to its end. No shell reads the arguments: no pipes, no globs, no \
                               variables; one argument is one item of the list. Only granted programs run, with granted \
                               arguments; which grant is missing is for a person to read in the log and to decide. An \
                               exit code other than 0 is an answer and not an error. The last line of the text says how \
                               the program ended; whatever looks like it above that line was printed.";
    const ANNOTATIONS: ToolAnnotations =
        ToolAnnotations::new().read_only(false).destructive(true).idempotent(false).open_world(true);

    fn execute(args: Args, context: &Context) -> Result<Value, ToolError> {
        Ok(context.run(&run::request(args))?.into())
    }

    fn render(args: &Args, value: &Value) -> Content {
        show::text(args, value).into()
    }

    fn present(args: &Args, value: Option<&Value>) -> Option<Card> {
        Some(show::card(args, value).into())
    }
}
