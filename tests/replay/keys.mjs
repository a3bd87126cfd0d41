// The keyboard, deep links, the theme, and what is told to those who do not see the page.

import { session } from "./log.mjs";
import { row, seen, toggle } from "./shows.mjs";

const place = (page) => page.evaluate(() => document.activeElement?.closest(".call")?.id ?? document.activeElement?.id ?? "");

export async function keys({ open, check }) {
  const text = session().text();
  let page = await open(text);
  const at = async (what, id) => check(what, (await place(page)) === id, await place(page));
  const press = async (...all) => { for (const key of all) await page.keyboard.press(key); };

  await press("j");
  await at("j leads to the first call", "call-1");
  await press("j", "j");
  await at("and to the next", "call-3");
  await press("k");
  await at("k leads back", "call-2");
  await press("ArrowDown", "ArrowDown", "ArrowUp");
  await at("so do the arrows", "call-3");
  await press("End");
  await at("End leads to the last", "call-17");
  await press("j");
  await at("and there it ends", "call-17");
  await press("Home");
  await at("Home leads to the first", "call-1");
  const ring = await page.evaluate(() => { const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement); return [outlineStyle, outlineWidth]; });
  check("what has the focus shows it", ring.join() === "solid,2px", ring);
  check("the focus is in sight", await page.evaluate(() => { const { top, bottom } = document.activeElement.getBoundingClientRect(); return top >= 0 && bottom <= innerHeight; }));

  await press("j", "j", "j", "Enter");
  const button = row(page, 4).locator("> .bar .open");
  check("Enter opens the call", (await button.getAttribute("aria-expanded")) === "true" && (await seen(page, 4)).cards.length === 1);
  check("and says what it opened", (await button.getAttribute("aria-controls")) === "detail-4");
  check("the address follows", page.url().endsWith("#call-4"), page.url());
  await press("Escape");
  check("Esc closes it", (await button.getAttribute("aria-expanded")) === "false" && (await row(page, 4).locator(".detail").count()) === 0);
  await at("and stays there", "call-4");
  await toggle(page, 10);
  await press("j");
  await at("j goes into an open call", "call-10.1");
  await press("Escape");
  await at("Esc leads out of it", "call-10");
  check("and closes it", (await row(page, 10).locator("> .detail").count()) === 0);
  await toggle(page, 1);
  await row(page, 1).locator(".raw summary").focus();
  await press("Escape");
  await at("Esc closes a call from within", "call-1");

  // Search by key, and keys that a person types there.
  await press("/");
  await at("/ leads to the search", "query");
  await page.keyboard.type("jk?/");
  check("there, letters are letters", (await page.locator("#query").inputValue()) === "jk?/" && (await place(page)) === "query" && !(await page.locator("#keys").isVisible()));
  await press("Escape");
  check("Esc empties it", (await page.locator("#query").inputValue()) === "");
  await page.locator("#status", { hasText: /^17 calls$/ }).waitFor();
  await press("Escape");
  await at("and then leads back", "call-1");

  // Help, and letters off.
  await press("?");
  check("? shows the keys", await page.locator("#keys").isVisible());
  await press("j");
  check("which are still then", (await place(page)) !== "call-2");
  await page.locator("#letters").click();
  await press("Escape");
  check("Esc closes them", !(await page.locator("#keys").isVisible()));
  await row(page, 1).locator(".open").first().focus();
  await press("j", "/", "?");
  await at("keys of one character can be switched off", "call-1");
  await press("ArrowDown");
  await at("others stay", "call-2");

  // Everything is reached by Tab, in few steps, and left again.
  page = await open(text);
  const stops = [];
  for (let n = 0; n < 60; n += 1) {
    await press("Tab");
    const stop = await page.evaluate(() => (document.activeElement === document.body ? "out" : document.activeElement.closest(".call")?.id ?? document.activeElement.id ?? document.activeElement.tagName) || document.activeElement.tagName);
    if (stop === "out") break;
    stops.push(stop);
  }
  check("Tab leads through the page and out of it", stops.length > 10 && stops.length < 60, stops);
  check("the list is one step", stops.filter((stop) => stop.startsWith("call-")).length === 1, stops);
  page = await open(text);
  await press("Tab");
  check("the first step is past the filters", (await page.evaluate(() => document.activeElement.textContent)) === "To the calls");
  await press("Enter");
  await press("j");
  await at("and leads to the calls", "call-1");

  // Deep links.
  page = await open(text, { hash: "#call-10.2" });
  await at("an address leads to its call", "call-10.2");
  check("which is open, as is the one it is in", (await row(page, "10").locator("> .detail").count()) === 1 && (await row(page, "10.2").locator("> .detail").count()) === 1);
  await row(page, 3).locator("> .bar .id").click();
  await page.waitForFunction(() => document.activeElement.closest(".call")?.id === "call-3");
  check("a number is a link to its call", (await row(page, "3").locator("> .detail").count()) === 1);
  await page.locator("#query").fill("cargo");
  await page.locator("#status", { hasText: " of 17 calls" }).waitFor();
  await page.evaluate(() => { location.hash = "#call-6"; });
  await page.waitForFunction(() => document.activeElement.closest(".call")?.id === "call-6");
  check("an address shows what a filter had hidden", await row(page, 6).isVisible());
  for (const hash of ["#call-99", "#call-%3Cimg%20src=x%20onerror=canary=1%3E", "#call-__proto__", "#calls", "#"]) {
    page = await open(text, { hash });
    check(`${hash} leads nowhere`, (await page.locator(".detail").count()) === 0 && (await page.evaluate(() => window.canary)) === 0);
  }
  page = await open(text, { hash: "#call-99" });
  check("and that is said", (await page.locator("#status").textContent()) === "There is no call 99 in this log.", await page.locator("#status").textContent());

  // The theme.
  const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  page = await open(text, { theme: "dark" });
  const [dark, light] = ["rgb(20, 20, 21)", "rgb(244, 243, 240)"];
  check("the system's theme holds", (await back()) === dark, await back());
  await page.locator("#theme").click();
  check("until a person chooses light", (await back()) === light && (await page.locator("#theme").textContent()) === "Theme: light", await back());
  await page.emulateMedia({ colorScheme: "light" });
  await page.locator("#theme").click();
  check("or dark", (await back()) === dark);
  await page.locator("#theme").click();
  check("or the system's again", (await back()) === light);

  // Roles, names and levels.
  const outline = await page.evaluate(() => ({
    landmarks: [...document.querySelectorAll("header, search, main")].map((node) => node.tagName),
    headings: [...document.querySelectorAll("h1, h2, h3")].filter((node) => !node.closest("dialog")).map((node) => Number(node.tagName[1])).slice(0, 4),
    list: document.getElementById("calls").getAttribute("role"),
    items: [...document.querySelectorAll("#calls .call, #calls .event, #calls .day")].every((node) => node.getAttribute("role") === "listitem"),
    status: document.getElementById("status").getAttribute("role"),
    buttons: [...document.querySelectorAll("#calls .open")].every((node) => node.tagName === "BUTTON" && node.hasAttribute("aria-expanded")),
  }));
  check("there are landmarks", outline.landmarks.join() === "HEADER,SEARCH,MAIN", outline.landmarks);
  check("headings go down by one", outline.headings.join() === "1,2,3,3", outline.headings);
  check("the calls are a list of buttons that open", outline.list === "list" && outline.items && outline.buttons);
  check("the count is told", outline.status === "status");
  check("nothing moves", (await page.evaluate(() => document.getAnimations().length)) === 0);

  // On paper: no controls, and what was open.
  await toggle(page, 4);
  await page.emulateMedia({ media: "print" });
  check("on paper there are the calls and no controls", !(await page.locator("#query").isVisible()) && !(await page.locator("#theme").isVisible()) && (await row(page, 4).locator(".card").isVisible()));
}
