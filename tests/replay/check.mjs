// Opens pages of replays in the system's browser, uses them, and looks at what came of it.
//
//   node check.mjs --modules NODE_MODULES [--fumehood PROGRAM] [--browser PROGRAM] [--only PART] [--screenshots FOLDER]
//   node check.mjs … --pictures     makes docs/pictures anew
//   node check.mjs … --measure      opens and scrolls a log of 10,000 calls, and prints what it took
//
// `run.sh` calls it. The last line is `N passed, 0 failed`; the exit status is 1 if anything failed.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { pathToFileURL } from "node:url";

import { counted, launched, watched } from "../browser/browser.mjs";
import { scriptOf, sealed } from "../browser/page.mjs";
import { broken } from "./broken.mjs";
import { finding } from "./finding.mjs";
import { hostile } from "./hostile.mjs";
import { keys } from "./keys.mjs";
import { looks } from "./looks.mjs";
import { many, measure } from "./many.mjs";
import { MUTANTS } from "./mutants.mjs";
import { pageOf } from "./page.mjs";
import { pictures, standing } from "./pictures.mjs";
import { renamed } from "./renamed.mjs";
import { shows } from "./shows.mjs";
import { session } from "./log.mjs";

const { values: options } = parseArgs({
  options: {
    modules: { type: "string" },
    fumehood: { type: "string" },
    browser: { type: "string", default: "/usr/bin/chromium" },
    only: { type: "string", default: "" },
    screenshots: { type: "string" },
    pictures: { type: "boolean", default: false },
    measure: { type: "boolean", default: false },
  },
});
if (!options.modules) throw new Error("--modules is missing; write --modules path/to/node_modules, or use run.sh");

const work = mkdtempSync(join(tmpdir(), "fumehood-replay-"));
const browser = await launched(options.modules, options.browser, join(work, "profile"));
const { passed, failed, check } = counted();
const started = Date.now();

const made = new Map();
/** The page of a log. Each is made once. `assembled`: from the parts in the repository, whatever a reader would say of it. */
function page(text, name = "session", assembled = false) {
  const key = `${assembled} ${text}`;
  if (!made.has(key)) made.set(key, pageOf(assembled ? undefined : options.fumehood, work, name, text));
  return made.get(key);
}

/** Opens pages for one part. `change` is done to each first. */
function opener(change = (html) => html) {
  const wrongs = [];
  let tab;
  return {
    wrongs,
    /** A page of this log, ready. */
    async open(text, { width = 1200, height = 900, theme = "light", hash = "", name, before, assembled, edit = (html) => html } = {}) {
      await tab?.close();
      tab = await browser.newPage();
      const file = join(work, "page.html");
      writeFileSync(file, edit(change(page(text, name, assembled))));
      watched(tab, wrongs, (url) => url.startsWith(pathToFileURL(file).href));
      await tab.addInitScript(() => { window.canary = 0; });
      await before?.(tab);
      await tab.setViewportSize({ width, height });
      await tab.emulateMedia({ colorScheme: theme, reducedMotion: "no-preference", media: "screen" });
      await tab.goto(pathToFileURL(file).href + hash, { waitUntil: "commit" });
      await tab.locator("html[data-ready]").waitFor({ state: "attached" });
      return tab;
    },
    async close() { await tab?.close(); },
  };
}

const tools = { modules: options.modules, screenshots: options.screenshots };
const PARTS = { shows, keys, finding, hostile, broken, renamed, many, looks };

// A mutant is looked at in one size and theme, and with fewer calls.
async function run(name, count, change, quick = false) {
  const { open, wrongs, close } = opener(change);
  try {
    await PARTS[name]({ open, check: count, quick, ...tools });
  } catch (error) {
    count(`${name}: can be used`, false, String(error));
  }
  count(`${name}: nothing was loaded, opened or blocked`, wrongs.length === 0, wrongs.join("; "));
  await close();
}

if (options.pictures) {
  await pictures({ open: opener().open, ...tools });
} else if (options.measure) {
  await measure({ open: opener().open });
} else {
  const html = page(session().text());
  check("the page's policy has the hashes of its script and style", sealed(html) === html);
  check("nothing is left to fill in", !/\{\{[a-z-]+\}\}/.test(html.split('<script type="application/x-ndjson">')[0]));
  const forbidden = /\b(?:innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|fetch\(|XMLHttpRequest|WebSocket|import\(|localStorage|sessionStorage|indexedDB)/;
  check("its script names no way to make markup, code or requests, or to keep anything", !forbidden.test(scriptOf(html)), scriptOf(html).match(forbidden)?.[0]);
  standing({ check });
  for (const name of Object.keys(PARTS)) if (name.includes(options.only)) await run(name, check);
  if (options.only === "") {
    // The check itself: each way to break the page must be noticed.
    for (const { what, from, to, part } of MUTANTS) {
      if (html.split(from).length !== 2) {
        check(`${what}: the page has the place that is broken here`, false, from);
        continue;
      }
      const noticed = [];
      await run(part, (one, holds) => { if (!holds) noticed.push(one); }, (original) => sealed(original.replace(from, () => to)), true);
      // A browser that is gone notices everything.
      const alive = await browser.newPage().then((tab) => tab.close()).then(() => true, () => false);
      check(`the check notices that ${what}`, noticed.length > 0 && alive, alive ? "" : "the browser is gone");
      if (!alive) break;
    }
  }
}

await browser.close();
rmSync(work, { recursive: true });
console.log(`${((Date.now() - started) / 1000).toFixed(0)} s`);
console.log(`${passed.length} passed, ${failed.length} failed`);
process.exitCode = failed.length ? 1 : 0;
