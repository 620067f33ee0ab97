"""Results are dicts, and know the response that they came with."""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast


@dataclass(frozen=True)
class LastResponse:
    """The response that a result came with; of a wait the last one."""

    status: int
    headers: Mapping[str, str]
    """Their names are in lower case."""

    @property
    def request_id(self) -> str | None:
        """Name it when you ask for help."""
        return self.headers.get("request-id")


@dataclass(frozen=True)
class Answer(LastResponse):
    """Any response. ``json`` is its body; None where that is not JSON or was written to a file."""

    json: Any = None
    stream: http.client.HTTPResponse | None = None
    """The unread body, where that is a stream of events; whoever reads it closes it."""


class Result(dict[str, Any]):
    """A result, an item of a list, or an object within one."""

    last_response: LastResponse
    """Only results have it."""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            hint = f': use ["{name}"]' if name in self else ""
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{hint}")


def parsed(text: str | bytes) -> Any:
    """JSON, whose objects are results. Raises ValueError for anything else."""
    return json.loads(text, object_hook=Result)


def last_response(result: object) -> LastResponse:
    """``result.last_response``, for type checkers, to which a result is a dict alone."""
    return cast(Result, result).last_response
