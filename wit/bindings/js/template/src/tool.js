// Find the lines of a text that hold a word. Start here: change what it takes, what it gives, and what it does.

import { defineTool, genericCard, ToolError } from "fumehood-tool";

/**
 * What it is called with, as `inputSchema` in manifest.json says.
 * @typedef {{ text: string, find: string, ignoreCase?: boolean }} Args
 *
 * What it gives, as `outputSchema` says.
 * @typedef {{ lines: { number: number, text: string }[], total: number }} Value
 */

// As many as a model wants to read.
const SHOWN = 50;

/** @type {import("fumehood-tool").Tool<Args, Value>} */
export const findLines = defineTool({
  name: "new_tool",

  /** The work. Only this may use what an operator granted. */
  execute({ text, find, ignoreCase = false }, context) {
    if (find === "") {
      throw ToolError.invalidArgs("`find` is empty, and every line holds nothing: write what to look for");
    }
    const folded = (/** @type {string} */ string) => (ignoreCase ? string.toLowerCase() : string);
    const all = text.split(/\r?\n/);
    const wanted = folded(find);
    const lines = all
      .map((line, index) => ({ number: index + 1, text: line }))
      .filter((line) => folded(line.text).includes(wanted));
    context.log("debug", `${lines.length} of ${all.length} lines`);
    return { lines: lines.slice(0, SHOWN), total: lines.length };
  },

  /** What a model reads of the value. */
  render({ find }, { lines, total }) {
    if (total === 0) {
      return `No line holds ${JSON.stringify(find)}.`;
    }
    const left = total > lines.length ? [`(${total - lines.length} more)`] : [];
    return [...lines.map((line) => `${line.number}: ${line.text}`), ...left].join("\n");
  },

  /** What a person sees. While the call runs, the card that every tool has will do. */
  present({ find }, value) {
    if (value === undefined) {
      return undefined;
    }
    const body = value.lines.map((line) => `${line.number}: ${line.text}`).join("\n");
    const title = `${value.total === 1 ? "1 line holds" : `${value.total} lines hold`} ${JSON.stringify(find)}`;
    return genericCard({ title, kind: "search", input: { find }, body: body === "" ? [] : body });
  },
});
