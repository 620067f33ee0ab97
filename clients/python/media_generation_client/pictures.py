"""Pictures of the caller's own, which are sent as files before the create that names them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Collection
from pathlib import Path
from typing import BinaryIO, TypeAlias, TypeGuard, cast

Picture: TypeAlias = bytes | bytearray | memoryview | os.PathLike[str] | BinaryIO
"""
Bytes, a ``pathlib.Path`` or an open file. A text is never read as a path: a text that a stranger wrote must not name a
file of this machine.
"""

SendPicture = Callable[[Picture, str], str]
"""Sends a picture and returns its URL. The key is the same for the same picture of the same create."""


def with_sent_pictures(
    body: dict[str, object], fields: Collection[str], idempotency_key: str, send: SendPicture
) -> dict[str, object]:
    """The body with the URL of the sent file in place of each picture. Raises TypeError for one in another field."""

    def sent(value: object, field: str, place: str) -> object:
        if isinstance(value, dict):
            fields_of_value = cast(dict[str, object], value).items()
            return {
                name: sent(each, f"{field}.{name}", f"{place}.{name}") for name, each in fields_of_value
            }
        if isinstance(value, (list, tuple)):
            items = enumerate(cast(list[object], value))
            return [sent(each, field, f"{place}[{index}]") for index, each in items]
        if not _is_picture(value):
            return value
        if field not in fields:
            raise TypeError(f"{place} takes no picture.")
        return send(value, _derived_key(idempotency_key, place))

    return {name: sent(value, name, name) for name, value in body.items()}


def _is_picture(value: object) -> TypeGuard[Picture]:
    return isinstance(value, (bytes, bytearray, memoryview, os.PathLike)) or hasattr(value, "read")


def bytes_of(picture: Picture) -> bytes:
    """The bytes of a picture. Raises OSError where a file cannot be read."""
    if isinstance(picture, (bytes, bytearray, memoryview)):
        return bytes(picture)
    if isinstance(picture, os.PathLike):
        return Path(picture).read_bytes()
    content = picture.read() if hasattr(picture, "read") else None
    if not isinstance(content, bytes):
        raise TypeError("A picture is bytes, a pathlib.Path or a file that is open in binary mode.")
    return content


def _derived_key(idempotency_key: str, place: str) -> str:
    """A key of fixed length, because the caller's may be as long as is allowed."""
    return hashlib.sha256(f"{place} of {idempotency_key}".encode()).hexdigest()
