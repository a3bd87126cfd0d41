// The system's browser, kept from the network, and what no page may do in it.

import { createRequire } from "node:module";
import { join } from "node:path";

/** A browser with a profile of its own. No name leads anywhere but to this machine, whatever a page or the browser tries. */
export async function launched(modules, program, profile, options = {}) {
  const { chromium } = createRequire(join(modules, "x"))("playwright-core");
  return chromium.launchPersistentContext(profile, {
    executablePath: program,
    headless: true,
    ...options,
    args: [
      "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    ],
  });
}

/** Counts checks; a failure says what was found. */
export function counted() {
  const passed = [];
  const failed = [];
  const check = (name, holds, found = "") => {
    (holds ? passed : failed).push(name);
    if (!holds) console.log(`FAILED ${name}${found === "" ? "" : `: ${typeof found === "string" ? found : JSON.stringify(found)}`}`);
  };
  return { passed, failed, check };
}

/** Writes down, in `wrongs`, whatever a page does that none may: from now on, and in every frame. */
export function watched(page, wrongs, isOurs) {
  page.setDefaultTimeout(15000);
  page.on("request", (request) => {
    const url = request.url();
    if (!isOurs(url) && !/^(?:data|about):/.test(url)) wrongs.push(`asked for ${url.slice(0, 100)}`);
  });
  page.on("dialog", (dialog) => { wrongs.push(`a dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on("pageerror", (error) => wrongs.push(`an exception: ${error.message}`));
  page.on("popup", () => wrongs.push("a window was opened"));
  page.on("download", () => wrongs.push("a download was started"));
  page.on("framenavigated", (frame) => { if (!isOurs(frame.url()) && !/^about:/.test(frame.url())) wrongs.push(`went to ${frame.url()}`); });
  page.on("console", (line) => { if (/Content.Security|TrustedHTML|Refused/i.test(line.text())) wrongs.push(`the policy was hit: ${line.text()}`); });
}
