"""Testee for stomp.py 4.1: carries out the orders of Assay with the release in the folder given, see spec/testee.md."""
import os
import sys

sys.path[:0] = [sys.argv[1], os.path.dirname(sys.path[0])]
from stomppy_subject import run  # noqa: E402

# Bodies are left to be decoded, which is the default.
run("headers nack ack-mode beats error-event closed-event choose-version choose-id 1.0 1.1 1.2")
