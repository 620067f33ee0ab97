"""The functions of the public API, by the kind of object that they are of: ``client.videos.create``."""

from __future__ import annotations

import builtins
from collections.abc import Generator, Mapping
from datetime import datetime
from typing import Any, ClassVar, Generic, Literal, Unpack, cast

from . import types
from .connection import Connection, idempotency_key_of, path_of
from .options import OPTION_NAMES, CallOptions, CreateImageOptions, CreateOptions, WaitOptions
from .pages import Listing, Page
from .pictures import Picture, bytes_of, with_sent_pictures
from .stopping import say_what_goes_on
from .types import Delivery, Image, Model, StoredFile, Video
from .wait import G, wait_for, wait_for_created
from .watch import watch

_ASYNC = {"prefer": "respond-async"}
_CREATE_IMAGE_SECONDS = 150.0


class CreateVideo(types.VideoRequest, CreateOptions):
    """The fields of the request and the options of the call."""


class CreateVideoAndWait(CreateVideo, WaitOptions[Video]):
    """Those of the waiting too."""


class CreateImage(types.ImageRequest, CreateImageOptions):
    """The fields of the request and the options of the call."""


class CreateImageAndWait(types.ImageRequest, CreateOptions, WaitOptions[Image]):
    """Those of the waiting too."""


class Functions:
    """The functions of one kind of object."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection


class _Generations(Functions, Generic[G]):
    """What videos and images have in common."""

    _kind: ClassVar[Literal["videos", "images"]]

    def _path(self, id: str) -> str:
        return path_of(f"/{self._kind}/generations", id)

    def retrieve(self, id: str, **options: Unpack[CallOptions]) -> G:
        return self._connection.result("GET", self._path(id), options)

    def cancel(self, id: str, **options: Unpack[CallOptions]) -> G:
        """
        Raises a ConflictError ``not_cancelable`` or ``already_finished`` where it is too late. An image that is being made
        within one call of its upstream cannot be stopped.
        """
        return self._connection.result("POST", f"{self._path(id)}/cancel", options)

    def delete(self, id: str, **options: Unpack[CallOptions]) -> None:
        """
        Deletes an ended generation: files, input and webhooks; also one that is deleted already. Raises a ConflictError
        ``not_finished`` before its end.
        """
        self._connection.call("DELETE", self._path(id), options)

    def wait(self, id: str, **options: Unpack[WaitOptions[G]]) -> G:
        """Returns when the status is ``success``, ``failed`` or ``canceled``; it raises for none of them."""
        return wait_for(self._connection, self._kind, id, options)

    def watch(self, id: str, **options: Unpack[CallOptions]) -> Generator[G, None, None]:
        """
        ``for video in client.videos.watch(id)``: the generation as it is now, at each change, and as it ended, from one stream
        of events, which is opened again where it breaks.
        """
        return watch(self._connection, self._path(id), options)


class Videos(_Generations[Video]):
    _kind = "videos"

    def create(self, **request: Unpack[CreateVideo]) -> Video:
        """Reserves the price and returns the pending generation."""
        return _create(self._connection, "/videos/generations", request)

    def create_and_wait(self, **request: Unpack[CreateVideoAndWait]) -> types.VideoSucceeded:
        """
        ``videos.create``, then ``videos.wait``: the video once it succeeded. Raises a GenerationError if it failed, with
        the generation's id in ``details``, a GenerationCanceledError if it was canceled, and a WaitStoppedError with its
        ``generation_id`` after ``wait_seconds``.
        """
        id = _create(self._connection, "/videos/generations", request)["id"]
        options = cast("WaitOptions[Video]", _split(request)[1])
        return cast(types.VideoSucceeded, wait_for_created(self._connection, "videos", id, options))

    def list(self, **filter: Unpack[types.VideoFilter]) -> Listing[Video]:
        return _list(self._connection, "/videos/generations", filter)


class Images(_Generations[Image]):
    _kind = "images"

    def create(self, **request: Unpack[CreateImage]) -> Image:
        """
        The finished image. Raises a GenerationError if it failed or was canceled, and one with the code
        ``generation_timeout`` if it is not finished after two minutes. With ``respond_async`` the image as it is at once.
        """
        if request.get("respond_async"):
            return _create(self._connection, "/images/generations", request, _ASYNC)
        limit = _CREATE_IMAGE_SECONDS
        return _create(self._connection, "/images/generations", request, timeout_seconds=limit)

    def create_and_wait(self, **request: Unpack[CreateImageAndWait]) -> types.ImageSucceeded:
        """
        ``images.create`` with ``respond_async``, then ``images.wait``, as ``videos.create_and_wait`` does: no request takes
        longer than a minute.
        """
        id = _create(self._connection, "/images/generations", request, _ASYNC)["id"]
        options = cast("WaitOptions[Image]", _split(request)[1])
        return cast(types.ImageSucceeded, wait_for_created(self._connection, "images", id, options))

    def list(self, **filter: Unpack[types.ImageFilter]) -> Listing[Image]:
        return _list(self._connection, "/images/generations", filter)


class Files(Functions):
    def create(self, picture: Picture, **options: Unpack[CreateOptions]) -> StoredFile:
        """Sends a PNG, JPEG or WebP of at most 20 MB. Its ``url`` then does wherever a create takes an image's URL."""
        content = bytes_of(picture)
        headers = {"idempotency-key": idempotency_key_of(options)}
        return self._connection.result(
            "POST", "/files", options, file_body=content, headers=headers, needs=("url",)
        )

    def list(self, **filter: Unpack[types.FileFilter]) -> Listing[StoredFile]:
        return _list(self._connection, "/files", filter)

    def retrieve(self, id: str, **options: Unpack[CallOptions]) -> StoredFile:
        return self._connection.result("GET", path_of("/files", id), options)

    def delete(self, id: str, **options: Unpack[CallOptions]) -> None:
        """Raises an error with the code ``file_in_use`` while a generation uses the file."""
        self._connection.call("DELETE", path_of("/files", id), options)


