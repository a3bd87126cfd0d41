"""A projector that tries what projectors may not, or gets a constant for. `args` says what."""

import json
import os
import random
import sys
import time
from collections.abc import Callable
from typing import TypedDict

from fumehood_tool import Content, Context, Tool


def broken() -> str:
    raise RuntimeError("the projector broke on purpose")


ATTEMPTS: dict[str, Callable[[], str]] = {
    "wall-clock": lambda: str(time.time()),
    "break": broken,
    "environment": lambda: json.dumps([dict(os.environ), sys.argv[1:]]),
    "random": lambda: f"{random.SystemRandom().random()} {os.urandom(8).hex()}",
}

# The name of the member is no name of Python's.
Args = TypedDict("Args", {"try": str})


class Probe(Tool[Args, Args]):
    name = "probe"

    def execute(self, args: Args, context: Context) -> Args:
        return args

    def render(self, args: Args, value: Args) -> Content:
        return ATTEMPTS[args["try"]]()
