"""Waits until a generation is finished, by long polling where the service supports it, else by polling."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from .error_classes import GENERATION_STATUSES
from .errors import GenerationCanceledError, error_of
from .retry import Answer, Timing
from .types import Image, Video

G = TypeVar("G", Video, Image)

ReadGeneration = Callable[[int], tuple[G, bool]]
"""Reads the generation by long polling for up to these seconds; the bool is whether the service supported it."""

_PROGRESS_POLL_SECONDS = 2.0
_DEFAULT_POLL_SECONDS = 30.0
_MAX_HOLD_SECONDS = 60


def wait_until_finished(
    read: ReadGeneration[G],
    timing: Timing,
    on_progress: Callable[[G], object] | None = None,
    poll_seconds: float | None = None,
) -> G:
    """The generation, once its status is final."""
    if poll_seconds is None:
        poll_seconds = _PROGRESS_POLL_SECONDS if on_progress else _DEFAULT_POLL_SECONDS
    hold_seconds = min(_MAX_HOLD_SECONDS, int(poll_seconds))
    # With on_progress, the first read returns at once, so that progress shows immediately.
    hold = 0 if on_progress else hold_seconds
    last_reported = None
    while True:
        started = timing.now()
        generation, is_held = read(hold)
        state = (generation["status"], generation["progress"])
        if on_progress and state != last_reported:
            on_progress(generation)
        last_reported = state
        if generation["status"] in ("success", "failed", "canceled"):
            return generation
        if not (hold == 0 and hold_seconds > 0):
            interval = poll_seconds if is_held else min(poll_seconds, _PROGRESS_POLL_SECONDS)
            remaining = interval - (timing.now() - started)
            if remaining > 0:
                timing.sleep(remaining)
        hold = hold_seconds


def succeeded(generation: G, answer: Answer) -> G:
    """
    The generation, if it succeeded. Raises GenerationError if it failed, GenerationCanceledError if it was canceled.
    ``answer`` is the response that it came with.
    """
    if generation["status"] == "canceled":
        raise GenerationCanceledError(generation["id"])
    if generation["status"] != "failed":
        return generation
    problem = {
        "type": "generation_error",
        **generation.get("error", {}),
        "details": {"generation_id": generation["id"]},
    }
    # The status is that of a create that waited: the answer that tells of the failure is 200.
    status = GENERATION_STATUSES.get(generation.get("error", {}).get("code", ""), answer.status)
    raise error_of(status, answer.headers, {"error": problem})
