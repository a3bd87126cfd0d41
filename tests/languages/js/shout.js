// Says a text in capitals. One source for both JavaScript toolchains.

const TITLE = "Shout";

// To fail with one of the interface's errors, throw an `Error` that carries it as `payload`.
function invalidArgs(message) {
  return Object.assign(new Error(message), { payload: { tag: "invalid-args", val: message } });
}

function execute(_tool, args) {
  const { text } = JSON.parse(args);
  if (text === "") {
    throw invalidArgs("there is nothing to shout");
  }
  // Letters outside ASCII stay: how they are capitalised depends on a runtime's Unicode version.
  const shouted = text.replace(/[a-z]/g, (letter) => letter.toUpperCase());
  return JSON.stringify({ text: shouted, length: [...text].length });
}

function line(value) {
  const { text, length } = JSON.parse(value);
  return { tag: "text", val: { text: `${text} (${length} characters)`, annotations: undefined } };
}

function render(_tool, _args, value) {
  return [line(value)];
}

// Without a value (QuickJS says null, StarlingMonkey undefined) the call has not finished: a title is all there is to show.
function present(_tool, _args, value) {
  const pending = value == null;
  return {
    tag: "generic",
    val: {
      title: pending ? `${TITLE} …` : TITLE,
      kind: "other",
      input: undefined,
      body: pending ? [] : [line(value)],
      locations: [],
    },
  };
}

export const tool = { execute, render, present };
