// What a model reads, piece by piece, in the shape of the interface.

function annotated(annotations) {
  return (
    annotations && {
      audience: annotations.audience ?? [],
      priority: annotations.priority,
      lastModified: annotations.lastModified,
    }
  );
}

export function text(string, annotations) {
  return { tag: "text", val: { text: String(string), annotations: annotated(annotations) } };
}

export function image(data, mimeType, annotations) {
  return { tag: "image", val: { data, mimeType, annotations: annotated(annotations) } };
}

export function audio(data, mimeType, annotations) {
  return { tag: "audio", val: { data, mimeType, annotations: annotated(annotations) } };
}

export function resourceLink({ uri, name, title, description, mimeType, size }, annotations) {
  const val = { uri, name, title, description, mimeType, size: count(size), annotations: annotated(annotations) };
  return { tag: "resource-link", val };
}

export function resource({ uri, text, blob, mimeType }, annotations) {
  const body = blob === undefined ? { tag: "text", val: String(text) } : { tag: "blob", val: blob };
  return { tag: "resource", val: { uri, mimeType, body, annotations: annotated(annotations) } };
}

/** Blocks of whatever stands for content: a text, a block, or several of either. */
export function content(given) {
  const blocks = Array.isArray(given) ? given : [given];
  return blocks.map((block) => {
    if (typeof block === "string") {
      return text(block);
    }
    if (typeof block?.tag !== "string") {
      throw new TypeError(`content is a text, a block or a list of these, not ${JSON.stringify(block)}`);
    }
    return block;
  });
}

/** A `u64` of the interface. */
export function count(number) {
  if (number !== undefined && !(Number.isSafeInteger(number) && number >= 0)) {
    throw new TypeError(`a count is a whole number from 0 to 2^53 - 1, not ${number}`);
  }
  return number;
}
