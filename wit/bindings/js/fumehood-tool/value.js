// A value on its way out. `JSON.stringify` writes NaN as null and drops what it does not know; here both are refused.

// With the flag `u` a pair of surrogates is one character: what is left is half of one.
const HALF = /\p{Surrogate}/u;

/** `{ json }`, or `{ why }` with the place, as the rest of a sentence. */
export function toJson(value) {
  let why;
  const place = (key) => (key === "" ? "" : ` at ${JSON.stringify(key)}`);
  const json = JSON.stringify(value, (key, member) => {
    if (typeof member === "number" && !Number.isFinite(member)) {
      why ??= `holds ${member}${place(key)}, which is no JSON number; write null, or a text`;
    } else if (typeof member === "bigint") {
      why ??= `holds a BigInt${place(key)}, on which readers of JSON do not agree; write a text`;
      return null;
    } else if (typeof member === "function" || typeof member === "symbol") {
      why ??= `holds a ${typeof member}${place(key)}, which JSON has not`;
    } else if (typeof member === "string" && HALF.test(member)) {
      why ??= `holds a text with half a character (a lone surrogate)${place(key)}`;
    } else if (member instanceof Map || member instanceof Set) {
      why ??= `holds a ${member.constructor.name}${place(key)}, which JSON writes as {}; write an object or an array`;
    }
    return member;
  });
  if (json === undefined) {
    why ??= "is undefined; return what the output schema says, for instance null";
  }
  return why === undefined ? { json } : { why };
}
