"""The functions of AsyncClient, by the kind of object that they are of: those of resources.py, in threads."""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from . import resources
from .functions import Functions
from .pages import AsyncListing, Listing
from .threads import Threads

P = ParamSpec("P")
T = TypeVar("T")


class _Awaited(Generic[P, T]):
    """A function to await."""

    def __init__(self, call: Callable[Concatenate[Any, P], T]) -> None:
        self.call = call

    def __get__(self, functions: AsyncFunctions, kind: object) -> Callable[P, Coroutine[Any, Any, T]]:
        call = functools.partial(self.call, functions._sync)

        async def awaited(*given: P.args, **fields: P.kwargs) -> T:
            return await functions._threads.run(call, *given, **fields)

        return _as(self.call, awaited)


class _Listed(Generic[P, T]):
    """A function whose result is for ``async for``."""

    def __init__(self, call: Callable[Concatenate[Any, P], Listing[T]]) -> None:
        self.call = call

    def __get__(self, functions: AsyncFunctions, kind: object) -> Callable[P, AsyncListing[T]]:
        def listed(*given: P.args, **fields: P.kwargs) -> AsyncListing[T]:
            return functions._threads.listing(self.call(functions._sync, *given, **fields))

        return _as(self.call, listed)


class _Watched(Generic[P, T]):
    """A function whose updates are for ``async for``."""

    def __init__(self, call: Callable[Concatenate[Any, P], Generator[T, None, None]]) -> None:
        self.call = call

    def __get__(self, functions: AsyncFunctions, kind: object) -> Callable[P, AsyncGenerator[T, None]]:
        def watched(*given: P.args, **fields: P.kwargs) -> AsyncGenerator[T, None]:
            return functions._threads.each(self.call(functions._sync, *given, **fields))

        return _as(self.call, watched)


A = TypeVar("A", bound=Callable[..., Any])


def _as(call: Callable[..., Any], function: A) -> A:
    """The function with name, text and parameters of that which it runs."""
    functools.update_wrapper(function, call)
    signature = inspect.signature(call)
    _self, *parameters = signature.parameters.values()
    setattr(function, "__signature__", signature.replace(parameters=parameters))
    return function


class AsyncFunctions(Functions):
    def __init__(self, sync: Functions, threads: Threads) -> None:
        self._sync = sync
        self._threads = threads


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
