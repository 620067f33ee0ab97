"""The client's HTTP layer: sends requests, and turns responses into results or errors."""

from __future__ import annotations

import contextlib
import json
import math
import os
import platform
import re
import uuid
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from difflib import get_close_matches
from importlib import metadata
from numbers import Real
from typing import Any, BinaryIO, cast
from urllib.parse import quote, urlencode, urljoin, urlsplit
from urllib.request import Request

from .errors import UNKNOWN_CODE, ApiError, ConnectionError, problem_of
from .gen.error_classes import ERROR_CLASSES, STATUS_TYPES
from .options import CALL_NAMES, CallOptions, ClientOptions, CreateOptions
from .results import Answer, LastResponse, Result
from .send import Policy, Timing, new_opener, send
from .version import __version__

_TIMEOUT_SECONDS = 30.0
_USER_AGENT = f"media-generation-client/{__version__} (python {platform.python_version()})"
_BASE_HINT = "Check base_url: the base of the API ends in /v1."


class Connection:
    def __init__(self, options: ClientOptions) -> None:
        check_options(options, ClientOptions.__annotations__)
        url = _required(options.get("base_url"), "base_url", "MEDIA_BASE_URL", _installed_from)
        self.base_url = _api_url(url)
        key = _required(options.get("api_key"), "api_key", "MEDIA_API_KEY")
        if not re.fullmatch(r"[A-Za-z0-9_-]+", key):
            raise ValueError("The API key has a character that no key has. Give the key alone, without Bearer and quotation marks.")
        self._headers = {
            "user-agent": _USER_AGENT,
            "accept": "application/json",
            **_named(options.get("headers") or {}),
            "authorization": f"Bearer {key}",
        }
        self._max_attempts = options.get("max_attempts")
        self._timeout_seconds = options.get("timeout_seconds") or _TIMEOUT_SECONDS
        self._on_request = options.get("on_request")
        self.timing = options.get("timing") or Timing()
        self._opener = new_opener()

    def call(
        self,
        method: str,
        path: str,
        options: CallOptions,
        policy: Policy = Policy(),
        *,
        query: Mapping[str, object] | None = None,
        body: object = None,
        headers: Mapping[str, str] | None = None,
        needs: Collection[str] = (),
    ) -> Answer:
        """
        A successful response. Raises ApiError for any other. A body that is not bytes is sent as JSON. ``needs`` are the
        fields that the client reads: an answer without them is not the API's.
        """
        given = {name: value for name, value in (query or {}).items() if value is not None}
        url = f"{self.base_url}{path}{'?' if given else ''}{urlencode(given)}"
        sent = _named(self._headers, options.get("headers", {}), headers or {})
        if isinstance(body, bytes):
            sent["content-type"] = "application/octet-stream"
        elif body is not None:
            sent["content-type"] = "application/json"
            body = json.dumps(body).encode()
        answer = self._success(Request(url, body, sent, method=method), options, policy)
        has_fields = isinstance(answer.json, Result) and answer.json.keys() >= set(needs)
        is_deleted = method == "DELETE" and answer.status == 204
        if not (answer.stream if policy.is_streamed else has_fields or is_deleted):
            raise ConnectionError(f"The answer to {method} {url} is not one of the API. {_BASE_HINT}")
        if isinstance(answer.json, Result):
            answer.json.last_response = LastResponse(answer.status, answer.headers)
        return answer

    def result(self, *given: Any, **more: Any) -> Any:
        """The body of ``call``'s response; None where it has none."""
        return self.call(*given, **more).json

    def download(self, url: str, file: BinaryIO, options: CallOptions) -> None:
        """The URL is the permission, and may be of another host: it gets no API key."""
        headers = _named({"user-agent": _USER_AGENT}, options.get("headers", {}))
        self._success(Request(url, headers=headers), options, Policy(file=file))

    def _success(self, request: Request, options: CallOptions, policy: Policy) -> Answer:
        check_options(options, CALL_NAMES)
        seconds = options.get("timeout_seconds") or policy.timeout_seconds or self._timeout_seconds
        policy = replace(
            policy,
            timeout_seconds=float(seconds) + policy.extra_seconds,
            max_attempts=options.get("max_attempts") or self._max_attempts or policy.max_attempts,
        )
        answer = send(self._opener, request, policy, self.timing, self._on_request)
        if 200 <= answer.status < 300:
            return answer
        error = error_of(answer.status, answer.headers, answer.json)
        if request.full_url.startswith(self.base_url):
            asked = f"{request.get_method()} {request.full_url}"
            if 300 <= answer.status < 400 and (location := answer.headers.get("location")):
                to = urljoin(request.full_url, location)
                error.args = (f"{asked} redirects to {to}, which is not followed. Correct base_url.",)
            # The client asks for no path that the service does not have.
            elif error.status in (404, 405) and error.code in ("route_not_found", UNKNOWN_CODE):
                error.args = (f"{error.message} It answers {asked}. {_BASE_HINT}",)
        raise error


