"""The error of every error response; the classes of its types are generated from the document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

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
        problem: Mapping[str, Any] = problem_of(body) or {}
        errors: list[Fault] = problem.get("errors", [])
        # A sentence for each fault: one that is mended alone would be followed by the next.
        several = " ".join(fault["message"] for fault in errors) if len(errors) > 1 else ""
        message = several or problem.get("message")
        super().__init__(message or f"HTTP {status} without an error body of this service.")
        self.status = status
        self.headers = headers
        self.type = problem.get("type", type)
        self.code = problem.get("code", UNKNOWN_CODE)
        self.param = problem.get("param")
        self.doc_url = problem.get("doc_url")
        self.request_id = problem.get("request_id") or headers.get("request-id")
        self.details = problem.get("details", {})
        self.generation_id = self.details.get("generation_id")
        self.errors = errors
        # A traceback ends with it; the text is for people, who may be somebody's users.
        self.add_note(f"(code {self.code}, request {self.request_id or 'without an id'})")


def problem_of(body: object) -> Problem | None:
    """The ``error`` object of an error response's body; None for any other body."""
    error = body.get("error") if isinstance(body, dict) else None
    return cast("Problem", error) if isinstance(error, dict) and "code" in error else None
