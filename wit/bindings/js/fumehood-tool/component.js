// From tools to the one component that exports them. The only file that imports what a host provides.

import { report } from "fumehood:tool/progress@0.1.0";
import { exit } from "wasi:cli/exit@0.2.12";
import { ToolError } from "./failure.js";
import { count } from "./content.js";
import { log, write } from "./log.js";
import { byName, executeJson, presentJson, renderJson } from "./tool.js";

// One call, as `execute` sees it. No projector is handed one.
const context = Object.freeze({
  progress: (done, total, message) => report(count(done), count(total), message),
  log,
});

/** What a component exports as `tool`. */
export function component(...tools) {
  const known = byName(tools);
  const unknown = (name) => `this component has no tool \`${name}\``;
  const find = (name) => {
    const tool = known.get(name);
    if (tool === undefined) {
      throw new Error(unknown(name));
    }
    return tool;
  };
  return {
    execute(name, args) {
      if (!known.has(name)) {
        throw ToolError.notFound(unknown(name));
      }
      try {
        return executeJson(known.get(name), args, context);
      } catch (error) {
        if (error instanceof ToolError) {
          throw error;
        }
        // The tool did not say that it failed: it broke. So the call ends as a trap does, with where it broke.
        write(`${told(error)}\n`);
        exit({ tag: "err", val: undefined });
      }
    },
    render: (name, args, value) => saying(() => renderJson(find(name), args, value)),
    present: (name, args, value) => saying(() => presentJson(find(name), args, value)),
  };
}

// A projector fails with a text, and both runtimes take it from `payload`.
function saying(project) {
  try {
    return project();
  } catch (error) {
    throw Object.assign(new Error("a projector failed"), { payload: told(error) });
  }
}

/** An error with the lines that led to it, as file and line of the sources. Not those of this library. */
function told(error) {
  if (!(error instanceof Error)) {
    return `${error} was thrown`;
  }
  // StarlingMonkey writes `render@file:line`, and names what it made itself; QuickJS writes `at render (file:line)`.
  const ours = (line) => /:\d+:\d+\)?$/.test(line) && !/fumehood-tool|initializer\.js/.test(line);
  const frames = (error.stack ?? "").split("\n").filter(ours);
  return [`${error.name}: ${error.message}`, ...frames.slice(0, 8).map((line) => `    ${line.trim()}`)].join("\n");
}
