"""The client for asyncio: the functions of client.py, each call of which runs in a thread."""

from __future__ import annotations

import functools
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from typing import Any, Concatenate, ParamSpec, TypeVar, Unpack

from . import resources, threads
from .client import Client
from .options import ClientOptions
from .pages import AsyncListing, Listing

P = ParamSpec("P")
T = TypeVar("T")


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


def _listed(
    call: Callable[Concatenate[Any, P], Listing[T]],
) -> Callable[Concatenate[_Functions, P], AsyncListing[T]]:
    """A function whose result is for ``async for``."""

    @functools.wraps(call)
    def listed(functions: _Functions, *given: P.args, **fields: P.kwargs) -> AsyncListing[T]:
        return threads.listing(call(functions._sync, *given, **fields))

    return listed


def _watched(
    call: Callable[Concatenate[Any, P], Generator[T, None, None]],
) -> Callable[Concatenate[_Functions, P], AsyncGenerator[T, None]]:
    """A function whose updates are for ``async for``."""

    @functools.wraps(call)
    def watched(functions: _Functions, *given: P.args, **fields: P.kwargs) -> AsyncGenerator[T, None]:
        return threads.each(call(functions._sync, *given, **fields))

    return watched


class AsyncVideos(_Functions):
    create = _awaited(resources.Videos.create)
    create_and_wait = _awaited(resources.Videos.create_and_wait)
    retrieve = _awaited(resources.Videos.retrieve)
    list = _listed(resources.Videos.list)
    cancel = _awaited(resources.Videos.cancel)
    delete = _awaited(resources.Videos.delete)
    wait = _awaited(resources.Videos.wait)
    watch = _watched(resources.Videos.watch)


class AsyncImages(_Functions):
    create = _awaited(resources.Images.create)
    create_and_wait = _awaited(resources.Images.create_and_wait)
    retrieve = _awaited(resources.Images.retrieve)
    list = _listed(resources.Images.list)
    cancel = _awaited(resources.Images.cancel)
    delete = _awaited(resources.Images.delete)
    wait = _awaited(resources.Images.wait)
    watch = _watched(resources.Images.watch)


class AsyncFiles(_Functions):
    create = _awaited(resources.Files.create)
    list = _listed(resources.Files.list)
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
    list = _listed(resources.Transactions.list)


class AsyncRequests(_Functions):
    list = _listed(resources.Requests.list)


class AsyncDeliveries(_Functions):
    list = _listed(resources.Deliveries.list)
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

    def __repr__(self) -> str:
        """Without the key, which belongs into no log."""
        return f"Async{self._sync!r}"

    download = _awaited(Client.download)
