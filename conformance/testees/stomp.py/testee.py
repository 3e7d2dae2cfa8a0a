#!/usr/bin/python3
"""Testee for stomp.py 8: carries out the orders of Assay with the library, see spec/testee.md."""
import base64
import hashlib
import json
import os
import queue
import threading

os.environ["STOMP_SKIP_HOSTNAME_SCAN"] = "1"  # the library's own switch against name look-ups on import
import stomp  # noqa: E402

ADDRESS = (os.environ["ASSAY_HOST"], int(os.environ["ASSAY_PORT"]))
CLASSES = {"default": stomp.Connection, "1.0": stomp.Connection10, "1.1": stomp.Connection11, "1.2": stomp.Connection12}
CAN = ("receipt nack transaction transaction-ack beats binary headers unsubscribe-receipt disconnect-receipt ack-mode"
       " error-event closed-event choose-version choose-id 1.0 1.1 1.2").split()
ACK = {"1.0": ["message-id"], "1.1": ["message-id", "subscription"], "1.2": ["ack"]}


class Control(stomp.ConnectionListener):
    orders = queue.Queue()

    def on_connected(self, frame):
        control.subscribe("/assay/orders", "orders")

    def on_message(self, frame):
        self.orders.put(json.loads(frame.body))

    def on_disconnected(self):
        os._exit(0)


class Subject(stomp.ConnectionListener):
    def __init__(self):
        self.conn, self.connected, self.failure = None, None, "on_disconnected"
        self.events, self.messages = queue.Queue(), []
        self.settled, self.gone = threading.Event(), threading.Event()

    def on_connected(self, frame):
        self.connected = frame.headers
        self.settled.set()

    def on_message(self, frame):
        self.messages.append(frame)
        self.events.put({"event": "message", "message": len(self.messages), **content(frame)})

    def on_error(self, frame):
        self.failure = "ERROR: " + frame.headers.get("message", "")
        self.events.put({"event": "error", **content(frame)})
        self.settled.set()

    def on_receipt(self, frame):
        self.events.put({"event": "receipt", "id": frame.headers["receipt-id"]})

    def on_disconnected(self):
        self.events.put({"event": "closed", "reason": "on_disconnected"})
        self.settled.set()
        self.gone.set()


def content(frame):
    if len(frame.body) > 65536:
        return {"headers": frame.headers, "size": len(frame.body), "sha256": hashlib.sha256(frame.body).hexdigest()}
    return {"headers": frame.headers, "body": base64.b64encode(frame.body).decode()}


def connect(s, o, wait):
    more = {} if o["version"] == "1.0" else {"vhost": "assay", "heartbeats": tuple(o.get("beats", (0, 0)))}
    s.conn = CLASSES[o["version"]]([ADDRESS], reconnect_attempts_max=1, auto_decode=False, **more)
    s.conn.set_listener("testee", s)
    s.conn.connect(o.get("login"), o.get("passcode"))  # wait=True would wait without limit
    if not s.settled.wait(wait):
        return {"error": "no CONNECTED in time"}
    return {"error": s.failure} if s.connected is None else {"version": s.connected.get("version")}


def carry_out(s, o, wait):
    do, tx, receipt = o["do"], o.get("transaction"), {"receipt": "receipt-%d" % o["n"]} if o.get("receipt") else {}
    if do == "hello":
        return {"library": "stomp.py", "version": ".".join(map(str, stomp.__version__)), "language": "Python", "can": CAN}
    if do == "connect":
        return connect(s, o, wait)
    if do == "receive":
        return s.events.get(timeout=wait)
    if do == "send":
        body = base64.b64decode(o.get("body", ""))
        body = (body * (o["size"] // len(body) + 1))[:o["size"]] if "size" in o else body
        headers = {**o.get("headers", {}), **receipt, **({"transaction": tx} if tx else {})}
        s.conn.send(o["destination"], body.decode() if o.get("text") else body, headers=headers)
    elif do == "subscribe":
        s.conn.subscribe(o["destination"], o["id"], o.get("ack", "auto"), headers=receipt)
    elif do == "unsubscribe":
        s.conn.unsubscribe(id=o["id"], headers=receipt)
    elif do in ("ack", "nack"):
        if not hasattr(s.conn, do):
            return {"unsupported": "Connection10 has no nack"}
        headers = s.messages[o["message"] - 1].headers
        getattr(s.conn, do)(*[headers[name] for name in ACK[s.conn.version]], transaction=tx)
    elif do in ("begin", "commit", "abort"):
        getattr(s.conn, do)(tx)
    elif do == "disconnect":
        s.conn.disconnect()  # makes a receipt itself; given one it would wait without limit
        return {} if s.gone.wait(wait) else {"error": "not disconnected in time"}
    return {}


subject = None
control = stomp.Connection([ADDRESS], vhost="assay")
control.set_listener("control", Control())
control.connect("assay", "assay")
for o in iter(Control.orders.get, None):
    try:
        subject = Subject() if o["do"] == "connect" else subject
        report = carry_out(subject, o, o.get("wait", 0) / 1000)
    except queue.Empty:
        report = {"event": "none"}
    except Exception as e:
        report = {"error": repr(e)}
    control.send("/assay/reports", json.dumps({**report, "n": o["n"]}))
