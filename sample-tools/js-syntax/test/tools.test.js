import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ToolError } from "fumehood-tool";
import { asText, call, card, checkManifest } from "fumehood-tool/testing";
import { check } from "../src/check.js";
import { outline } from "../src/outline.js";

test("what is JavaScript has no fault", () => {
  const { value, content } = call(check, { source: "export const a = 1;\n" });
  assert.deepEqual(value, { valid: true, lines: 2 });
  assert.equal(asText(content), "input.js: no syntax error in 2 lines.");
});

test("a fault has its line, its column and the lines around it", () => {
  const { value, content } = call(check, { source: "let a;\nlet b = (1;\nlet c;\n", path: "b.js" });
  assert.deepEqual([value.fault.line, value.fault.column], [2, 11]);
  assert.equal(asText(content), "b.js:2:11: Unexpected token\n  1 | let a;\n> 2 | let b = (1;\n  3 | let c;\n  4 |");
  assert.deepEqual(card(check, { source: "", path: "b.js" }, value).val.lines.map((line) => line.number), [1, 2, 3, 4]);
});

test("a module and a script are not the same", () => {
  assert.equal(call(check, { source: "import 'a';", sourceType: "script" }).value.valid, false);
  assert.equal(call(check, { source: "with (a) b;", sourceType: "script" }).value.valid, true);
  assert.equal(call(check, { source: "with (a) b;" }).value.valid, false);
});

test("of a long line the part with the fault is shown", () => {
  const { value } = call(check, { source: `${"a;".repeat(5000)})${"b;".repeat(5000)}` });
  const [line] = value.fault.around;
  assert.ok(line.length <= 202 && line.includes(")"), line);
});

test("imports, exports, functions, classes and their methods", () => {
  const source = `import fs from "fs";
export function one() {}
class Two extends Map {
  get size() { return 0; }
  #hidden() {}
  static { }
}
const three = () => 3, four = 4;
export { three, four as "4" };
export default class {}
export * from "./five.js";
`;
  const { value } = call(outline, { source });
  assert.deepEqual(
    value.items.map(({ kind, name, line, exported }) => `${line} ${exported ? "+" : "-"} ${kind} ${name}`),
    [
      "1 - import fs", "2 + function one", "3 - class Two", "4 - method Two.size", "5 - method Two.#hidden",
      "8 - function three", "8 - variable four", "9 + export { three, 4 }", "10 + class default",
      "11 + export * from ./five.js",
    ],
  );
  assert.equal(value.items[2].endLine, 7);
});

test("there is no outline of what is no JavaScript", () => {
  const failed = (error) => error instanceof ToolError && error.payload.val.code === "SYNTAX_ERROR";
  assert.throws(() => call(outline, { source: "(" }), failed);
});

test("brackets are nested as deep as a call has stack for", () => {
  assert.equal(call(check, { source: `${"[".repeat(200)}${"]".repeat(200)}` }).value.valid, true);
  const tooDeep = { source: "[".repeat(201) };
  assert.throws(() => call(check, tooDeep), (error) => error instanceof ToolError && error.payload.val.code === "TOO_DEEP");
});

test("the manifest has the same tools", () => {
  checkManifest(JSON.parse(readFileSync("manifest.json", "utf8")), check, outline);
});
