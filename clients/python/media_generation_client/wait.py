"""Waits until a generation is finished, by long polling where the service supports it, else by polling."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, TypeVar, cast

from . import stopping
from .api_error import ApiError
from .connection import Connection, path_of
from .error_classes import GENERATION_STATUSES
from .errors import ConnectionError, GenerationCanceledError, WaitStoppedError, error_of
from .options import WaitOptions
from .results import last_response, result_of
from .retry import Timing
from .types import Image, Video

G = TypeVar("G", Video, Image)

ReadGeneration = Callable[[int], tuple[G, bool]]
"""Reads the generation by long polling for up to these seconds; the bool is whether the service supported it."""

FINAL_STATUSES = ("success", "failed", "canceled")

_PROGRESS_POLL_SECONDS = 2.0
_DEFAULT_POLL_SECONDS = 30.0
_MAX_HOLD_SECONDS = 60

OUTAGE_SECONDS = 60.0
"""How long what follows a generation puts up with an outage, where it has no limit of its own."""


def wait_until_finished(
    read: ReadGeneration[G],
    timing: Timing,
    on_progress: Callable[[G], object] | None = None,
    poll_seconds: float | None = None,
    deadline: float | None = None,
) -> G | None:
    """The generation, once its status is final; None where the deadline comes first."""
    if poll_seconds is None:
        poll_seconds = _PROGRESS_POLL_SECONDS if on_progress else _DEFAULT_POLL_SECONDS
    hold_seconds = min(_MAX_HOLD_SECONDS, int(poll_seconds))
    # With on_progress, the first read returns at once, so that progress shows immediately.
    is_immediate = bool(on_progress) and hold_seconds > 0
    last_reported = None
    while True:
        started = timing.now()
        left = math.inf if deadline is None else deadline - started
        if left <= 0:
            return None
        generation, is_held = read(0 if is_immediate else int(min(hold_seconds, left)))
        state = (generation["status"], generation["progress"])
        if on_progress and state != last_reported:
            on_progress(generation)
        last_reported = state
        if generation["status"] in FINAL_STATUSES:
            return generation
        if not is_immediate:
            interval = poll_seconds if is_held else min(poll_seconds, _PROGRESS_POLL_SECONDS)
            remaining = min(interval, left) - (timing.now() - started)
            if remaining > 0:
                timing.sleep(remaining)
        is_immediate = False


def wait_for(
    connection: Connection, kind: Literal["videos", "images"], id: str, options: WaitOptions[G]
) -> G:
    """The ended generation. Raises WaitStoppedError after ``wait_seconds``."""
    timing = connection.timing
    wait_seconds = options.get("wait_seconds")
    deadline = None if wait_seconds is None else timing.now() + wait_seconds
    go_on = _go_on(kind, id)
    stopping.say_what_goes_on(f"{id} goes on. {go_on}")

    def read(hold_seconds: int) -> tuple[G, bool]:
        answer = connection.call(
            "GET",
            path_of(f"/{kind}/generations", id),
            options,
            headers={"prefer": f"wait={hold_seconds}"} if hold_seconds > 0 else {},
            extra_seconds=hold_seconds,
            needs=("status", "progress"),
            outage_seconds=OUTAGE_SECONDS if deadline is None else math.inf,
            deadline=deadline,
        )
        return cast(G, result_of(answer)), "preference-applied" in answer.headers

    try:
        generation = wait_until_finished(
            read, timing, options.get("on_progress"), options.get("poll_seconds"), deadline
        )
    except (ApiError, ConnectionError) as error:
        if deadline is not None and timing.now() >= deadline:
            raise WaitStoppedError(id, go_on) from error
        error.generation_id = id
        if isinstance(error, ConnectionError):
            error.args = (f"{str(error).rstrip('.')}. {id} goes on. {go_on}",)
        raise
    if generation is None:
        raise WaitStoppedError(id, go_on)
    return generation


def wait_for_created(
    connection: Connection, kind: Literal["videos", "images"], id: str, options: WaitOptions[G]
) -> G:
    """The generation, if it succeeded. Whatever ends the wait before names the id, which only the create's answer had."""
    try:
        ended = wait_for(connection, kind, id, options)
    except BaseException as error:
        if not isinstance(error, (WaitStoppedError, ConnectionError)):
            error.add_note(f"{id} was created. {_go_on(kind, id)}")
        raise
    return succeeded(ended)


def _go_on(kind: str, id: str) -> str:
    return f'Wait again with client.{kind}.wait("{id}").'


def succeeded(generation: G) -> G:
    """The generation, if it succeeded. Raises GenerationError if it failed, GenerationCanceledError if it was canceled."""
    if generation["status"] == "canceled":
        raise GenerationCanceledError(generation["id"])
    if generation["status"] != "failed":
        return generation
    problem = {
        "type": "generation_error",
        **generation.get("error", {}),
        "details": {"generation_id": generation["id"]},
    }
    response = last_response(generation)
    # The status is that of a create that waited: the answer that tells of the failure is 200.
    status = GENERATION_STATUSES.get(generation.get("error", {}).get("code", ""), response.status)
    raise error_of(status, response.headers, {"error": problem})
