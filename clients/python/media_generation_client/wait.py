"""Follows a generation to its end: waits by long polling, or yields the updates of a stream of events."""

from __future__ import annotations

import http.client
import math
from collections.abc import Generator, Iterator
from dataclasses import replace
from typing import Literal, TypeVar

from . import threads
from .connection import Connection, call_options, error_of, path_of
from .errors import ApiError, ConnectionError, GenerationCanceledError, WaitStoppedError
from .gen.error_classes import GENERATION_STATUSES
from .gen.types import Image, Video
from .options import CallOptions, WaitOptions
from .results import last_response, parsed
from .send import Policy

G = TypeVar("G", Video, Image)

_FINAL_STATUSES = ("success", "failed", "canceled")
_NEEDS = ("id", "status", "progress")
_PROGRESS_POLL_SECONDS = 2.0
_DEFAULT_POLL_SECONDS = 30.0
_MAX_HOLD_SECONDS = 60
_OUTAGE_SECONDS = 60.0
"""How long what follows a generation puts up with an outage, where it has no limit of its own."""
_HEARTBEAT_SECONDS = 15.0
"""The service sends a comment this often; a connection without any is dead."""
_RECONNECT_SECONDS = 3.0


def wait_for(
    connection: Connection, kind: Literal["videos", "images"], id: str, options: WaitOptions[G]
) -> G:
    """The ended generation. Raises WaitStoppedError after ``wait_seconds``."""
    timing = connection.timing
    call = call_options(options)
    path = path_of(f"/{kind}/generations", id)
    wait_seconds = options.get("wait_seconds")
    deadline = math.inf if wait_seconds is None else timing.now() + float(wait_seconds)
    on_progress = options.get("on_progress")
    default_seconds = _PROGRESS_POLL_SECONDS if on_progress else _DEFAULT_POLL_SECONDS
    poll_seconds = float(options.get("poll_seconds") or default_seconds)
    hold_seconds = int(min(_MAX_HOLD_SECONDS, poll_seconds))
    # With on_progress, the first read returns at once, so that progress shows immediately.
    is_immediate = bool(on_progress) and hold_seconds > 0
    outage_seconds = _OUTAGE_SECONDS if wait_seconds is None else math.inf
    policy = Policy(max_attempts=math.inf, outage_seconds=outage_seconds, deadline=deadline)
    last_reported = None
    threads.say_what_goes_on(f"{id} goes on. {_go_on(kind, id)}")
    while (left := deadline - (started := timing.now())) > 0:
        hold = 0 if is_immediate else int(min(hold_seconds, left))
        policy = replace(policy, extra_seconds=hold)
        headers = {"prefer": f"wait={hold}"} if hold > 0 else {}
        try:
            answer = connection.call("GET", path, call, policy, headers=headers, needs=_NEEDS)
        except (ApiError, ConnectionError) as error:
            if timing.now() >= deadline:
                raise WaitStoppedError(id, _go_on(kind, id)) from error
            error.generation_id = id
            if isinstance(error, ConnectionError):
                error.args = (f"{str(error).rstrip('.')}. {id} goes on. {_go_on(kind, id)}",)
            raise
        generation: G = answer.json
        state = (generation["status"], generation["progress"])
        if on_progress and state != last_reported:
            on_progress(generation)
        last_reported = state
        if generation["status"] in _FINAL_STATUSES:
            return generation
        if not is_immediate:
            took = max(0.0, timing.now() - started)
            is_held = "preference-applied" in answer.headers and took >= hold
            interval = poll_seconds if is_held else min(poll_seconds, _PROGRESS_POLL_SECONDS)
            remaining = min(interval, left) - took
            if remaining > 0:
                timing.sleep(remaining)
        is_immediate = False
    raise WaitStoppedError(id, _go_on(kind, id))


def wait_for_created(
    connection: Connection, kind: Literal["videos", "images"], id: str, options: WaitOptions[G]
) -> G:
    """
    The generation, once it succeeded. Raises GenerationError if it failed, GenerationCanceledError if it was canceled.
    Whatever ends the wait before names the id, which only the create's answer had.
    """
    try:
        ended = wait_for(connection, kind, id, options)
    except BaseException as error:
        if not isinstance(error, (WaitStoppedError, ConnectionError)):
            error.add_note(f"{id} was created. {_go_on(kind, id)}")
        raise
    if ended["status"] == "canceled":
        raise GenerationCanceledError(ended["id"])
    if ended["status"] != "failed":
        return ended
    failure = ended.get("error", {})
    problem = {"type": "generation_error", **failure, "details": {"generation_id": ended["id"]}}
    # The documentation's address is not known where a proxy gives the API another path.
    if connection.base_url.endswith("/v1") and "code" in failure:
        problem["doc_url"] = f"{connection.base_url.removesuffix('/v1')}/docs/errors#{failure['code']}"
    response = last_response(ended)
    # The status is that of a create that waited: the answer that tells of the failure is 200.
    status = GENERATION_STATUSES.get(failure.get("code", ""), response.status)
    raise error_of(status, response.headers, {"error": problem})


def _go_on(kind: str, id: str) -> str:
    return f'Wait again with client.{kind}.wait("{id}").'


def watch(connection: Connection, path: str, options: CallOptions) -> Generator[G, None, None]:
    """Yields the generation as it is now, each change and the end; opens the stream again until that has come."""
    headers = {"accept": "text/event-stream"}
    policy = Policy(
        extra_seconds=_HEARTBEAT_SECONDS,
        max_attempts=math.inf,
        outage_seconds=_OUTAGE_SECONDS,
        is_streamed=True,
    )
    last = b""
    while True:
        stream = connection.call("GET", path, options, policy, headers=headers).stream
        assert stream is not None
        for data in _events_of(stream):
            if data == last:
                continue
            last = data
            update: G = parsed(data)
            yield update
            if update["status"] in _FINAL_STATUSES:
                return
        connection.timing.sleep(_RECONNECT_SECONDS)


def _events_of(stream: http.client.HTTPResponse) -> Iterator[bytes]:
    """The data of each event, until the stream ends, breaks or is silent."""
    with stream:
        try:
            for line in stream:
                threads.sleep(0)
                # A line that is cut off has no end.
                if line.startswith(b"data: ") and line.endswith(b"\n"):
                    yield line.removeprefix(b"data: ")
        except (OSError, http.client.HTTPException):
            return
