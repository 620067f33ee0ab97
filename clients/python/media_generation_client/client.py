"""The client of the public API: its functions by kind of object, and the download of files."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Unpack, overload

from . import resources
from .connection import Connection
from .options import CallOptions, ClientOptions
from .types import ImageOutput, VideoOutput


class Client:
    """
    Write ``client.videos.create``, ``client.images.create``, ``client.balance.retrieve`` and so on. Every function raises
    ApiError for an error response, and ConnectionError where there is none. It may be used by several threads at once.
    ``AsyncClient`` is the same for asyncio.
    """

    def __init__(self, **options: Unpack[ClientOptions]) -> None:
        """Raises ValueError where neither options nor environment have the URL and the key."""
        self._connection = Connection(**options)
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
        ``gone`` if it was deleted.
        """
        if path is None:
            content = io.BytesIO()
            self._connection.download(output["url"], content, options)
            return content.getvalue()
        part = Path(f"{os.fspath(path)}.part")
        try:
            with part.open("wb") as file:
                self._connection.download(output["url"], file, options)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
        return None
