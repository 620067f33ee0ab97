"""The clients of the public API: their functions by kind of object, and the download of files."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

import contextlib
import functools
import io
import os
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Concatenate, Self, TypeAlias, TypeVar, Unpack, cast, overload

from . import resources, threads
from .connection import Connection
from .gen.types import Image, ImageOutput, Video, VideoOutput
from .options import CallOptions, ClientOptions
from .pages import AsyncListing
from .threads import P, T

R = TypeVar("R")
Downloadable: TypeAlias = VideoOutput | ImageOutput | Video | Image


class Client:
    """
    Write ``client.videos.create``, ``client.images.create``, ``client.balance.retrieve`` and so on. Every function raises
    ApiError for an error response, and ConnectionError where there is none. It may be used by several threads at once.
    ``AsyncClient`` is the same for asyncio.
    """

    def __init__(self, **options: Unpack[ClientOptions]) -> None:
        """Raises ValueError where neither options nor environment have the URL and the key."""
        self._connection = Connection(options)
        self.videos = resources.Videos(self._connection)
        self.images = resources.Images(self._connection)
        self.files = resources.Files(self._connection)
        self.models = resources.Models(self._connection)
        self.balance = resources.Balance(self._connection)
        self.usage = resources.Usage(self._connection)
        self.transactions = resources.Transactions(self._connection)
        self.requests = resources.Requests(self._connection)
        self.deliveries = resources.Deliveries(self._connection)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        """Leaves nothing to close: each call has a connection of its own."""

    @overload
    def download(
        self, output: Downloadable, path: str | os.PathLike[str], **options: Unpack[CallOptions]
    ) -> None: ...

    @overload
    def download(
        self, output: Downloadable, path: None = None, **options: Unpack[CallOptions]
    ) -> bytes: ...

    def download(
        self,
        output: Downloadable,
        path: str | os.PathLike[str] | None = None,
        **options: Unpack[CallOptions],
    ) -> bytes | None:
        """
        Saves an output's file, replacing an existing one; without a path it returns the bytes. Instead of an output you can
        give a generation that has exactly one file; ValueError for any other. Raises a NotFoundError ``gone`` if it was deleted.
        """
        url = _url_of(output)
        if path is None:
            content = io.BytesIO()
            self._connection.download(url, content, options)
            return content.getvalue()
        part = Path(f"{os.fspath(path)}.part")
        try:
            with part.open("wb") as file:
                self._connection.download(url, file, options)
            part.replace(path)
        except OSError as error:
            if error.filename is None:
                raise
            # The caller has named the file, not the part of it.
            raise OSError(error.errno, error.strerror, os.fspath(path)) from None
        finally:
            with contextlib.suppress(OSError):
                part.unlink()
        return None


def _url_of(given: Any) -> str:
    one = cast(dict[str, Any], given if isinstance(given, dict) else {})
    outputs: list[dict[str, Any]] = one.get("output", [one])
    if len(outputs) == 1 and "url" in outputs[0]:
        return outputs[0]["url"]
    if len(outputs) > 1:
        raise ValueError(f'It has {len(outputs)} files: give download one of them, such as image["output"][0].')
    status = one.get("status", "success")
    if status != "success":
        code = f" ({one['error']['code']})" if "error" in one else ""
        todo = "Create another." if status in ("failed", "canceled") else "Wait until it has ended."
        raise ValueError(f"It is {status}{code} and has no file. {todo}")
    raise ValueError('Give download an output, such as video["output"][0], or a generation that has exactly one file.')


class _Functions:
    def __init__(self, sync: object) -> None:
        self._sync = sync


def _awaited(
    call: Callable[Concatenate[Any, P], T],
) -> Callable[Concatenate[_Functions, P], Coroutine[Any, Any, T]]:
    """A function to await."""

    @functools.wraps(call)
    async def awaited(functions: _Functions, *given: P.args, **fields: P.kwargs) -> T:
        return await threads.run(call, functions._sync, *given, **fields)

    return awaited


def _converted(
    call: Callable[Concatenate[Any, P], T], convert: Callable[[T], R]
) -> Callable[Concatenate[_Functions, P], R]:
    """A function whose result is for ``async for``."""

    @functools.wraps(call)
    def converted(functions: _Functions, *given: P.args, **fields: P.kwargs) -> R:
        return convert(call(functions._sync, *given, **fields))

    return converted


class AsyncVideos(_Functions):
    create = _awaited(resources.Videos.create)
    create_and_wait = _awaited(resources.Videos.create_and_wait)
    retrieve = _awaited(resources.Videos.retrieve)
    list = _converted(resources.Videos.list, AsyncListing)
    cancel = _awaited(resources.Videos.cancel)
    delete = _awaited(resources.Videos.delete)
    wait = _awaited(resources.Videos.wait)
    watch = _converted(resources.Videos.watch, threads.each)


class AsyncImages(_Functions):
    create = _awaited(resources.Images.create)
    create_and_wait = _awaited(resources.Images.create_and_wait)
    retrieve = _awaited(resources.Images.retrieve)
    list = _converted(resources.Images.list, AsyncListing)
    cancel = _awaited(resources.Images.cancel)
    delete = _awaited(resources.Images.delete)
    wait = _awaited(resources.Images.wait)
    watch = _converted(resources.Images.watch, threads.each)


class AsyncFiles(_Functions):
    create = _awaited(resources.Files.create)
    list = _converted(resources.Files.list, AsyncListing)
    retrieve = _awaited(resources.Files.retrieve)
    delete = _awaited(resources.Files.delete)


class AsyncModels(_Functions):
    list = _awaited(resources.Models.list)
    retrieve = _awaited(resources.Models.retrieve)


class AsyncBalance(_Functions):
    retrieve = _awaited(resources.Balance.retrieve)


class AsyncUsage(_Functions):
    retrieve = _awaited(resources.Usage.retrieve)


class AsyncTransactions(_Functions):
    list = _converted(resources.Transactions.list, AsyncListing)


class AsyncRequests(_Functions):
    list = _converted(resources.Requests.list, AsyncListing)


class AsyncDeliveries(_Functions):
    list = _converted(resources.Deliveries.list, AsyncListing)
    retrieve = _awaited(resources.Deliveries.retrieve)
    redeliver = _awaited(resources.Deliveries.redeliver)


class AsyncClient(_Functions):
    """
    What Client is, with functions to await and lists for ``async for``. A task that is canceled stops the call, not the
    generation: a request on its way still ends, no other follows, and a note of the CancelledError says how to go on.
    ``on_progress`` is called in the event loop, ``on_request`` in the thread of the call.
    """

    def __init__(self, **options: Unpack[ClientOptions]) -> None:
        client = Client(**options)
        super().__init__(client)
        self.videos = AsyncVideos(client.videos)
        self.images = AsyncImages(client.images)
        self.files = AsyncFiles(client.files)
        self.models = AsyncModels(client.models)
        self.balance = AsyncBalance(client.balance)
        self.usage = AsyncUsage(client.usage)
        self.transactions = AsyncTransactions(client.transactions)
        self.requests = AsyncRequests(client.requests)
        self.deliveries = AsyncDeliveries(client.deliveries)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_exception: object) -> None:
        """As Client's: there is nothing to close."""

    download = _awaited(Client.download)