def error_of(status: int, headers: Mapping[str, str], body: object) -> ApiError:
    """The error of an error response, of the class of its type, or of its status where its JSON has none."""
    of_status = STATUS_TYPES.get(status) if status < 500 else "api_error"
    known = problem_of(body).get("type", of_status)
    # A type that was added after this version is an ApiError.
    return ERROR_CLASSES.get(known or "", ApiError)(status, headers, body, known or "api_error")


def idempotency_key_of(options: CreateOptions) -> str:
    """The caller's, or a new one where there is none. Raises TypeError or ValueError for one that no header can have."""
    key: Any = options.get("idempotency_key")
    if not isinstance(key, (str, type(None))):
        raise TypeError(f"idempotency_key must be a str; it is {key!r}.")
    if key and not (key.isascii() and key.isprintable()):
        raise ValueError(f"idempotency_key takes printable ASCII characters only, not {key!r}.")
    return str(uuid.uuid4()) if key is None else key


def path_of(collection: str, id: object) -> str:
    """The path of the object with this id. Raises ValueError for none: the path would be that of the list."""
    if isinstance(id, str) and id:
        return f"{collection}/{quote(id, safe='')}"
    mistake = f"The id must be a text that is not empty; it is {id!r}."
    raise ValueError('Give the id: video["id"].' if isinstance(id, dict) else mistake)


def check_options(options: Mapping[str, object], names: Collection[str]) -> None:
    """Raises TypeError for an option that is not among the names, and for a value that would fail once something is sent."""
    for name in options.keys() - names:
        raise TypeError(f"There is no option {name}.{meant(name, names)} There are {', '.join(sorted(names))}.")
    for name, value in options.items():
        if value is None:
            continue
        if name.endswith("_seconds") or name == "max_attempts":
            number = float(value) if isinstance(value, Real) else math.nan
            least, what = (1, "a whole number") if name == "max_attempts" else (0, "a number")
            # Attempts and the whole wait may be without an end.
            is_endless = number == math.inf and name not in ("max_attempts", "wait_seconds")
            if is_endless or not number >= least or (name == "max_attempts" and number % 1 > 0):
                kind = ValueError if isinstance(value, Real) else TypeError
                raise kind(f"{name} must be {what}, {least} or more; it is {value!r}.")
        elif name.startswith("on_") and not callable(value):
            raise TypeError(f"{name} must be a function; it is {value!r}.")


def meant(name: str, names: Collection[str]) -> str:
    """The one of the names that is like it, as a question: wait_seconds is not like timeout_seconds. Empty without one."""
    return "".join(f" Did you mean {near}?" for near in get_close_matches(name, sorted(names), 1, 0.75))


def call_options(options: Mapping[str, Any]) -> CallOptions:
    """Those that every call has."""
    return cast(CallOptions, {name: value for name, value in options.items() if name in CALL_NAMES})


def _named(*headers: Mapping[str, str]) -> dict[str, str]:
    """Of two that differ only in upper and lower case, the later one."""
    return {name.lower(): value for some in headers for name, value in some.items()}


def _required(option: str | None, name: str, variable: str, otherwise: Callable[[], str] = lambda: "") -> str:
    value = option if option is not None else os.environ.get(variable, "").strip() or otherwise()
    if value:
        return value
    raise ValueError(f"Give Client the option {name}, or set {variable} in the environment.")


def _installed_from() -> str:
    """The service that pip has this package from, as pip notes it; empty where it does not say."""
    with contextlib.suppress(metadata.PackageNotFoundError, KeyError, ValueError):
        noted = metadata.distribution("media-generation-client").read_text("direct_url.json")
        origin, is_service, _file = json.loads(noted or "{}")["url"].partition("/docs/packages/")
        return origin if is_service and origin.startswith("http") else ""
    return ""


def _api_url(text: str) -> str:
    """The URL with ``/v1``, which is added where it has no path. A path is kept, because a proxy may give the API another."""
    scheme, host, path, *_ = urlsplit(text)
    if scheme not in ("http", "https") or not host:
        raise ValueError(f"The base URL of the service begins with http:// or https://: {text}. An example: https://media.example.com/v1")
    if path.rstrip("/").endswith("/openai/v1"):
        raise ValueError(f"base_url is that of OpenAI's clients: {text}. Use {text.replace('/openai/v1', '/v1')} here.")
    return f"{scheme}://{host}{path.rstrip('/') or '/v1'}"
