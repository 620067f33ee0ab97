"""The client of the public API: a function for each operation, and functions that wait and download."""

from __future__ import annotations

import io
import os
import reprlib
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, Unpack, cast, overload

from .checks import check_fields, check_options, check_path, path_of, query_text, with_known_options
from .connection import Connection, idempotency_key_of
from .options import (
    OPTION_NAMES,
    CallOptions,
    CreateImage,
    CreateImageAndWait,
    CreateImageOptions,
    CreateOptions,
    CreateVideo,
    CreateVideoAndWait,
    ListDeliveries,
    ListFiles,
    ListImages,
    ListRequests,
    ListTransactions,
    ListVideos,
    RetrieveUsage,
    WaitOptions,
)
from .pages import Listing, Page
from . import resources
from .functions import names_of_today, without
from .pictures import Picture, bytes_of, with_sent_pictures
from .retry import Timing
from .send import OnRequest
from .stopping import say_what_goes_on
from .types import (
    PICTURE_FIELDS,
    ApiRequest,
    Balance,
    Delivery,
    Image,
    ImageOutput,
    Model,
    StoredFile,
    Transaction,
    Usage,
    Video,
    VideoOutput,
)
from .wait import wait_for, wait_for_created
from .watch import watch

_VIDEOS = "/videos/generations"
_IMAGES = "/images/generations"
_CREATE_IMAGE_SECONDS = 150.0


