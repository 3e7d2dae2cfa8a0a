"""Testee for stompman from 1 on, whose user gives a handler: carries out the orders of Assay with the release in the
folder given, see spec/testee.md."""
import asyncio
import contextlib
import importlib.metadata
import queue
import sys
import threading

sys.path.insert(0, sys.argv[1])
import stompman  # noqa: E402
from control import ADDRESS, content, given, serve  # noqa: E402

CAN = "headers binary ack-mode error-event 1.2".split()
loop = asyncio.new_event_loop()
subject = None


class Subject:
    def __init__(self, o):
        self.stack, self.events, self.acks = contextlib.AsyncExitStack(), queue.Queue(), []
        # The library takes no host header; it sends the address.
        server = stompman.ConnectionParameters(host=ADDRESS[0], port=ADDRESS[1], login=o.get("login", ""), passcode=o.get("passcode", ""))
        self.client = stompman.Client(
            [server], heartbeat=stompman.Heartbeat(*o.get("beats", (0, 0))), connect_retry_attempts=1,
            connection_confirmation_timeout=o["wait"], on_error_frame=self.on_error)

    def on_error(self, frame):
        self.events.put({"event": "error", **content(frame.headers, frame.body)})

    async def handle(self, frame):
        """The library acknowledges when its handler returns, so that this one waits for the order to."""
        acknowledged = loop.create_future()
        self.acks.append(acknowledged)
        self.events.put({"event": "message", "message": len(self.acks), **content(frame.headers, frame.body)})
        await acknowledged

    async def connect(self, o):
        await self.stack.enter_async_context(self.client)
        return {"version": "1.2"}

    async def subscribe(self, o):
        await self.client.subscribe(
            o["destination"], handler=self.handle, ack=o.get("ack", "auto"), on_suppressed_exception=lambda *_: None)
        return {}

    async def send(self, o):
        await self.client.send(given(o), o["destination"], headers=dict(o.get("headers", {})))
        return {}

    async def ack(self, o):
        self.acks[o["message"] - 1].set_result(None)
        return {}


def carry_out(o):
    global subject
    do, s = o["do"], subject
    if do == "hello":
        version = next(iter(importlib.metadata.distributions(name="stompman", path=[sys.argv[1]]))).version
        return {"library": "stompman", "version": version, "language": "Python", "can": CAN}
    if do == "receive":
        return s.events.get(timeout=o["wait"])
    if do == "connect":
        subject = s = Subject(o)
    if do not in ("connect", "subscribe", "send", "ack"):
        return {"unsupported": "the testee of old releases does not know " + do}
    return asyncio.run_coroutine_threadsafe(getattr(s, do)(o), loop).result(o["wait"] + 1)


threading.Thread(target=serve, args=(carry_out,), daemon=True).start()
loop.run_forever()
