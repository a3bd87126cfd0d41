// The only server of the check: the host's page, its modules, the fixtures, and the view.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join, normalize } from "node:path";

// What a host sets for a resource whose `_meta.ui.csp` declares no domain (the extension, "CSP Construction from Metadata").
export const HOST_POLICY = [
  "default-src 'none'", "script-src 'self' 'unsafe-inline'", "style-src 'self' 'unsafe-inline'", "connect-src 'self'", "img-src 'self' data:",
  "font-src 'self'", "media-src 'self' data:", "frame-src 'none'", "object-src 'none'", "base-uri 'self'",
].join("; ");

const TYPES = { html: "text/html; charset=utf-8", js: "text/javascript", mjs: "text/javascript", json: "application/json" };

/** Serves on loopback. `view.html` is what `/view` answers, and may be exchanged; `missed` lists what was not there. */
export async function serve(here, modules, view) {
  const missed = [];
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://host").pathname);
    const file = path.startsWith("/modules/") ? join(modules, normalize(path.slice("/modules".length))) : join(here, normalize(path));
    // Modules never change in a run; a page loads two hundred of them.
    const headers = { "content-type": TYPES[file.split(".").at(-1)] ?? "application/octet-stream", "cache-control": path.startsWith("/modules/") ? "max-age=600" : "no-store" };
    try {
      if (path === "/favicon.ico") response.writeHead(204).end();
      else if (path === "/view") {
        response.writeHead(200, { ...headers, "content-type": TYPES.html, "content-security-policy": HOST_POLICY }).end(view.html);
      } else response.writeHead(200, headers).end(await readFile(file));
    } catch {
      missed.push(path);
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { base: `http://127.0.0.1:${server.address().port}`, missed, close: () => server.close() };
}
