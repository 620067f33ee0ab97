"""The errors that the client raises; the class for each type of ApiError is in gen/error_classes.py."""

# pyright: reportIncompatibleVariableOverride=false
# Nobody assigns to the attributes of an error.

from __future__ import annotations

import builtins
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from .gen.types import ErrorDetails, Fault

UNKNOWN_CODE = "unknown"
"""The code of an error response without one, for example of a proxy."""


class MediaError(Exception):
    """All but those for wrong arguments. Can be copied and sent to another process, whatever the constructor takes."""

    generation_id: str | None = None
    """The generation that it is about, where there is one."""

    @property
    def message(self) -> str:
        """The text for people, who may be somebody's users."""
        return super().__str__()

    def __init_subclass__(cls) -> None:
        # A traceback names the class as it is imported.
        if cls.__module__.startswith("media_generation_client."):
            cls.__module__ = "media_generation_client"

    def __reduce__(self) -> tuple[Any, ...]:
        # Python's own way would call the constructor with the message alone.
        return type(self).__new__, (type(self),), {**self.__dict__, "args": self.args}


class ApiError(MediaError):
    """
    An error response of the service: an instance of the class of its ``type`` where this version knows that type.
    ``code`` is stable and meant for programs, ``message`` for people; ``str(error)`` has both, and the request's id.
    """

    def __init__(
        self, status: int, headers: Mapping[str, str], body: object, type: str = "api_error"
    ) -> None:
        """``type`` is that of a body without one."""
        problem = problem_of(body)
        errors: list[Fault] = problem.get("errors") or []
        # A sentence for each fault: one that is mended alone would be followed by the next.
        several = " ".join(fault["message"] for fault in errors) if len(errors) > 1 else ""
        message = several or problem.get("message")
        super().__init__(message or f"HTTP {status} without an error body of this service.")
        self.status = status
        self.headers = headers
        self.type: str = problem.get("type", type)
        self.code: str = problem.get("code", UNKNOWN_CODE)
        self.param: str | None = problem.get("param")
        """The field, header or query parameter at fault."""
        self.doc_url: str | None = problem.get("doc_url")
        """The page about the code."""
        self.request_id: str | None = problem.get("request_id") or headers.get("request-id")
        """Name it when you ask for help."""
        self.details: ErrorDetails = problem.get("details") or {}
        self.generation_id = self.details.get("generation_id")
        self.errors = errors
        """All faults of the request, where the service lists several: the other fields are of the first."""

    def __str__(self) -> str:
        return f"{self.message} (code {self.code}, request {self.request_id or 'without an id'})"


def problem_of(body: Any) -> dict[str, Any]:
    """The ``error`` object of an error response's body; an empty one for any other body."""
    error: Any = cast(dict[str, Any], body).get("error") if isinstance(body, dict) else None
    problem = cast(dict[str, Any], error) if isinstance(error, dict) else {}
    return problem if isinstance(problem.get("code"), str) else {}


class ConnectionError(MediaError, builtins.ConnectionError):
    """No response: ``__cause__`` says why. ``was_sent`` is False where no attempt found the host and an open port."""

    was_sent = True


class TimeoutError(ConnectionError, builtins.TimeoutError):
    """No response within the time limit."""


class GenerationCanceledError(MediaError):
    """The generation that was waited for was canceled; nothing is charged."""

    generation_id: str

    def __init__(self, generation_id: str) -> None:
        super().__init__(f"{generation_id} was canceled.")
        self.generation_id = generation_id


class WaitStoppedError(MediaError, builtins.TimeoutError):
    """``wait_seconds`` are over; the generation goes on. Wait again for ``generation_id``."""

    generation_id: str

    def __init__(self, generation_id: str, go_on: str) -> None:
        super().__init__(f"The wait for {generation_id} was stopped; the generation goes on. {go_on}")
        self.generation_id = generation_id


class WebhookVerificationError(MediaError):
    """A webhook that failed verification and must not be trusted."""
