"""Sends a request, retries it where that is safe and useful, and returns its response."""

from __future__ import annotations

import builtins
import copy
import http.client
import math
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import BinaryIO
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import (
    HTTPHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
    UnknownHandler,
)

from . import stopping
from .errors import ConnectionError, TimeoutError
from .results import parsed
from .retry import Answer, Timing, retry_delay_seconds

_AFTER_DEADLINE_SECONDS = 0.01
"""What is ended by the deadline ends after it, by any clock."""


@dataclass(frozen=True, kw_only=True)
class Policy:
    timeout_seconds: float
    max_attempts: float
    is_repeatable: bool = True
    """Whether the operation is idempotent."""
    file: BinaryIO | None = None
    """Takes the body of a success; each attempt begins it anew."""
    is_streamed: bool = False
    """Whether the body of a success is a stream of events, left to the caller."""
    outage_seconds: float = math.inf
    """From the end of the first attempt, after which no other is made."""
    deadline: float | None = None
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


def new_opener() -> OpenerDirector:
    """Any response as it is, through the proxy of the environment: no redirect is followed, which could lose the key."""
    opener = OpenerDirector()
    for handler in (ProxyHandler(), HTTPHandler(), HTTPSHandler(), UnknownHandler()):
        opener.add_handler(handler)
    return opener


def send(
    opener: OpenerDirector,
    request: Request, policy: Policy, timing: Timing, on_request: OnRequest | None = None
) -> Answer:
    """
    The last attempt's response, whatever its status. Raises ConnectionError if the last attempt got no response.
    """
    attempt = 1
    outage_since = None
    while True:
        stopping.check()
        started = timing.now()
        outcome = _attempt_once(opener, request, policy, _limit_seconds(policy, started))
        answer = outcome if isinstance(outcome, Answer) else None
        error = outcome if isinstance(outcome, ConnectionError) else None
        ended = timing.now()
        outage_since = ended if outage_since is None else outage_since
        delay = None
        if attempt < policy.max_attempts and ended - outage_since < policy.outage_seconds:
            delay = retry_delay_seconds(answer, attempt, policy.is_repeatable, timing)
        rest = None
        if delay is not None and policy.deadline is not None and ended + delay >= policy.deadline:
            delay, rest = None, policy.deadline - ended + _AFTER_DEADLINE_SECONDS
        if on_request:
            event = RequestEvent(
                method=request.get_method(),
                url=request.full_url,
                attempt=attempt,
                duration_seconds=ended - started,
                status=answer.status if answer else None,
                request_id=answer.headers.get("request-id") if answer else None,
                error=error,
                retry_in_seconds=delay,
            )
            on_request(event)
        if rest is not None and rest > 0:
            timing.sleep(rest)
        if delay is not None:
            timing.sleep(delay)
        elif isinstance(outcome, ConnectionError):
            raise outcome
        else:
            return outcome
        attempt += 1


def _limit_seconds(policy: Policy, now: float) -> float:
    if policy.deadline is None:
        return policy.timeout_seconds
    return min(policy.timeout_seconds, max(0.0, policy.deadline - now) + _AFTER_DEADLINE_SECONDS)


def _attempt_once(
    opener: OpenerDirector, request: Request, policy: Policy, limit_seconds: float
) -> Answer | ConnectionError:
    unreachable = f"The service at {_origin(request.full_url)} cannot be reached:"
    try:
        # A proxy changes the request.
        response = opener.open(copy.copy(request), timeout=limit_seconds)
        kind = response.headers.get("content-type", "")
        if policy.is_streamed and kind.startswith("text/event-stream"):
            return Answer(response.status, _headers_of(response), None, response)
        with response:
            return _read(response, policy.file)
    except (OSError, http.client.HTTPException) as failure:
        cause: Exception = failure
        if isinstance(failure, URLError) and isinstance(failure.reason, Exception):
            cause = failure.reason
        error: ConnectionError
        if isinstance(cause, builtins.TimeoutError):
            error = TimeoutError(f"{unreachable} no answer within {limit_seconds:g} s")
        else:
            error = ConnectionError(f"{unreachable} {cause or type(cause).__name__}")
        error.__cause__ = cause
        return error


def _read(response: http.client.HTTPResponse, file: BinaryIO | None) -> Answer:
    """A connection that breaks within the body counts as an attempt without a response."""
    headers = _headers_of(response)
    is_success = 200 <= response.status < 300
    if file is None or not is_success:
        return Answer(response.status, headers, _parsed(response.read()))
    file.seek(0)
    file.truncate()
    shutil.copyfileobj(response, file)
    # Reading in parts does not tell an end from a broken connection.
    if response.length:
        raise http.client.IncompleteRead(b"", response.length)
    return Answer(response.status, headers, None)


def _headers_of(response: http.client.HTTPResponse) -> dict[str, str]:
    """Names of headers are compared without regard to case."""
    return {name.lower(): value for name, value in response.headers.items()}


def _parsed(body: bytes) -> object:
    try:
        return parsed(body)
    except ValueError:
        return None


def _origin(url: str) -> str:
    return "{0.scheme}://{0.netloc}".format(urlsplit(url))
