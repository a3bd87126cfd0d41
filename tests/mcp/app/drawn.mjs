// One fixture, drawn: what it must show, and what must hold of any card.

import { join } from "node:path";

// All that a card is made of. A link is a button: it leads through the host or nowhere.
const TAGS = new Set("MAIN HEADER H1 H2 P DIV SPAN SECTION CODE B BDI BUTTON IMG AUDIO svg path".split(" "));
const ATTRIBUTES = new Set(
  ("id class dir lang role title type hidden alt decoding src controls preload d viewBox " +
    "aria-hidden aria-expanded aria-label aria-labelledby aria-busy").split(" "),
);
// Twice what the largest card may draw: 5,000 rows of five nodes.
const MOST_NODES = 50000;

/** Runs inside the view. */
export function look() {
  const main = document.getElementById("card");
  const all = [...main.querySelectorAll("*")];
  const words = (selector) => [...main.querySelectorAll(selector)].map((node) => node.textContent);
  const rgb = (text) => (text.match(/[\d.]+/g) ?? []).map(Number);
  const backdrop = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const [r, g, b, a = 1] = rgb(getComputedStyle(at).backgroundColor);
      if (a === 1) return [r, g, b];
    }
    return null;
  };
  // WCAG 2.2, 1.4.3.
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const faint = [];
  for (const node of all.slice(0, 500)) {
    if (![...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim() !== "")) continue;
    const behind = backdrop(node);
    const [one, two] = [light(rgb(getComputedStyle(node).color).slice(0, 3)), behind ? light(behind) : NaN].sort((a, b) => b - a);
    const ratio = (one + 0.05) / (two + 0.05);
    if (!(ratio >= 4.5)) faint.push(`${node.tagName}.${node.className} ${ratio.toFixed(2)}`);
  }
  return {
    label: main.querySelector(".kind")?.textContent,
    title: main.querySelector("h1")?.textContent,
    badges: [...main.querySelectorAll("header .badge")].map((node) => ({ text: node.textContent, tone: node.className.replace("badge", "").trim() })),
    strayBadges: main.querySelectorAll("section .badge, h1 .badge, .about .badge").length,
    text: main.textContent,
    lines: words(".code > div, .prose > div").slice(0, 50),
    marks: words(".mark"),
    links: [...main.querySelectorAll("button.link")].map((node) => node.title),
    more: words("button.more"),
    media: [...main.querySelectorAll("img, audio")].map((node) => node.src.slice(0, 30)),
    busy: main.getAttribute("aria-busy"),
    status: document.getElementById("status").textContent,
    tags: [...new Set(all.map((node) => node.tagName))],
    attributes: [...new Set(all.flatMap((node) => node.getAttributeNames()))],
    nodes: all.length,
    // The card clips what leaves it, so its elements are measured too.
    wide: Math.max(document.documentElement.scrollWidth - document.documentElement.clientWidth,
      ...all.slice(0, 3000).map((node) => Math.floor(node.getBoundingClientRect().right - main.getBoundingClientRect().right))),
    height: Math.ceil(document.body.getBoundingClientRect().height),
    scheme: getComputedStyle(document.documentElement).colorScheme,
    faint: [...new Set(faint)],
    polluted: "polluted" in {},
  };
}

