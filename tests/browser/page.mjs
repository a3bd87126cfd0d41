// Pages as the Rust code puts them together, from the same parts: for what has to change a page before it is looked at.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const SOURCE = new URL("../../host/src/", import.meta.url);
const part = (path) => readFileSync(new URL(path, SOURCE), "utf8");

/** `sha256-…` of an inline script or style, as the browser hashes it. */
const sourceOf = (inline) => `sha256-${createHash("sha256").update(inline).digest("base64")}`;

/** What stands between the only pair of such tags. */
function inline(html, [open, close]) {
  const parts = html.split(open);
  if (parts.length !== 2) throw new Error(`the page has ${parts.length - 1} ${open}; it must have one`);
  return parts[1].split(close)[0];
}
export const scriptOf = (html) => inline(html, ['<script type="module">', "</script>"]);
const styleOf = (html) => inline(html, ["<style>", "</style>"]);

/** The page with the hashes of its own script and style. */
export function sealed(html) {
  return html
    .replace(/script-src '[^']*'/, `script-src '${sourceOf(scriptOf(html))}'`)
    .replace(/style-src '[^']*'/, `style-src '${sourceOf(styleOf(html))}'`);
}

/** One page from its template, styles and scripts: paths in host/src. */
export function composed(template, styles, scripts) {
  const all = (paths) => paths.map(part).join("");
  return sealed(part(template).replace("{{style}}", () => all(styles)).replace("{{script}}", () => all(scripts)));
}
