"""The client's HTTP layer: sends requests with retries, and turns responses into results or errors."""

from __future__ import annotations

import json
import math
import os
import platform
import re
import uuid
from collections.abc import Collection, Mapping
from typing import Any, BinaryIO
from urllib.parse import quote, urlencode, urljoin
from urllib.request import Request

from .api_error import UNKNOWN_CODE, ApiError
from .base_url import BASE_HINT, api_url
from .errors import ConnectionError, error_of
from .options import OPTION_NAMES, CallOptions, CreateOptions
from .pages import Page
from .results import result_of
from .retry import Answer, Timing
from .send import OnRequest, Policy, new_opener, send
from .version import __version__

_TIMEOUT_SECONDS = 30.0
_MAX_ATTEMPTS = 4
_USER_AGENT = f"media-generation-client/{__version__} (python {platform.python_version()})"


class Connection:
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
        url = _required(base_url, "base_url", "MEDIA_BASE_URL")
        self.base_url = api_url(url, "MEDIA_BASE_URL" if base_url is None else "base_url")
        key = _required(api_key, "api_key", "MEDIA_API_KEY")
        if not re.fullmatch(r"[A-Za-z0-9_-]+", key):
            raise ValueError("The API key has a character that no key has. Give the key alone, without Bearer and quotation marks.")
        self._headers = {
            "user-agent": _USER_AGENT,
            "accept": "application/json",
            **(headers or {}),
        }
        self._authorization = {"authorization": f"Bearer {key}"}
        self._max_attempts = max_attempts
        self._timeout_seconds = timeout_seconds or _TIMEOUT_SECONDS
        self._on_request = on_request
        self.timing = timing or Timing()
        self._opener = new_opener()

    def call(
        self,
        method: str,
        path: str,
        options: CallOptions,
        *,
        query: Mapping[str, object] | None = None,
        json_body: object = None,
        file_body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        timeout_seconds: float | None = None,
        extra_seconds: float = 0,
        is_repeatable: bool = True,
        is_streamed: bool = False,
        needs: Collection[str] = (),
        outage_seconds: float | None = None,
        deadline: float | None = None,
    ) -> Answer:
        """
        A successful response. Raises ApiError for any other. ``timeout_seconds`` is the operation's own limit, where the
        caller gives none; ``extra_seconds`` are added to the limit. ``needs`` are fields without which the answer is not the API's. ``outage_seconds`` is in place of a number of attempts, where neither the
        caller nor the client has one.
        """
        _check(options)
        given = {name: value for name, value in (query or {}).items() if value is not None}
        text = urlencode(given)
        body, content = file_body, "application/octet-stream"
        if json_body is not None:
            body, content = json.dumps(json_body).encode(), "application/json"
        sent = {
            **self._headers,
            **self._authorization,
            **options.get("headers", {}),
            **(headers or {}),
        }
        if body is not None:
            sent["content-type"] = content
        url = f"{self.base_url}{path}{'?' if text else ''}{text}"
        request = Request(url, body, _named(sent), method=method)
        limit = options.get("timeout_seconds") or timeout_seconds or self._timeout_seconds
        policy = Policy(
            timeout_seconds=limit + extra_seconds,
            max_attempts=self._attempts(options, _MAX_ATTEMPTS if outage_seconds is None else math.inf),
            is_repeatable=is_repeatable,
            is_streamed=is_streamed,
            outage_seconds=math.inf if outage_seconds is None else outage_seconds,
            deadline=deadline,
        )
        answer = self._success(request, policy)
        body = answer.json
        is_known = isinstance(body, dict) and all(name in body for name in needs)
        if not (answer.stream if is_streamed else is_known or answer.status == 204):
            kind = answer.headers.get("content-type", "no JSON").split(";")[0]
            kind = kind if body is None else "other JSON"
            raise ConnectionError(
                f"{method} {url} was answered with {kind}, not by the API. {BASE_HINT}"
            )
        return answer

    def result(self, method: str, path: str, options: CallOptions, **more: Any) -> Any:
        """The body of a successful response; None where it has none."""
        return result_of(self.call(method, path, options, **more))

    def page(
        self, path: str, query: Mapping[str, object], after: str | None, options: CallOptions
    ) -> Page[Any]:
        """The page after the item with the id ``after``, without it after that of the query."""
        wanted = query if after is None else {**query, "after": after}
        body = self.result("GET", path, options, query=wanted, needs=("data", "has_more"))
        data, has_more = body["data"], body["has_more"]
        return Page(data, has_more, data[-1]["id"] if has_more and data else None)

    def download(self, url: str, file: BinaryIO, options: CallOptions) -> None:
        """The URL is the permission, and may be of another host: it gets no API key."""
        _check(options)
        headers = {"user-agent": _USER_AGENT, **options.get("headers", {})}
        policy = Policy(
            timeout_seconds=options.get("timeout_seconds") or self._timeout_seconds,
            max_attempts=self._attempts(options, _MAX_ATTEMPTS),
            file=file,
        )
        self._success(Request(url, headers=_named(headers)), policy)

    def _attempts(self, options: CallOptions, default: float) -> float:
        return options.get("max_attempts") or self._max_attempts or default

    def _success(self, request: Request, policy: Policy) -> Answer:
        answer = send(self._opener, request, policy, self.timing, self._on_request)
        if not 200 <= answer.status < 300:
            error = error_of(answer.status, answer.headers, answer.json)
            if request.full_url.startswith(self.base_url):
                asked = f"{request.get_method()} {request.full_url}"
                location = answer.headers.get("location")
                if 300 <= answer.status < 400 and location:
                    to = urljoin(request.full_url, location)
                    error.args = (f"{asked} redirects to {to}, which is not followed. Correct base_url.",)
                # The client asks for no path that the service does not have.
                elif _is_unknown_path(error):
                    error.args = (f"{error} It answers {asked}. {BASE_HINT}",)
            raise error
        return answer


def idempotency_key_of(options: CreateOptions) -> str:
    """The caller's, or a new one where there is none."""
    return options.get("idempotency_key") or str(uuid.uuid4())


def path_of(collection: str, id: str) -> str:
    """The path of the object with this id. Raises ValueError for none: the path would be that of the list."""
    if not id:
        raise ValueError(f"The id must be a text that is not empty; it is {id!r}.")
    return f"{collection}/{quote(id, safe='')}"


def _check(options: CallOptions) -> None:
    unknown = options.keys() - OPTION_NAMES
    if unknown:
        raise TypeError(f"There is no option {unknown.pop()}. There are {', '.join(sorted(OPTION_NAMES))}.")


def _named(headers: Mapping[str, str]) -> dict[str, str]:
    """Of two that differ only in upper and lower case, the later one."""
    return {name.lower(): value for name, value in headers.items()}


def _is_unknown_path(error: ApiError) -> bool:
    is_of_another = error.status in (404, 405) and error.code == UNKNOWN_CODE
    return error.code == "route_not_found" or is_of_another


def _required(option: str | None, name: str, variable: str) -> str:
    value = option if option is not None else os.environ.get(variable, "").strip()
    if value:
        return value
    raise ValueError(f"Give Client the option {name}, or set {variable} in the environment.")
