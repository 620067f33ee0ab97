"""The functions of AsyncClient, by the kind of object that they are of: those of resources.py, in threads."""

from __future__ import annotations

import functools
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from . import resources, threads
from .pages import AsyncListing, Listing

P = ParamSpec("P")
T = TypeVar("T")


class _Awaited(Generic[P, T]):
    """A function to await."""

    def __init__(self, call: Callable[Concatenate[Any, P], T]) -> None:
        self.call = call

    def __get__(self, functions: AsyncFunctions, kind: object) -> Callable[P, Coroutine[Any, Any, T]]:
        call = functools.partial(self.call, functions._sync)

        @functools.wraps(self.call)
        async def awaited(*given: P.args, **fields: P.kwargs) -> T:
            return await threads.run(call, *given, **fields)

        return awaited


class _Listed(Generic[P, T]):
    """A function whose result is for ``async for``."""

    def __init__(self, call: Callable[Concatenate[Any, P], Listing[T]]) -> None:
        self.call = call

    def __get__(self, functions: AsyncFunctions, kind: object) -> Callable[P, AsyncListing[T]]:
        @functools.wraps(self.call)
        def listed(*given: P.args, **fields: P.kwargs) -> AsyncListing[T]:
            return threads.listing(self.call(functions._sync, *given, **fields))

        return listed


class _Watched(Generic[P, T]):
    """A function whose updates are for ``async for``."""

    def __init__(self, call: Callable[Concatenate[Any, P], Generator[T, None, None]]) -> None:
        self.call = call

    def __get__(self, functions: AsyncFunctions, kind: object) -> Callable[P, AsyncGenerator[T, None]]:
        @functools.wraps(self.call)
        def watched(*given: P.args, **fields: P.kwargs) -> AsyncGenerator[T, None]:
            return threads.each(self.call(functions._sync, *given, **fields))

        return watched


class AsyncFunctions:
    def __init__(self, sync: resources.Functions) -> None:
        self._sync = sync


class AsyncVideos(AsyncFunctions):
    create = _Awaited(resources.Videos.create)
    create_and_wait = _Awaited(resources.Videos.create_and_wait)
    retrieve = _Awaited(resources.Videos.retrieve)
    list = _Listed(resources.Videos.list)
    cancel = _Awaited(resources.Videos.cancel)
    delete = _Awaited(resources.Videos.delete)
    wait = _Awaited(resources.Videos.wait)
    watch = _Watched(resources.Videos.watch)


class AsyncImages(AsyncFunctions):
    create = _Awaited(resources.Images.create)
    create_and_wait = _Awaited(resources.Images.create_and_wait)
    retrieve = _Awaited(resources.Images.retrieve)
    list = _Listed(resources.Images.list)
    cancel = _Awaited(resources.Images.cancel)
    delete = _Awaited(resources.Images.delete)
    wait = _Awaited(resources.Images.wait)
    watch = _Watched(resources.Images.watch)


class AsyncFiles(AsyncFunctions):
    create = _Awaited(resources.Files.create)
    list = _Listed(resources.Files.list)
    retrieve = _Awaited(resources.Files.retrieve)
    delete = _Awaited(resources.Files.delete)


class AsyncModels(AsyncFunctions):
    list = _Awaited(resources.Models.list)
    retrieve = _Awaited(resources.Models.retrieve)


class AsyncBalance(AsyncFunctions):
    retrieve = _Awaited(resources.Balance.retrieve)


class AsyncUsage(AsyncFunctions):
    retrieve = _Awaited(resources.Usage.retrieve)


class AsyncTransactions(AsyncFunctions):
    list = _Listed(resources.Transactions.list)


class AsyncRequests(AsyncFunctions):
    list = _Listed(resources.Requests.list)


class AsyncDeliveries(AsyncFunctions):
    list = _Listed(resources.Deliveries.list)
    retrieve = _Awaited(resources.Deliveries.retrieve)
    redeliver = _Awaited(resources.Deliveries.redeliver)
