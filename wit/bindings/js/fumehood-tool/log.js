// Lines for the operator, on standard error, which the host captures and bounds. Inside a component only.

import { getStderr } from "wasi:cli/stderr@0.2.12";

// As much as WASI takes at once.
const PIECE = 4096;

/** Writes `LEVEL message`, one line whatever the message holds. */
export function log(level, message) {
  write(`${level.toUpperCase().padEnd(5)} ${String(message).replaceAll("\n", "\\n")}\n`);
}

/** Writes a text as it is. */
export function write(string) {
  const bytes = utf8(string);
  const stream = getStderr();
  for (let at = 0; at < bytes.length; at += PIECE) {
    stream.blockingWriteAndFlush(bytes.slice(at, at + PIECE));
  }
}

// QuickJS has no TextEncoder.
function utf8(string) {
  const encoded = encodeURIComponent(string.replace(/[\ud800-\udfff]/gu, "\ufffd"));
  const bytes = [];
  for (let at = 0; at < encoded.length; at += 1) {
    if (encoded[at] === "%") {
      bytes.push(parseInt(encoded.slice(at + 1, at + 3), 16));
      at += 2;
    } else {
      bytes.push(encoded.charCodeAt(at));
    }
  }
  return new Uint8Array(bytes);
}
