// What a tool is, and its three exports as JSON in, JSON out. Nothing here knows a host: tests run it natively.

import { content } from "./content.js";
import { ToolError } from "./failure.js";
import { outline } from "./outline.js";
import { toJson } from "./value.js";

/** A tool, with what it does not say filled in. */
export function defineTool(tool) {
  const { name, execute, render = (_args, value) => outline(value), present = () => undefined } = tool;
  if (typeof name !== "string" || !/^[A-Za-z0-9_-]{1,40}$/.test(name)) {
    throw new TypeError(`a tool's name is 1 to 40 of A-Z, a-z, 0-9, _ and -, not ${JSON.stringify(name)}`);
  }
  for (const [part, given] of Object.entries({ execute, render, present })) {
    if (typeof given !== "function") {
      throw new TypeError(`the ${part} of the tool ${name} is a function, not ${typeof given}`);
    }
  }
  return Object.freeze({ name, execute, render, present });
}

/** Tools by name. Hosts refuse two names that people and models would mix up. */
export function byName(tools) {
  const found = new Map();
  const seen = new Map();
  for (const tool of tools) {
    const key = tool.name.toLowerCase().replaceAll("-", "_");
    if (seen.has(key)) {
      throw new TypeError(`two tools have one name, save for case, - and _: ${seen.get(key)} and ${tool.name}`);
    }
    seen.set(key, tool.name);
    found.set(tool.name, tool);
  }
  return found;
}

/** One call of `execute`: the value's JSON. Throws a `ToolError` where the tool does. */
export function executeJson(tool, args, context) {
  const value = settled(tool.execute(JSON.parse(args), context), tool, "execute");
  const written = toJson(value);
  if (written.why !== undefined) {
    throw ToolError.failed("BAD_VALUE", `the tool's value ${written.why}`);
  }
  return written.json;
}

/** One call of `render`: content blocks. */
export function renderJson(tool, args, value) {
  return content(settled(tool.render(JSON.parse(args), JSON.parse(value)), tool, "render"));
}

/** One call of `present`: a card or `undefined`. Without a value the call has not finished. */
export function presentJson(tool, args, value) {
  const given = value === undefined || value === null ? undefined : JSON.parse(value);
  return settled(tool.present(JSON.parse(args), given), tool, "present") ?? undefined;
}

// A component here makes one call at a time, and nothing would ever settle a promise.
function settled(given, tool, part) {
  if (typeof given?.then === "function") {
    throw new TypeError(`the ${part} of the tool ${tool.name} returned a promise; write it without async`);
  }
  return given;
}
