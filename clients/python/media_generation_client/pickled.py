"""Errors that can be copied and sent to another process, whatever their constructors take."""

from __future__ import annotations

from typing import Any


class Pickled(Exception):
    """Python's own way would call the constructor with the message alone."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (type(self), self.args), self.__dict__


def _again(kind: type[Pickled], args: tuple[object, ...]) -> Pickled:
    error = kind.__new__(kind)
    error.args = args
    return error
