"""The Python reference: every public name, where it is documented, and a page for each door.

A name may be exported by several doors: ``olmsolve.Bundle`` is ``olmsolve.catalog.Bundle``, too. Its *public path* is
the shortest one, and the page of that door documents it; the pages of the other doors link there. Everything is read
from the source, as type checkers do it, so nothing is imported; mkdocstrings fills in signatures and docstrings.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

from olmsolve._public import PUBLIC, is_public
from tests.architecture.imports import NAMES, home, imported, parsed, wing
from tests.architecture.wings import PUBLIC_MODULES, WINGS
from website.markdown import code, page, plain, table

FOLDER: Final = "reference/python"
"""The folder of the pages, below docs/."""

FACADE: Final = "olmsolve"
# What mkdocstrings replaces by the docstring of a module, without a heading of its own.
_OVERVIEW: Final = """\
::: {}
    options:
      members: false
      show_root_heading: false"""
_FACADE_PAGES: Final = {"function": "functions", "class": "classes", "constant": "classes", "error": "errors"}
_FACADE_TITLES: Final = {"Functions": "functions", "Classes": "classes", "Errors": "errors"}
# The errors whose names do not end with "Error", or that are derived from one of these.
_ERRORS: Final = frozenset({"CatalogErrors", "Exception", "Incomplete", "ResolutionFailure", "Unsatisfiable"})
_KINDS: Final = {"function": "Functions", "class": "Classes", "error": "Errors", "constant": "Constants"}


class PublicName(NamedTuple):
    """A name that programs may import.

    *path* is the shortest public path (``olmsolve.Bundle``), *canonical* the path of the definition
    (``olmsolve.catalog.model.Bundle``), *kind* one of function, class, error and constant, *summary* the first sentence
    of its docstring as it is written, and *page* the path of the page that documents it, below docs/.
    """

    path: str
    canonical: str
    kind: str
    summary: str
    page: str


@cache
def doors() -> tuple[str, ...]:
    """Return the public modules by name, the facade first."""
    return (FACADE, *sorted(PUBLIC.keys() - {FACADE}))


@cache
def exports(door: str) -> Mapping[str, str]:
    """Return the public names of *door* with the canonical path of each, modules left out."""
    found: dict[str, str] = {}
    for source, name, _ in imported(NAMES[door]):
        if door in PUBLIC_MODULES or not is_public(door, name) or not source.startswith(FACADE):
            continue
        module = home(source, name)
        if module is not None and module != f"{source}.{name}":
            found[name] = f"{module}.{name}"
    for node in parsed(NAMES[door]).body:
        defined = _defined(node)
        if is_public(door, defined) and door in PUBLIC_MODULES:
            found[defined] = f"{door}.{defined}"
    return dict(sorted(found.items()))


@cache
def public_names() -> Mapping[str, PublicName]:
    """Return every public name by its canonical path."""
    paths: dict[str, list[str]] = {}
    for door in doors():
        for name, canonical in exports(door).items():
            paths.setdefault(canonical, []).append(f"{door}.{name}")
    found: dict[str, PublicName] = {}
    for canonical, known in paths.items():
        path = min(known, key=lambda each: (each.count("."), each))
        node, docstring = _definition(canonical)
        kind = _kind(canonical, node)
        found[canonical] = PublicName(path, canonical, kind, _sentence(docstring), _page_of(path, kind))
    return found


@cache
def paths() -> Mapping[str, str]:
    """Return every public path, short or long, and every canonical one, with the path that is documented.

    The doors are among them: each has a page.
    """
    found = {door: door for door in doors()}
    for canonical, public in public_names().items():
        found[canonical] = public.path
    for door in doors():
        for name, canonical in exports(door).items():
            found[f"{door}.{name}"] = public_names()[canonical].path
    return found


def door_page(door: str) -> str:
    """Return the path, below docs/, of the page about *door*."""
    return f"{FOLDER}/{'index' if door == FACADE else door}.md"


def navigation() -> list[dict[str, Any]]:
    """Return the part of the navigation with the pages of all doors: titles with pages, or with more of the same.

    The names are those that programs import, without the package's own. A door with rooms stands above them, so that
    the list is as long as there are wings, and a wing opens.
    """
    facade = [{title: f"{FOLDER}/{name}.md"} for title, name in _FACADE_TITLES.items()]
    found: list[dict[str, Any]] = [{FACADE: facade}]
    by_wing: dict[str, list[dict[str, str]]] = {}
    for door in doors()[1:]:
        by_wing.setdefault(wing(door), []).append({door.removeprefix(f"{FACADE}."): door_page(door)})
    return found + [pages[0] if len(pages) == 1 else {name: pages} for name, pages in by_wing.items()]


def pages() -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each page."""
    yield door_page(FACADE), _index()
    known = [public_names()[canonical] for canonical in exports(FACADE).values()]
    for title, name in _FACADE_TITLES.items():
        names = [each for each in known if _FACADE_PAGES[each.kind] == name]
        yield f"{FOLDER}/{name}.md", page(f"olmsolve: {title.lower()}", *_documented(names, f"{FOLDER}/{name}.md"))
    for door in doors()[1:]:
        names = [public_names()[canonical] for canonical in exports(door).values()]
        text = page(code(door), _OVERVIEW.format(door))
        yield door_page(door), "\n\n".join((text, *_documented(names, door_page(door)))) + "\n"


