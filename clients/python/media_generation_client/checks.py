"""Checks arguments before anything is sent: names and ranges of options, and ids."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar, cast
from urllib.parse import quote

from .options import OPTION_NAMES
from .types import IDEMPOTENCY_KEY


Init = TypeVar("Init", bound=Callable[..., None])


def with_known_options(init: Init) -> Init:
    """The constructor, which raises TypeError for an option that is not known, with what may be meant."""
    _, *known = inspect.signature(init).parameters

    @functools.wraps(init)
    def checked(self: object, *given: object, **options: object) -> None:
        _check_names(options, known, "option")
        init(self, *given, **options)

    return cast(Init, checked)


def check_options(options: Mapping[str, Any]) -> None:
    """Raises TypeError for an option that is not known, and what check_limits raises."""
    _check_names(options, OPTION_NAMES, "option")
    check_limits(options)


def check_fields(given: Mapping[str, Any], known: Collection[str]) -> None:
    """Raises TypeError for what is neither a field that the service takes nor an option of the call."""
    _check_names(given, known, "field or option")


def _check_names(given: Iterable[str], known: Collection[str], kind: str) -> None:
    for name in given:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"Did you mean {near[0]}?" if near else f"There are {', '.join(sorted(known))}."
            raise TypeError(f"There is no {kind} {name}. {hint}")


def check_limits(options: Mapping[str, Any]) -> None:
    """Raises ValueError, which names the option, for a value out of range. None is as if it were not given."""
    attempts = options.get("max_attempts")
    if attempts is not None and not (type(attempts) is int and attempts >= 1):
        raise ValueError(f"max_attempts must be a whole number of at least 1; it is {attempts!r}.")
    for name in ("timeout_seconds", "poll_seconds", "wait_seconds"):
        seconds = options.get(name)
        if seconds is not None and not (isinstance(seconds, (int, float)) and seconds > 0):
            raise ValueError(f"{name} must be a number of seconds above 0; it is {seconds!r}.")


def query_text(name: str, value: object) -> object:
    """A value of a query as the service takes it. Raises ValueError for a datetime without a time zone."""
    if not isinstance(value, datetime):
        return value
    if value.utcoffset() is None:
        raise ValueError(
            f"{name} must have a time zone, as datetime.now(timezone.utc) has; it is {value!r}, without one."
        )
    return value.isoformat()


def check_idempotency_key(key: object) -> None:
    """Raises ValueError for what cannot be one: a key that were left out would let a repeated create be charged again."""
    if not isinstance(key, str) or not re.fullmatch(IDEMPOTENCY_KEY, key):
        raise ValueError(f"idempotency_key must match {IDEMPOTENCY_KEY}; it is {key!r}.")


def path_of(collection: str, id: str) -> str:
    """The path of the object with this id. Raises TypeError or ValueError for what can be none."""
    # Whoever has no type checker may pass anything.
    given: object = id
    if not isinstance(given, str):
        raise TypeError(f"The id must be a text; it is {given!r}.")
    if not given:
        raise ValueError("The id must be a text that is not empty.")
    return f"{collection}/{quote(given, safe='')}"


def check_path(path: Path) -> None:
    """Raises ValueError where no file can be saved at the path."""
    if path.is_dir():
        raise ValueError(f"{path} is a folder. Give the path of a file, such as {path / 'cat.mp4'}.")
    if not path.parent.is_dir():
        raise ValueError(f"There is no folder {path.parent} for {path}. Make it first.")


_KEY_FAULTS = (
    (r"(?i)bearer\b", 'begins with "Bearer", which the client adds. Give the key alone'),
    (r".*[\"'`]", "has quotation marks. Give the key without them"),
    (r"(?s).*\s", "has a space or a line break. Give the key alone"),
    (r"(?s).*[^!-~]", "has a character that no key has. Copy it again"),
)


def check_key(key: str) -> None:
    """Raises ValueError, which does not show the key, for what cannot be one."""
    for pattern, fault in _KEY_FAULTS:
        if re.match(pattern, key):
            raise ValueError(f"The API key {fault}.")
