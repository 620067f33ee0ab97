"""Sends a request, repeats it where that is safe and useful, and returns its response."""

from __future__ import annotations

import builtins
import contextlib
import copy
import http.client
import math
import random
import shutil
import socket
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, BinaryIO
from urllib.error import URLError
from urllib.request import (
    HTTPHandler, HTTPSHandler, OpenerDirector, ProxyHandler, Request, UnknownHandler
)

from . import threads
from .errors import ConnectionError, TimeoutError, problem_of
from .results import Answer, parsed

_FIRST_BACKOFF_SECONDS = 0.5
_MAX_BACKOFF_SECONDS = 8.0
_MAX_RETRY_AFTER_SECONDS = 60.0
"""With a longer Retry-After, the client raises the error instead of waiting."""
_AFTER_DEADLINE_SECONDS = 0.01
"""What is ended by the deadline ends after it, by any clock."""


@dataclass(frozen=True, kw_only=True)
class Timing:
    """Time and randomness, which tests replace. Times are in seconds."""

    sleep: Callable[[float], None] = threads.sleep
    random: Callable[[], float] = random.random
    """Uniform in [0, 1)."""
    now: Callable[[], float] = time.time
    """Unix time."""


@dataclass(frozen=True, kw_only=True)
class Policy:
    """How a request is sent and repeated."""

    timeout_seconds: float = 0
    """The limit of one attempt; 0 is that of the client."""
    extra_seconds: float = 0
    """What is added to the limit, whoever gave it."""
    max_attempts: float = 4
    is_repeatable: bool = True
    """Whether the operation is idempotent."""
    file: BinaryIO | None = None
    """Takes the body of a success; each attempt begins it anew."""
    is_streamed: bool = False
    """Whether the body of a success is a stream of events, left to the caller."""
    outage_seconds: float = math.inf
    """From the end of the first attempt, after which no other is made."""
    deadline: float = math.inf
    """Unix time after which no attempt begins or goes on."""


@dataclass(frozen=True, kw_only=True)
class RequestEvent:
    """One attempt, for logs: it has neither keys nor bodies."""

    method: str
    url: str
    attempt: int
    """1 for the first."""
    duration_seconds: float
    status: int | None
    """None where there was no response; then ``error`` says why."""
    request_id: str | None
    error: ConnectionError | None
    retry_in_seconds: float | None
    """None where the request is not sent again."""


OnRequest = Callable[[RequestEvent], None]


class _Sending(http.client.HTTPConnection):
    """Reads the answer to a body that the service does not read to its end, such as that it is too large."""

    def endheaders(self, message_body: Any = None, **_options: object) -> None:
        super().endheaders()
        with contextlib.suppress(builtins.ConnectionError, ssl.SSLEOFError):
            self.send(message_body or b"")


class _Handler(HTTPSHandler, HTTPHandler):
    def do_open(self, http_class: Any, req: Request, **options: Any) -> http.client.HTTPResponse:
        sending: Any = type("Sending", (_Sending, http_class), {})
        return super().do_open(sending, req, **options)


def new_opener() -> OpenerDirector:
    """Any response as it is, through the proxy of the environment: no redirect is followed, which could lose the key."""
    opener = OpenerDirector()
    for handler in (ProxyHandler(), _Handler(), UnknownHandler()):
        opener.add_handler(handler)
    return opener


