// The tool of a project that asks for a program, a variable, a clock and random numbers, once its vendor uses them.
// It takes and gives what the template's does, so that the manifest stays as `fumehood new` wrote it.

import { defineTool } from "fumehood-tool";
import { run } from "fumehood:host/process@0.1.0";
import { getEnvironment } from "wasi:cli/environment@0.2.12";

/** @type {import("fumehood-tool").Tool<{ text: string, find: string }, { lines: { number: number, text: string }[], total: number }>} */
export const findLines = defineTool({
  name: "process",
  execute({ text }) {
    const { stdout } = run({ program: "echo", args: [text] });
    const { GREETING } = Object.fromEntries(getEnvironment());
    const lines = [GREETING, String.fromCharCode(...stdout).trim(), Date.now() > Date.UTC(2025) ? "now" : "long ago"];
    lines.push(Math.random() === Math.random() ? "no chance" : "chance");
    return { lines: lines.map((text, index) => ({ number: index + 1, text })), total: lines.length };
  },
});