class Client:
    """
    Write ``client.videos.create``, ``client.images.create``, ``client.balance.retrieve`` and so on; names such as
    ``create_video`` are those of version 1.0, and do the same. Every function raises ApiError for an error response, and
    ConnectionError where there is none. It may be used by several threads at once. ``AsyncClient`` is the same for asyncio.
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
        self.videos = resources.Videos(self)
        self.images = resources.Images(self)
        self.files = resources.Files(self)
        self.models = resources.Models(self)
        self.balance = resources.Balance(self)
        self.usage = resources.Usage(self)
        self.transactions = resources.Transactions(self)
        self.requests = resources.Requests(self)
        self.deliveries = resources.Deliveries(self)

    def __repr__(self) -> str:
        """Without the key, which belongs into no log."""
        return f"Client(base_url={self._connection.base_url!r})"

    def __dir__(self) -> list[str]:
        """Without the names of version 1.0."""
        return names_of_today(self, super().__dir__())

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

    def create_video(self, **request: Unpack[CreateVideo]) -> Video:
        """Reserves the price and returns the pending generation."""
        body, options = _split(request, CreateVideo)
        return cast(Video, self._create(_VIDEOS, body, cast(CreateOptions, options)))

    def create_video_and_wait(self, **request: Unpack[CreateVideoAndWait]) -> Video:
        """
        ``videos.create``, then ``videos.wait``: the video once it succeeded. Raises a GenerationError if it failed, with
        the generation's id in ``details``, a GenerationCanceledError if it was canceled, and a WaitStoppedError with its
        ``generation_id`` after ``wait_seconds``.
        """
        body, options = _split(request, CreateVideoAndWait)
        id = self._create(_VIDEOS, body, cast(CreateOptions, options))["id"]
        return wait_for_created(self._connection, "videos", id, cast("WaitOptions[Video]", options))

    def retrieve_video(self, id: str, **options: Unpack[CallOptions]) -> Video:
        return self._connection.result("GET", path_of(_VIDEOS, id), options)

    def list_videos(self, **filter: Unpack[ListVideos]) -> Listing[Video]:
        return self._list(_VIDEOS, filter, ListVideos)

    def cancel_video(self, id: str, **options: Unpack[CallOptions]) -> Video:
        """Raises a ConflictError ``not_cancelable`` or ``already_finished`` where it is too late."""
        return self._connection.result("POST", f"{path_of(_VIDEOS, id)}/cancel", options)

    def delete_video(self, id: str, **options: Unpack[CallOptions]) -> None:
        """
        Deletes an ended video: files, input and webhooks; also one that is deleted already. Raises a ConflictError
        ``not_finished`` before its end.
        """
        self._connection.call("DELETE", path_of(_VIDEOS, id), options)

    def wait_for_video(self, id: str, **options: Unpack[WaitOptions[Video]]) -> Video:
        """Returns when the status is ``success``, ``failed`` or ``canceled``; it raises for none of them."""
        return wait_for(self._connection, "videos", id, options)

    def _watch_video(self, id: str, **options: Unpack[CallOptions]) -> Generator[Video, None, None]:
        """
        ``for video in client.videos.watch(id)``: the video as it is now, at each change, and as it ended, from one stream of
        events, which is opened again where it breaks.
        """
        check_options(options)
        return watch(self._connection, path_of(_VIDEOS, id), options)

    def create_image(self, **request: Unpack[CreateImage]) -> Image:
        """
        The finished image. Raises a GenerationError if it failed or was canceled, and one with the code
        ``generation_timeout`` if it is not finished after two minutes. With ``respond_async`` the image as it is at once.
        """
        body, options = _split(request, CreateImage)
        return self._create_image(body, cast(CreateImageOptions, options))

    def create_image_and_wait(self, **request: Unpack[CreateImageAndWait]) -> Image:
        """
        ``images.create`` with ``respond_async``, then ``images.wait``, as ``videos.create_and_wait`` does: no request takes
        longer than a minute.
        """
        body, options = _split(request, CreateImageAndWait)
        id = self._create_image(body, cast(CreateImageOptions, {**options, "respond_async": True}))["id"]
        return wait_for_created(self._connection, "images", id, cast("WaitOptions[Image]", options))

    def retrieve_image(self, id: str, **options: Unpack[CallOptions]) -> Image:
        return self._connection.result("GET", path_of(_IMAGES, id), options)

    def list_images(self, **filter: Unpack[ListImages]) -> Listing[Image]:
        return self._list(_IMAGES, filter, ListImages)

    def cancel_image(self, id: str, **options: Unpack[CallOptions]) -> Image:
        """As ``videos.cancel``. An image that is being made within one call of its upstream cannot be stopped."""
        return self._connection.result("POST", f"{path_of(_IMAGES, id)}/cancel", options)

    def delete_image(self, id: str, **options: Unpack[CallOptions]) -> None:
        """As ``videos.delete``."""
        self._connection.call("DELETE", path_of(_IMAGES, id), options)

    def wait_for_image(self, id: str, **options: Unpack[WaitOptions[Image]]) -> Image:
        """Returns when the status is ``success``, ``failed`` or ``canceled``; it raises for none of them."""
        return wait_for(self._connection, "images", id, options)

    def _watch_image(self, id: str, **options: Unpack[CallOptions]) -> Generator[Image, None, None]:
        """As ``videos.watch``."""
        check_options(options)
        return watch(self._connection, path_of(_IMAGES, id), options)

    def create_file(self, picture: Picture, **options: Unpack[CreateOptions]) -> StoredFile:
        """Sends a PNG, JPEG or WebP of at most 20 MB. Its ``url`` then does wherever a create takes an image's URL."""
        content = bytes_of(picture)
        headers = {"idempotency-key": idempotency_key_of(options)}
        return self._connection.result(
            "POST", "/files", options, file_body=content, headers=headers, needs=("url",)
        )

    def list_files(self, **filter: Unpack[ListFiles]) -> Listing[StoredFile]:
        return self._list("/files", filter, ListFiles)

    def retrieve_file(self, id: str, **options: Unpack[CallOptions]) -> StoredFile:
        return self._connection.result("GET", path_of("/files", id), options)

    def delete_file(self, id: str, **options: Unpack[CallOptions]) -> None:
        """Raises an error with the code ``file_in_use`` while a generation uses the file."""
        self._connection.call("DELETE", path_of("/files", id), options)

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

    def list_models(self, **options: Unpack[CallOptions]) -> list[Model]:
        return self._connection.result("GET", "/models", options, needs=("data",))["data"]

    def retrieve_model(self, id: str, **options: Unpack[CallOptions]) -> Model:
        return self._connection.result("GET", path_of("/models", id), options)

    def retrieve_balance(self, **options: Unpack[CallOptions]) -> Balance:
        return self._connection.result("GET", "/balance", options)

    def retrieve_usage(self, **filter: Unpack[RetrieveUsage]) -> Usage:
        """What was used in a span of days (UTC), by day, model or API key; this month by day at first."""
        query, options = _split(filter, RetrieveUsage)
        return self._connection.result("GET", "/usage", cast(CallOptions, options), query=_query(query))

    def list_transactions(self, **filter: Unpack[ListTransactions]) -> Listing[Transaction]:
        return self._list("/transactions", filter, ListTransactions)

    def list_requests(self, **filter: Unpack[ListRequests]) -> Listing[ApiRequest]:
        """What the account's API keys asked for, and how it was answered; some seconds behind."""
        return self._list("/requests", filter, ListRequests)

    def list_deliveries(self, **filter: Unpack[ListDeliveries]) -> Listing[Delivery]:
        return self._list("/webhooks/deliveries", filter, ListDeliveries)

    def retrieve_delivery(self, id: str, **options: Unpack[CallOptions]) -> Delivery:
        return self._connection.result("GET", path_of("/webhooks/deliveries", id), options)

    def redeliver(self, id: str, **options: Unpack[CallOptions]) -> Delivery:
        """Makes another attempt immediately. Sent again after a 429 only."""
        path = f"{path_of('/webhooks/deliveries', id)}/redeliver"
        return self._connection.result("POST", path, options, is_repeatable=False)

    def _create(
        self,
        path: str,
        body: dict[str, object],
        options: CreateOptions,
        headers: Mapping[str, str] | None = None,
        timeout_seconds: float | None = None,
    ) -> Any:
        """Sends the pictures of a create, each with a key of its own that a repetition has again, then the create."""
        key = idempotency_key_of(options)
        say_what_goes_on(f"The create may have been accepted: one with idempotency_key={key!r} gets the same.")

        def send_picture(picture: Picture, picture_key: str) -> str:
            own: CreateOptions = {**options, "idempotency_key": picture_key}
            return self.create_file(picture, **own)["url"]

        return self._connection.result(
            "POST",
            path,
            options,
            json_body=with_sent_pictures(body, PICTURE_FIELDS, key, send_picture),
            headers={"idempotency-key": key, **(headers or {})},
            timeout_seconds=timeout_seconds,
            needs=("id",),
        )

    def _create_image(self, body: dict[str, object], options: CreateImageOptions) -> Image:
        if options.get("respond_async"):
            return cast(Image, self._create(_IMAGES, body, options, {"prefer": "respond-async"}))
        return cast(Image, self._create(_IMAGES, body, options, timeout_seconds=_CREATE_IMAGE_SECONDS))

    def _list(self, path: str, filter: Mapping[str, Any], fields: type[Any]) -> Listing[Any]:
        query, options = _split(filter, fields)
        sent = _query(query)

        def fetch_page(after: str | None) -> Page[Any]:
            return self._connection.page(path, sent, after, cast(CallOptions, options))

        return Listing(fetch_page)


def _split(
    given: Mapping[str, Any], fields: type[Any]
) -> tuple[dict[str, object], dict[str, object]]:
    """What the service takes, and the options of the call. Raises TypeError for what the TypedDict ``fields`` has not."""
    check_fields(given, fields.__annotations__)
    body = {name: value for name, value in given.items() if name not in OPTION_NAMES}
    return body, {name: value for name, value in given.items() if name in OPTION_NAMES}


def _query(filter: Mapping[str, object]) -> dict[str, object]:
    """``from_`` is the parameter ``from``, a word that Python keeps for itself."""
    return {name.removesuffix("_"): query_text(name, value) for name, value in filter.items()}


def _url_of(output: object) -> str:
    url = cast(Mapping[str, object], output).get("url") if isinstance(output, Mapping) else None
    if isinstance(url, str):
        return url
    is_whole = isinstance(output, Mapping) and "output" in output
    found = "the whole generation" if is_whole else reprlib.repr(output)
    raise TypeError(f'download needs an output with its URL, such as video["output"][0]; it is {found}.')
