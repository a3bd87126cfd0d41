// Everything the library can say, by name. `../gallery.json` holds what must come of it in every language.

import {
  audio, defineTool, diffCard, fetchCard, genericCard, image, matchesCard, outline, pathsCard, readCard, resource,
  resourceLink, terminalCard, text, ToolError, webSearchCard,
} from "fumehood-tool";

const BYTES = new Uint8Array([0, 255, 128]);

const cards = {
  generic: () =>
    genericCard({
      title: "A\ntitle",
      kind: "edit",
      input: { a: [1] },
      body: ["one", text("two", { priority: 0.5 })],
      locations: [{ path: "a.rs", line: 3 }, { path: "b.rs" }],
    }),
  exited: () => terminalCard({ title: "make", description: "Builds it.", cwd: "/src", output: "done\n", exit: 2 }),
  killed: () => terminalCard({ title: "make", exit: "SIGKILL", timedOut: true }),
  diff: () => diffCard({ title: "Changed", diffs: [{ path: "a", old: "1\n", new: "2\n" }, { path: "b", new: "" }] }),
  read: () =>
    readCard({
      title: "A part",
      path: "a.rs",
      offset: 2,
      lines: [{ number: 2, text: "two" }, { number: 4, text: "four" }],
      totalLines: 9,
      language: "rust",
    }),
  matches: () =>
    matchesCard({
      title: "Found",
      files: [
        { path: "a", matches: [{ lineNumber: 1, line: "x" }, { lineNumber: 5, line: "xx" }] },
        { path: "b", matches: [{ lineNumber: 2, line: "x" }] },
      ],
      total: 9,
    }),
  paths: () => pathsCard({ title: "Found", paths: ["a", "b"] }),
  "matches-too-few": () =>
    matchesCard({
      title: "Found",
      files: [
        { path: "a", matches: [{ lineNumber: 1, line: "x" }] },
        { path: "b", matches: [{ lineNumber: 2, line: "x" }] },
      ],
      total: 1,
    }),
  "paths-too-few": () => pathsCard({ title: "Found", paths: ["a", "b"], total: 0 }),
  search: () =>
    webSearchCard({
      title: "Asked",
      sources: [{ url: "https://a.test/", title: "A", snippet: "…", published: "2026-01-01" }, { url: "http://b.test/" }],
      answer: "42",
    }),
  fetch: () => fetchCard({ title: "Fetched", url: "https://a.test/", status: 404, truncated: true }),
};

const failures = {
  "invalid-args": () => ToolError.invalidArgs("no sense"),
  "not-found": () => ToolError.notFound("not there"),
  denied: () => ToolError.denied("not allowed"),
  unavailable: () => ToolError.unavailable("later"),
  failed: () => ToolError.failed("STALE_2", "too old"),
};

export const gallery = defineTool({
  name: "gallery",

  execute({ show }, context) {
    if (Object.hasOwn(failures, show)) {
      throw failures[show]();
    }
    if (show === "break") {
      throw new TypeError("the tool broke on purpose");
    }
    context.progress(1, 2, "half");
    context.progress(2);
    context.log("info", "one\nline");
    const numbers = show === "no-number" ? [0 / 0] : [0, -1.5, 4294967296];
    return { show, numbers, nested: [[1, []], { a: {} }], text: "é 😀\n\u0001\"\\\n", none: null };
  },

  render({ show }, value) {
    if (show !== "blocks") {
      return outline(value);
    }
    return [
      "plain",
      text("noted", { audience: ["user", "assistant"], priority: 1, lastModified: "2026-01-01T00:00:00Z" }),
      image(BYTES, "image/png"),
      audio(BYTES, "audio/wav", { audience: ["user"] }),
      resourceLink({ uri: "file:///a", name: "a", description: "A file.", mimeType: "text/plain" }),
      resource({ uri: "x:text", text: "held", mimeType: "text/plain" }),
      resource({ uri: "x:bytes", blob: BYTES }, { priority: 0 }),
    ];
  },

  present: ({ show }, value) => (value === undefined ? terminalCard({ title: `${show} …` }) : cards[show]?.()),
});
