"""The error of every error response; the classes of its types are generated from the document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from .media_error import MediaError

if TYPE_CHECKING:
    from .types import ErrorDetails, Fault, Problem

UNKNOWN_CODE = "unknown"
"""The code of an error response without one, for example of a proxy."""


class ApiError(MediaError):
    """
    An error response of the service: an instance of the class of its ``type`` where this version knows that type.
    ``code`` is stable and meant for programs, the text for people.
    """

    status: int
    headers: Mapping[str, str]
    type: str
    code: str
    param: str | None
    """The field, header or query parameter at fault."""
    doc_url: str | None
    """The page about the code."""
    request_id: str | None
    """Name it when you ask for help."""
    details: ErrorDetails
    errors: list[Fault]
    """
    All faults of the request, where the service lists several: the text has those of all, the other fields are of the first.
    """

    def __init__(
        self, status: int, headers: Mapping[str, str], body: object, type: str = "api_error"
    ) -> None:
        """``type`` is that of a body without one."""
        problem = problem_of(body)
        message = _message_of(problem) if problem else None
        super().__init__(message or f"HTTP {status} without an error body of this service.")
        self.status = status
        self.headers = headers
        self.type = problem["type"] if problem and "type" in problem else type
        self.code = problem["code"] if problem else UNKNOWN_CODE
        self.param = problem.get("param") if problem else None
        self.doc_url = problem.get("doc_url") if problem else None
        self.request_id = (problem.get("request_id") if problem else None) or headers.get("request-id")
        self.details = problem.get("details", {}) if problem else {}
        self.generation_id = self.details.get("generation_id")
        self.errors = problem.get("errors", []) if problem else []
        # A traceback ends with it; the text is for people, who may be somebody's users.
        self.add_note(f"(code {self.code}, request {self.request_id or 'without an id'})")


def _message_of(problem: Problem) -> str | None:
    """A sentence for each fault: one that is mended alone would be followed by the next."""
    errors = problem.get("errors", [])
    return " ".join(fault["message"] for fault in errors) if len(errors) > 1 else problem.get("message")


def problem_of(body: object) -> Problem | None:
    """The ``error`` object of an error response's body; None for any other body."""
    error = body.get("error") if isinstance(body, dict) else None
    return cast("Problem", error) if isinstance(error, dict) and "code" in error else None
