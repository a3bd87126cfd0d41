// A projector that tries what projectors may not, or gets a constant for. `args` says what.

import { defineTool } from "fumehood-tool";
import { getArguments, getEnvironment } from "wasi:cli/environment@0.2.12";
import { getRandomU64 } from "wasi:random/random@0.2.12";

const attempts = {
  "wall-clock": () => Date.now(),
  break: () => {
    throw new Error("the projector broke on purpose");
  },
  environment: () => [Object.fromEntries(getEnvironment()), getArguments()],
  random: () => [Math.random(), getRandomU64().toString()],
};

export const probe = defineTool({
  name: "probe",
  execute: (args) => args,
  render: (args) => JSON.stringify(attempts[args.try]()),
});
