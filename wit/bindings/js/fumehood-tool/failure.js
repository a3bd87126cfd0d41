// How `execute` fails.

import { toJson } from "./value.js";

const CODE = /^[A-Z0-9_]{1,64}$/;

/** One of the ways to fail. `payload` is what both runtimes hand to the host. */
export class ToolError extends Error {
  constructor(payload) {
    super(payload.tag === "failed" ? payload.val.message : payload.val);
    this.name = "ToolError";
    this.payload = payload;
  }

  static invalidArgs(message) {
    return new ToolError({ tag: "invalid-args", val: String(message) });
  }

  static notFound(message) {
    return new ToolError({ tag: "not-found", val: String(message) });
  }

  static denied(message) {
    return new ToolError({ tag: "denied", val: String(message) });
  }

  static unavailable(message) {
    return new ToolError({ tag: "unavailable", val: String(message) });
  }

  static failed(code, message, data) {
    if (!CODE.test(code)) {
      throw new TypeError(`a code is 1 to 64 of A-Z, 0-9 and _, not ${JSON.stringify(code)}`);
    }
    // Data that has no JSON form is left out: the failure itself matters more.
    const json = data === undefined ? undefined : toJson(data).json;
    return new ToolError({ tag: "failed", val: { code, message: String(message), data: json } });
  }
}
