"""Results are dicts, and know the response that they came with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from .retry import Answer


@dataclass(frozen=True)
class LastResponse:
    """The response that a result came with; of a wait the last one."""

    status: int
    headers: Mapping[str, str]
    """Their names are in lower case."""
    request_id: str | None
    """Name it when you ask for help."""


class Result(dict[str, Any]):
    """A result, an item of a list, or an object within one."""

    last_response: LastResponse
    """Only results have it."""


def parsed(text: str | bytes) -> Any:
    """JSON, whose objects are results. Raises ValueError for anything else."""
    return json.loads(text, object_hook=Result)


def result_of(answer: Answer) -> Any:
    """The body of the response; None where it has none."""
    if isinstance(answer.json, Result):
        request_id = answer.headers.get("request-id")
        answer.json.last_response = LastResponse(answer.status, answer.headers, request_id)
    return answer.json


def last_response(result: object) -> LastResponse:
    """``result.last_response``, for type checkers, to which a result is a dict alone."""
    return cast(Result, result).last_response
