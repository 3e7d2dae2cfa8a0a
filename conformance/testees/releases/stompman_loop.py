"""Testee for stompman before 1, whose user reads events in a loop: carries out the orders of Assay with the release
in the folder given, see spec/testee.md."""
import asyncio
import contextlib
import importlib.metadata
import queue
import sys
import threading

sys.path.insert(0, sys.argv[1])
import stompman  # noqa: E402
from control import ADDRESS, content, given, serve  # noqa: E402

CAN = "headers binary nack error-event closed-event 1.2".split()
loop = asyncio.new_event_loop()
subject = None


class Subject:
    def __init__(self, o):
        self.stack, self.events, self.messages = contextlib.AsyncExitStack(), queue.Queue(), []
        # The library takes no host header; it sends the address.
        server = stompman.ConnectionParameters(host=ADDRESS[0], port=ADDRESS[1], login=o.get("login", ""), passcode=o.get("passcode", ""))
        self.client = stompman.Client(
            [server], heartbeat=stompman.Heartbeat(*o.get("beats", (0, 0))), connect_retry_attempts=1,
            connection_confirmation_timeout=o["wait"], read_timeout=60)

    async def connect(self):
        await self.stack.enter_async_context(self.client)
        self.reading = loop.create_task(self.read())
        return {"version": "1.2"}

    async def read(self):
        try:
            async for event in self.client.listen() if hasattr(self.client, "listen") else self.client.listen_to_events():
                kind, frame = type(event).__name__, event._frame
                if kind == "MessageEvent":
                    self.messages.append(event)
                    self.events.put({"event": "message", "message": len(self.messages), **content(frame.headers, frame.body)})
                elif kind == "ErrorEvent":
                    self.events.put({"event": "error", **content(frame.headers, frame.body)})
        except Exception as e:
            self.events.put({"event": "closed", "reason": repr(e)})

    async def subscribe(self, o):
        await self.stack.enter_async_context(self.client.subscribe(o["destination"]))
        return {}

    async def send(self, o):
        await self.client.send(given(o), o["destination"], headers=dict(o.get("headers", {})))
        return {}

    async def acknowledge(self, o):
        await getattr(self.messages[o["message"] - 1], o["do"])()
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
        work = s.connect()
    elif do in ("ack", "nack"):
        work = s.acknowledge(o)
    elif do in ("subscribe", "send"):
        work = getattr(s, do)(o)
    else:
        return {"unsupported": "the testee of old releases does not know " + do}
    return asyncio.run_coroutine_threadsafe(work, loop).result(o["wait"] + 1)


threading.Thread(target=serve, args=(carry_out,), daemon=True).start()
loop.run_forever()
