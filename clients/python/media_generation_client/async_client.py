"""The client for asyncio, which runs that of client.py in threads."""

from __future__ import annotations

import os
from typing import Unpack, overload

from . import async_resources, threads
from .client import Client
from .options import CallOptions, ClientOptions
from .types import ImageOutput, VideoOutput


class AsyncClient:
    """
    What Client is, with functions to await and lists for ``async for``. A task that is canceled stops the call, not the
    generation: a request on its way still ends, no other follows, and a note of the CancelledError says how to go on.
    ``on_progress`` is called in the event loop, ``on_request`` in the thread of the call.
    """

    def __init__(self, **options: Unpack[ClientOptions]) -> None:
        self._client = client = Client(**options)
        self.videos = async_resources.AsyncVideos(client.videos)
        self.images = async_resources.AsyncImages(client.images)
        self.files = async_resources.AsyncFiles(client.files)
        self.models = async_resources.AsyncModels(client.models)
        self.balance = async_resources.AsyncBalance(client.balance)
        self.usage = async_resources.AsyncUsage(client.usage)
        self.transactions = async_resources.AsyncTransactions(client.transactions)
        self.requests = async_resources.AsyncRequests(client.requests)
        self.deliveries = async_resources.AsyncDeliveries(client.deliveries)

    def __repr__(self) -> str:
        """Without the key, which belongs into no log."""
        return f"Async{self._client!r}"

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
        return await threads.run(lambda: self._client.download(output, path, **options))