export async function drawn({ page, name, theme, width, check, fixture, screenshots }) {
  const { expect } = fixture;
  const here = (what) => `${name} ${theme} ${width}: ${what}`;
  await page.evaluate((theme) => document.documentElement.classList.toggle("dark", theme === "dark"), theme);
  const context = { theme, displayMode: "inline", locale: "en-US", ...(fixture.tool ? { toolInfo: { tool: { ...fixture.tool, inputSchema: { type: "object" } } } } : {}) };
  await page.evaluate((context) => window.host.open({ context }), context);
  await page.evaluate((name) => window.host.play(name), name);
  // Messages are handled in their order: after this answer, all that was played is drawn.
  await page.evaluate(() => window.host.ask("ping"));
  const view = page.frames().find((frame) => frame.url().endsWith("/view"));
  await view.evaluate(() => Promise.all([...document.images].map((image) => image.decode().catch(() => {}))));
  const seen = await settled(page, view);
  const badges = seen.badges.map((one) => one.text);

  const among = (what, where, wanted) => {
    for (const text of wanted ?? []) check(here(`${what} ${JSON.stringify(text).slice(0, 60)}`), where.includes(text), typeof where === "string" ? where.slice(0, 600) : where);
  };
  const without = (seen, unwanted) => {
    for (const text of unwanted ?? []) check(here(`does not show ${JSON.stringify(text)}`), !seen.text.includes(text));
  };
  check(here(`is labelled ${expect.label}`), seen.label === expect.label, seen.label);
  if (expect.title !== undefined) check(here("its title"), seen.title === expect.title, seen.title);
  if (expect.badges) check(here("its badges"), JSON.stringify(badges) === JSON.stringify(expect.badges), badges);
  if (expect.tones) check(here("their tones"), JSON.stringify(seen.badges.map((one) => one.tone)) === JSON.stringify(expect.tones), seen.badges);
  if (expect.links) check(here("its links"), JSON.stringify(seen.links) === JSON.stringify(expect.links), seen.links);
  if (expect.media !== undefined) check(here("its media"), seen.media.length === expect.media, seen.media);
  among("shows", seen.text, expect.text);
  among("writes out", seen.marks, expect.marks);
  among("offers", seen.more, expect.more);
  without(seen, expect.absent);

  check(here("has nothing to wait for, or says so"), seen.busy === String(expect.busy ?? false), seen.busy);
  check(here("is announced"), seen.status.startsWith(expect.label) && badges.every((one) => seen.status.includes(one)), seen.status);
  check(here("has badges in its frame only"), seen.strayBadges === 0);
  check(here("is made of known elements"), seen.tags.every((tag) => TAGS.has(tag)), seen.tags);
  check(here("is made of known attributes"), seen.attributes.every((one) => ATTRIBUTES.has(one)), seen.attributes);
  check(here("links to web addresses only"), seen.links.every((url) => /^https?:\/\/[^@]+$/.test(url)), seen.links);
  check(here("has media of checked types only"), seen.media.every((url) => /^data:(?:image\/(?:png|jpeg|gif|webp)|audio\/(?:wav|x-wav|mpeg|mp3|ogg));base64,/.test(url)), seen.media);
  check(here("has a bounded number of elements"), seen.nodes <= MOST_NODES, seen.nodes);
  check(here("has nothing past its right edge"), seen.wide <= 0, `${seen.wide} px`);
  check(here("can be read"), seen.faint.length === 0, seen.faint);
  check(here("follows the host's theme"), seen.scheme === theme, seen.scheme);
  check(here("leaves prototypes alone"), !seen.polluted);
  const host = await page.evaluate(() => window.host.seen);
  check(here("told the host its height"), host.sizes.at(-1)?.height === seen.height, { told: host.sizes.at(-1), is: seen.height });
  check(here("sent nothing that the extension does not know"), host.errors.length === 0 && host.others.length === 0 && host.links.length === 0, host);
  if (screenshots) await page.locator("iframe").screenshot({ path: join(screenshots, `${name}-${theme}-${width}.png`) });

  // Opening is the same in both themes, and the slowest part.
  if (expect.opened && theme === "light") {
    await view.locator("button.more").last().click();
    const opened = await settled(page, view);
    among("shows when opened", opened.text, expect.opened.text);
    among("offers when opened", opened.more, expect.opened.more);
    without(opened, expect.opened.absent);
    check(here("has a bounded number of elements when opened"), opened.nodes <= MOST_NODES, opened.nodes);
    check(here("has nothing past its right edge when opened"), opened.wide <= 0, `${opened.wide} px`);
    await view.locator("button.more").last().click();
    const closed = await settled(page, view);
    check(here("can be closed again"), closed.nodes === seen.nodes && closed.text === seen.text, { before: seen.nodes, after: closed.nodes });
  }
}

// What is seen once the view has told the host its size: the observer runs after layout, so two frames at most.
export async function settled(page, view) {
  await view.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  await page.evaluate(() => window.host.ask("ping"));
  return view.evaluate(look);
}
