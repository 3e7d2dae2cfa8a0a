"""Testee for aiostomp 1: carries out the orders of Assay with the release in the folder given, see spec/testee.md."""
import asyncio
import logging
import os
import queue
import sys
import threading

sys.path[:0] = [sys.argv[1], os.path.dirname(sys.path[0])]
import aiostomp  # noqa: E402
from control import ADDRESS, content, given, release, serve  # noqa: E402

CAN = "headers beats error-event closed-event 1.1".split()
loop = asyncio.new_event_loop()
asyncio.set_event_loop(loop)
subject = None


class Subject:
    """What the library tells comes on the loop's thread and waits here; a coroutine is its handler."""

    def __init__(self, o):
        self.events, self.messages, self.subscriptions = queue.Queue(), 0, {}
        beats = o.get("beats", (0, 0))
        self.conn = aiostomp.AioStomp(
            *ADDRESS, reconnect_max_attempts=0, heartbeat=any(beats), heartbeat_interval_cx=beats[0],
            heartbeat_interval_cy=beats[1], error_handler=self.on_error)

    async def on_message(self, frame, body):
        self.messages += 1
        self.events.put({"event": "message", "message": self.messages, **content(frame.headers, body)})
        return True

    async def on_error(self, error):
        if isinstance(error, aiostomp.errors.StompError):
            self.events.put({"event": "error", **content({"message": error.args[0]}, error.args[1])})
        else:
            self.events.put({"event": "closed", "reason": repr(error)})


def on_loop(call, wait=5):
    """Runs a call of the library where it has to run."""
    async def run():
        result = call()
        return await result if asyncio.iscoroutine(result) else result
    return asyncio.run_coroutine_threadsafe(run(), loop).result(wait)


def carry_out(o):
    global subject
    do, s = o["do"], subject
    if do == "hello":
        return {"library": "aiostomp", "version": release("aiostomp"), "language": "Python", "can": CAN}
    if do == "connect":
        subject = s = on_loop(lambda: Subject(o))
        # It returns once the connection is open; the library has no way to tell of CONNECTED.
        on_loop(lambda: s.conn.connect(o.get("login"), o.get("passcode")), o["wait"])
        return {}
    if do == "receive":
        return s.events.get(timeout=o["wait"])
    if do == "send":
        body = given(o)
        on_loop(lambda: s.conn.send(o["destination"], body.decode() if o.get("text") else body, headers=dict(o.get("headers", {}))))
    elif do == "subscribe":
        s.subscriptions[o["id"]] = on_loop(lambda: s.conn.subscribe(o["destination"], ack=o.get("ack", "auto"), handler=s.on_message))
        return {"id": str(s.subscriptions[o["id"]].id)}
    elif do == "unsubscribe":
        on_loop(lambda: s.conn.unsubscribe(s.subscriptions[o["id"]]))
    elif do == "disconnect":
        on_loop(s.conn.close)
    else:
        return {"unsupported": "the library has no way to " + do}
    return {}


def on_trouble(_, context):
    """The receiving of the library ends by what it raises; its user sees that here and nowhere else."""
    logging.error("%s", context)
    if subject is not None:
        subject.events.put({"event": "closed", "reason": repr(context.get("exception") or context["message"])})


loop.set_exception_handler(on_trouble)
threading.Thread(target=serve, args=(carry_out,), daemon=True).start()
loop.run_forever()
