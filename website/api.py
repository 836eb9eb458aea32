"""The Python reference: every public name, where it is documented, and a page for each door.

``olmsolve/_public.py`` lists the names, by door and subject. The facade has a page for each subject, every other door
has one for itself, and the main classes have pages of their own. A name may be exported by several doors:
``olmsolve.Bundle`` is ``olmsolve.catalog.Bundle``, too. Its *public path* is the shortest one, whose page describes it;
the pages of the other doors link there. Everything is read from the source, as type checkers do it, so nothing is
imported; mkdocstrings fills in signatures and docstrings.
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
MAIN: Final = (
    "olmsolve.Catalog",
    "olmsolve.Request",
    "olmsolve.Situation",
    "olmsolve.Policy",
    "olmsolve.ClusterState",
    "olmsolve.Resolver",
    "olmsolve.Resolution",
    "olmsolve.Unsatisfiable",
    "olmsolve.Explanation",
    "olmsolve.Simulation",
    "olmsolve.AuditReport",
    "olmsolve.ImpactReport",
    "olmsolve.v1.ExtensionRequest",
    "olmsolve.v1.ExtensionResolution",
)
"""The classes with a page of their own, which shows an example and every method."""

# The errors whose names do not end with "Error", or that are derived from one of these.
_ERRORS: Final = frozenset({"CatalogErrors", "Exception", "Incomplete", "ResolutionFailure", "Unsatisfiable"})


_PROMPT: Final = re.compile(r"^ *>>> ", re.MULTILINE)


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
        found[canonical] = PublicName(path, canonical, kind, _sentence(docstring), _page_of(path))
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


def subject_page(subject: str) -> str:
    """Return the path, below docs/, of the page about a *subject* of the facade."""
    return f"{FOLDER}/{_slug(subject)}.md"


def navigation() -> list[dict[str, Any]]:
    """Return the part of the navigation with the pages of all doors: titles with pages, or with more of the same.

    The names are those that programs import, without the package's own. A door with rooms stands above them, so that
    the list is as long as there are wings, and a wing opens.
    """
    facade: list[dict[str, Any]] = [{subject: subject_page(subject)} for subject in PUBLIC[FACADE]]
    classes = [{path.removeprefix(f"{FACADE}."): _page_of(path)} for path in MAIN]
    found: list[dict[str, Any]] = [{"All names": f"{FOLDER}/names.md"}, {FACADE: facade}, {"Main classes": classes}]
    by_wing: dict[str, list[dict[str, str]]] = {}
    for door in doors()[1:]:
        by_wing.setdefault(wing(door), []).append({door.removeprefix(f"{FACADE}."): door_page(door)})
    return found + [pages[0] if len(pages) == 1 else {name: pages} for name, pages in by_wing.items()]


def pages() -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each page."""
    yield door_page(FACADE), _index()
    yield f"{FOLDER}/names.md", _all_names()
    for subject in PUBLIC[FACADE]:
        here = subject_page(subject)
        names = _names_of(FACADE, subject)
        yield here, page(f"olmsolve: {_lowered(subject)}", _listed(names), *_described(names, here))
    for door in doors()[1:]:
        here = door_page(door)
        parts = [page(code(door), _OVERVIEW.format(door)).rstrip("\n")]
        for subject in PUBLIC[door]:
            names = _names_of(door, subject)
            parts += [_heading(subject), _listed(names), *_described(names, here)]
        yield here, "\n\n".join(parts) + "\n"
    for path in MAIN:
        title = code(path.removeprefix(f"{FACADE}."))
        yield _page_of(path), page(title, f"::: {path}")


def _index() -> str:
    modules = []
    for door in doors()[1:]:
        docstring = ast.get_docstring(parsed(NAMES[door])) or ""
        purpose = PUBLIC_MODULES.get(door) or (WINGS[wing(door)].purpose if door.count(".") == 1 else "")
        modules.append((f"[{code(door)}]({door}.md)", without_roles(_sentence(docstring)) or plain(purpose)))
    subjects = []
    for subject in PUBLIC[FACADE]:
        shown = ", ".join(code(name.path.removeprefix(f"{FACADE}.")) for name in _names_of(FACADE, subject)[:5])
        subjects.append((f"[{subject}]({_slug(subject)}.md)", f"{shown}, ..."))
    classes = ", ".join(f"[{code(path.removeprefix(f'{FACADE}.'))}]({path}.md)" for path in MAIN)
    return page(
        "Python",
        "Programs import from `olmsolve` and from the modules below; everything else is private."
        " Each name is described once, at its shortest path; [one page](names.md) lists all, each with its use.",
        f"The main classes have pages of their own: {classes}.",
        "## The facade",
        _OVERVIEW.format(FACADE),
        table(("subject", "names"), subjects),
        "## Modules",
        table(("module", "what it is for"), modules),
    )


def _all_names() -> str:
    """Return the page with a line for each public name; a name of several doors stands under each of them."""
    parts = ["Every name that programs may import, by module and subject."]
    for door in doors():
        parts.append(f"## {code(door)} {{ #{door.replace('.', '-')} data-search-exclude }}")
        for subject in PUBLIC[door]:
            parts += [f"**{subject}**", _listed(_names_of(door, subject))]
    return page("All public names", *parts)


def _names_of(door: str, subject: str) -> list[PublicName]:
    """Return the names of *door* about *subject*, in the order of the list."""
    return [public_names()[exports(door)[name]] for name in PUBLIC[door][subject].split()]


def _listed(names: list[PublicName]) -> str:
    return table(("name", "what it is for"), [(_linked(each.path), without_roles(each.summary)) for each in names])


def _described(names: list[PublicName], here: str) -> Iterator[str]:
    """Yield the definitions of those *names* that the page *here* describes."""
    yield from (f"::: {each.path}" for each in names if each.page == here)


def _heading(subject: str) -> str:
    return f"## {subject} {{ #{_slug(subject)} data-search-exclude }}"


def _slug(subject: str) -> str:
    return subject.lower().replace(" ", "-")


def _lowered(subject: str) -> str:
    """Return *subject* as it stands within a title: OLM stays OLM."""
    return subject if subject[:2].isupper() else subject[0].lower() + subject[1:]


def _linked(path: str) -> str:
    return f"[{code(path.removeprefix(f'{FACADE}.'))}][{path}]"


def without_roles(text: str) -> str:
    """Return one sentence of a docstring as Markdown, its references as code."""
    text = re.sub(r":\w+:`~?\.?([^`]+)`", lambda found: f"`{found[1].rpartition('.')[2]}`", text)
    text = re.sub(r"``(.+?)``", r"`\1`", text)
    return re.sub(r"\\\*([\w\\]+?)\\\*", r"*\1*", plain(text))


def _page_of(path: str) -> str:
    if path in MAIN:
        return f"{FOLDER}/{path}.md"
    door, _, name = path.rpartition(".")
    if door != FACADE:
        return door_page(door)
    return subject_page(next(subject for subject, names in PUBLIC[FACADE].items() if name in names.split()))


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
    for text in filter(_PROMPT.search, _texts(canonical)):
        yield "\n".join(line.strip()[4:] for line in text.splitlines() if line.strip()[:3] in (">>>", "..."))


def texts_of(canonical: str) -> str:
    """Return the docstrings of a public name and of its members, one after the other."""
    return "\n\n".join(_texts(canonical))


def _texts(canonical: str) -> Iterator[str]:
    node, docstring = _definition(canonical)
    yield docstring
    for each in node.body if isinstance(node, ast.ClassDef) else ():
        if isinstance(each, ast.FunctionDef):
            yield ast.get_docstring(each) or ""


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
