// Draws every fixture in the system's browser, in the extension's own host, and looks at what came of it.
//
//   node check.mjs --modules NODE_MODULES [--fumehood PROGRAM] [--screenshots FOLDER] [--browser PROGRAM] [--only TEXT]
//
// `run.sh` calls it. The last line is `N passed, 0 failed`; the exit status is 1 if anything failed.

import { mkdtempSync, mkdirSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { scriptOf, sealed } from "../../browser/page.mjs";
import { counted, launched, watched } from "../../browser/browser.mjs";
import { behaviour } from "./behaviour.mjs";
import { drawn } from "./drawn.mjs";
import { MUTANTS } from "./mutants.mjs";
import { serve } from "./server.mjs";
import { view as viewUnderTest } from "./view.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const { values: options } = parseArgs({
  options: {
    modules: { type: "string" },
    fumehood: { type: "string" },
    screenshots: { type: "string" },
    browser: { type: "string", default: "/usr/bin/chromium" },
    only: { type: "string", default: "" },
  },
});
if (!options.modules) throw new Error("--modules is missing; write --modules path/to/node_modules, or use run.sh");
const work = mkdtempSync(join(tmpdir(), "fumehood-card-"));
const screenshots = options.screenshots ?? join(work, "screenshots");
mkdirSync(screenshots, { recursive: true });

const original = viewUnderTest(options.fumehood);
const view = { html: original };
const server = await serve(here, options.modules, view);
const browser = await launched(options.modules, options.browser, join(work, "profile"));
const { passed, failed, check } = counted();

// What no view may do, from the first request of a page to its last.
const wrongs = [];
async function newPage(width) {
  const page = await browser.newPage();
  await page.setViewportSize({ width: width + 32, height: 2400 });
  watched(page, wrongs, (url) => url.startsWith(`${server.base}/`));
  await page.goto(`${server.base}/host.html`);
  await page.locator("html[data-ready]").waitFor({ state: "attached" });
  return page;
}
/** Whether the page did nothing wrong since it was last asked. */
async function innocent(page, name, count = check) {
  const ran = await page.evaluate(() => window.host.canary);
  count(`${name}: no script of a result ran`, ran === 0, `${ran} ran`);
  count(`${name}: nothing was loaded, opened or blocked`, wrongs.length === 0 && server.missed.length === 0, [...wrongs, ...server.missed].join("; "));
  wrongs.length = 0;
  server.missed.length = 0;
}

const started = Date.now();
const fixtureOf = (name) => JSON.parse(readFileSync(join(here, "cards", `${name}.json`), "utf8"));
const fixtures = readdirSync(join(here, "cards")).map((file) => file.replace(/\.json$/, "")).filter((name) => name.includes(options.only));

check("the view's policy has the hashes of its script and style", sealed(original) === original);
check("the view is one page: nothing is left to fill in", !original.includes("{{"));
const forbidden = /\b(?:innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|fetch\(|XMLHttpRequest|WebSocket|import\()/;
const code = scriptOf(original);
check("the view's script names no way to make markup, code or requests", !forbidden.test(code), code.match(forbidden)?.[0]);

for (const width of [320, 900]) {
  const page = await newPage(width);
  for (const theme of ["light", "dark"]) {
    for (const name of fixtures) {
      const which = `${name} ${theme} ${width}`;
      try {
        await drawn({ page, name, theme, width, check, fixture: fixtureOf(name), screenshots });
      } catch (error) {
        check(`${which}: can be looked at`, false, String(error));
      }
      await innocent(page, which);
    }
  }
  await page.close();
}

if (options.only === "") {
  const page = await newPage(600);
  await behaviour({ page, check });
  await innocent(page, "behaviour");

  // The check itself: each way to break the view must be noticed.
  for (const { what, from, to, fixture } of MUTANTS) {
    if (original.split(from).length !== 2) {
      check(`${what}: the view has the place that is broken here`, false, from);
      continue;
    }
    view.html = sealed(original.replace(from, () => to));
    const noticed = [];
    const count = (one, holds) => { if (!holds) noticed.push(one); };
    try {
      if (fixture) {
        await drawn({ page, name: fixture, theme: "light", width: 600, check: count, fixture: fixtureOf(fixture) });
      } else await behaviour({ page, check: count });
      await innocent(page, what, count);
    } catch (error) {
      noticed.push(String(error));
    }
    // A browser that is gone notices everything.
    const alive = await page.evaluate(() => { window.host.canary = 0; }).then(() => true, () => false);
    check(`the check notices that ${what}`, noticed.length > 0 && alive, alive ? "" : "the browser is gone");
    if (!alive) break;
  }
  await page.close();
}

await browser.close();
server.close();
if (options.screenshots) {
  rmSync(work, { recursive: true });
  console.log(`screenshots: ${screenshots}`);
} else if (failed.length) console.log(`screenshots: ${screenshots}`);
else rmSync(work, { recursive: true });
console.log(`${((Date.now() - started) / 1000).toFixed(0)} s`);
console.log(`${passed.length} passed, ${failed.length} failed`);
process.exitCode = failed.length ? 1 : 0;
