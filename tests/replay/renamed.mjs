// What is drawn knows no tool: the same log, its tools called otherwise, is drawn the same but for the names.

import { Log, session } from "./log.mjs";

/** All that stands in the timeline, every call open: elements, classes, texts. */
async function drawn(open, text, known) {
  const page = await open(text, { name: "session" });
  for (const selector of ["#calls .batch > .call > .bar .open", "#calls .nested > .call > .bar .open"]) for (const button of await page.locator(selector).all()) await button.click();
  return page.evaluate((known) => {
    const out = [];
    const walk = (node) => {
      if (node.nodeType === 3) out.push(known[node.data] ?? node.data);
      else {
        out.push(`${node.tagName}.${node.getAttribute("class") ?? ""}`);
        node.childNodes.forEach(walk);
      }
    };
    walk(document.getElementById("calls"));
    return out;
  }, known);
}

export async function renamed({ open, check }) {
  const original = session();
  const names = [...new Set(original.lines.map((line) => JSON.parse(line).tool).filter(Boolean))];
  const other = Object.fromEntries(names.map((name, at) => [name, `zz${at}`]));
  const again = new Log({ values: true });
  again.lines = [];
  again.prev = null;
  for (const line of original.lines) {
    const { seq, prev, at, ...event } = JSON.parse(line);
    if (event.tool) event.tool = other[event.tool];
    again.now = Date.parse(at);
    again.add(event);
  }
  const back = Object.fromEntries(Object.entries(other).map(([name, zz]) => [zz, name]));
  const [before, after] = [await drawn(open, original.text(), {}), await drawn(open, again.text(), back)];
  const differs = before.findIndex((one, at) => one !== after[at]);
  // The digests of lines are the log's; nothing that is drawn depends on them.
  check("all tools renamed, the same is drawn", before.length === after.length && differs < 0, `${before.length} and ${after.length}; ${differs}: ${before.slice(differs, differs + 3)} / ${after.slice(differs, differs + 3)}`);
  check("and there is much of it", before.length > 1000 && names.length > 10, [before.length, names.length]);
}
