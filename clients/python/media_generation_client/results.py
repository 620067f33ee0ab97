"""Results are dicts that know the response that they came with."""

from __future__ import annotations

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
    last_response: LastResponse


def result_of(answer: Answer) -> Any:
    """The body of the response; None where it has none."""
    if not isinstance(answer.json, dict):
        return answer.json
    result = Result(cast(dict[str, Any], answer.json))
    result.last_response = LastResponse(answer.status, answer.headers, answer.headers.get("request-id"))
    return result


def last_response(result: object) -> LastResponse:
    """``result.last_response``, for type checkers, to which a result is a dict alone."""
    return cast(Result, result).last_response
