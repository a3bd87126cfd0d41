// What a person sees: six shapes, in the shape of the interface.

import { content, count } from "./content.js";
import { toJson } from "./value.js";

export function genericCard({ title, kind, input, body = [], locations = [] }) {
  const val = {
    title,
    kind,
    // What has no JSON form leaves the arguments of the call.
    input: input === undefined ? undefined : toJson(input).json,
    body: content(body),
    locations: locations.map(({ path, line }) => ({ path, line })),
  };
  return { tag: "generic", val };
}

export function terminalCard({ title, description, cwd, output = "", exit, timedOut = false }) {
  const ended = typeof exit === "string" ? { tag: "signal", val: exit } : { tag: "code", val: exit };
  return { tag: "terminal", val: { title, description, cwd, output, exit: exit === undefined ? undefined : ended, timedOut } };
}

export function diffCard({ title, diffs }) {
  return { tag: "diff", val: { title, diffs: diffs.map(({ path, old, new: now }) => ({ path, old, new: now })) } };
}

export function readCard({ title, path, offset = 1, lines, totalLines, language }) {
  const numbered = lines.map(({ number, text }) => ({ number: count(number), text }));
  const val = { title, path, offset: count(offset), lines: numbered, totalLines: count(totalLines), language };
  return { tag: "read", val };
}

export function matchesCard({ title, files, total }) {
  const listed = files.reduce((sum, file) => sum + file.matches.length, 0);
  const found = files.map(({ path, matches }) => ({
    path,
    matches: matches.map(({ lineNumber, line }) => ({ lineNumber: count(lineNumber), line })),
  }));
  return search(title, "matches", { files: found, ...left(listed, total) });
}

export function pathsCard({ title, paths, total }) {
  return search(title, "paths", { paths: [...paths], ...left(paths.length, total) });
}

function search(title, tag, val) {
  return { tag: "search", val: { title, results: { tag, val } } };
}

// Unless it says otherwise, what is listed is all there is.
function left(listed, total = listed) {
  return { truncated: total > listed, total: count(total) };
}

export function webSearchCard({ title, sources, answer, truncated = false }) {
  const listed = sources.map(({ url, title, snippet, published }) => ({ url, title, snippet, published }));
  return { tag: "web", val: { title, results: { tag: "search", val: { sources: listed, answer, truncated } } } };
}

export function fetchCard({ title, url, status, truncated = false }) {
  return { tag: "web", val: { title, results: { tag: "fetch", val: { url, status, truncated } } } };
}
