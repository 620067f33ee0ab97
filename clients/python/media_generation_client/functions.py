"""What the functions of one kind of object have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING


class Functions:
    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {', '.join(vars(self))}>"

    # Type checkers would take it for a leave to write any name.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            kind = type(self).__name__.removeprefix("Async").lower()
            raise AttributeError(f"There is no {kind}.{name}. There are {', '.join(vars(self))}.")
