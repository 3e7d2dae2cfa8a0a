"""What the testees for stomp.py have in common, the current one and that for old releases, see spec/testee.md."""
import os
import queue
import threading

os.environ["STOMP_SKIP_HOSTNAME_SCAN"] = "1"  # the library's own switch against name look-ups on import
import stomp  # noqa: E402
from control import ADDRESS, content, given, serve  # noqa: E402

CLASSES = {"default": "Connection", "1.0": "Connection10", "1.1": "Connection11", "1.2": "Connection12"}
ACK = {"1.0": ["message-id"], "1.1": ["message-id", "subscription"], "1.2": ["ack"]}


def parts(told):
    """Headers and body: a listener is told them, or of late a frame."""
    return told if len(told) == 2 else (told[0].headers, told[0].body)


class Subject(stomp.ConnectionListener):
    def __init__(self):
        self.conn, self.connected, self.failure = None, None, "on_disconnected"
        self.events, self.messages = queue.Queue(), []
        self.settled, self.gone = threading.Event(), threading.Event()

    def on_connected(self, *told):
        self.connected, _ = parts(told)
        self.settled.set()

    def on_message(self, *told):
        headers, body = parts(told)
        self.messages.append(headers)
        self.events.put({"event": "message", "message": len(self.messages), **content(headers, body)})

    def on_error(self, *told):
        headers, body = parts(told)
        self.failure = "ERROR: " + headers.get("message", "")
        self.events.put({"event": "error", **content(headers, body)})
        self.settled.set()

    def on_receipt(self, *told):
        self.events.put({"event": "receipt", "id": parts(told)[0]["receipt-id"]})

    def on_disconnected(self):
        self.events.put({"event": "closed", "reason": "on_disconnected"})
        self.settled.set()
        self.gone.set()

    def connect(self, o, options):
        more = {} if o["version"] == "1.0" else {"vhost": "assay", "heartbeats": tuple(o.get("beats", (0, 0)))}
        self.conn = getattr(stomp, CLASSES[o["version"]])([ADDRESS], reconnect_attempts_max=1, **options, **more)
        self.conn.set_listener("testee", self)
        if hasattr(self.conn, "start"):
            self.conn.start()
        self.conn.connect(o.get("login"), o.get("passcode"))  # wait=True would wait without limit
        if not self.settled.wait(o["wait"]):
            return {"error": "no CONNECTED in time"}
        return {"error": self.failure} if self.connected is None else {"version": self.connected.get("version")}


def carry_out(s, o):
    do, tx, receipt = o["do"], o.get("transaction"), {"receipt": "receipt-%d" % o["n"]} if o.get("receipt") else {}
    if do == "receive":
        return s.events.get(timeout=o["wait"])
    if do == "send":
        body = given(o)
        headers = {**o.get("headers", {}), **receipt, **({"transaction": tx} if tx else {})}
        s.conn.send(o["destination"], body.decode() if o.get("text") else body, headers=headers)
    elif do == "subscribe":
        s.conn.subscribe(o["destination"], o["id"], o.get("ack", "auto"), headers=receipt)
    elif do == "unsubscribe":
        s.conn.unsubscribe(id=o["id"], headers=receipt)
    elif do in ("ack", "nack"):
        if not hasattr(s.conn, do):
            return {"unsupported": "Connection10 has no nack"}
        headers = s.messages[o["message"] - 1]
        getattr(s.conn, do)(*[headers[name] for name in ACK[s.conn.version]], transaction=tx)
    elif do in ("begin", "commit", "abort"):
        getattr(s.conn, do)(tx)
    elif do == "disconnect":
        s.conn.disconnect()  # makes a receipt itself; given one it would wait without limit
        return {} if s.gone.wait(o["wait"]) else {"error": "not disconnected in time"}
    return {}


def run(can, **options):
    """Serves what the library can do; options are of its connections."""
    subject = None

    def one(o):
        nonlocal subject
        if o["do"] == "hello":
            return {"library": "stomp.py", "version": ".".join(map(str, stomp.__version__)), "language": "Python", "can": can.split()}
        if o["do"] == "connect":
            subject = Subject()
            return subject.connect(o, options)
        return carry_out(subject, o)

    serve(one)
