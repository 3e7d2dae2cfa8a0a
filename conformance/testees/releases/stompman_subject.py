"""What the testees for stompman have in common: the release in the folder given, and the loop that it runs on."""
import asyncio
import contextlib
import queue
import threading

import stompman
from control import ADDRESS, content, given, release, serve

loop = asyncio.new_event_loop()


class Subject:
    def __init__(self, o, **more):
        self.stack, self.events, self.messages = contextlib.AsyncExitStack(), queue.Queue(), []
        # The library takes no host header; it sends the address.
        server = stompman.ConnectionParameters(host=ADDRESS[0], port=ADDRESS[1], login=o.get("login", ""), passcode=o.get("passcode", ""))
        self.client = stompman.Client(
            [server], heartbeat=stompman.Heartbeat(*o.get("beats", (0, 0))), connect_retry_attempts=1,
            connection_confirmation_timeout=o["wait"], **more)

    def show(self, frame, message):
        """Tells of a MESSAGE and keeps what it is acknowledged with."""
        self.messages.append(message)
        self.events.put({"event": "message", "message": len(self.messages), **content(frame.headers, frame.body)})

    def show_error(self, frame):
        self.events.put({"event": "error", **content(frame.headers, frame.body)})

    async def connect(self, o):
        await self.stack.enter_async_context(self.client)
        return {"version": "1.2"}

    async def send(self, o):
        await self.client.send(given(o), o["destination"], headers=dict(o.get("headers", {})))
        return {}


def run(kind, can):
    """Serves subjects of a kind; the methods of its class are the orders that it knows."""
    subject = None

    def carry_out(o):
        nonlocal subject
        do = o["do"]
        if do == "hello":
            return {"library": "stompman", "version": release("stompman"), "language": "Python", "can": can.split()}
        if do == "receive":
            return subject.events.get(timeout=o["wait"])
        if do not in ("connect", "subscribe", "send", "ack", "nack") or not hasattr(kind, do):
            return {"unsupported": "the testee of old releases does not know " + do}
        if do == "connect":
            subject = kind(o)
        return asyncio.run_coroutine_threadsafe(getattr(subject, do)(o), loop).result(o["wait"] + 1)

    threading.Thread(target=serve, args=(carry_out,), daemon=True).start()
    loop.run_forever()
