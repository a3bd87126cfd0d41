"""How a value reads where its tool does not say: an indented outline, the same as in every language.

    files:
    - path: a.py
      lines: 3
    total: 1
"""

import json

# The most that is shown, in characters: some 12,000 tokens. Whoever has more to say writes a `render`.
SHOWN = 48 << 10


def outline(value: object) -> str:
    """The outline of one JSON value."""
    made = _Outline()
    made.value(value, 0)
    text = "".join(made.pieces)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}\n(the rest is left out)"


class _Outline:
    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.size = 0
        # Whether the next line goes on where the text ends: at its very start, and after `- `.
        self.open = True

    def push(self, text: str) -> None:
        self.pieces.append(text)
        self.size += len(text)

    def line(self, depth: int) -> None:
        if not self.open:
            self.push("\n" + "  " * depth)
        self.open = False

    def value(self, value: object, depth: int) -> None:
        """One value, after the text that leads to it."""
        if self.size > SHOWN:
            return
        match value:
            case dict():
                self.members(value, depth)
            case list() | tuple():
                self.elements(value, depth)
            case str():
                self.scalar(value, depth)
            case _:
                self.scalar(json.dumps(value), depth)

    def scalar(self, text: str, depth: int) -> None:
        if not self.pieces:
            # The whole value.
            self.push(text)
        elif "\n" in text:
            # Further in than anything beside it, so that no text can look like what is beside it.
            for line in text.removesuffix("\n").split("\n"):
                self.push("\n" + "  " * (depth + 1) + line.removesuffix("\r"))
        else:
            self.push(("" if self.open else " ") + (text or "(empty)"))
        self.open = False

    def members(self, members: dict[object, object], depth: int) -> None:
        if not members:
            self.scalar("(none)", depth)
        for key, value in members.items():
            self.line(depth)
            self.push(f"{key}:")
            self.value(value, depth if isinstance(value, list | tuple) else depth + 1)

    def elements(self, elements: "list[object] | tuple[object, ...]", depth: int) -> None:
        if not elements:
            self.scalar("(none)", depth)
        for value in elements:
            self.line(depth)
            self.push("- ")
            self.open = True
            self.value(value, depth + 1)
