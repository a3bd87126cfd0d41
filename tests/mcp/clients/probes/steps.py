"""What every Python client does: list, call, hear of progress and changes, cancel. The first argument is the plan."""

import json
import os
import shutil
import sys

import anyio

PLAN = json.load(open(sys.argv[1]))


async def until(what, seconds=10):
    with anyio.move_on_after(seconds):
        while not what():
            await anyio.sleep(0.01)
        return True
    return False


def text(path):
    return open(path).read() if os.path.exists(path) else ""


def wire(model):
    """A result of a client, as it was on the wire."""
    return model.model_dump(mode="json", by_alias=True, exclude_unset=True)


async def answer(call):
    try:
        return {"result": await call()}
    except Exception as error:  # Of the protocol, or what the client itself thinks of a result.
        code = getattr(getattr(error, "error", error), "code", None)
        return {"error": {"code": code, "message": str(error)}}


async def run(connect, cancels=False):
    """`connect`: a context manager of a client with protocol, list(), call(name, args, progress=None) and changes."""
    report = {"calls": {}}
    status = 0
    try:
        with anyio.fail_after(PLAN["seconds"]):
            async with connect(PLAN) as client:
                await steps(client, report, cancels)
    except BaseException as error:  # A hang, or a group of errors: the report says so, and what came before.
        report["broken"] = repr(error) + repr(getattr(error, "exceptions", ""))
        status = 1
    print(json.dumps(report), flush=True)
    os._exit(status)  # A client that cannot shut down would hang here.


async def steps(client, report, cancels):
    report["protocol"] = client.protocol
    report["tools"] = await client.list()
    await call_all(client, PLAN["calls"], report)
    if "progress" in PLAN:
        report["progress"] = heard = []

        async def note(progress, total, message):
            heard.append([progress, total, message])

        await client.call(PLAN["progress"]["tool"], PLAN["progress"]["args"], note)
    if cancels and "cancel" in PLAN:
        report["cancel"] = await cancel(client, **PLAN["cancel"])
    if "change" in PLAN:
        new = PLAN["change"]["to"] + ".new"
        shutil.copyfile(PLAN["change"]["from"], new)
        os.rename(new, PLAN["change"]["to"])
        report["change"] = {"heard": await until(client.changes), "tools": await client.list()}
        await call_all(client, PLAN["change"]["calls"], report)


async def call_all(client, calls, report):
    for call in calls:
        report["calls"][call["id"]] = await answer(lambda: client.call(call["tool"], call["args"]))


async def cancel(client, tool, args, started):
    ended = []
    async with anyio.create_task_group() as group:
        async def call():
            await client.call(tool, args)
            ended.append(True)

        group.start_soon(call)
        began = await until(lambda: text(started).endswith("\n"))
        group.cancel_scope.cancel()
    process = "/proc/" + (text(started).strip() if began else "self")
    return {"began": began, "rejected": not ended, "stopped": await until(lambda: not os.path.exists(process))}
