"""A projector that tries what projectors may not, or gets a constant for. `args` says what."""

import json
import os
import random
import sys
import time

from wit_world import exports
from wit_world.imports.fumehood_tool_types import ContentBlock_Text, TextContent


def exception():
    raise RuntimeError("the projector broke on purpose")


ATTEMPTS = {
    "wall-clock": lambda: str(time.time()),
    "exception": exception,
    "environment": lambda: json.dumps([dict(os.environ), sys.argv[1:]]),
    "random": lambda: f"{random.SystemRandom().random()} {os.urandom(8).hex()}",
}


class Tool(exports.Tool):
    def execute(self, tool, args):
        return args

    def render(self, tool, args, value):
        return [ContentBlock_Text(TextContent(text=ATTEMPTS[json.loads(args)["try"]](), annotations=None))]

    def present(self, tool, args, value):
        return None
