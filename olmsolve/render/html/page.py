"""The frame of every page: its style, its scripts, and a policy that keeps it from loading anything.

Above the frame are elements of HTML and SVG as text, escaped as they are made: strangers write names and messages.

>>> element("p", "a < b ", element("b", "bold"), class_="note")
'<p class="note">a &lt; b <b>bold</b></p>'

Below the frame are the parts that several pages have: marks, search fields, and the list of what is held back.
"""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import resources
from typing import Final

from olmsolve._version import __version__
from olmsolve.answers.held_back import HeldBackBundle, HeldBackOperator
from olmsolve.cluster import Hindrance
from olmsolve.render.layout import counted, plain
from olmsolve.requests import QuestionAnswer

_VOID = frozenset({"br", "hr", "input", "link", "meta"})


class Markup(str):
    """Text that is markup already; every other text is escaped when it becomes part of an element."""

    __slots__ = ()


def text(value: str) -> Markup:
    """Return *value* as the content of an element, escaped, and with control characters shown as escapes."""
    return Markup(html.escape(plain(value), quote=False))


def element(name: str, /, *children: str, **attributes: str | int | bool | None) -> Markup:
    """Return the element *name*. In names of attributes, a trailing ``_`` is dropped and others become hyphens.

    An attribute that is None or False is left out, one that is True has no value.
    """
    opening = [name]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        shown = key.rstrip("_").replace("_", "-")  # class for class_, data-name for data_name
        if value is True:
            opening.append(shown)
        elif isinstance(value, int):
            opening.append(f'{shown}="{value}"')
        else:
            opening.append(f'{shown}="{html.escape(plain(value))}"')
    if name in _VOID:
        return Markup(f"<{' '.join(opening)}>")
    return Markup(f"<{' '.join(opening)}>{joined(children)}</{name}>")


def joined(parts: Iterable[str], separator: str = "") -> Markup:
    """Join *parts*, and escape all but markup."""
    return Markup(separator.join(part if isinstance(part, Markup) else text(part) for part in parts))


def page(
    title: str,
    body: Iterable[str],
    *,
    about: Iterable[str] = (),
    styles: Iterable[str] = (),
    scripts: Iterable[str] = (),
) -> str:
    """Return a whole document that ends with a line end.

    *about* says what the page was made of: which cluster, which catalogs; the version of olmsolve is added. A page is
    kept and sent around, and outlives the moment that it shows.

    *styles* and *scripts* name files beside this module, without their suffix; the frame's own files come first. The
    content security policy has the digests of exactly these texts, so that no script in *body* can run.
    """
    style = "\n".join(_resource(f"{name}.css") for name in ("page", *styles))
    script = "\n".join(_resource(f"{name}.js") for name in ("page", *scripts))
    policy = f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="generator", content="olmsolve"),
        element("title", title),
        element("style", Markup(style)),
    )
    switch = {"class_": "theme", "type": "button", "data_action": "theme", "aria_label": "Dark or light"}
    theme = element("button", **switch, title="Dark or light", hidden=True)
    header = element("header", element("h1", title), theme)
    made_of = element("ul", *(element("li", part) for part in (*about, f"olmsolve {__version__}")), class_="about")
    document = element(
        "html", head, element("body", header, made_of, *body, element("script", Markup(script))), lang="en"
    )
    return f"<!DOCTYPE html>\n{document}\n"


# Every page has the same style and scripts: reading a file of the package takes 17 µs.
@cache
def _resource(name: str) -> str:
    return resources.files("olmsolve.render.html").joinpath(name).read_text("utf-8").strip()


def _digest(content: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}"


# A message of a controller may name every candidate of a subscription, which takes pages.
_LONGEST: Final = 1_000
_MOST_LINES: Final = 50  # of a list on a page; JSON has all


def mark(kind: str, words: str) -> Markup:
    """Return *words* as a coloured mark; *kind* is a class of ``page.css``."""
    return element("span", words, class_=f"mark {kind}")


def search_field(label: str, *beside: Markup, placeholder: str = "part of a name", **target: str) -> Markup:
    """Return a search field and the markup *beside* it, hidden without a script.

    The *target* is what it searches: the elements of a selector (``data_filters``) that have ``data-filter``, or what
    the script of the page knows by the field's ``id``.
    """
    field = element("input", type="search", **target, placeholder=placeholder, autocomplete="off")
    return element("p", element("label", f"{label}: ", field), *beside, class_="filter", hidden=True)


def row_table(headings: Iterable[str], rows: Iterable[Markup]) -> Markup:
    """Return a table that scrolls; on a phone each of *rows* is a stack of its cells, with their ``data-label``."""
    head = element("thead", element("tr", *(element("th", heading, scope="col") for heading in headings)))
    return element("div", element("table", head, element("tbody", *rows), class_="stack"), class_="scroll")


def shortened(text: str) -> str:
    """Return *text*, cut at a length that nobody reads on a page."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ..."


def bounded_list(texts: Iterable[str | Markup], noun: str, **attributes: str) -> Markup:
    """Return *texts* as a list of at most 50 entries, the last of which counts the *noun* that are left out."""
    shown = list(texts)
    entries = [element("li", shortened(text) if not isinstance(text, Markup) else text) for text in shown[:_MOST_LINES]]
    if len(shown) > _MOST_LINES:
        entries.append(element("li", f"... and {counted(len(shown) - _MOST_LINES, noun)} more", class_="soft"))
    return element("ul", *entries, **attributes)


def unanswered_section(heading: str, errors: Iterable[QuestionAnswer[None]]) -> Iterator[Markup]:
    """Yield a section with the questions without an answer, each with its error; nothing where all are answered."""
    entries = [
        element("li", element("strong", error.question.name), f": {shortened(str(error.error))}") for error in errors
    ]
    if entries:
        yield element("section", element("h2", heading), element("ul", *entries, class_="left"))


def held_back_section(held_back: Iterable[HeldBackOperator], hindrances: Iterable[Hindrance]) -> Iterator[Markup]:
    """Yield a heading and what is held back from each subscription, and what the objects of the cluster say of it."""
    entries = [
        element(
            "li",
            f"subscription {operator.subscription} has ",
            element("code", operator.candidate.name),
            newer_list(operator.newer),
            data_filter=f"{operator.subscription} {operator.candidate.name} {operator.candidate.package}".lower(),
        )
        for operator in held_back
    ]
    said = [str(hindrance) for hindrance in hindrances]
    if entries or said:
        yield element("h2", "Held back")
    if entries:
        yield element("ul", *entries, class_="held")
    if said:
        yield element("p", "The cluster's objects say:", class_="soft")
        yield bounded_list(said, "line")


def newer_list(newer: Iterable[HeldBackBundle]) -> Markup:
    """Return the *newer* bundles as a list, each with its obstacles."""
    return element("ul", *(element("li", *newer_bundle(bundle)) for bundle in newer))


def newer_bundle(newer: HeldBackBundle) -> tuple[str | Markup, ...]:
    """Return the name of the *newer* bundle, where it is, and what keeps it away."""
    candidate = newer.candidate
    where = ", ".join(filter(None, (candidate.channel, candidate.catalog)))
    return (element("code", candidate.name), f" ({where}): {shortened(newer.reason)}")
