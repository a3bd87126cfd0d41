// js_check: is it JavaScript, and if not, where does it stop being that?

import { defineTool, genericCard, readCard } from "fumehood-tool";
import { linesOf, parse, UNNAMED } from "./parse.js";

/**
 * @typedef {import("./parse.js").Args} Args
 * @typedef {import("./parse.js").SyntaxFault & { from: number, around: string[] }} Fault
 * @typedef {{ valid: boolean, lines: number, fault?: Fault }} Value
 */

// Lines shown before the fault and after it.
const AROUND = 2;
// A minified file is one line; nobody reads more of it than this.
const WIDEST = 200;

/** @type {import("fumehood-tool").Tool<Args, Value>} */
export const check = defineTool({
  name: "js_check",

  execute(args) {
    const lines = linesOf(args.source);
    const { fault } = parse(args);
    if (fault === undefined) {
      return { valid: true, lines: lines.length };
    }
    const from = Math.max(1, fault.line - AROUND);
    const around = lines
      .slice(from - 1, fault.line + AROUND)
      .map((text, index) => windowOf(text, from + index === fault.line ? fault.column : 1));
    return { valid: false, lines: lines.length, fault: { ...fault, from, around } };
  },

  render({ path = UNNAMED }, { lines, fault }) {
    if (fault === undefined) {
      return `${path}: no syntax error in ${lines === 1 ? "1 line" : `${lines} lines`}.`;
    }
    const width = String(fault.from + fault.around.length - 1).length;
    const shown = numbered(fault).map(({ number, text }) => {
      const mark = number === fault.line ? ">" : " ";
      return `${mark} ${String(number).padStart(width)} | ${text}`.trimEnd();
    });
    return [`${path}:${fault.line}:${fault.column}: ${fault.message}`, ...shown].join("\n");
  },

  present({ path = UNNAMED }, value) {
    if (value === undefined) {
      return undefined;
    }
    if (value.fault === undefined) {
      return genericCard({ title: `${path}: no syntax error`, kind: "read", input: { path }, locations: [{ path }] });
    }
    const { message, line, column, from, around } = value.fault;
    return readCard({
      title: `${message} (${line}:${column})`,
      path,
      offset: from,
      lines: numbered(value.fault),
      totalLines: Math.max(value.lines, from + around.length - 1),
      language: "javascript",
    });
  },
});

/** @param {Fault} fault */
function numbered({ from, around }) {
  return around.map((text, index) => ({ number: from + index, text }));
}

/**
 * As much of a line as is worth showing, with the column in it.
 * @param {string} text
 * @param {number} column
 */
function windowOf(text, column) {
  if (text.length <= WIDEST) {
    return text;
  }
  const start = Math.max(0, Math.min(column - WIDEST / 2, text.length - WIDEST));
  // Never half a character, at either end.
  const window = text.slice(start, start + WIDEST).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");
  return `${start > 0 ? "…" : ""}${window}${start + WIDEST < text.length ? "…" : ""}`;
}
