// What a person sees: six shapes, in the shape of the interface.

import { content, count } from "./content.js";
import { toJson } from "./value.js";

// A title is one line, and often holds what somebody wrote.
const oneLine = (title) => String(title).replace(/[\r\n]+/g, " ");

export function genericCard({ title, kind, input, body = [], locations = [] }) {
  const val = {
    title: oneLine(title),
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
  const val = { title: oneLine(title), description, cwd, output, exit: exit === undefined ? undefined : ended, timedOut };
  return { tag: "terminal", val };
}

export function diffCard({ title, diffs }) {
  const files = diffs.map(({ path, old, new: now }) => ({ path, old, new: now }));
  return { tag: "diff", val: { title: oneLine(title), diffs: files } };
}

export function readCard({ title, path, offset = 1, lines, totalLines, language }) {
  const numbered = lines.map(({ number, text }) => ({ number: count(number), text }));
  const [from, all] = [count(offset), count(totalLines)];
  return { tag: "read", val: { title: oneLine(title), path, offset: from, lines: numbered, totalLines: all, language } };
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
  return { tag: "search", val: { title: oneLine(title), results: { tag, val } } };
}

// Unless it says otherwise, what is listed is all there is; there is never less.
function left(listed, total = listed) {
  return { truncated: total > listed, total: Math.max(count(total), listed) };
}

export function webSearchCard({ title, sources, answer, truncated = false }) {
  const listed = sources.map(({ url, title, snippet, published }) => ({ url, title, snippet, published }));
  return web(title, "search", { sources: listed, answer, truncated });
}

export function fetchCard({ title, url, status, truncated = false }) {
  return web(title, "fetch", { url, status, truncated });
}

function web(title, tag, val) {
  return { tag: "web", val: { title: oneLine(title), results: { tag, val } } };
}
