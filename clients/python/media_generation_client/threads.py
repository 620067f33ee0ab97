"""Runs calls of the client in threads, for asyncio."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
from collections.abc import AsyncGenerator, Callable, Generator
from typing import Any, ParamSpec, TypeVar

from .pages import AsyncListing, Listing, Page
from .stopping import CALL, Call

P = ParamSpec("P")
T = TypeVar("T")


async def run(call: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
    """Runs the call in a thread, which stops soon after the task that waits for it."""
    loop = asyncio.get_running_loop()
    running_call = Call()
    context = contextvars.copy_context()
    context.run(CALL.set, running_call)
    on_progress: Any = options.get("on_progress")
    if on_progress is not None:
        options["on_progress"] = lambda generation: loop.call_soon_threadsafe(on_progress, generation)
    running = _in_thread(loop, lambda: context.run(lambda: call(*args, **options)))
    try:
        return await running
    except asyncio.CancelledError as error:
        if running_call.goes_on:
            error.add_note(running_call.goes_on)
        raise
    finally:
        running_call.stopped.set()


def listing(of_sync: Listing[T]) -> AsyncListing[T]:
    async def fetch_page(after: str | None) -> Page[T]:
        return await run(of_sync.fetch_page, after)

    return AsyncListing(fetch_page)


async def each(updates: Generator[T, None, None]) -> AsyncGenerator[T, None]:
    def read() -> T | None:
        return next(updates, None)

    try:
        while (update := await run(read)) is not None:
            yield update
    finally:
        # A thread that is still reading ends at the next line of the stream.
        with contextlib.suppress(ValueError):
            updates.close()


def _in_thread(loop: asyncio.AbstractEventLoop, work: Callable[[], T]) -> asyncio.Future[T]:
    """
    Runs work in a thread of its own, which keeps no program from its end. Those of asyncio and of executors are few, and the
    interpreter waits for them: calls that wait for minutes would keep others waiting, and the end of the program.
    """
    result: asyncio.Future[T] = loop.create_future()

    def run() -> None:
        try:
            value = work()
        except BaseException as error:
            tell(result.set_exception, error)
        else:
            tell(result.set_result, value)

    def tell(settle: Callable[[Any], None], value: object) -> None:
        # The loop is closed where the program ends meanwhile.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(lambda: result.done() or settle(value))

    threading.Thread(target=run, name="media-generation", daemon=True).start()
    return result
