"""Content and cards in the shape of the interface."""

import re
from dataclasses import replace

from wit_world.imports import fumehood_tool_types as wit

from fumehood_tool import value as values
from fumehood_tool.card import (
    Card,
    DiffCard,
    FetchCard,
    GenericCard,
    MatchesCard,
    PathsCard,
    ReadCard,
    TerminalCard,
    WebSearchCard,
)
from fumehood_tool.content import Annotations, Audio, ContentBlock, Image, Resource, ResourceLink, Text, blocks


# A title is one line, and often holds what somebody wrote.
_LINES = re.compile(r"[\r\n]+")


def block(block: ContentBlock) -> wit.ContentBlock:
    """One content block."""
    notes = _annotations(block.annotations)
    match block:
        case Text(text):
            return wit.ContentBlock_Text(wit.TextContent(text, notes))
        case Image(data, mime_type):
            return wit.ContentBlock_Image(wit.MediaContent(data, mime_type, notes))
        case Audio(data, mime_type):
            return wit.ContentBlock_Audio(wit.MediaContent(data, mime_type, notes))
        case ResourceLink(uri, name, title, description, mime_type, size):
            return wit.ContentBlock_ResourceLink(
                wit.ResourceLink(uri, name, title, description, mime_type, size, notes)
            )
        case Resource(uri, body, mime_type):
            held: wit.ResourceBody = wit.ResourceBody_Text(body) if isinstance(body, str) else wit.ResourceBody_Blob(body)
            return wit.ContentBlock_Resource(wit.EmbeddedResource(uri, mime_type, held, notes))


def _annotations(notes: Annotations | None) -> wit.Annotations | None:
    if notes is None:
        return None
    return wit.Annotations([wit.Role[role.upper()] for role in notes.audience], notes.priority, notes.last_modified)


def card(card: Card) -> wit.Card:
    """One card.

    Raises TypeError: it is something else.
    """
    if not isinstance(card, Card):
        raise TypeError(f"present returns a card or None, not {type(card).__name__}")
    match replace(card, title=_LINES.sub(" ", card.title)):
        case GenericCard() as generic:
            return wit.Card_Generic(_generic(generic))
        case TerminalCard() as terminal:
            return wit.Card_Terminal(_terminal(terminal))
        case DiffCard(title, diffs):
            return wit.Card_Diff(wit.DiffCard(title, [wit.FileDiff(file.path, file.old, file.new) for file in diffs]))
        case ReadCard(title, path, lines, total, offset, language):
            numbered = [wit.NumberedLine(number, text) for number, text in lines]
            return wit.Card_Read(wit.ReadCard(title, path, offset, numbered, total, language))
        case MatchesCard(title, files, total):
            listed = sum(len(file.matches) for file in files)
            truncated, total = _left(listed, total)
            by_file = [
                wit.FileMatches(file.path, [wit.LineMatch(number, line) for number, line in file.matches])
                for file in files
            ]
            matches = wit.SearchResults_Matches(wit.MatchResults(by_file, truncated, total))
            return wit.Card_Search(wit.SearchCard(title, matches))
        case PathsCard(title, paths, total):
            truncated, total = _left(len(paths), total)
            found = wit.SearchResults_Paths(wit.PathResults(list(paths), truncated, total))
            return wit.Card_Search(wit.SearchCard(title, found))
        case WebSearchCard(title, sources, answer, truncated):
            places = [wit.WebSource(place.url, place.title, place.snippet, place.published) for place in sources]
            search = wit.WebSearch(places, answer, truncated)
            return wit.Card_Web(wit.WebCard(title, wit.WebResults_Search(search)))
        case FetchCard(title, url, status, truncated):
            fetch = wit.WebFetch(url, status, truncated)
            return wit.Card_Web(wit.WebCard(title, wit.WebResults_Fetch(fetch)))


def _left(listed: int, total: int | None) -> tuple[bool, int]:
    """Whether something is left out, and how much there is: unless it says otherwise what is listed, and never less."""
    return (False, listed) if total is None else (total > listed, max(total, listed))


def _generic(card: GenericCard) -> wit.GenericCard:
    return wit.GenericCard(
        title=card.title,
        kind=None if card.kind is None else wit.ToolKind[card.kind.upper()],
        input=None if card.input is None else values.to_json(card.input),
        body=[block(each) for each in blocks(card.body)],
        locations=[wit.Location(place.path, place.line) for place in card.locations],
    )


def _terminal(card: TerminalCard) -> wit.TerminalCard:
    ended: wit.ExitStatus | None = None
    match card.exit:
        case int(code):
            ended = wit.ExitStatus_Code(code)
        case str(signal):
            ended = wit.ExitStatus_Signal(signal)
    return wit.TerminalCard(card.title, card.description, card.cwd, card.output, ended, card.timed_out)
