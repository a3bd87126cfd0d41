// Tests of the library that need no component.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { defineTool, genericCard, matchesCard, outline, pathsCard, readCard, text, ToolError } from "fumehood-tool";
import { asText, call, card, checkManifest, recordingContext } from "fumehood-tool/testing";

const echo = (part = {}) => defineTool({ name: "echo", execute: (args) => args, ...part });

test("an outline is the same in every language", () => {
  for (const [value, expected] of JSON.parse(readFileSync(process.env.OUTLINES, "utf8"))) {
    assert.equal(outline(value), expected, JSON.stringify(value));
  }
});

test("a long outline is cut between characters", () => {
  const cut = outline(["😀".repeat(48 << 10)]);
  assert.ok(cut.endsWith("😀\n(the rest is left out)"));
  assert.ok(cut.length < (48 << 10) + 40);
});

test("what JSON cannot hold is an error that says where", () => {
  const value = (given) => () => call(defineTool({ name: "x", execute: () => given }), {});
  const refused = (given, why) =>
    assert.throws(value(given), (error) => error.payload.val.code === "BAD_VALUE" && error.message.includes(why));
  refused(NaN, "holds NaN,");
  refused({ a: [1, { b: Infinity }] }, "Infinity at /a/1/b");
  refused([1n], "bigint at /0");
  refused({ a: () => 1 }, "function at /a");
  refused(new Map(), "a Map");
  refused("\ud800", "half a character");
  refused(undefined, "undefined");
  assert.deepEqual(value({ a: undefined, b: new Date(0), c: "😀" })().value, { b: "1970-01-01T00:00:00.000Z", c: "😀" });
});

test("a tool has a name that hosts take, and parts that are functions", () => {
  for (const name of ["", "a b", "é", "x".repeat(41), undefined]) {
    assert.throws(() => defineTool({ name, execute: () => 1 }), TypeError, name);
  }
  assert.throws(() => defineTool({ name: "a" }), /the execute of the tool a is a function/);
  assert.throws(() => checkManifest({ tools: [] }, echo(), defineTool({ name: "Echo", execute: () => 1 })), /two tools have one name/);
  assert.throws(() => checkManifest({ tools: [{ name: "other" }] }, echo()), /lists the tools other; the code has echo/);
});

test("a promise is refused and not waited for", () => {
  assert.throws(() => call(echo({ execute: async () => 1 }), {}), /returned a promise; write it without async/);
});

test("a code has capitals, digits and underscores", () => {
  assert.throws(() => ToolError.failed("stale", "old"), TypeError);
  assert.deepEqual(ToolError.failed("A_1", "old", [1]).payload.val, { code: "A_1", message: "old", data: "[1]" });
  assert.equal(ToolError.failed("A_1", "old", NaN).payload.val.data, undefined);
});

test("what is no content is refused", () => {
  assert.equal(asText(call(echo({ render: () => "a" }), {}).content), "a");
  assert.equal(asText(call(echo({ render: () => ["a", text("b")] }), {}).content), undefined);
  assert.throws(() => call(echo({ render: () => 1 }), {}), /content is a text/);
});

test("numbers of a card are whole", () => {
  assert.throws(() => readCard({ title: "t", path: "p", lines: [], totalLines: 1.5 }), TypeError);
  assert.equal(genericCard({ title: "t", input: NaN }).val.input, undefined);
});

test("a search lists no more than there is", () => {
  const found = (card) => [card.val.results.val.total, card.val.results.val.truncated];
  const files = [{ path: "a", matches: [{ lineNumber: 1, line: "x" }, { lineNumber: 3, line: "y" }] }];
  for (const [total, expected] of [[undefined, [2, false]], [0, [2, false]], [2, [2, false]], [3, [3, true]]]) {
    assert.deepEqual(found(matchesCard({ title: "t", files, total })), expected);
    assert.deepEqual(found(pathsCard({ title: "t", paths: ["a", "b"], total })), expected);
  }
  assert.throws(() => pathsCard({ title: "t", paths: ["a"], total: -1 }), TypeError);
});

test("a context remembers what it is told", () => {
  const context = recordingContext();
  call(echo({ execute: (args, context) => (context.progress(1, 2, "x"), context.log("info", "y"), args) }), {}, context);
  assert.deepEqual([context.heard, context.lines], [[{ done: 1, total: 2, message: "x" }], [{ level: "info", message: "y" }]]);
  assert.equal(card(echo(), {}), undefined);
});
