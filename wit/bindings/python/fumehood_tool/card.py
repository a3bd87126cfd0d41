"""What a person sees. Six shapes, and whoever draws them knows no tool by name. A title must say something, and is made one
line."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from fumehood_tool.content import Content

ToolKind: TypeAlias = Literal["read", "edit", "delete", "move", "search", "execute", "fetch", "other"]
"""What a call does, for an icon."""


@dataclass(frozen=True)
class Location:
    """A file that a call is about, and one of its lines, counted from 1."""

    path: str
    line: int | None = None


@dataclass(frozen=True)
class GenericCard:
    """Anything."""

    title: str
    kind: ToolKind | None = None
    input: object = None
    """What to show in place of the arguments; None: the arguments."""
    body: Content = ()
    locations: Sequence[Location] = ()


@dataclass(frozen=True)
class TerminalCard:
    """A command, which is the title."""

    title: str
    description: str | None = None
    cwd: str | None = None
    output: str = ""
    exit: int | str | None = None
    """Its status, or the name of the signal that killed it: from the value, never from reading what it wrote. None only
    while it runs."""
    timed_out: bool = False


@dataclass(frozen=True)
class FileDiff:
    """A file, and all of what it holds now. Without `old` it is new, or that is not known."""

    path: str
    new: str
    old: str | None = None


@dataclass(frozen=True)
class DiffCard:
    """Files that were changed, one at least."""

    title: str
    diffs: Sequence[FileDiff]


@dataclass(frozen=True)
class ReadCard:
    """A window of a file: its lines with their numbers, which are counted from 1, rise, and are at most `total_lines`."""

    title: str
    path: str
    lines: Sequence[tuple[int, str]]
    total_lines: int
    offset: int = 1
    """The first line asked for."""
    language: str | None = None


@dataclass(frozen=True)
class FileMatches:
    """The matching lines of one file with their numbers, counted from 1."""

    path: str
    matches: Sequence[tuple[int, str]]


@dataclass(frozen=True)
class MatchesCard:
    """Matching lines, by file. Without `total` these are all there are; there are never fewer."""

    title: str
    files: Sequence[FileMatches]
    total: int | None = None


@dataclass(frozen=True)
class PathsCard:
    """Paths. Without `total` these are all there are; there are never fewer."""

    title: str
    paths: Sequence[str]
    total: int | None = None


@dataclass(frozen=True)
class WebSource:
    """One place on the web. Its URL is `http` or `https`."""

    url: str
    title: str | None = None
    snippet: str | None = None
    published: str | None = None


@dataclass(frozen=True)
class WebSearchCard:
    """What a search of the web found."""

    title: str
    sources: Sequence[WebSource]
    answer: str | None = None
    truncated: bool = False


@dataclass(frozen=True)
class FetchCard:
    """A page that was fetched, with the HTTP status from 100 to 599."""

    title: str
    url: str
    status: int
    truncated: bool = False


Card: TypeAlias = (
    GenericCard | TerminalCard | DiffCard | ReadCard | MatchesCard | PathsCard | WebSearchCard | FetchCard
)
