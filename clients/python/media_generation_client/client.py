"""The client of the public API: its functions by kind of object, and the download of files."""

from __future__ import annotations

import io
import os
import reprlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Self, Unpack, cast, overload

from . import resources
from .checks import check_path, with_known_options
from .connection import Connection
from .functions import without
from .options import CallOptions
from .retry import Timing
from .send import OnRequest
from .types import ImageOutput, VideoOutput


class Client:
    """
    Write ``client.videos.create``, ``client.images.create``, ``client.balance.retrieve`` and so on. Every function raises
    ApiError for an error response, and ConnectionError where there is none. It may be used by several threads at once.
    ``AsyncClient`` is the same for asyncio.
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
        """
        ``api_key``: keep it on servers, because anyone who has it can spend your Tokens; default: the environment
        variable ``MEDIA_API_KEY``. ``base_url``: the service's URL, to which ``/v1`` is added where it has no path;
        default: ``MEDIA_BASE_URL``. ``headers``: sent with every request. ``max_attempts`` of one call, including the
        first: 4 by default, and while a generation is waited for or watched as many as an outage of a minute takes; 1
        disables retries. ``timeout_seconds``: how long one attempt waits for the answer to
        begin, or to go on; by default 30, and 150 for ``images.create``. ``on_request``: called after every attempt; it is told
        neither keys nor bodies. Raises ValueError where neither options nor environment have the URL and the key.
        """
        self._connection = Connection(
            api_key=api_key,
            base_url=base_url,
            headers=headers,
            max_attempts=max_attempts,
            timeout_seconds=timeout_seconds,
            on_request=on_request,
            timing=timing,
        )
        self.videos = resources.Videos(self._connection)
        self.images = resources.Images(self._connection)
        self.files = resources.Files(self._connection)
        self.models = resources.Models(self._connection)
        self.balance = resources.Balance(self._connection)
        self.usage = resources.Usage(self._connection)
        self.transactions = resources.Transactions(self._connection)
        self.requests = resources.Requests(self._connection)
        self.deliveries = resources.Deliveries(self._connection)

    def __repr__(self) -> str:
        """Without the key, which belongs into no log."""
        return f"Client(base_url={self._connection.base_url!r})"

    # Type checkers would take it for a leave to use any name.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            raise without(self, name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes its idle connections, as ``with`` does; a later call opens a new one."""
        self._connection.close()

    @overload
    def download(
        self,
        output: VideoOutput | ImageOutput,
        path: str | os.PathLike[str],
        **options: Unpack[CallOptions],
    ) -> None: ...

    @overload
    def download(
        self, output: VideoOutput | ImageOutput, path: None = None, **options: Unpack[CallOptions]
    ) -> bytes: ...

    def download(
        self,
        output: VideoOutput | ImageOutput,
        path: str | os.PathLike[str] | None = None,
        **options: Unpack[CallOptions],
    ) -> bytes | None:
        """
        Saves an output's file, replacing an existing one; without a path it returns the bytes. Raises a NotFoundError
        ``gone`` if it was deleted, and ValueError where the path is a folder, or in none.
        """
        url = _url_of(output)
        if path is None:
            content = io.BytesIO()
            self._connection.download(url, content, options)
            return content.getvalue()
        check_path(Path(path))
        part = Path(f"{os.fspath(path)}.part")
        try:
            with part.open("wb") as file:
                self._connection.download(url, file, options)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
        return None


def _url_of(output: object) -> str:
    url = cast(Mapping[str, object], output).get("url") if isinstance(output, Mapping) else None
    if isinstance(url, str):
        return url
    is_whole = isinstance(output, Mapping) and "output" in output
    found = "the whole generation" if is_whole else reprlib.repr(output)
    raise TypeError(f'download needs an output with its URL, such as video["output"][0]; it is {found}.')
