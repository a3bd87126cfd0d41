// A value on its way out. `JSON.stringify` writes NaN as null and drops what it does not know; here both are refused.

// With the flag `u` a pair of surrogates is one character: what is left is half of one.
const HALF = /[\ud800-\udfff]/u;

/** `{ json }`, or `{ why }` with the place, as the rest of a sentence. */
export function toJson(value) {
  const why = value === undefined ? "is undefined; return what the output schema says, for instance null" : fault(value, "");
  return why === undefined ? { json: JSON.stringify(value) } : { why };
}

// What of a value has no JSON form, and where.
function fault(value, at) {
  const where = at === "" ? "" : ` at ${at}`;
  switch (typeof value) {
    case "number":
      return Number.isFinite(value) ? undefined : `holds ${value}${where}, which is no JSON number; write null, or a text`;
    case "string":
      return HALF.test(value) ? `holds a text with half a character (a lone surrogate)${where}` : undefined;
    case "boolean":
    case "undefined":
      // A member that is undefined is left out.
      return undefined;
    case "object":
      if (value === null || typeof value.toJSON === "function") {
        return undefined;
      }
      if (value instanceof Map || value instanceof Set) {
        return `holds a ${value.constructor.name}${where}, which JSON would write as {}; write an object or an array`;
      }
      for (const [key, member] of Object.entries(value)) {
        const why = HALF.test(key) ? `holds the name of a member with half a character${where}` : fault(member, `${at}/${key}`);
        if (why !== undefined) {
          return why;
        }
      }
      return undefined;
    default:
      return `holds a ${typeof value}${where}, which JSON has not; write a text`;
  }
}
