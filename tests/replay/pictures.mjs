// docs/pictures: each card as a person sees it, in both themes. `run.sh --pictures` makes them.

import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { CARDS, Log } from "./log.mjs";

const FOLDER = fileURLToPath(new URL("../../docs/pictures/", import.meta.url));
const GUIDE = fileURLToPath(new URL("../../docs/tool-authors/cards.md", import.meta.url));
const WIDTH = 800; // As wide as a page of text shows it.
const MOST_BYTES = 60000; // Twelve of them are in the repository: less than a megabyte in all.
const files = () => Object.keys(CARDS).flatMap((kind) => ["light", "dark"].map((theme) => ({ kind, theme, name: `card-${kind}-${theme}.png` })));

export async function pictures({ open }) {
  mkdirSync(FOLDER, { recursive: true });
  const log = new Log();
  for (const card of Object.values(CARDS)) log.succeed(log.call("t", {}), 1, { text: "x", card });
  for (const { kind, theme, name } of files()) {
    const page = await open(log.text(), { width: 1600, height: 2000, theme, name: "pictures" });
    const id = Object.keys(CARDS).indexOf(kind) + 1;
    await page.locator(`#call-${id} > .bar .open`).click();
    const card = page.locator(`#call-${id} .card`);
    await card.evaluate((node, width) => { node.style.width = `${width}px`; }, WIDTH);
    await card.screenshot({ path: FOLDER + name });
    console.log(`docs/pictures/${name}`);
  }
}

/** The pictures are there, are pictures of that size, and stand in the guide. Pixels differ from machine to machine. */
export function standing({ check }) {
  const guide = readFileSync(GUIDE, "utf8");
  for (const { name } of files()) {
    const there = existsSync(FOLDER + name);
    check(`docs/pictures/${name} is there`, there, "run tests/replay/run.sh --pictures");
    if (!there) continue;
    const bytes = readFileSync(FOLDER + name);
    const png = bytes.subarray(0, 8).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) && bytes.subarray(12, 16).toString("latin1") === "IHDR";
    check(`${name} is a PNG ${WIDTH} wide, and small`, png && bytes.readUInt32BE(16) === WIDTH && bytes.readUInt32BE(20) > 80 && bytes.length < MOST_BYTES, png ? [bytes.readUInt32BE(16), bytes.readUInt32BE(20), bytes.length] : "it is no PNG");
    const used = new RegExp(`<(?:img|source)[^>]+pictures/${name}`).test(guide);
    check(`${name} stands in docs/tool-authors/cards.md`, used);
  }
  const images = [...guide.matchAll(/<img\b[^>]*>/g)].map(([tag]) => tag);
  check("each picture in the guide says what is to be seen", images.length === Object.keys(CARDS).length && images.every((tag) => /alt="[^"]{20,}"/.test(tag)), images);
}
