"""The client for asyncio, which runs that of client.py in threads."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Self, Unpack, overload

from . import async_resources
from .checks import with_known_options
from .client import Client
from .functions import without
from .options import CallOptions
from .retry import Timing
from .send import OnRequest
from .threads import Threads
from .types import ImageOutput, VideoOutput


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
        self._threads = threads = Threads()
        self.videos = async_resources.AsyncVideos(self._client.videos, threads)
        self.images = async_resources.AsyncImages(self._client.images, threads)
        self.files = async_resources.AsyncFiles(self._client.files, threads)
        self.models = async_resources.AsyncModels(self._client.models, threads)
        self.balance = async_resources.AsyncBalance(self._client.balance, threads)
        self.usage = async_resources.AsyncUsage(self._client.usage, threads)
        self.transactions = async_resources.AsyncTransactions(self._client.transactions, threads)
        self.requests = async_resources.AsyncRequests(self._client.requests, threads)
        self.deliveries = async_resources.AsyncDeliveries(self._client.deliveries, threads)

    def __repr__(self) -> str:
        """Without the key, which belongs into no log."""
        return f"AsyncClient(base_url={self._client._connection.base_url!r})"

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
        self._threads.is_closed = True
        self._client.close()

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
        return await self._threads.run(lambda: self._client.download(output, path, **options))
