"""Decides whether a request is sent again, and after what delay."""

from __future__ import annotations

import http.client
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from .api_error import problem_of
from .stopping import sleep


@dataclass(frozen=True, kw_only=True)
class Timing:
    """Time and randomness, which tests replace. Times are in seconds."""

    sleep: Callable[[float], None] = sleep
    random: Callable[[], float] = random.random
    """Uniform in [0, 1)."""
    now: Callable[[], float] = time.time
    """Unix time."""


@dataclass(frozen=True)
class Answer:
    """A response. ``json`` is its body; None where that is not JSON or was written to a file."""

    status: int
    headers: Mapping[str, str]
    json: object
    stream: http.client.HTTPResponse | None = None
    """The unread body, where that is a stream of events; whoever reads it closes it."""


_FIRST_BACKOFF_SECONDS = 0.5
_MAX_BACKOFF_SECONDS = 8.0
_MAX_RETRY_AFTER_SECONDS = 60.0
"""With a longer Retry-After, the client raises the error instead of waiting."""

_RETRIED_STATUSES = frozenset({500, 502, 503, 504})


def retry_delay_seconds(
    answer: Answer | None, attempt: int, is_repeatable: bool, timing: Timing
) -> float | None:
    """
    The delay between attempt ``attempt`` and the next, or None where the request must not be sent again. ``answer`` is
    None where the attempt got no response. ``is_repeatable``: the operation is idempotent.
    """
    if answer is None and not is_repeatable:
        return None
    if answer is not None and not _is_retryable(answer, is_repeatable):
        return None
    backoff = min(_MAX_BACKOFF_SECONDS, _FIRST_BACKOFF_SECONDS * 2 ** min(attempt - 1, 10))
    jittered = backoff * (0.5 + timing.random() / 2)
    retry_after = None if answer is None else _retry_after_seconds(answer.headers, timing.now())
    if retry_after is None:
        return jittered
    return None if retry_after > _MAX_RETRY_AFTER_SECONDS else retry_after + jittered


def _is_retryable(answer: Answer, is_repeatable: bool) -> bool:
    if answer.status == 429:
        return True
    return is_repeatable and answer.status in _RETRIED_STATUSES and not _is_final_failure(answer)


def _is_final_failure(answer: Answer) -> bool:
    """A failed image stays failed for its idempotency key; one that timed out may still finish."""
    problem = problem_of(answer.json)
    return (
        problem is not None
        and problem.get("type") == "generation_error"
        and problem["code"] != "generation_timeout"
    )


def _retry_after_seconds(headers: Mapping[str, str], now: float) -> float | None:
    """The delay of ``Retry-After``, given in seconds or as a date, from now."""
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except ValueError:
        return None
