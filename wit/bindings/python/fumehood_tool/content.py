"""What a model reads, piece by piece."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

Role: TypeAlias = Literal["user", "assistant"]


@dataclass(frozen=True)
class Annotations:
    """Who a block is for (empty: everyone), how much it matters, and when what it shows was last changed."""

    audience: Sequence[Role] = ()
    priority: float | None = None
    """From 0 (may be left out) to 1 (must be seen)."""
    last_modified: str | None = None
    """RFC 3339."""


@dataclass(frozen=True)
class Text:
    """A text."""

    text: str
    annotations: Annotations | None = None


@dataclass(frozen=True)
class Image:
    """An image, as the bytes of its file: `image/png`."""

    data: bytes
    mime_type: str
    annotations: Annotations | None = None


@dataclass(frozen=True)
class Audio:
    """A sound, as the bytes of its file: `audio/wav`."""

    data: bytes
    mime_type: str
    annotations: Annotations | None = None


@dataclass(frozen=True)
class ResourceLink:
    """A link to something that the reader may fetch."""

    uri: str
    name: str
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None
    size: int | None = None
    """Bytes."""
    annotations: Annotations | None = None


@dataclass(frozen=True)
class Resource:
    """A text or bytes that have a name of their own."""

    uri: str
    body: str | bytes
    mime_type: str | None = None
    annotations: Annotations | None = None


ContentBlock: TypeAlias = Text | Image | Audio | ResourceLink | Resource

Content: TypeAlias = str | ContentBlock | Sequence[str | ContentBlock]
"""What a model reads: a text, a block, or several of either."""


def blocks(content: Content) -> list[ContentBlock]:
    """The blocks of whatever stands for content.

    Raises TypeError: it is something else.
    """
    several = [content] if isinstance(content, str | ContentBlock) else content
    if not isinstance(several, Sequence):
        raise TypeError(f"content is a str, a block or a sequence of these, not {type(content).__name__}")
    found: list[ContentBlock] = []
    for block in several:
        if not isinstance(block, str | ContentBlock):
            raise TypeError(f"content is a str, a block or a sequence of these; this holds {type(block).__name__}")
        found.append(Text(block) if isinstance(block, str) else block)
    return found
