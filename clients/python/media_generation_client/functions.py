"""What the functions of one kind of object have in common: their names, and their parameters as help() shows them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NotRequired, Unpack, get_args, get_origin, get_type_hints

from .connection import Connection
from .field_docs import field_docs


class Functions:
    """The functions of one kind of object."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def __init_subclass__(cls) -> None:
        for name, call in [*vars(cls).items()]:
            if inspect.isfunction(call) and not name.startswith("_"):
                setattr(cls, name, _named(cls.__name__.lower(), name, call))

    def __dir__(self) -> list[str]:
        return [name for name in vars(type(self)) if not name.startswith("_")]

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {', '.join(self.__dir__())}>"

    # Type checkers would take it for a leave to use any name.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            kind = type(self).__name__.removeprefix("Async").lower()
            raise AttributeError(f"There is no {kind}.{name}. There are {', '.join(self.__dir__())}.")


def without(client: object, name: str) -> AttributeError:
    """The error for a name that a client does not have."""
    names = [one for one in dir(client) if not one.startswith("_")]
    return AttributeError(f"There is no client.{name}. There are {', '.join(names)}.")


def _named(kind: str, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
    """The function, which says what is missing, and shows each field as a parameter."""
    signature = _signature_of(call)
    _self, *parameters = signature.parameters.values()
    by_place = [one.name for one in parameters if one.kind is not one.KEYWORD_ONLY]

    @functools.wraps(call)
    def checked(self: object, *given: object, **fields: object) -> object:
        missing = [one for one in by_place[len(given) :] if one not in fields]
        if missing:
            raise TypeError(f"{kind}.{name} needs {', '.join(missing)}.")
        if len(given) > len(by_place):
            example = next(one.name for one in parameters if one.name not in by_place)
            after = f"After {', '.join(by_place)} write" if by_place else "Write"
            raise TypeError(
                f"{kind}.{name} takes its fields by name. {after} {example}=…; for a dict write ** before it."
            )
        return call(self, *given, **fields)

    checked.__qualname__ = f"{kind}.{name}"
    checked.__doc__ = _doc_of(call)
    setattr(checked, "__signature__", signature)
    return checked


def _signature_of(function: Callable[..., object]) -> inspect.Signature:
    """In place of ``**fields`` those that the TypedDict has."""
    signature = inspect.signature(function)
    parameters: list[inspect.Parameter] = []
    for one in signature.parameters.values():
        if one.kind is one.VAR_KEYWORD:
            parameters += _parameters_of(_fields_of(function))
        else:
            parameters.append(one)
    return signature.replace(parameters=parameters)


def _parameters_of(fields: Any) -> list[inspect.Parameter]:
    """The required ones first."""
    found: list[inspect.Parameter] = []
    for name, hint in get_type_hints(fields, include_extras=True).items():
        is_optional = get_origin(hint) is NotRequired or name in fields.__optional_keys__
        default = None if is_optional else inspect.Parameter.empty
        found.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default))
    return sorted(found, key=lambda one: one.default is None)


def _doc_of(call: Callable[..., Any]) -> str:
    """What it says of itself, and of each of its fields."""
    fields = _fields_of(call)
    docs = field_docs(fields.__name__) if fields else ""
    return "\n\n".join(filter(None, [inspect.getdoc(call), docs]))


def _fields_of(function: Callable[..., object]) -> Any:
    """The TypedDict of its ``**fields``."""
    for hint in get_type_hints(function).values():
        if get_origin(hint) is Unpack:
            (fields,) = get_args(hint)
            return get_origin(fields) or fields
    return None