def _index() -> str:
    rows = []
    for door in doors()[1:]:
        docstring = ast.get_docstring(parsed(NAMES[door])) or ""
        purpose = PUBLIC_MODULES.get(door) or (WINGS[wing(door)].purpose if door.count(".") == 1 else "")
        rows.append((f"[{code(door)}]({door}.md)", without_roles(_sentence(docstring)) or plain(purpose)))
    return page(
        "Python",
        "Programs import from `olmsolve` and from the modules below; everything else is private."
        " Each name is described once, at its shortest path.",
        f"[Functions](functions.md), [classes](classes.md) and [errors](errors.md) of `{FACADE}` itself.",
        "## The facade",
        _OVERVIEW.format(FACADE),
        "## Modules",
        table(("module", "what it is for"), rows),
    )


def _documented(names: list[PublicName], here: str) -> Iterator[str]:
    """Yield the table of *names*, and the definitions of the names that the page *here* documents, by kind."""
    for kind, title in _KINDS.items():
        of_kind = [each for each in names if each.kind == kind]
        if not of_kind:
            continue
        yield f"## {title} {{ #{kind}-list data-search-exclude }}"
        rows = [(_linked(each.path), without_roles(each.summary)) for each in of_kind]
        yield table((kind, "what it is"), rows)
        for each in of_kind:
            if each.page == here:
                yield f"::: {each.path}"


def _linked(path: str) -> str:
    return f"[{code(path.removeprefix(f'{FACADE}.'))}][{path}]"


def without_roles(text: str) -> str:
    """Return one sentence of a docstring as Markdown, its references as code."""
    text = re.sub(r":\w+:`~?\.?([^`]+)`", lambda found: f"`{found[1].rpartition('.')[2]}`", text)
    text = re.sub(r"``(.+?)``", r"`\1`", text)
    return re.sub(r"\\\*(\w+)\\\*", r"*\1*", plain(text))


def _page_of(path: str, kind: str) -> str:
    door = path.rpartition(".")[0]
    return f"{FOLDER}/{_FACADE_PAGES[kind]}.md" if door == FACADE else door_page(door)


def _defined(node: ast.stmt) -> str:
    """Return the name that a statement of a module defines, "" for none."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return node.name
    if isinstance(node, (ast.AnnAssign, ast.TypeAlias) if hasattr(ast, "TypeAlias") else ast.AnnAssign):
        target = getattr(node, "target", None) or getattr(node, "name", None)
        return target.id if isinstance(target, ast.Name) else ""
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    return ""


def _definition(canonical: str) -> tuple[ast.stmt, str]:
    """Return the statement that defines a name, and its docstring: for a constant the text behind it.

    Raises:
        LookupError: the module has no such name.
    """
    module, _, name = canonical.rpartition(".")
    body = parsed(NAMES[module]).body
    # Of overloads, the last one is the function.
    for position, node in reversed([*enumerate(body)]):
        if _defined(node) == name:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                return node, ast.get_docstring(node) or ""
            behind = body[position + 1] if position + 1 < len(body) else None
            if isinstance(behind, ast.Expr) and isinstance(behind.value, ast.Constant):
                return node, str(behind.value.value)
            return node, ""
    raise LookupError(canonical)


def docstring_examples(canonical: str) -> Iterator[str]:
    """Yield the Python of the examples in the docstring of a public name, and in those of its members."""
    node, docstring = _definition(canonical)
    inner = node.body if isinstance(node, ast.ClassDef) else ()
    members = (each for each in inner if isinstance(each, ast.FunctionDef))
    for text in (docstring, *(ast.get_docstring(each) or "" for each in members)):
        yield "\n".join(line.strip()[4:] for line in text.splitlines() if line.strip()[:3] in (">>>", "..."))


def _kind(canonical: str, node: ast.stmt) -> str:
    if isinstance(node, ast.FunctionDef):
        return "function"
    if not isinstance(node, ast.ClassDef):
        return "constant"
    names = [canonical.rpartition(".")[2], *(getattr(base, "attr", getattr(base, "id", "")) for base in node.bases)]
    return "error" if any(each in _ERRORS or each.endswith("Error") for each in names) else "class"


def _sentence(docstring: str) -> str:
    """Return the first sentence of *docstring*, on one line."""
    paragraph = " ".join(docstring.partition("\n\n")[0].split())
    return re.split(r"(?<=[.?!]) (?=[A-Z*`\"])", paragraph)[0]
