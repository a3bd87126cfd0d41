// Ways to break the view. The check must notice each of them, or it proves nothing.

export const MUTANTS = [
  { what: "texts become markup", fixture: "hostile-markup", from: "if (from < kept.length) nodes.append(kept.slice(from));",
    to: "if (!kept.includes('<img')) nodes.append(kept.slice(from)); else { const box = document.createElement('div'); box.innerHTML = kept.slice(from); nodes.append(...box.childNodes); }" },
  { what: "an SVG is shown", fixture: "hostile-media", from: `"image/gif": ["img", /^GIF8[79]a/],`, to: `"image/gif": ["img", /^GIF8[79]a/], "image/svg+xml": ["img", /^<svg/],` },
  { what: "bytes are taken for what they say they are", fixture: "hostile-media", from: "if (!magic.test(atob(data.slice(0, 24))))", to: "if (false)" },
  { what: "hidden characters stay hidden", fixture: "hostile-text", from: "const HIDDEN = /", to: "const HIDDEN = /(?!)" },
  { what: "any scheme is linked", fixture: "hostile-links", from: "/^https?:$/.test(url.protocol)", to: "true" },
  { what: "a user name may stand before a host", fixture: "hostile-links", from: `url.username === "" && url.password === ""`, to: "true" },
  { what: "the status is read from the output", fixture: "terminal-failed", from: "exit.code === 0 ? badge", to: `/exit 0/.test(output) ? badge` },
  { what: "a failure shows its card", fixture: "failure-with-card", from: "if (result.isError === true) return failed(result);", to: "" },
  { what: "more is drawn than a person reads", fixture: "long-terminal", from: "const MOST_ROWS = 5000;", to: "const MOST_ROWS = 15000;" },
  { what: "a line has no end", fixture: "long-line", from: "if (text.length > most) {", to: "if (false) {" },
  { what: "long content pushes past the right edge", fixture: "hostile-markup", from: ".code, .row > code { white-space: pre-wrap; overflow-wrap: anywhere; }", to: ".code, .row > code { white-space: pre; width: 4000px; }" },
  { what: "the view sends what the extension does not know", fixture: "terminal", from: `send({ method: "ui/notifications/size-changed", params: { height } });`, to: `send({ method: "ui/notifications/size-changed", params: { height: "tall" } });` },
  { what: "a picture is loaded from the network", fixture: "generic", from: "node.src = `data:${type};base64,${data}`;", to: "node.src = 'https://example.com/pixel.png';" },
  { what: "a request is made", fixture: "terminal", from: "\nstart();\n", to: "\nstart(); fetch('https://example.com/').catch(() => {});\n" },
  { what: "anyone is heard", from: "if (event.source !== window.parent) return;", to: "" },
  { what: "a script's click opens a link", from: "if (!event.isTrusted) return;", to: "" },
  { what: "the theme is not followed", from: "root.dataset.theme = update.theme;", to: "{}" },
  { what: "diffs are wrong", from: `out.push(x === startX ? ["+", x, --y] : ["-", --x, y]);`, to: `out.push(x === startX ? ["-", x, --y] : ["+", --x, y]);` },
  { what: "the keyboard's place is not shown", from: ":focus-visible { outline: 2px solid var(--ring);", to: ":focus-visible { outline: none;" },
];
