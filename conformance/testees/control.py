"""The control connection of the testees in Python, see spec/testee.md.

It is written by hand and steers only: what a library gets wrong would break it too. What is judged is the subject,
which each testee opens with its library.
"""
import base64
import hashlib
import importlib.metadata
import json
import os
import queue
import socket
import sys

ADDRESS = (os.environ["ASSAY_HOST"], int(os.environ["ASSAY_PORT"]))


def frames(sock):
    """Orders are ASCII on one line, so that the first NUL ends a frame whatever it says of its length."""
    kept = b""
    while True:
        while b"\0" not in kept:
            try:
                more = sock.recv(65536)
            except OSError:
                more = b""
            if not more:
                os._exit(0)  # a library's threads would hold the process
            kept += more
        one, kept = kept.split(b"\0", 1)
        head, body = one.lstrip(b"\n").split(b"\n\n", 1)
        yield head.split(b"\n")[0].decode(), body.decode()


def serve(carry_out):
    """Opens the control connection and carries orders out until it ends, which ends the process."""
    sock = socket.create_connection(ADDRESS)
    sock.sendall(b"CONNECT\naccept-version:1.2\nhost:assay\nlogin:assay\npasscode:assay\nheart-beat:0,0\n\n\0")
    for command, body in frames(sock):
        if command == "CONNECTED":
            sock.sendall(b"SUBSCRIBE\nid:orders\ndestination:/assay/orders\nack:auto\n\n\0")
        if command != "MESSAGE":
            continue
        order = json.loads(body)
        order["wait"] = order.get("wait", 0) / 1000
        try:
            report = carry_out(order)
        except queue.Empty:
            report = {"event": "none"}
        except Exception as e:
            report = {"error": repr(e)}
        sock.sendall(b"SEND\ndestination:/assay/reports\n\n%s\0" % json.dumps({**report, "n": order["n"]}).encode())


def release(library):
    """The version of a library in the folder given."""
    return next(iter(importlib.metadata.distributions(name=library, path=[sys.argv[1]]))).version


def content(headers, body):
    """The fields of an event that hold a frame; text was decoded by the library."""
    octets = body.encode("utf-8", "surrogateescape") if isinstance(body, str) else bytes(body or b"")
    fields = {"headers": {str(k): str(v) for k, v in headers.items()}}
    if len(octets) > 65536:
        return {**fields, "size": len(octets), "sha256": hashlib.sha256(octets).hexdigest()}
    return {**fields, "body": base64.b64encode(octets).decode()}


def given(order):
    """The octets that an order wants sent."""
    body = base64.b64decode(order.get("body", ""))
    return (body * (order["size"] // len(body) + 1))[:order["size"]] if "size" in order else body
