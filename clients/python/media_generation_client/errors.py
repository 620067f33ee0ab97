"""The errors that the client raises."""

# pyright: reportIncompatibleVariableOverride=false
# Nobody assigns to the attributes of an error.

from __future__ import annotations

import builtins
from collections.abc import Mapping

from .api_error import ApiError, problem_of
from .error_classes import ERROR_CLASSES, STATUS_TYPES
from .media_error import MediaError


class ConnectionError(MediaError, builtins.ConnectionError):
    """No response: the service is unreachable, or the connection broke. ``__cause__`` says which."""


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


def error_of(status: int, headers: Mapping[str, str], body: object) -> ApiError:
    """
    The error of an error response, of the class of its type, or of its status where it has none. ``body`` is the response's
    JSON, if it is JSON.
    """
    problem = problem_of(body)
    of_status = STATUS_TYPES.get(status) if status < 500 else "api_error"
    known = problem["type"] if problem and "type" in problem else of_status
    # A type that was added after this version is an ApiError.
    return ERROR_CLASSES.get(known or "", ApiError)(status, headers, body, known or "api_error")
