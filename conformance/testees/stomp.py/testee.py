#!/usr/bin/python3
"""Testee for stomp.py 8: carries out the orders of Assay with the library, see spec/testee.md."""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from stomppy_subject import run  # noqa: E402

run("receipt nack transaction transaction-ack beats binary headers unsubscribe-receipt disconnect-receipt ack-mode"
    " error-event closed-event choose-version choose-id 1.0 1.1 1.2", auto_decode=False)
