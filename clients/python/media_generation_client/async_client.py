"""The client for asyncio, which runs that of client.py in threads."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import os
import threading
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from typing import TYPE_CHECKING, Any, ParamSpec, Self, TypeVar, Unpack, overload

from . import async_resources
from .checks import with_known_options
from .client import Client
from .functions import names_of_today, without
from .options import (
    CallOptions,
    CreateImage,
    CreateImageAndWait,
    CreateOptions,
    CreateVideo,
    CreateVideoAndWait,
    ListDeliveries,
    ListFiles,
    ListImages,
    ListRequests,
    ListTransactions,
    ListVideos,
    RetrieveUsage,
    WaitOptions,
)
from .pages import AsyncListing, Listing, Page
from .pictures import Picture
from .retry import Timing
from .send import OnRequest
from .stopping import CALL, Call
from .types import (
    ApiRequest,
    Balance,
    Delivery,
    Image,
    ImageOutput,
    Model,
    StoredFile,
    Transaction,
    Usage,
    Video,
    VideoOutput,
)

P = ParamSpec("P")
T = TypeVar("T")


class AsyncClient:
    """
    What Client is, with functions to await and lists for ``async for``. A task that is canceled stops the call, not the
    generation: a request on its way still ends, no other follows, and a note of the CancelledError says how to go on. ``on_progress`` is called in the event loop.
    """

    @with_known_options
    def __init__(
        self,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        headers: Mapping[str, str] | None = None,
        max_attempts: int | None = None,
        timeout_seconds: float | None = None,
        on_request: OnRequest | None = None,
        timing: Timing | None = None,
    ) -> None:
        """The options are those of Client. ``on_request`` is called in the thread of the call."""
        self._client = Client(
            api_key=api_key,
            base_url=base_url,
            headers=headers,
            max_attempts=max_attempts,
            timeout_seconds=timeout_seconds,
            on_request=on_request,
            timing=timing,
        )
        self._is_closed = False
        self.videos = async_resources.AsyncVideos(self)
        self.images = async_resources.AsyncImages(self)
        self.files = async_resources.AsyncFiles(self)
        self.models = async_resources.AsyncModels(self)
        self.balance = async_resources.AsyncBalance(self)
        self.usage = async_resources.AsyncUsage(self)
        self.transactions = async_resources.AsyncTransactions(self)
        self.requests = async_resources.AsyncRequests(self)
        self.deliveries = async_resources.AsyncDeliveries(self)

    def __repr__(self) -> str:
        """Without the key, which belongs into no log."""
        return f"AsyncClient(base_url={self._client._connection.base_url!r})"

    def __dir__(self) -> list[str]:
        """Without the names of version 1.0."""
        return names_of_today(self, super().__dir__())

    # Type checkers would take it for a leave to use any name.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            raise without(self, name)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes idle connections; calls that are running go on. ``async with`` calls it."""
        self._is_closed = True
        self._client.close()

    async def create_video(self, **request: Unpack[CreateVideo]) -> Video:
        return await self._run(self._client.create_video, **request)

    async def create_video_and_wait(self, **request: Unpack[CreateVideoAndWait]) -> Video:
        return await self._run(self._client.create_video_and_wait, **request)

    async def retrieve_video(self, id: str, **options: Unpack[CallOptions]) -> Video:
        return await self._run(self._client.retrieve_video, id, **options)

    def list_videos(self, **filter: Unpack[ListVideos]) -> AsyncListing[Video]:
        return self._listing(self._client.list_videos(**filter))

    async def cancel_video(self, id: str, **options: Unpack[CallOptions]) -> Video:
        return await self._run(self._client.cancel_video, id, **options)

    async def delete_video(self, id: str, **options: Unpack[CallOptions]) -> None:
        await self._run(self._client.delete_video, id, **options)

    async def wait_for_video(self, id: str, **options: Unpack[WaitOptions[Video]]) -> Video:
        return await self._run(self._client.wait_for_video, id, **options)

    def _watch_video(self, id: str, **options: Unpack[CallOptions]) -> AsyncGenerator[Video, None]:
        """As that of Client, for ``async for``."""
        return self._each(self._client._watch_video(id, **options))

    async def create_image(self, **request: Unpack[CreateImage]) -> Image:
        return await self._run(self._client.create_image, **request)

    async def create_image_and_wait(self, **request: Unpack[CreateImageAndWait]) -> Image:
        return await self._run(self._client.create_image_and_wait, **request)

    async def retrieve_image(self, id: str, **options: Unpack[CallOptions]) -> Image:
        return await self._run(self._client.retrieve_image, id, **options)

    def list_images(self, **filter: Unpack[ListImages]) -> AsyncListing[Image]:
        return self._listing(self._client.list_images(**filter))

    async def cancel_image(self, id: str, **options: Unpack[CallOptions]) -> Image:
        return await self._run(self._client.cancel_image, id, **options)

    async def delete_image(self, id: str, **options: Unpack[CallOptions]) -> None:
        await self._run(self._client.delete_image, id, **options)

    async def wait_for_image(self, id: str, **options: Unpack[WaitOptions[Image]]) -> Image:
        return await self._run(self._client.wait_for_image, id, **options)

    def _watch_image(self, id: str, **options: Unpack[CallOptions]) -> AsyncGenerator[Image, None]:
        """As ``videos.watch``."""
        return self._each(self._client._watch_image(id, **options))

    async def create_file(self, picture: Picture, **options: Unpack[CreateOptions]) -> StoredFile:
        return await self._run(self._client.create_file, picture, **options)

    def list_files(self, **filter: Unpack[ListFiles]) -> AsyncListing[StoredFile]:
        return self._listing(self._client.list_files(**filter))

    async def retrieve_file(self, id: str, **options: Unpack[CallOptions]) -> StoredFile:
        return await self._run(self._client.retrieve_file, id, **options)

    async def delete_file(self, id: str, **options: Unpack[CallOptions]) -> None:
        await self._run(self._client.delete_file, id, **options)

    @overload
    async def download(
        self,
        output: VideoOutput | ImageOutput,
        path: str | os.PathLike[str],
        **options: Unpack[CallOptions],
    ) -> None: ...

    @overload
    async def download(
        self, output: VideoOutput | ImageOutput, path: None = None, **options: Unpack[CallOptions]
    ) -> bytes: ...

    async def download(
        self,
        output: VideoOutput | ImageOutput,
        path: str | os.PathLike[str] | None = None,
        **options: Unpack[CallOptions],
    ) -> bytes | None:
        return await self._run(lambda: self._client.download(output, path, **options))

    async def list_models(self, **options: Unpack[CallOptions]) -> list[Model]:
        return await self._run(self._client.list_models, **options)

    async def retrieve_model(self, id: str, **options: Unpack[CallOptions]) -> Model:
        return await self._run(self._client.retrieve_model, id, **options)

    async def retrieve_balance(self, **options: Unpack[CallOptions]) -> Balance:
        return await self._run(self._client.retrieve_balance, **options)

    async def retrieve_usage(self, **filter: Unpack[RetrieveUsage]) -> Usage:
        return await self._run(self._client.retrieve_usage, **filter)

    def list_transactions(self, **filter: Unpack[ListTransactions]) -> AsyncListing[Transaction]:
        return self._listing(self._client.list_transactions(**filter))

    def list_requests(self, **filter: Unpack[ListRequests]) -> AsyncListing[ApiRequest]:
        return self._listing(self._client.list_requests(**filter))

    def list_deliveries(self, **filter: Unpack[ListDeliveries]) -> AsyncListing[Delivery]:
        return self._listing(self._client.list_deliveries(**filter))

    async def retrieve_delivery(self, id: str, **options: Unpack[CallOptions]) -> Delivery:
        return await self._run(self._client.retrieve_delivery, id, **options)

    async def redeliver(self, id: str, **options: Unpack[CallOptions]) -> Delivery:
        return await self._run(self._client.redeliver, id, **options)

    def _listing(self, listing: Listing[T]) -> AsyncListing[T]:
        async def fetch_page(after: str | None) -> Page[T]:
            return await self._run(listing.fetch_page, after)

        return AsyncListing(fetch_page)

    async def _each(self, updates: Generator[T, None, None]) -> AsyncGenerator[T, None]:
        def read() -> T | None:
            return next(updates, None)

        try:
            while (update := await self._run(read)) is not None:
                yield update
        finally:
            # A thread that is still reading ends by itself, at the next line of the stream.
            with contextlib.suppress(ValueError):
                updates.close()

    async def _run(self, call: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
        """Runs the call in a thread, which stops soon after the task that waits for it."""
        if self._is_closed:
            raise RuntimeError("This AsyncClient is closed. Make a new one.")
        loop = asyncio.get_running_loop()
        running_call = Call()
        context = contextvars.copy_context()
        context.run(CALL.set, running_call)
        on_progress: Any = options.get("on_progress")
        if on_progress is not None:
            options["on_progress"] = lambda generation: loop.call_soon_threadsafe(
                on_progress, generation
            )
        running = _in_thread(loop, lambda: context.run(lambda: call(*args, **options)))
        try:
            return await running
        except asyncio.CancelledError as error:
            if running_call.goes_on:
                error.add_note(running_call.goes_on)
            raise
        finally:
            running_call.stopped.set()


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
