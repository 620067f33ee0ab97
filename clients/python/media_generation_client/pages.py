"""Paginated lists, read item by item or page by page; each page is fetched when it is reached."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Generator, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic

from . import threads
from .threads import T


@dataclass(frozen=True)
class Page(Generic[T]):
    data: list[T]
    has_more: bool
    next_cursor: str | None
    """Given as ``after``, it lists what follows this page, also later and in another process. None on the last page."""


class Listing(Generic[T]):
    """``for item in listing`` reads every item, ``pages()`` every page, newest first; ``data`` is of the first page."""

    def __init__(self, fetch_page: Callable[[str | None], Page[T]]) -> None:
        """``fetch_page`` gives the page after the item with an id; for None the first that was asked for."""
        self._fetch_page = fetch_page

    @cached_property
    def first_page(self) -> Page[T]:
        return self._fetch_page(None)

    @property
    def data(self) -> list[T]:
        return self.first_page.data

    @property
    def has_more(self) -> bool:
        return self.first_page.has_more

    @property
    def next_cursor(self) -> str | None:
        return self.first_page.next_cursor

    def __repr__(self) -> str:
        return "<Listing: a for loop reads every item; .data has those of the first page>"

    def pages(self) -> Generator[Page[T], None, None]:
        after: str | None = None
        while True:
            page = self._fetch_page(after)
            after = page.next_cursor
            yield page
            if after is None:
                return

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            yield from page.data


class AsyncListing(Generic[T]):
    """``async for`` reads every item, ``pages()`` every page, newest first; ``await listing`` is the first page, read anew."""

    def __init__(self, listing: Listing[T]) -> None:
        self._listing = listing

    def __repr__(self) -> str:
        return "<AsyncListing: async for reads every item; (await listing).data has those of the first page>"

    def __await__(self) -> Generator[Any, None, Page[T]]:
        return threads.run(lambda: next(self._listing.pages())).__await__()

    def pages(self) -> AsyncIterator[Page[T]]:
        return threads.each(self._listing.pages())

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self.pages():
            for item in page.data:
                yield item
