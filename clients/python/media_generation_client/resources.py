"""The functions of the public API, by the kind of object that they are of: ``client.videos.create``."""

from __future__ import annotations

import builtins
import hashlib
import math
import os
import re
from collections.abc import Callable, Collection, Generator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, NotRequired, Unpack, cast

from . import threads
from .connection import Connection, call_options, check_options, idempotency_key_of, meant, path_of
from .errors import ApiError, ConnectionError
from .gen import types
from .gen.error_classes import InvalidRequestError
from .gen.types import Delivery, Image, Model, StoredFile, Video
from .options import (
    CALL_NAMES,
    CREATE_IMAGE_NAMES,
    CREATE_NAMES,
    WAIT_NAMES,
    CallOptions,
    CreateOptions,
    Picture,
    WaitOptions,
)
from .pages import Listing, Page
from .send import Policy
from .wait import G, wait_for, wait_for_created, watch

_RESPOND_ASYNC = "respond-async"
_CREATE_IMAGE_SECONDS = 150.0
_BYTES: Any = (bytes, bytearray, memoryview)


class CreateVideo(types.VideoRequest, CreateOptions):
    """The fields of the request and the options of the call."""


class CreateVideoAndWait(CreateVideo, WaitOptions[Video]):
    """Those of the waiting too."""


class CreateImage(types.ImageRequest, CreateOptions):
    respond_async: NotRequired[bool]
    """Return the pending image at once, as ``videos.create`` does, instead of holding the request until it is finished."""


class CreateImageAndWait(types.ImageRequest, CreateOptions, WaitOptions[Image]):
    """Those of the waiting too."""


