"""What griffe calls: the extension that mkdocs.yml names, which completes what griffe reads from the source.

Docstrings become Markdown. attrs writes constructors when a class is made, so the source has none; here the classes are
imported and asked for them. Fields without a docstring stand in the constructor's signature alone.
"""

from __future__ import annotations

import ast
import contextlib
import enum
import importlib
import inspect
from collections.abc import Callable, Iterator
from typing import Any, Final

import attrs
import griffe

from olmsolve._records import members
from website import api
from website.docstrings import as_markdown

_PLAIN: Final = (str, int, float, bool, tuple, frozenset, type(None))


class Completed(griffe.Extension):  # type: ignore[misc]  # griffe's types are not read
    """The extension that mkdocs.yml names."""

    def on_package(self, *, pkg: Any, **others: Any) -> None:
        """Change the loaded package: every docstring, and every public class."""
        classes = {}
        for canonical in api.public_names():
            with contextlib.suppress(KeyError):
                found = pkg[canonical.removeprefix(f"{api.FACADE}.")]
                if found.is_class:
                    classes[canonical] = found
        for canonical, found in classes.items():
            _show_fields(found, canonical)
        for each in [*_objects(pkg)]:
            if each.is_function:
                each.overloads = None  # the types of the implementation cover them
                for parameter in each.parameters:
                    parameter.default = _valued(parameter.default, pkg)
            if each.docstring is not None:
                each.docstring.value = as_markdown(each.docstring.value, _paths_in(each))
        for found in classes.values():
            _name_inherited(found)


def _objects(within: Any) -> Iterator[Any]:
    """Yield *within* and every object in it, aliases left out."""
    yield within
    for member in within.members.values():
        if not member.is_alias:
            yield from _objects(member)


def _show_fields(found: Any, canonical: str) -> None:
    """Give the class *found* its constructor, and leave fields without a docstring to the signature."""
    module, _, name = canonical.rpartition(".")
    try:
        cls = getattr(importlib.import_module(module), name)
    except ImportError:
        return  # it needs an extra
    if issubclass(cls, enum.Enum):
        _show_members(found, cls)
        return
    _say_what_fields_mean(found, cls)
    fields = {
        each: member
        for each, member in found.members.items()
        if member.is_attribute and "property" not in member.labels
    }
    if "__init__" not in found.all_members and "__new__" not in found.all_members:
        with contextlib.suppress(ValueError, TypeError):
            _set_constructor(found, cls)
    for each, member in fields.items():
        if member.docstring is None:
            del found.members[each]
        elif str(member.value or "").startswith(("attrs.field", "field(", "_records.field(")):
            member.value = None


def _say_what_fields_mean(found: Any, cls: type) -> None:
    """Give each field of a record the meaning, and the unit, that its declaration states."""
    for field in members(cls) if hasattr(cls, "__record__") else ():
        member = found.members.get(field.name)
        if member is not None and member.docstring is None and field.about.with_unit:
            member.docstring = griffe.Docstring(field.about.with_unit, parent=member)


def _set_constructor(found: Any, cls: type) -> None:
    """Add the constructor that *cls* has at run time, with the types that the source gives to its fields."""
    parameters = []
    for parameter in inspect.signature(cls).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            return  # an exception's, or a protocol's: it says nothing
        default = None if parameter.default is parameter.empty else _shown_default(parameter.default)
        kind = griffe.ParameterKind[parameter.kind.name.lower()]
        annotation = _annotation(found, parameter.name)
        parameters.append(griffe.Parameter(parameter.name, annotation=annotation, kind=kind, default=default))
    if parameters:
        itself = griffe.Parameter("self", kind=griffe.ParameterKind.positional_or_keyword)
        function = griffe.Function("__init__", parameters=griffe.Parameters(itself, *parameters))
        found.set_member("__init__", function)


def _name_inherited(found: Any) -> None:
    """Say at the end of the docstring which methods and properties *found* has from its bases."""
    known = api.public_names()
    said: dict[str, list[str]] = {}
    for name, member in found.inherited_members.items():
        target = member.final_target
        base = target.parent.path
        if name.startswith("_") or target.docstring is None:
            continue
        if base in known:
            said.setdefault(f"[`{known[base].path}`][]", []).append(f"[`{name}`][{known[base].path}.{name}]")
        else:
            found.set_member(name, target)  # its class is private, so no other page describes it
    if said and found.docstring is not None:
        found.docstring.value += "\n"
        for base, names in said.items():
            found.docstring.value += f"\nFrom {base}: {', '.join(names)}.\n"


def _valued(default: Any, pkg: Any) -> Any:
    """Return the value of a *default* that names a constant: a reader has no module to look FIXES up in.

    A value is shown as the source writes it, such as ``512 << 20``, if it is made of literals.
    """
    path = getattr(default, "canonical_path", "")
    if not path.startswith(f"{pkg.path}."):
        return default
    with contextlib.suppress(KeyError, AttributeError, SyntaxError, griffe.AliasResolutionError):
        value = _valued(pkg[path.removeprefix(f"{pkg.path}.")].value, pkg)
        nodes = ast.walk(ast.parse(str(value), mode="eval"))
        if all(isinstance(each, (ast.Expression, ast.Constant, ast.BinOp, ast.operator)) for each in nodes):
            return str(value)
    return default  # a member of an enumeration, or what no literal writes


def _shown_default(value: object) -> str:
    """Return a default as the source would write it; "..." for a value that has no short form."""
    if value is attrs.NOTHING:
        return "..."  # a factory makes it
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    text = repr(value)
    # The address of a function is another one on each machine.
    return text if isinstance(value, _PLAIN) and len(text) < 60 and " at 0x" not in text else "..."


def _annotation(found: Any, name: str) -> Any:
    """Return the type of the field *name*, which the class itself or a base of it declares."""
    for each in (name, f"_{name}"):
        for member in (found.members.get(each), found.all_members.get(each)):
            if member is not None and member.is_attribute:
                return member.annotation
    return None


def _show_members(found: Any, cls: type[enum.Enum]) -> None:
    """Add the members of an enumeration to its docstring, as a table."""
    rows = []
    for member in cls:
        said = found.members.pop(member.name, None)
        text = " ".join(said.docstring.value.split()) if said is not None and said.docstring is not None else ""
        rows.append(f"| `{member.name}` | `{member.value!r}` |" + (f" {text} |" if text else ""))
    widest = max(row.count(" |") for row in rows)
    heads = ["member", "value", "meaning"][:widest]
    table = [f"| {' | '.join(heads)} |", "|---" * widest + "|", *rows]
    if found.docstring is not None:
        found.docstring.value += "\n\n" + "\n".join(table)


def _paths_in(scope: Any) -> Callable[[str], str]:
    """Return the function that finds what a docstring of *scope* names, as code in the same place would."""
    module = scope if scope.is_module else scope.module

    def path_of(target: str) -> str:
        name = target.lstrip(".")
        candidates = [name, f"{module.path}.{name}"]
        with contextlib.suppress(griffe.NameResolutionError):
            first, dot, rest = name.partition(".")
            candidates.append(f"{scope.resolve(first)}{dot}{rest}")
        for each in candidates:
            # A method is described with its class.
            for path in (each, each.rpartition(".")[0]):
                if path in api.paths() and path != api.FACADE:
                    return api.paths()[path]
        return ""

    return path_of
