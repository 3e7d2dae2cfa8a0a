"""Testee for stomp.py 4.1: carries out the orders of Assay with the release in the folder given, see spec/testee.md."""
import os
import queue
import sys
import threading

sys.path.insert(0, sys.argv[1])
import stomp  # noqa: E402
from control import ADDRESS, content, given, serve  # noqa: E402

CLASSES = {"default": "Connection", "1.0": "Connection10", "1.1": "Connection11", "1.2": "Connection12"}
CAN = "headers nack ack-mode beats error-event closed-event choose-version choose-id 1.0 1.1 1.2".split()
ACK = {"1.0": ["message-id"], "1.1": ["message-id", "subscription"], "1.2": ["ack"]}
subject = None


class Subject(stomp.ConnectionListener):
    def __init__(self):
        self.conn, self.version, self.connected, self.failure = None, None, None, "on_disconnected"
        self.events, self.messages = queue.Queue(), []
        self.settled, self.gone = threading.Event(), threading.Event()

    def on_connected(self, headers, body):
        self.connected = headers
        self.settled.set()

    def on_message(self, headers, body):
        self.messages.append(headers)
        self.events.put({"event": "message", "message": len(self.messages), **content(headers, body)})

    def on_error(self, headers, body):
        self.failure = "ERROR: " + headers.get("message", "")
        self.events.put({"event": "error", **content(headers, body)})
        self.settled.set()

    def on_disconnected(self):
        self.events.put({"event": "closed", "reason": "on_disconnected"})
        self.settled.set()
        self.gone.set()


def connect(o):
    s = Subject()
    # Bodies are left to be decoded, which is the default.
    more = {} if o["version"] == "1.0" else {"vhost": "assay", "heartbeats": tuple(o.get("beats", (0, 0)))}
    s.version = o["version"]
    s.conn = getattr(stomp, CLASSES[o["version"]])([ADDRESS], reconnect_attempts_max=1, **more)
    s.conn.set_listener("testee", s)
    s.conn.start()
    s.conn.connect(o.get("login"), o.get("passcode"))  # wait=True would wait without limit
    if not s.settled.wait(o["wait"]):
        return s, {"error": "no CONNECTED in time"}
    return s, {"error": s.failure} if s.connected is None else {"version": s.connected.get("version", "1.0")}


def carry_out(o):
    global subject
    do, s = o["do"], subject
    if do == "hello":
        return {"library": "stomp.py", "version": ".".join(map(str, stomp.__version__)), "language": "Python", "can": CAN}
    if do == "connect":
        subject, report = connect(o)
        return report
    if do == "receive":
        return s.events.get(timeout=o["wait"])
    if do == "send":
        body = given(o)
        s.conn.send(o["destination"], body.decode() if o.get("text") else body, headers=dict(o.get("headers", {})))
    elif do == "subscribe":
        s.conn.subscribe(o["destination"], o["id"], o.get("ack", "auto"))
    elif do == "unsubscribe":
        s.conn.unsubscribe(id=o["id"])
    elif do in ("ack", "nack"):
        headers = s.messages[o["message"] - 1]
        getattr(s.conn, do)(*[headers[name] for name in ACK[s.version]])
    elif do == "disconnect":
        s.conn.disconnect()
        return {} if s.gone.wait(o["wait"]) else {"error": "not disconnected in time"}
    else:
        return {"unsupported": "the testee of old releases does not know " + do}
    return {}


serve(carry_out)
os._exit(0)  # the thread that reads is no daemon
