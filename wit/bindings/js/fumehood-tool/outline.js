// How a value reads where its tool does not say: an indented outline, the same as in every language.
//
//     files:
//     - path: a.js
//       lines: 3
//     total: 1

// The most that is shown, in UTF-16 units: some 12,000 tokens. Whoever has more to say writes a `render`.
const SHOWN = 48 << 10;

/** The outline of one JSON value. */
export function outline(value) {
  const outline = new Outline();
  outline.value(value, 0);
  if (outline.text.length <= SHOWN) {
    return outline.text;
  }
  // Never half a character.
  return `${outline.text.slice(0, SHOWN).replace(/[\ud800-\udbff]$/, "")}\n(the rest is left out)`;
}

class Outline {
  text = "";
  // Whether the next line goes on where the text ends: at its very start, and after `- `.
  open = true;

  line(depth) {
    if (!this.open) {
      this.text += `\n${"  ".repeat(depth)}`;
    }
    this.open = false;
  }

  // One value, after the text that leads to it.
  value(value, depth) {
    if (this.text.length > SHOWN) {
      return;
    }
    if (Array.isArray(value)) {
      this.elements(value, depth);
    } else if (typeof value === "object" && value !== null) {
      this.members(Object.entries(value), depth);
    } else {
      this.scalar(String(value), depth);
    }
  }

  scalar(text, depth) {
    if (this.text === "") {
      // The whole value.
      this.text = text;
    } else if (text.includes("\n")) {
      // Further in than anything beside it, so that no text can look like what is beside it.
      for (const line of text.replace(/\r?\n$/, "").split(/\r?\n/)) {
        this.text += `\n${"  ".repeat(depth + 1)}${line}`;
      }
    } else {
      this.text += `${this.open ? "" : " "}${text === "" ? "(empty)" : text}`;
    }
    this.open = false;
  }

  members(entries, depth) {
    if (entries.length === 0) {
      this.scalar("(none)", depth);
    }
    for (const [key, value] of entries) {
      this.line(depth);
      this.text += `${key}:`;
      this.value(value, Array.isArray(value) ? depth : depth + 1);
    }
  }

  elements(list, depth) {
    if (list.length === 0) {
      this.scalar("(none)", depth);
    }
    for (const value of list) {
      this.line(depth);
      this.text += "- ";
      this.open = true;
      this.value(value, depth + 1);
    }
  }
}
