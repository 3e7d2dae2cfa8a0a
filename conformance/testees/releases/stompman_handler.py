"""Testee for stompman from 1 on, whose user gives a handler: carries out the orders of Assay with the release in the
folder given, see spec/testee.md."""
import os
import sys

sys.path[:0] = [sys.argv[1], os.path.dirname(sys.path[0])]
import stompman_subject  # noqa: E402


class Subject(stompman_subject.Subject):
    def __init__(self, o):
        super().__init__(o, on_error_frame=self.show_error)

    async def handle(self, frame):
        """The library acknowledges when its handler returns, so that this one waits for the order to."""
        acknowledged = stompman_subject.loop.create_future()
        self.show(frame, acknowledged)
        await acknowledged

    async def subscribe(self, o):
        await self.client.subscribe(
            o["destination"], handler=self.handle, ack=o.get("ack", "auto"), on_suppressed_exception=lambda *_: None)
        return {}

    async def ack(self, o):
        self.messages[o["message"] - 1].set_result(None)
        return {}


stompman_subject.run(Subject, "headers binary ack-mode error-event 1.2")