class Functions:
    """The functions of one kind of object."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def _list(self, path: str, filter: Mapping[str, Any], names: Collection[str]) -> Listing[Any]:
        check_options(filter, names)
        query, options = _split(filter)

        def fetch_page(after: str | None) -> Page[Any]:
            wanted = query if after is None else {**query, "after": after}
            body = self._connection.result(
                "GET", path, options, query=wanted, needs=("data", "has_more")
            )
            data, has_more = body["data"], body["has_more"]
            return Page(data, has_more, data[-1]["id"] if has_more and data else None)

        return Listing(fetch_page)


class _Generations(Functions, Generic[G]):
    """What videos and images have in common."""

    _kind: ClassVar[Literal["videos", "images"]]

    def list(self, **filter: Unpack[types.GenerationFilter]) -> Listing[G]:
        """Those that match, newest first, asked for when they are read: ``for video in client.videos.list(status="failed")``."""
        return self._list(f"/{self._kind}/generations", filter, types.GenerationFilter.__annotations__)

    def retrieve(self, id: str, **options: Unpack[CallOptions]) -> G:
        return self._connection.result("GET", self._path(id), options)

    def cancel(self, id: str, **options: Unpack[CallOptions]) -> G:
        """
        Raises a ConflictError ``not_cancelable`` or ``already_finished`` where it is too late. An image that is being made
        within one call of its upstream cannot be stopped.
        """
        return self._connection.result("POST", f"{self._path(id)}/cancel", options)

    def delete(self, id: str, **options: Unpack[CallOptions]) -> None:
        """Deletes an ended generation, also again: files, input, webhooks. Raises a ConflictError ``not_finished`` before its end."""
        self._connection.call("DELETE", self._path(id), options)

    def wait(self, id: str, **options: Unpack[WaitOptions[G]]) -> G:
        """Returns when the status is ``success``, ``failed`` or ``canceled``; it raises for none of them."""
        check_options(options, WAIT_NAMES)
        return wait_for(self._connection, self._kind, id, options)

    def watch(self, id: str, **options: Unpack[CallOptions]) -> Generator[G, None, None]:
        """``for video in client.videos.watch(id)``: the generation as it is now, at each change, and as it ended."""
        return watch(self._connection, self._path(id), options)

    def _path(self, id: str) -> str:
        return path_of(f"/{self._kind}/generations", id)

    def _create(
        self,
        request: Mapping[str, Any],
        names: frozenset[str] = CREATE_NAMES,
        policy: Policy = Policy(),
        prefer: str | None = None,
    ) -> Any:
        """Sends the pictures, each under a key that a repetition has again, then the create. ``names`` are those of options."""
        body, options = _split(request, names)
        for name in body.keys() & WAIT_NAMES:
            raise TypeError(f"{name} is no option of create: create_and_wait takes it.")
        call = call_options(options)
        key = idempotency_key_of(options)
        goes_on = f"The create may have been accepted: one with idempotency_key={key!r} gets the same."
        threads.say_what_goes_on(goes_on)

        def send_picture(picture: Picture, place: str) -> str:
            # Of fixed length, because the caller's key may be as long as is allowed.
            own_key = hashlib.sha256(f"{place} of {key}".encode()).hexdigest()
            try:
                return Files(self._connection).create(picture, idempotency_key=own_key, **call)["url"]
            except InvalidRequestError as error:
                error.param, error.args = place, (f"{place}: {error.message}",)
                raise

        headers = {"idempotency-key": key, **({"prefer": prefer} if prefer else {})}
        _with_pictures(body, self._kind, lambda _picture, place: place)  # Raises for a wrong place before any is sent.
        body = _with_pictures(body, self._kind, send_picture)
        try:
            return self._connection.result(
                "POST", f"/{self._kind}/generations", call, policy, body=body, headers=headers, needs=("id",)
            )
        except (ApiError, ConnectionError) as error:
            if isinstance(error, ConnectionError):
                if error.was_sent:
                    error.args = (f"{str(error).rstrip('.')}. {goes_on}",)
            elif "unknown_field" in (error.code, *(fault["code"] for fault in error.errors)):
                error.args = (f"{error.message} Options of the client: {', '.join(sorted(names))}.",)
            raise

    def _create_and_wait(self, request: Mapping[str, Any], prefer: str | None = None) -> Any:
        waiting = _split(request, WAIT_NAMES)[1]
        check_options(waiting, WAIT_NAMES)
        id = self._create(request, CREATE_NAMES | WAIT_NAMES, prefer=prefer)["id"]
        return wait_for_created(self._connection, self._kind, id, waiting)


class Videos(_Generations[Video]):
    _kind = "videos"

    def create(self, **request: Unpack[CreateVideo]) -> Video:
        """
        Reserves the price and returns the pending video: ``create(model="beta-3.0-video", prompt="a cat")["id"]``.

        Fields: those of the API, which refuses others; a picture may be a URL, bytes, a ``Path`` or an open file. Options:
        ``idempotency_key`` (repeats it without a second charge), ``timeout_seconds``, ``max_attempts``, ``headers``. Raises an
        ApiError for a refusal, such as InvalidRequestError, BillingError or RateLimitError, else a ConnectionError.
        """
        return self._create(request)

    def create_and_wait(self, **request: Unpack[CreateVideoAndWait]) -> types.VideoSucceeded:
        """The video once it succeeded; else raises a GenerationError, GenerationCanceledError or WaitStoppedError with its id."""
        return self._create_and_wait(request)


class Images(_Generations[Image]):
    _kind = "images"

    def create(self, **request: Unpack[CreateImage]) -> Image:
        """
        The finished image. Raises a GenerationError if it failed or was canceled, and one with the code
        ``generation_timeout`` if it is not finished after two minutes. With ``respond_async`` the image as it is at once.
        """
        if request.get("respond_async"):
            return self._create(request, CREATE_IMAGE_NAMES, prefer=_RESPOND_ASYNC)
        return self._create(request, CREATE_IMAGE_NAMES, Policy(timeout_seconds=_CREATE_IMAGE_SECONDS))

    def create_and_wait(self, **request: Unpack[CreateImageAndWait]) -> types.ImageSucceeded:
        """As ``videos.create_and_wait``, by ``images.create`` with ``respond_async``: no request takes longer than a minute."""
        return self._create_and_wait(request, prefer=_RESPOND_ASYNC)


class Files(Functions):
    def create(self, picture: Picture, **options: Unpack[CreateOptions]) -> StoredFile:
        """Sends a PNG, JPEG or WebP of at most 20 MB. Its ``url`` then does wherever a create takes an image's URL."""
        check_options(options, CREATE_NAMES)
        content = _bytes_of(picture)
        headers = {"idempotency-key": idempotency_key_of(options)}
        return self._connection.result(
            "POST", "/files", call_options(options), body=content, headers=headers, needs=("url",)
        )

    def list(self, **filter: Unpack[types.PageFilter]) -> Listing[StoredFile]:
        return self._list("/files", filter, types.PageFilter.__annotations__)

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
        return self._connection.result("GET", "/usage", options, query=query)


