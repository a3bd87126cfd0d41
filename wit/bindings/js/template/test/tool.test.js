import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ToolError } from "fumehood-tool";
import { asText, call, card, checkManifest } from "fumehood-tool/testing";
import { findLines } from "../src/tool.js";

test("lines that hold the word, with their numbers", () => {
  const { value, content } = call(findLines, { text: "one\ntwo\ntwofold\n", find: "two" });
  assert.deepEqual(value, { lines: [{ number: 2, text: "two" }, { number: 3, text: "twofold" }], total: 2 });
  assert.equal(asText(content), "2: two\n3: twofold");
});

test("case matters unless it is to be ignored", () => {
  assert.equal(call(findLines, { text: "Two", find: "two" }).value.total, 0);
  assert.equal(call(findLines, { text: "Two", find: "two", ignoreCase: true }).value.total, 1);
});

test("much is counted and left out", () => {
  const { value, content } = call(findLines, { text: "x\n".repeat(60), find: "x" });
  assert.deepEqual([value.lines.length, value.total], [50, 60]);
  assert.match(asText(content), /\n\(10 more\)$/);
});

test("nothing to look for is an error that says what to write", () => {
  assert.throws(() => call(findLines, { text: "a", find: "" }), ToolError);
});

test("a card for the finished call alone", () => {
  const args = { text: "a", find: "a" };
  assert.equal(card(findLines, args, call(findLines, args).value).val.title, '1 line holds "a"');
  assert.equal(card(findLines, args), undefined);
});

test("the manifest has the same tools", () => {
  checkManifest(JSON.parse(readFileSync("manifest.json", "utf8")), findLines);
});
