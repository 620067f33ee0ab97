"""The class of all errors that the client raises, but for wrong arguments."""

from __future__ import annotations

from typing import Any


class MediaError(Exception):
    """Can be copied and sent to another process, whatever the constructor takes."""

    generation_id: str | None = None
    """The generation that it is about, where there is one."""

    def __reduce__(self) -> tuple[Any, ...]:
        # Python's own way would call the constructor with the message alone.
        return _again, (type(self), self.args), self.__dict__


def _again(kind: type[MediaError], args: tuple[object, ...]) -> MediaError:
    error = kind.__new__(kind)
    error.args = args
    return error