def send(opener: OpenerDirector, request: Request, policy: Policy, timing: Timing, on_request: OnRequest | None) -> Answer:
    """The last attempt's response, whatever its status. Raises ConnectionError if the last attempt got no response."""
    attempt = 1
    was_sent = False
    outage_ends = math.inf
    while True:
        threads.sleep(0)
        started = timing.now()
        left = max(0.0, policy.deadline - started) + _AFTER_DEADLINE_SECONDS
        outcome = _attempt_once(opener, request, policy, min(policy.timeout_seconds, left))
        answer = outcome if isinstance(outcome, Answer) else None
        was_sent = was_sent or isinstance(outcome, Answer) or outcome.was_sent
        ended = timing.now()
        outage_ends = min(outage_ends, ended + policy.outage_seconds)
        delay = None
        if attempt < policy.max_attempts and ended < outage_ends:
            delay = _retry_delay_seconds(answer, attempt, policy.is_repeatable, timing)
        left = policy.deadline - ended
        is_last = delay is None or delay >= left
        if on_request:
            on_request(RequestEvent(
                method=request.get_method(),
                url=request.full_url,
                attempt=attempt,
                duration_seconds=ended - started,
                status=answer.status if answer else None,
                request_id=answer.request_id if answer else None,
                error=outcome if isinstance(outcome, ConnectionError) else None,
                retry_in_seconds=None if is_last else delay,
            ))
        if delay is not None:
            timing.sleep(max(0.0, left + _AFTER_DEADLINE_SECONDS) if is_last else delay)
        if is_last:
            if isinstance(outcome, Answer):
                return outcome
            outcome.was_sent = was_sent
            raise outcome
        attempt += 1


def _retry_delay_seconds(
    answer: Answer | None, attempt: int, is_repeatable: bool, timing: Timing
) -> float | None:
    """The delay before the next attempt; None where there must be none. Without an answer the attempt got no response."""
    is_refusal = answer is not None and answer.status == 429
    if not is_refusal and not (is_repeatable and _is_passing(answer)):
        return None
    backoff = min(_MAX_BACKOFF_SECONDS, _FIRST_BACKOFF_SECONDS * 2 ** min(attempt - 1, 10))
    jittered = backoff * (0.5 + timing.random() / 2)
    retry_after = _retry_after_seconds(answer.headers, timing.now()) if answer else 0.0
    return None if retry_after > _MAX_RETRY_AFTER_SECONDS else retry_after + jittered


def _is_passing(answer: Answer | None) -> bool:
    """Whether another attempt may go better: no answer, or one of a server that has a fault."""
    if answer is None or answer.status not in (500, 502, 503, 504):
        return answer is None
    problem = problem_of(answer.json)
    # A failed image stays failed for its idempotency key; one that timed out may still finish.
    return problem.get("type") != "generation_error" or problem["code"] == "generation_timeout"


def _retry_after_seconds(headers: Mapping[str, str], now: float) -> float:
    """The delay of ``Retry-After``, given in seconds or as a date, from now; 0 without one."""
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except ValueError:
        return 0.0


def _attempt_once(
    opener: OpenerDirector, request: Request, policy: Policy, limit_seconds: float
) -> Answer | ConnectionError:
    try:
        # A proxy changes the request.
        response = opener.open(copy.copy(request), timeout=limit_seconds)
        headers = {name.lower(): value for name, value in response.headers.items()}
        is_stream = headers.get("content-type", "").startswith("text/event-stream")
        if policy.is_streamed and is_stream:
            return Answer(response.status, headers, stream=response)
        with response:
            body = None
            if policy.file is not None and 200 <= response.status < 300:
                _save(response, policy.file)
            else:
                with contextlib.suppress(ValueError):
                    body = parsed(response.read())
            return Answer(response.status, headers, body)
    except (OSError, http.client.HTTPException) as failure:
        reason = failure.reason if isinstance(failure, URLError) else None
        cause = reason if isinstance(reason, Exception) else failure
        service = f"The service at {request.type}://{request.host}"
        if isinstance(cause, builtins.TimeoutError):
            error = TimeoutError(f"{service} gave no answer within {limit_seconds:g} s")
        else:
            error = ConnectionError(f"{service} cannot be reached: {cause or type(cause).__name__}")
            error.was_sent = not isinstance(cause, (ConnectionRefusedError, socket.gaierror))
        error.__cause__ = cause
        return error


def _save(response: http.client.HTTPResponse, file: BinaryIO) -> None:
    file.seek(0)
    file.truncate()
    shutil.copyfileobj(response, file)
    # Reading in parts does not tell an end from a broken connection.
    if response.length:
        raise http.client.IncompleteRead(b"", response.length)
