"""Stops the calls of threads whose asyncio task was canceled."""

from __future__ import annotations

import threading
import time
from contextvars import ContextVar

STOPPED: ContextVar[threading.Event | None] = ContextVar("stopped", default=None)
"""Set once nobody waits for the call any more; None outside of an AsyncClient."""


class Stopped(Exception):
    """Nobody waits for this call."""


def sleep(seconds: float) -> None:
    """Raises Stopped as soon as nobody waits for the call."""
    stopped = STOPPED.get()
    if stopped is None:
        time.sleep(seconds)
    elif stopped.wait(seconds):
        raise Stopped


def check() -> None:
    """Raises Stopped where nobody waits for the call."""
    stopped = STOPPED.get()
    if stopped is not None and stopped.is_set():
        raise Stopped
