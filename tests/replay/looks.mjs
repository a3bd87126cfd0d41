// How the page looks: both themes, narrow and wide, everything open; and what axe-core says of it.

import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { session } from "./log.mjs";

export async function looks({ open, check, quick, modules, screenshots }) {
  if (screenshots) mkdirSync(screenshots, { recursive: true });
  const text = session().text();
  const axe = readFileSync(join(modules, "axe-core/axe.min.js"), "utf8");
  for (const width of quick ? [900] : [320, 900, 1600]) {
    for (const theme of width === 900 ? ["light"] : ["light", "dark"]) {
      const which = `${theme}, ${width} px`;
      const page = await open(text, { width, theme });
      const picture = async (name) => { if (screenshots) await page.screenshot({ path: join(screenshots, `${name}-${theme}-${width}.png`), fullPage: true }); };
      await picture("closed");
      await page.locator("#facets").evaluate((node) => { node.open = true; });
      for (const selector of ["#calls .batch > .call > .bar .open", "#calls .nested > .call > .bar .open"]) for (const button of await page.locator(selector).all()) await button.click();
      await picture("open");
      const wide = await page.evaluate(() => {
        const edge = document.documentElement.clientWidth;
        return [...document.body.querySelectorAll("*")].filter((node) => !node.closest(".unseen, .skip, .bar, .event") && node.checkVisibility() && node.getBoundingClientRect().right > edge + 1).map((node) => `${node.tagName}.${node.className}`).slice(0, 5);
      });
      check(`${which}: nothing is past the right edge`, wide.length === 0, wide);
      const cut = await page.evaluate(() => [...document.querySelectorAll(".bar .state, .bar .took, .bar .chips, .bar .id")].filter((node) => node.scrollWidth > node.clientWidth + 1 && node.clientWidth > 0).map((node) => `${node.className}: ${node.textContent}`).slice(0, 5));
      check(`${which}: states, durations and numbers are whole`, cut.length === 0, cut);
      const over = await page.evaluate(() => {
        const rows = [...document.querySelectorAll(".batch > .call > .bar .open")];
        return rows.filter((row) => { const boxes = [...row.children].filter((one) => one.checkVisibility()).map((one) => one.getBoundingClientRect()).filter((box) => box.width > 0);
          return boxes.some((a, i) => boxes.slice(i + 1).some((b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1)); }).length;
      });
      check(`${which}: nothing of a row stands over something else`, over === 0, over);
      await page.evaluate(() => scrollTo(0, 0));
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
      const found = violations.map(({ id, nodes }) => [id, nodes.length, nodes[0].html.slice(0, 200), nodes[0].any[0]?.message]);
      check(`${which}: axe-core finds nothing`, found.length === 0, found);
    }
  }
}
