// Tools called natively, by their own tests: through the same JSON as in a host, but without schemas and sandboxes.

import { byName, executeJson, presentJson, renderJson } from "./tool.js";

/** A context that remembers what it is told. */
export function recordingContext() {
  const heard = [];
  const lines = [];
  return {
    heard,
    lines,
    progress: (done, total, message) => void heard.push({ done, total, message }),
    log: (level, message) => void lines.push({ level, message: String(message) }),
  };
}

/** Execute and render: the value, and what a model reads. */
export function call(tool, args, context = recordingContext()) {
  const input = JSON.stringify(args);
  const json = executeJson(tool, input, context);
  return { value: JSON.parse(json), content: renderJson(tool, input, json) };
}

/** The card of a value, or of a call that has not finished. */
export function card(tool, args, value) {
  return presentJson(tool, JSON.stringify(args), value === undefined ? undefined : JSON.stringify(value));
}

/** The text of content that is one text, else `undefined`. */
export function asText(content) {
  return content.length === 1 && content[0].tag === "text" ? content[0].val.text : undefined;
}

/** Throws unless the manifest and the component have the same tools. */
export function checkManifest(manifest, ...tools) {
  const code = [...byName(tools).keys()].sort();
  const listed = manifest.tools.map((tool) => tool.name).sort();
  if (JSON.stringify(code) !== JSON.stringify(listed)) {
    throw new Error(`manifest.json lists the tools ${listed.join(", ")}; the code has ${code.join(", ")}`);
  }
}
