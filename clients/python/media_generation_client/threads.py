"""Runs calls of the client in threads, for asyncio, and stops them once the task that waits for one was canceled."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
import time
from collections.abc import AsyncGenerator, Callable, Generator
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class _Call:
    """A call that runs in a thread for a task."""

    def __init__(self) -> None:
        self.stopped = threading.Event()
        """Set once nobody waits for the call any more."""
        self.goes_on = ""
        """What a task that is canceled now has to know, because what it began goes on."""


_CALL: contextvars.ContextVar[_Call | None] = contextvars.ContextVar("call", default=None)
"""None outside of an AsyncClient."""


class Stopped(Exception):
    """Nobody waits for this call."""


def sleep(seconds: float) -> None:
    """Raises Stopped as soon as nobody waits for the call; with 0 it is a check for that."""
    call = _CALL.get()
    if call is None:
        # Ctrl-C ends it on Windows too, where it does not end the wait for an event.
        time.sleep(seconds)
    elif call.stopped.wait(seconds):
        raise Stopped


def say_what_goes_on(text: str) -> None:
    """What a task is told that is canceled from now on."""
    if call := _CALL.get():
        call.goes_on = text


async def run(function: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
    """
    Runs the function in a thread of its own, which stops soon after the task that waits for it, and keeps no program from
    its end. Threads of asyncio and executors are few, and waited for: other calls and the end of the program would be late.
    """
    loop = asyncio.get_running_loop()
    result: asyncio.Future[T] = loop.create_future()
    call = _Call()
    on_progress: Any = options.get("on_progress")

    async def tell_of(generation: Any) -> None:
        on_progress(generation)

    def report(generation: Any) -> None:
        asyncio.run_coroutine_threadsafe(tell_of(generation), loop).result()

    if callable(on_progress):
        options["on_progress"] = report

    def work() -> None:
        _CALL.set(call)
        try:
            value = function(*args, **options)
        except BaseException as error:
            tell(result.set_exception, error)
        else:
            tell(result.set_result, value)

    def tell(settle: Callable[[Any], None], value: object) -> None:
        # The loop is closed where the program ends meanwhile.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(lambda: result.done() or settle(value))

    in_context = contextvars.copy_context().run
    threading.Thread(target=in_context, args=(work,), name="media-generation", daemon=True).start()
    try:
        return await result
    except asyncio.CancelledError as error:
        if call.goes_on:
            error.add_note(call.goes_on)
        raise
    finally:
        call.stopped.set()


async def each(items: Generator[T, None, None]) -> AsyncGenerator[T, None]:
    """Reads each item in a thread."""
    try:
        while (item := await run(lambda: next(items, None))) is not None:
            yield item
    finally:
        # A thread that is still reading ends at the next line of a stream.
        with contextlib.suppress(ValueError):
            items.close()
