"""What help() says of the fields of a function: the texts below them in the sources of their TypedDicts."""

from __future__ import annotations

import ast
import functools
import inspect
import textwrap
from collections.abc import Iterator

from . import options, types

_Docs = dict[str, tuple[str, str]]
"""Type and meaning by name."""


@functools.cache
def field_docs(fields: str) -> str:
    """Each field of the TypedDict by this name with its type and meaning; empty where Python has no sources."""
    return "\n".join(
        f"{name}: {kind}\n{textwrap.indent(doc, '    ')}".rstrip()
        for name, (kind, doc) in _docs_of(fields).items()
    )


def _docs_of(fields: str) -> _Docs:
    classes, aliases = _sources()
    if fields not in classes:
        return {}
    found: _Docs = {}
    for base in classes[fields].bases:
        found |= _docs_of(ast.unparse(base).split("[")[0])
    for name, field, doc in _documented(classes[fields].body):
        text = ast.unparse(field.annotation)
        kind = text.removeprefix("NotRequired[").removesuffix("]") if text.startswith("NotR") else text
        alias_kind, alias_doc = aliases.get(kind, (kind, ""))
        found[name] = (alias_kind, doc or alias_doc)
    return found


@functools.cache
def _sources() -> tuple[dict[str, ast.ClassDef], _Docs]:
    """The classes and the aliases."""
    body: list[ast.stmt] = []
    for module in (types, options):
        try:
            body += ast.parse(inspect.getsource(module)).body
        except OSError:
            pass
    aliases = {
        name: (ast.unparse(alias.value), doc) for name, alias, doc in _documented(body) if alias.value
    }
    return {one.name: one for one in body if isinstance(one, ast.ClassDef)}, aliases


def _documented(body: list[ast.stmt]) -> Iterator[tuple[str, ast.AnnAssign, str]]:
    """Each name with a type, and the text below it."""
    for one, below in zip(body, [*body[1:], None]):
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
            value = below.value if isinstance(below, ast.Expr) else None
            text = value.value if isinstance(value, ast.Constant) else ""
            yield one.target.id, one, inspect.cleandoc(str(text))
