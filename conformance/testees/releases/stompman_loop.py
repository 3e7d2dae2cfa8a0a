"""Testee for stompman before 1, whose user reads events in a loop: carries out the orders of Assay with the release
in the folder given, see spec/testee.md."""
import os
import sys

sys.path[:0] = [sys.argv[1], os.path.dirname(sys.path[0])]
import stompman_subject  # noqa: E402


class Subject(stompman_subject.Subject):
    def __init__(self, o):
        super().__init__(o, read_timeout=60)

    async def connect(self, o):
        report = await super().connect(o)
        self.reading = stompman_subject.loop.create_task(self.read())
        return report

    async def read(self):
        try:
            async for event in self.client.listen() if hasattr(self.client, "listen") else self.client.listen_to_events():
                kind, frame = type(event).__name__, event._frame
                if kind == "MessageEvent":
                    self.show(frame, event)
                elif kind == "ErrorEvent":
                    self.show_error(frame)
        except Exception as e:
            self.events.put({"event": "closed", "reason": repr(e)})

    async def subscribe(self, o):
        await self.stack.enter_async_context(self.client.subscribe(o["destination"]))
        return {}

    async def ack(self, o):
        await getattr(self.messages[o["message"] - 1], o["do"])()
        return {}

    nack = ack


stompman_subject.run(Subject, "headers binary nack error-event closed-event 1.2")
