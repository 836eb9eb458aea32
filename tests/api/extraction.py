"""The public API as lines of text: each public name with its signature, read from the source; nothing is run.

A name that several doors export is described under its shortest path, and the others point there::

    olmsolve.Bundle: class, attrs.frozen
    olmsolve.Bundle.name: str
    olmsolve.catalog.Bundle: olmsolve.Bundle

The syntax trees are those that tests/architecture reads as well, so that each module is parsed once.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final, NamedTuple

from olmsolve._public import is_public
from tests.architecture.imports import NAMES, ROOMS, home, imported, parsed
from tests.architecture.wings import PUBLIC_DOORS, PUBLIC_MODULES

_SHOWN: Final = ("attrs.frozen", "attrs.define", "final", "runtime_checkable", "property", "cached_property")
_SAME: Final = {"record": "attrs.frozen"}
_UNSEEN: Final = ("Record",)
"""The base of records says how documents are made, which is no promise."""
_SHOWN_METHODS: Final = ("classmethod", "staticmethod", "property", "cached_property", "functools.cached_property")
_LONGEST: Final = 80


class Definition(NamedTuple):
    """The definition of a public name: the private *module* that has it, its *name* there, and its syntax tree."""

    module: str
    name: str
    node: ast.stmt


@cache
def public_api() -> dict[str, str]:
    """Return the text of each public name and of each of its public members, by path."""
    definitions = {f"{door}.{name}": exported for door in PUBLIC_DOORS for name, exported in _exported(door)}
    shortest: dict[tuple[str, str], str] = {}
    for path in sorted(definitions, key=lambda path: (path.count("."), path)):
        exported = definitions[path]
        if isinstance(exported, Definition):
            shortest.setdefault((exported.module, exported.name), path)
    lines: dict[str, str] = {}
    for path, exported in definitions.items():
        if isinstance(exported, str):
            lines[path] = exported
        elif (first := shortest[exported.module, exported.name]) != path:
            lines[path] = first
        else:
            lines.update(_described(path, exported))
    return dict(sorted(lines.items()))


def _exported(door: str) -> Iterator[tuple[str, Definition | str]]:
    """Yield each public name of *door* with its definition, or with a text where it is a module."""
    for source, name, _ in imported(NAMES[door]):
        if f"{source}.{name}" in PUBLIC_DOORS and door in ROOMS:
            yield name, "module"
        elif is_public(door, name) and door not in PUBLIC_MODULES:
            module = home(source, name)
            if module and (node := _statements(module).get(name)):
                yield name, Definition(module, name, node)
    for name, node in _statements(door).items():
        if is_public(door, name):
            yield name, Definition(door, name, node)


@cache
def _statements(module: str) -> Mapping[str, ast.stmt]:
    """Return the statements that define names at the top of *module*, by name."""
    by_name: dict[str, ast.stmt] = {}
    for node in parsed(NAMES[module]).body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                by_name[node.name] = node
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
                by_name[name] = node
    return by_name


def _described(path: str, definition: Definition) -> Iterator[tuple[str, str]]:
    match definition.node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() as function:
            yield path, _signature(function)
        case ast.ClassDef() as node:
            decorators = [_SAME.get(text := _decorator(decorator), text) for decorator in node.decorator_list]
            shown = [text for text in decorators if text in _SHOWN]
            bases = [text for base in node.bases if (text := ast.unparse(base)) not in _UNSEEN]
            yield path, ", ".join(["class" + (f"({', '.join(bases)})" if bases else ""), *shown])
            for name, text in _members(definition).items():
                yield f"{path}.{name}", text
        case ast.AnnAssign(annotation=annotation, value=value):
            written = ast.unparse(annotation)
            is_alias = written.endswith("TypeAlias") and value is not None
            yield path, f"{written} = {_short(ast.unparse(value))}" if is_alias and value else written
        case ast.Assign(value=value):
            yield path, _short(ast.unparse(value))


def _members(definition: Definition) -> dict[str, str]:
    """Return the public members of a class, those that it has from other classes of the library too."""
    node = definition.node
    assert isinstance(node, ast.ClassDef)
    members: dict[str, str] = {}
    for base in reversed(node.bases):
        if (inherited := _base(definition.module, base)) is not None:
            members.update(_members(inherited))
    for statement in node.body:
        members.update(
            (name, text) for name, text in _member(statement) if not name.startswith("_") or name == "__init__"
        )
    return members


def _base(module: str, expression: ast.expr) -> Definition | None:
    """Return the definition of a base class of the library."""
    while isinstance(expression, ast.Subscript):
        expression = expression.value
    if not isinstance(expression, ast.Name):
        return None
    name = expression.id
    if name in (here := _statements(module)):
        return Definition(module, name, here[name]) if isinstance(here[name], ast.ClassDef) else None
    for source, taken, _ in imported(NAMES[module]):
        if taken == name and source.split(".")[0] == "olmsolve" and (there := home(source, name)) is not None:
            base = _statements(there).get(name)
            return Definition(there, name, base) if isinstance(base, ast.ClassDef) else None
    return None


def _member(node: ast.stmt) -> Iterator[tuple[str, str]]:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() as function:
            if function.name == "__init__":
                yield from ((name, text) for inner in ast.walk(function) for name, text in _attribute(inner))
            shown = [text for decorator in function.decorator_list if (text := _decorator(decorator)) in _SHOWN_METHODS]
            yield function.name, ", ".join([_signature(function), *shown])
        case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=value):
            default = _default(value)
            yield name, ast.unparse(annotation) + (f" = {default}" if default else "")
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            yield name, f"= {_short(ast.unparse(value))}"


def _attribute(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield an attribute that ``__init__`` sets."""
    match node:
        case ast.AnnAssign(target=ast.Attribute(value=ast.Name(id="self"), attr=name), annotation=annotation):
            yield name, ast.unparse(annotation)
        case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)]):
            yield name, "set by __init__"


def _default(value: ast.expr | None) -> str:
    """Return the text of a field's default, which ``attrs.field`` takes as an argument; "" without one."""
    if isinstance(value, ast.Call) and ast.unparse(value.func) in ("attrs.field", "field", "_records.field"):
        given = [keyword for keyword in value.keywords if keyword.arg in ("default", "factory")]
        return _short(", ".join(ast.unparse(keyword.value) for keyword in given))
    return "" if value is None else _short(ast.unparse(value))


def _decorator(node: ast.expr) -> str:
    return ast.unparse(node.func if isinstance(node, ast.Call) else node)


def _signature(function: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    kind = "async " if isinstance(function, ast.AsyncFunctionDef) else ""
    returned = f" -> {ast.unparse(function.returns)}" if function.returns is not None else ""
    return f"{kind}({ast.unparse(function.args)}){returned}"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
