// The page under test: what `fumehood replay LOG --html FILE` writes.

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { composed } from "../browser/page.mjs";

/** Writes the log and its page into a folder; answers with the page's text. */
export function pageOf(fumehood, folder, name, text) {
  const log = join(folder, `${name}.jsonl`);
  const html = join(folder, `${name}.html`);
  writeFileSync(log, text);
  if (!fumehood) return assembled(`${name}.jsonl`, text);
  const done = spawnSync(resolve(fumehood), ["replay", `${name}.jsonl`, "--html", html], { cwd: folder, encoding: "utf8", timeout: 120000 });
  if (done.error || ![0, 1].includes(done.status)) throw new Error(`fumehood replay: ${done.error ?? `exit ${done.status}: ${done.stderr}`}`);
  return readFileSync(html, "utf8");
}

/** The same page from the repository's parts. A line that is not JSON becomes the note that the reader would make of it. */
function assembled(title, text) {
  const html = composed("cli/replay/page.html", ["view/draw.css", "cli/replay/page.css"], ["view/draw.js", "cli/replay/page.js"]);
  const inert = (line) => line.replaceAll("<", "\\u003c").replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
  const items = text.split("\n").slice(0, -1).map((line, at) => {
    try { JSON.parse(line); return line; } catch (error) { return JSON.stringify({ line: at + 1, why: `it is not JSON: ${error.message}` }); }
  });
  const all = [JSON.stringify({ title }), ...items, JSON.stringify({ items: items.length })].map(inert);
  const blocks = [];
  let block = [];
  let size = 0;
  for (const line of all) {
    if (size >= 1 << 20) { blocks.push(block); block = []; size = 0; }
    block.push(line);
    size += line.length + 1;
  }
  blocks.push(block);
  return html.replace("{{log}}", () => blocks.map((lines) => `<script type="application/x-ndjson">\n${lines.join("\n")}\n</script>`).join("\n"));
}