class Transactions(Functions):
    def list(self, **filter: Unpack[types.TransactionFilter]) -> Listing[types.Transaction]:
        return self._list("/transactions", filter, types.TransactionFilter.__annotations__)


class Requests(Functions):
    def list(self, **filter: Unpack[types.RequestFilter]) -> Listing[types.ApiRequest]:
        """What the account's API keys asked for, and how it was answered; some seconds behind."""
        return self._list("/requests", filter, types.RequestFilter.__annotations__)


class Deliveries(Functions):
    def list(self, **filter: Unpack[types.DeliveryFilter]) -> Listing[Delivery]:
        return self._list("/webhooks/deliveries", filter, types.DeliveryFilter.__annotations__)

    def retrieve(self, id: str, **options: Unpack[CallOptions]) -> Delivery:
        return self._connection.result("GET", path_of("/webhooks/deliveries", id), options)

    def redeliver(self, id: str, **options: Unpack[CallOptions]) -> Delivery:
        """Makes another attempt immediately. Sent again after a 429 only."""
        path = f"{path_of('/webhooks/deliveries', id)}/redeliver"
        return self._connection.result("POST", path, options, Policy(is_repeatable=False))


def _split(
    given: Mapping[str, Any], options: frozenset[str] = CALL_NAMES
) -> tuple[dict[str, Any], Any]:
    """The fields, ``from_`` as ``from``, and the options. Raises ValueError for a ``datetime`` without a time zone."""
    for name, value in given.items():
        if isinstance(value, datetime) and value.tzinfo is None:
            raise ValueError(f"{name} needs a time zone, such as datetime.now(timezone.utc); it is {value!r}.")
    fields = {
        "from" if name == "from_" else name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in given.items()
        if name not in options
    }
    return fields, {name: value for name, value in given.items() if name in options}


def _with_pictures(
    body: dict[str, Any], kind: Literal["videos", "images"], url_of: Callable[[Picture, str], str]
) -> dict[str, Any]:
    """The body with URLs in place of pictures, files and outputs. Raises TypeError for one in no field, and for no JSON."""
    fields, offered = types.PICTURE_FIELDS[kind], types.OFFERED_PICTURES[kind]

    def sent(value: Any, place: str) -> Any:
        field = re.sub(r"\[\d+\]", "[]", place)
        if isinstance(value, dict):
            given = cast(dict[str, Any], value)
            if field in fields and "url" in given:
                return given["url"]
            if field in fields:
                raise TypeError(f'{place} is a dict without a url: give an output, such as image["output"][0].')
            return {name: sent(each, f"{place}.{name}") for name, each in given.items()}
        if isinstance(value, (list, tuple)):
            return [sent(each, f"{place}[{at}]") for at, each in enumerate(cast(list[Any], value))]
        if isinstance(value, float) and not math.isfinite(value):
            raise TypeError(f"{place} is {value}, a number that JSON does not have.")
        if value is None or isinstance(value, (str, int, float)):
            return value
        if not isinstance(value, (*_BYTES, os.PathLike)) and not hasattr(value, "read"):
            hint = meant(place, CREATE_IMAGE_NAMES | WAIT_NAMES)
            raise TypeError(f"{place} is a {type(value).__name__}: give a string, a number, a list or a dict.{hint}")
        if field not in fields:
            if f"{field}[]" in fields:
                raise TypeError(f'{place} must be a list: [Path("x.png")].')
            names = [name.removesuffix("[]") for name in offered]
            longer = next((name for name in names if name.startswith(place)), place)
            hint = meant(longer, names) or f" These do: {', '.join(offered)}."
            raise TypeError(f"{place} takes no picture.{hint}")
        return url_of(value, place)

    return {name: sent(value, name) for name, value in body.items()}


def _bytes_of(picture: Picture) -> bytes:
    """The bytes of a picture. Raises OSError where a file cannot be read."""
    if isinstance(picture, os.PathLike):
        return Path(picture).read_bytes()
    content: Any = getattr(picture, "read", lambda: picture)()
    if not isinstance(content, _BYTES):
        raise TypeError("A picture is bytes, a pathlib.Path or a file that is open in binary mode.")
    return bytes(content)
