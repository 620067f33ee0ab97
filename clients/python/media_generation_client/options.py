"""What can be given to a client and to each call."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import BinaryIO, Generic, TypeAlias, TypedDict, TypeVar

from .send import OnRequest, Timing

T = TypeVar("T")

Picture: TypeAlias = bytes | bytearray | memoryview | os.PathLike[str] | BinaryIO
"""Bytes, a ``pathlib.Path`` or an open file; no text, because a stranger's must not name a file of this machine."""


class ClientOptions(TypedDict, total=False):
    api_key: str | None
    """Keep it on servers: anyone who has it can spend your Tokens. Default: the environment variable ``MEDIA_API_KEY``."""
    base_url: str | None
    """The service's URL, to which ``/v1`` is added where it has no path. Default: ``MEDIA_BASE_URL``, else the service that pip has this from."""
    headers: Mapping[str, str] | None
    """Sent with every request."""
    max_attempts: int | None
    """Of one call, with the first; 1 disables retries. Default 4; to wait or watch, as many as an outage of a minute takes."""
    timeout_seconds: float | None
    """How long one attempt waits for the answer to begin, or to go on; by default 30, and 150 for ``images.create``."""
    on_request: OnRequest | None
    """Called after every attempt; it is told neither keys nor bodies."""
    timing: Timing | None
    """Tests replace it."""


class CallOptions(TypedDict, total=False):
    """Options of one call; they override the client's."""

    timeout_seconds: float
    """How long one attempt waits for the answer to begin, or to go on."""
    max_attempts: int
    """Of the call, including the first; 1 disables retries."""
    headers: Mapping[str, str]
    """Sent besides those of the client, or in place of them."""


class CreateOptions(CallOptions, total=False):
    idempotency_key: str
    """1 to 191 characters. By default a new one for each call, used by all its attempts."""


class WaitOptions(CallOptions, Generic[T], total=False):
    on_progress: Callable[[T], object]
    """Called when the generation is first read, and whenever its status or progress has changed. What it raises ends the wait."""
    poll_seconds: float
    """Interval between reads. Default 2 with ``on_progress``, else 30; long polling reports the end at once."""
    wait_seconds: float
    """
    Limit for the whole wait, which begins when the create is accepted; then WaitStoppedError. An outage of the service ends
    the wait only then. Default: none, and an outage of a minute ends it.
    """


CALL_NAMES = frozenset(CallOptions.__annotations__)
WAIT_NAMES = frozenset(WaitOptions.__annotations__)
CREATE_NAMES = frozenset(CreateOptions.__annotations__)
CREATE_IMAGE_NAMES = CREATE_NAMES | {"respond_async"}
