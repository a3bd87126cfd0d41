"""How `execute` fails."""

import re
from typing import Literal, TypeAlias

from fumehood_tool import value

Case: TypeAlias = Literal["invalid-args", "not-found", "denied", "unavailable", "failed"]

_CODE = re.compile(r"[A-Z0-9_]{1,64}")


class ToolError(Exception):
    """A tool says that it failed. The message reaches the model. An empty result is a value, and so is a command's exit
    status."""

    def __init__(self, case: Case, message: str, code: str | None = None, data: str | None = None) -> None:
        super().__init__(message)
        self.case: Case = case
        self.message = message
        self.code = code
        self.data = data
        """JSON."""

    @classmethod
    def invalid_args(cls, message: str) -> "ToolError":
        """The arguments fit the schema but make no sense."""
        return cls("invalid-args", message)

    @classmethod
    def not_found(cls, message: str) -> "ToolError":
        """What the arguments name does not exist."""
        return cls("not-found", message)

    @classmethod
    def denied(cls, message: str) -> "ToolError":
        """Something outside the tool refused it."""
        return cls("denied", message)

    @classmethod
    def unavailable(cls, message: str) -> "ToolError":
        """It may work later, unchanged."""
        return cls("unavailable", message)

    @classmethod
    def failed(cls, code: str, message: str, data: object = None) -> "ToolError":
        """Everything else, with a code of the tool's own (`[A-Z0-9_]`, 1 to 64) and more for programs.

        Data that has no JSON form is left out: the failure itself matters more.

        Raises ValueError: a code that is none.
        """
        if not _CODE.fullmatch(code):
            raise ValueError(f"a code is 1 to 64 of A-Z, 0-9 and _, not {code!r}")
        json = None
        if data is not None:
            try:
                json = value.to_json(data)
            except value.NoJson:
                pass
        return cls("failed", message, code, json)

    @classmethod
    def from_os(cls, error: OSError) -> "ToolError":
        """By kind, with the system's words. They may not say which file: add that where you know it."""
        words = error.strerror or str(error)
        match error:
            case FileNotFoundError() | NotADirectoryError():
                return cls.not_found(words)
            case PermissionError():
                return cls.denied(words)
            case TimeoutError() | BlockingIOError() | InterruptedError():
                return cls.unavailable(words)
            case _:
                return cls.failed("IO", words)
