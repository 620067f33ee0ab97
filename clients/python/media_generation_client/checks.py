"""Checks arguments before anything is sent: names and ranges of options, and ids."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any
from urllib.parse import quote

from .options import OPTION_NAMES


def check_options(options: Mapping[str, Any]) -> None:
    """Raises TypeError for an option that is not known, and what check_limits raises."""
    for name in options:
        if name not in OPTION_NAMES:
            near = get_close_matches(name, OPTION_NAMES, n=1)
            hint = f"Did you mean {near[0]}?" if near else f"There are {', '.join(sorted(OPTION_NAMES))}."
            raise TypeError(f"There is no option {name}. {hint}")
    check_limits(options)


def check_limits(options: Mapping[str, Any]) -> None:
    """Raises ValueError, which names the option, for a value out of range. None is as if it were not given."""
    attempts = options.get("max_attempts")
    if attempts is not None and not (type(attempts) is int and attempts >= 1):
        raise ValueError(f"max_attempts must be a whole number of at least 1; it is {attempts!r}.")
    for name in ("timeout_seconds", "poll_seconds"):
        seconds = options.get(name)
        if seconds is not None and not (isinstance(seconds, (int, float)) and seconds > 0):
            raise ValueError(f"{name} must be a number of seconds above 0; it is {seconds!r}.")


def path_of(collection: str, id: str) -> str:
    """The path of the object with this id. Raises TypeError or ValueError for what can be none."""
    # Whoever has no type checker may pass anything.
    given: object = id
    if not isinstance(given, str):
        raise TypeError(f"The id must be a text; it is {given!r}.")
    if not given:
        raise ValueError("The id must be a text that is not empty.")
    return f"{collection}/{quote(given, safe='')}"
