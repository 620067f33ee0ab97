"""Connections that are kept for the next request to the same host, so that a poll needs no new handshake."""

from __future__ import annotations

import base64
import contextlib
import http.client
import os
import selectors
import time
import weakref
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import SplitResult, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

_MAX_IDLE_SECONDS = 60.0
"""What lies between may have forgotten an older one without a word."""

_Deque = deque[tuple[float, http.client.HTTPConnection]]


@dataclass(frozen=True, kw_only=True)
class Request:
    method: str
    url: str
    headers: Mapping[str, str]
    """Of two that differ only in upper and lower case, the later one is sent."""
    body: bytes | None = None


class Sockets:
    """Those of one client, for all its threads. Removing from a deque and appending to it need no lock."""

    def __init__(self) -> None:
        self._idle: dict[object, _Deque] = {}
        weakref.finalize(self, _close_all, self._idle)

    def close(self) -> None:
        """Closes the idle ones; a later request opens a new one."""
        _close_all(self._idle)

    @contextlib.contextmanager
    def answer(
        self, request: Request, timeout_seconds: float, is_repeatable: bool, is_streamed: bool
    ) -> Iterator[http.client.HTTPResponse]:
        """
        The response, whose connection is kept if all of it is read within the block. What must not be sent twice gets a
        new connection: one that was kept may be closed at the same moment.
        """
        url = urlsplit(request.url)
        proxy = _proxy_of(url)
        # A process that was forked has no right to the connections of its parent.
        idle = self._idle.setdefault((os.getpid(), url.scheme, _host_of(url), proxy), deque())
        connection = (is_repeatable and _taken(idle)) or _new(url, proxy)
        connection.timeout = timeout_seconds
        if connection.sock is not None:
            connection.sock.settimeout(timeout_seconds)
        headers = {name.lower(): value for name, value in request.headers.items()}
        target = (url.path or "/") + (f"?{url.query}" if url.query else "")
        if proxy is not None and url.scheme == "http":
            target = f"http://{_host_of(url)}{target}"
            headers |= _authorization_of(proxy)
        try:
            connection.request(request.method, target, request.body, headers)
            response = connection.getresponse()
            yield response
        except BaseException:
            connection.close()
            raise
        if connection.sock is None:
            return
        if response.isclosed():
            idle.append((time.monotonic(), connection))
        elif is_streamed:
            # It ends with the response, which has the socket too.
            connection.sock.close()
            connection.sock = None


def _new(url: SplitResult, proxy: SplitResult | None) -> http.client.HTTPConnection:
    if url.scheme not in ("http", "https"):
        raise OSError(f"{url.scheme} is neither http nor https")
    kind = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
    if proxy is None:
        return kind(_host_of(url))
    connection = kind(_host_of(proxy))
    if url.scheme == "https":
        connection.set_tunnel(_host_of(url), headers=_authorization_of(proxy))
    return connection


def _taken(idle: _Deque) -> http.client.HTTPConnection | None:
    """The oldest that still does; those before it are closed."""
    with contextlib.suppress(IndexError), selectors.DefaultSelector() as selector:
        while True:
            since, connection = idle.popleft()
            selector.register(connection.sock, selectors.EVENT_READ)
            # Before a request there is nothing to read but the end.
            has_ended = selector.select(0)
            selector.unregister(connection.sock)
            if not has_ended and time.monotonic() - since < _MAX_IDLE_SECONDS:
                return connection
            connection.close()
    return None


def _close_all(idle: dict[object, _Deque]) -> None:
    for connections in list(idle.values()):
        while connections:
            connections.pop()[1].close()


def _proxy_of(url: SplitResult) -> SplitResult | None:
    """That of the environment."""
    text = getproxies().get(url.scheme)
    if not text or proxy_bypass(_host_of(url)):
        return None
    return urlsplit(text if "://" in text else f"http://{text}")


def _authorization_of(proxy: SplitResult) -> dict[str, str]:
    if proxy.username is None:
        return {}
    pair = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
    return {"proxy-authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}


def _host_of(url: SplitResult) -> str:
    """With the port, without the name of a user."""
    return url.netloc.rpartition("@")[2]
