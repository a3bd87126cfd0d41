"""A value on its way out, as the one JSON text that a host takes."""

import json
import math


class NoJson(Exception):
    """What of a value has no JSON form, and where, as the rest of a sentence."""


def to_json(value: object) -> str:
    """The JSON text of a value, without white space.

    Raises NoJson: NaN or infinity, an integer that readers of JSON do not agree on, half a character, a key that is no
    text, a type that JSON has not.
    """
    _check(value, "")
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _check(value: object, at: str) -> None:
    where = f" at {at}" if at else ""
    match value:
        case None | bool():
            pass
        case str():
            _text(value, where)
        case int():
            # What the host's JSON gate takes.
            if not -(2**63) <= value < 2**64:
                raise NoJson(f"holds {value}{where}, on which readers of JSON do not agree; write a str")
        case float():
            if not math.isfinite(value):
                raise NoJson(f"holds {value}{where}, which is no JSON number; write None, or a str")
        case dict():
            for key, member in value.items():
                if not isinstance(key, str):
                    raise NoJson(f"holds the key {key!r}{where}, which is no str")
                _text(key, where)
                _check(member, f"{at}/{key}")
        case list() | tuple():
            for index, member in enumerate(value):
                _check(member, f"{at}/{index}")
        case _:
            raise NoJson(f"holds a {type(value).__name__}{where}, which JSON has not; write a dict, a list or a str")


def _text(text: str, where: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise NoJson(f"holds a text with half a character (a lone surrogate){where}") from None
