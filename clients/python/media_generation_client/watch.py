"""Reads the updates of a generation from a stream of events, which is opened again until the final status has come."""

from __future__ import annotations

import http.client
from collections.abc import Callable, Generator, Iterator

from . import stopping
from .connection import Connection
from .options import CallOptions
from .results import parsed
from .retry import Timing
from .wait import FINAL_STATUSES, OUTAGE_SECONDS, G

_HEARTBEAT_SECONDS = 15.0
"""The service sends a comment this often; a connection without any is dead."""
_RECONNECT_SECONDS = 3.0


def watch(connection: Connection, path: str, options: CallOptions) -> Generator[G, None, None]:
    """Yields the generation as it is now, each change and the end."""

    def open_stream() -> http.client.HTTPResponse:
        answer = connection.call(
            "GET",
            path,
            options,
            headers={"accept": "text/event-stream"},
            extra_seconds=_HEARTBEAT_SECONDS,
            is_streamed=True,
            outage_seconds=OUTAGE_SECONDS,
        )
        assert answer.stream is not None
        return answer.stream

    return _updates(open_stream, connection.timing)


def _updates(
    open_stream: Callable[[], http.client.HTTPResponse], timing: Timing
) -> Generator[G, None, None]:
    last = b""
    while True:
        for data in _events_of(open_stream()):
            if data == last:
                continue
            last = data
            update: G = parsed(data)
            yield update
            if update["status"] in FINAL_STATUSES:
                return
        timing.sleep(_RECONNECT_SECONDS)


def _events_of(response: http.client.HTTPResponse) -> Iterator[bytes]:
    """The data of each event, until the stream ends, breaks or is silent."""
    with response:
        try:
            for line in response:
                stopping.check()
                # A line that is cut off has no end.
                if line.startswith(b"data: ") and line.endswith(b"\n"):
                    yield line.removeprefix(b"data: ")
        except (OSError, http.client.HTTPException):
            return
