// Read by tsc alone: what the types take, and under each `@ts-expect-error` what they refuse.

import { defineTool, genericCard, readCard, resource, terminalCard, text, ToolError, type Tool } from "fumehood-tool";
import { component } from "fumehood-tool/component";
import { call } from "fumehood-tool/testing";
import { run } from "fumehood:host/process@0.1.0";
import { call as ask } from "fumehood:host/tools@0.1.0";
import { getEnvironment } from "wasi:cli/environment@0.2.12";

interface Args {
  path: string;
}
interface Value {
  lines: number;
}

export const whole: Tool<Args, Value> = defineTool<Args, Value>({
  name: "whole",
  execute({ path }, context) {
    context.progress(1, 2, path);
    return { lines: path.length };
  },
  render: (args, value) => [`${args.path}: `, text(String(value.lines), { audience: ["user"] })],
  present: (_args, value) => value && genericCard({ title: value.lines.toFixed(), kind: "read" }),
});

export const tool = component(whole, defineTool({ name: "inferred", execute: (args: Args) => ({ path: args.path }) }));
export const lines: number = call(whole, { path: "a" }).value.lines;

run({ program: "git", args: ["log"], timeLimitMs: 900 }).exit.val.toFixed();
JSON.parse(ask("word_count", "{}"));
getEnvironment();

// @ts-expect-error: arguments are a list
run({ program: "git", args: "log" });
// @ts-expect-error: arguments are text
ask("word_count", {});
// @ts-expect-error: a value is not content
defineTool<Args, Value>({ name: "a", execute: () => ({ lines: 1 }), render: (_args, value) => value });
// @ts-expect-error: the value has other members
defineTool<Args, Value>({ name: "a", execute: () => ({ line: 1 }) });
// @ts-expect-error: nothing would settle a promise
defineTool<Args, Value>({ name: "a", execute: async () => ({ lines: 1 }) });
// @ts-expect-error: a projector has no context
defineTool<Args, Value>({ name: "a", execute: () => ({ lines: 1 }), render: (_args, _value, context) => context });
// @ts-expect-error: there is no execute
defineTool<Args, Value>({ name: "a" });
// @ts-expect-error: there is no such kind
genericCard({ title: "a", kind: "look" });
// @ts-expect-error: a card has a title
terminalCard({ output: "a" });
// @ts-expect-error: how many lines there are must be said
readCard({ title: "a", path: "a", lines: [] });
// @ts-expect-error: a resource is text or bytes, not both
resource({ uri: "a:b", text: "a", blob: new Uint8Array() });
// @ts-expect-error: errors are made by the functions that name them
new ToolError({ tag: "denied", val: "a" });
