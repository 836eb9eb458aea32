"""Explanations in all forms, written to files beside an answer, and the lines at the top of each page.

These lines say which cluster or request, and which catalogs, with their digests, and when. The variable
``SOURCE_DATE_EPOCH`` sets the time, so that a page can be made again to the byte.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import olmsolve
from olmsolve import render
from olmsolve.cli.catalogs import named_catalog
from olmsolve.cli.output import json_text, style

if TYPE_CHECKING:
    import datetime

_FILE_WIDTH: Final = 100


def _text(explanation: olmsolve.Explanation) -> str:
    return render.explanation_text(explanation, width=_FILE_WIDTH) + "\n"


def _json(explanation: olmsolve.Explanation) -> str:
    return json_text(explanation.to_dict(), indent=2) + "\n"


FORMS: Final[dict[str, Callable[[olmsolve.Explanation], str]]] = {
    "text": _text,
    "markdown": lambda explanation: render.explanation_markdown(explanation),
    "json": _json,
    "mermaid": lambda explanation: render.explanation_mermaid(explanation),
    "html": lambda explanation: render.explanation_html(explanation),
}
"""The renderer of each form, whose result ends with a line end; text is as wide as in pipes.

The functions look their renderer up when they are called: no form but the wanted one is imported.
"""


def on_terminal(explanation: olmsolve.Explanation) -> str:
    """Return *explanation* as text for standard output."""
    layout = style()
    if sys.stdout.isatty():
        # On terminals a tree with guides, where rich is installed; pipes and files get plain lines.
        with contextlib.suppress(ImportError):
            return render.explanation_rich(explanation, width=layout.width, colour=layout.colour)
    return render.explanation_text(explanation, width=layout.width, colour=layout.colour)


def form_and_file(text: str) -> tuple[str, Path]:
    """Return the two parts of *text*, which is ``FORM=FILE``. Raises RequestError."""
    form, _, file = text.partition("=")
    if form not in FORMS or not file:
        hint = f"forms are {', '.join(FORMS)}"
        raise olmsolve.RequestError("not of the form FORM=FILE", field=f"--explain {text}", hint=hint)
    return form, Path(file)


def write_explanation(failure: olmsolve.OlmsolveError, targets: Iterable[tuple[str, Path]]) -> None:
    """Write the explanation of *failure* to each of *targets*, a form and a file; without any, nothing is worked out.

    Raises RequestError for a file that cannot be written.
    """
    targets = list(targets)
    if targets:
        explanation = olmsolve.explanation(failure)
        for form, path in targets:
            _write(form, path, FORMS[form](explanation))


def write_page(page: Callable[[], str], targets: Iterable[tuple[str, Path]]) -> None:
    """Write the *page* of a plan to the html files of *targets*; the other forms apply to failures only.

    Raises RequestError for a file that cannot be written.
    """
    for form, path in targets:
        if form == "html":
            _write(form, path, page())


def _write(form: str, path: Path, content: str) -> None:
    from olmsolve._whole_files import write_whole  # most explanations are printed alone

    try:
        write_whole(path, [content.encode()])
    except OSError as error:
        reason = error.strerror or str(error)
        raise olmsolve.RequestError(f"cannot be written: {reason}", field=f"--explain {form}={path}") from error


DATE_VARIABLE: Final = "SOURCE_DATE_EPOCH"
"""The environment variable with the seconds since 1970 that count as now; files are not later than that."""

_HEX: Final = 12  # digits of a digest on a page, as container tools shorten them


def about_page(options: argparse.Namespace, situation: olmsolve.Situation | None = None) -> tuple[str, ...]:
    """Return what the page of a command is made of: the files that *options* name, the other catalogs, the time.

    The other catalogs are those that *situation* has from a request document or from the objects of a cluster.

    Raises:
        RequestError: ``SOURCE_DATE_EPOCH`` is no number of seconds.
    """
    now = _now()
    parts = [*_inputs(options, now), *_catalogs("catalog", _given_catalogs(options, situation), now)]
    # The impact of a change has two sides, and this one may be a catalog or manifests.
    earlier = [text.rpartition("=") for text in getattr(options, "before", None) or []]
    parts += _catalogs("before", ((name, path) for name, _, path in earlier), now)
    parts += [f"change {_dated(path, now)}" for path in getattr(options, "change", None) or []]
    return (*dict.fromkeys(parts), f"made {_shown_time(now)}")


def _inputs(options: argparse.Namespace, now: datetime.datetime) -> Iterator[str]:
    document = getattr(options, "document", None)
    for path in [*([] if document is None else [document]), *(getattr(options, "requests", None) or [])]:
        yield f"request {_dated(path, now)}"
    if wishes := getattr(options, "subscriptions", None):
        yield f"request for {', '.join(wishes)}"
    if template := getattr(options, "template", None):
        yield f"template {_dated(template, now)}"
    for path in getattr(options, "cluster", None) or []:
        yield f"cluster {_dated(path, now)}"
    folder = getattr(options, "clusters", None)
    for path in [folder] if isinstance(folder, str | Path) else folder or []:
        yield f"clusters {_dated(str(path), now)}"


def _given_catalogs(options: argparse.Namespace, situation: olmsolve.Situation | None) -> Iterator[tuple[str, str]]:
    """Yield the name of each catalog ("" for none) and the path that its content is read from."""
    given = getattr(options, "catalogs", None) or []
    # A package's update graph is drawn of one catalog.
    texts = [*([given] if isinstance(given, str) else given)]
    if isinstance(catalog := getattr(options, "catalog", None), str):
        texts.append(catalog)
    given_names = set()
    for text in texts:
        # A path alone is a catalog as well, and may be followed by a priority.
        name, given_path, _ = named_catalog(text if "=" in text else f"catalog={text}")
        given_names.add(name)
        yield (name if "=" in text else ""), str(given_path)
    for name, path in () if situation is None else _read_catalogs(situation):
        if name not in given_names:
            yield name, path


def _read_catalogs(situation: olmsolve.Situation) -> Iterator[tuple[str, str]]:
    if situation.cluster is not None:
        yield from olmsolve.requests.known_paths(situation.cluster.contents)
    for question in situation.questions:
        if question.is_document:
            request = question.request()
            for source in request.sources if isinstance(request, olmsolve.Request) else request.catalogs:
                if isinstance(source.catalog, olmsolve.Catalog) and source.catalog.origin is not None:
                    yield getattr(source, "key", source.name), str(source.catalog.origin)


def _catalogs(noun: str, catalogs: Iterable[tuple[str, str]], now: datetime.datetime) -> Iterator[str]:
    for name, path in catalogs:
        yield f"{noun} {f'{name}=' if name else ''}{_dated(path, now, _digest(path))}"


def _dated(path: str, now: datetime.datetime, digest: str = "") -> str:
    """Return *path*, then in brackets its *digest* and the time of its last change, where there is one."""
    details = ", ".join(filter(None, (digest, _written(path, now))))
    return f"{path} ({details})" if details else path


def _written(path: str, now: datetime.datetime) -> str:
    try:
        modified = Path(path).stat().st_mtime
    except (OSError, ValueError):
        return ""  # an image, an address, a running cluster: no file says when
    import datetime  # few answers are pages, and no other should wait for it

    # A checkout is written when it is made, whatever it contains.
    return _shown_time(min(datetime.datetime.fromtimestamp(modified, datetime.UTC), now))


def _now() -> datetime.datetime:
    import datetime  # as above

    setting = os.environ.get(DATE_VARIABLE)
    try:
        return (
            datetime.datetime.now(datetime.UTC)
            if not setting
            else datetime.datetime.fromtimestamp(int(setting), datetime.UTC)
        )
    except (ValueError, OverflowError, OSError):
        hint = "example: 1767225600"
        raise olmsolve.RequestError("must be seconds since 1970", field=DATE_VARIABLE, hint=hint) from None


def _shown_time(time: datetime.datetime) -> str:
    return time.strftime("%Y-%m-%d %H:%M UTC")


def _digest(path: str) -> str:
    from olmsolve.catalog.index_files import content_digest

    try:
        digest = content_digest(path)
    except olmsolve.CatalogError:
        return ""
    return "" if digest is None else f"sha256:{digest.hex()[:_HEX]}"
