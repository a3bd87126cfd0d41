"""One line a check, and how many there were."""

import sys
import threading

_lock = threading.Lock()
_count = {True: 0, False: 0}


def check(name, holds, why=""):
    """Note one check. `why` says what was there instead; it may be any value."""
    with _lock:
        _count[bool(holds)] += 1
        if holds:
            print(f"ok      {name}", flush=True)
        else:
            print(f"FAILED  {name}: {' '.join(str(why).split())[:600]}", flush=True)
    return bool(holds)


def equal(name, is_, expected):
    return check(name, is_ == expected, f"{is_!r} where {expected!r} was expected")


def end():
    print(f"{_count[True]} passed, {_count[False]} failed")
    # Nothing checked is nothing proved.
    sys.exit(0 if _count[True] and not _count[False] else 1)
