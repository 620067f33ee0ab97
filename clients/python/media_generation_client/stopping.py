"""Stops the calls of threads whose asyncio task was canceled."""

from __future__ import annotations

import threading
import time
from contextvars import ContextVar


class Call:
    """A call that runs in a thread for a task."""

    def __init__(self) -> None:
        self.stopped = threading.Event()
        """Set once nobody waits for the call any more."""
        self.goes_on = ""
        """What a task that is canceled now has to know, because what it began goes on."""


CALL: ContextVar[Call | None] = ContextVar("call", default=None)
"""None outside of an AsyncClient."""


class Stopped(Exception):
    """Nobody waits for this call."""


def sleep(seconds: float) -> None:
    """Raises Stopped as soon as nobody waits for the call."""
    call = CALL.get()
    if call is None:
        time.sleep(seconds)
    elif call.stopped.wait(seconds):
        raise Stopped


def check() -> None:
    """Raises Stopped where nobody waits for the call."""
    call = CALL.get()
    if call is not None and call.stopped.is_set():
        raise Stopped


def say_what_goes_on(text: str) -> None:
    """What a task is told that is canceled from now on."""
    call = CALL.get()
    if call is not None:
        call.goes_on = text