class Models(Functions):
    def list(self, **options: Unpack[CallOptions]) -> builtins.list[Model]:
        return self._connection.result("GET", "/models", options, needs=("data",))["data"]

    def retrieve(self, id: str, **options: Unpack[CallOptions]) -> Model:
        return self._connection.result("GET", path_of("/models", id), options)


class Balance(Functions):
    def retrieve(self, **options: Unpack[CallOptions]) -> types.Balance:
        return self._connection.result("GET", "/balance", options)


class Usage(Functions):
    def retrieve(self, **filter: Unpack[types.UsageFilter]) -> types.Usage:
        """What was used in a span of days (UTC), by day, model or API key; this month by day at first."""
        query, options = _split(filter)
        return self._connection.result("GET", "/usage", cast(CallOptions, options), query=_query(query))


class Transactions(Functions):
    def list(self, **filter: Unpack[types.TransactionFilter]) -> Listing[types.Transaction]:
        return _list(self._connection, "/transactions", filter)


class Requests(Functions):
    def list(self, **filter: Unpack[types.RequestFilter]) -> Listing[types.ApiRequest]:
        """What the account's API keys asked for, and how it was answered; some seconds behind."""
        return _list(self._connection, "/requests", filter)


class Deliveries(Functions):
    def list(self, **filter: Unpack[types.DeliveryFilter]) -> Listing[Delivery]:
        return _list(self._connection, "/webhooks/deliveries", filter)

    def retrieve(self, id: str, **options: Unpack[CallOptions]) -> Delivery:
        return self._connection.result("GET", path_of("/webhooks/deliveries", id), options)

    def redeliver(self, id: str, **options: Unpack[CallOptions]) -> Delivery:
        """Makes another attempt immediately. Sent again after a 429 only."""
        path = f"{path_of('/webhooks/deliveries', id)}/redeliver"
        return self._connection.result("POST", path, options, is_repeatable=False)


def _create(
    connection: Connection,
    path: str,
    request: Mapping[str, Any],
    headers: Mapping[str, str] | None = None,
    timeout_seconds: float | None = None,
) -> Any:
    """Sends the pictures of a create, each with a key of its own that a repetition has again, then the create."""
    body, given = _split(request)
    options = cast(CreateOptions, given)
    key = idempotency_key_of(options)
    say_what_goes_on(f"The create may have been accepted: one with idempotency_key={key!r} gets the same.")

    def send_picture(picture: Picture, picture_key: str) -> str:
        own: CreateOptions = {**options, "idempotency_key": picture_key}
        return Files(connection).create(picture, **own)["url"]

    return connection.result(
        "POST",
        path,
        options,
        json_body=with_sent_pictures(body, types.PICTURE_FIELDS, key, send_picture),
        headers={"idempotency-key": key, **(headers or {})},
        timeout_seconds=timeout_seconds,
        needs=("id",),
    )


def _list(connection: Connection, path: str, filter: Mapping[str, Any]) -> Listing[Any]:
    query, options = _split(filter)
    sent = _query(query)

    def fetch_page(after: str | None) -> Page[Any]:
        return connection.page(path, sent, after, cast(CallOptions, options))

    return Listing(fetch_page)


def _split(given: Mapping[str, Any]) -> tuple[dict[str, object], dict[str, object]]:
    """What the service takes, which refuses what it does not know, and the options of the call."""
    body = {name: value for name, value in given.items() if name not in OPTION_NAMES}
    return body, {name: value for name, value in given.items() if name in OPTION_NAMES}


def _query(filter: Mapping[str, object]) -> dict[str, object]:
    """``from_`` is the parameter ``from``, a word that Python keeps for itself."""
    return {
        name.removesuffix("_"): value.isoformat() if isinstance(value, datetime) else value
        for name, value in filter.items()
    }
