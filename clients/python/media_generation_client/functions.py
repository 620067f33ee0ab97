"""What the functions of one kind of object have in common: their names, and their parameters as help() shows them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NotRequired, Unpack, get_args, get_origin, get_type_hints

from .field_docs import field_docs


class Functions:
    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {', '.join(vars(self))}>"

    # Type checkers would take these for a leave to write any name, and for functions of any values.
    if not TYPE_CHECKING:

        def __setattr__(self, name: str, call: Callable[..., object]) -> None:
            super().__setattr__(name, _named(self._kind(), name, call))

        def __getattr__(self, name: str) -> object:
            raise AttributeError(f"There is no {self._kind()}.{name}. There are {', '.join(vars(self))}.")

    def _kind(self) -> str:
        return type(self).__name__.removeprefix("Async").lower()


def names_of_today(client: object, names: Iterable[str]) -> list[str]:
    """Without those that stand for a function of videos, images and so on."""
    kinds = [one for one in vars(client).values() if isinstance(one, Functions)]
    older = {call.__wrapped__.__name__ for kind in kinds for call in vars(kind).values()}
    return [name for name in names if name not in older]


def without(client: object, name: str) -> AttributeError:
    """The error for a name that a client does not have."""
    names = [one for one in dir(client) if not one.startswith("_")]
    return AttributeError(f"There is no client.{name}. There are {', '.join(names)}.")


def _named(kind: str, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
    """The function by this name, with each field as a parameter."""
    signature = _signature_of(getattr(call, "__func__"))

    def check(given: tuple[object, ...], fields: Mapping[str, object]) -> None:
        by_place = [one.name for one in signature.parameters.values() if one.kind is not one.KEYWORD_ONLY]
        missing = [one for one in by_place[len(given) :] if one not in fields]
        if missing:
            raise TypeError(f"{kind}.{name} needs {', '.join(missing)}.")
        if len(given) > len(by_place):
            example = next(one for one in signature.parameters if one not in by_place)
            after = f"After {', '.join(by_place)} write" if by_place else "Write"
            raise TypeError(
                f"{kind}.{name} takes its fields by name. {after} {example}=…; for a dict write ** before it."
            )

    def checked(*given: object, **fields: object) -> object:
        check(given, fields)
        return call(*given, **fields)

    async def awaited(*given: object, **fields: object) -> object:
        check(given, fields)
        return await call(*given, **fields)

    function = awaited if inspect.iscoroutinefunction(call) else checked
    functools.update_wrapper(function, call)
    function.__name__ = name
    function.__qualname__ = f"{kind}.{name}"
    function.__doc__ = _doc_of(call)
    setattr(function, "__signature__", signature)
    return function


@functools.cache
def _signature_of(function: Callable[..., object]) -> inspect.Signature:
    """The parameters without ``self``, and in place of ``**fields`` those that the TypedDict has."""
    signature = inspect.signature(function)
    parameters: list[inspect.Parameter] = []
    for one in [*signature.parameters.values()][1:]:
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
    """What Client says of the function, and of each of its fields."""
    from .client import Client

    fields = _fields_of(getattr(call, "__func__"))
    docs = field_docs(fields.__name__) if fields else ""
    return "\n\n".join(filter(None, [inspect.getdoc(getattr(Client, call.__name__)), docs]))


def _fields_of(function: Callable[..., object]) -> Any:
    """The TypedDict of its ``**fields``."""
    for hint in get_type_hints(function).values():
        if get_origin(hint) is Unpack:
            (fields,) = get_args(hint)
            return get_origin(fields) or fields
    return None
