// The hashes in the view's own Content-Security-Policy.
//
//   node tests/mcp/app/policy.mjs     writes them into the view, after its script or style has changed

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const VIEW = fileURLToPath(new URL("../../../host/src/mcp/app/card.html", import.meta.url));

/** `sha256-…` of what stands between the only pair of such tags, as the browser hashes it. */
export function hashOf(html, tag) {
  const bodies = [...html.matchAll(new RegExp(`<${tag}>([^]*?)</${tag}>`, "g"))];
  if (bodies.length !== 1) throw new Error(`the view has ${bodies.length} <${tag}> without attributes; it must have one`);
  return `sha256-${createHash("sha256").update(bodies[0][1]).digest("base64")}`;
}

/** The view with the hashes of its own script and style. */
export function sealed(html) {
  return html
    .replace(/script-src 'sha256-[^']*'/, `script-src '${hashOf(html, "script")}'`)
    .replace(/style-src 'sha256-[^']*'/, `style-src '${hashOf(html, "style")}'`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(VIEW, sealed(readFileSync(VIEW, "utf8")));
