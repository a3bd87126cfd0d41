// A projector that tries what projectors may not, or gets a constant for. `args` says what.

import { getArguments, getEnvironment } from "wasi:cli/environment@0.2.12";
import { getRandomU64 } from "wasi:random/random@0.2.12";

const attempts = {
  "wall-clock": () => Date.now(),
  exception: () => {
    throw new Error("the projector broke on purpose");
  },
  environment: () => [Object.fromEntries(getEnvironment()), getArguments()],
  random: () => [Math.random(), getRandomU64().toString()],
};

export const tool = {
  execute: (_tool, args) => args,
  render(_tool, args, _value) {
    const text = JSON.stringify(attempts[JSON.parse(args).try]());
    return [{ tag: "text", val: { text, annotations: undefined } }];
  },
  present: (_tool, _args, _value) => undefined,
};
