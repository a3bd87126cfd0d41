//! Progress: say how far a long call has come.

use fumehood_tool::{Context, Tool, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Reports are cheap. A person reads ten of them, not a million.
const EVERY: u32 = 10_000;

pub struct CountPrimes;

#[derive(Deserialize, JsonSchema)]
pub struct Args {
    /// Count the primes below this number.
    #[schemars(range(max = 1_000_000))]
    below: u32,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub struct Primes {
    count: u32,
}

impl Tool for CountPrimes {
    type Args = Args;
    type Value = Primes;

    const NAME: &str = "count_primes";
    const DESCRIPTION: &str = "Count the prime numbers below a number.";

    fn execute(args: Args, context: &Context) -> Result<Primes, ToolError> {
        let mut composite = vec![false; args.below as usize];
        let mut count = 0;
        for number in 2..args.below {
            if number % EVERY == 0 {
                context.progress(number.into(), Some(args.below.into()), Some("sieving"));
            }
            if !composite[number as usize] {
                count += 1;
                let multiples = (2 * u64::from(number)..args.below.into()).step_by(number as usize);
                multiples.for_each(|multiple| composite[multiple as usize] = true);
            }
        }
        Ok(Primes { count })
    }
}
