"""The Python side of the playground: the example's files, and the page that answers the request in one of them.

It runs in Pyodide, after the archive with olmsolve is unpacked; the value of its last line is the function to call.
"""

from __future__ import annotations

import contextlib
import html
import json
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

_LIBRARY = "/lib/olmsolve"
if Path(_LIBRARY).is_dir() and _LIBRARY not in sys.path:
    sys.path.insert(0, _LIBRARY)

import olmsolve  # noqa: E402 - it is in the archive

_REQUESTS = ("unsatisfiable.yaml", "install.yaml", "upgrade.yaml", "passed-over.yaml")
_SECONDS = 20
_FAULT = """<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Fault</title>
<style>
  body {{ margin: 1.2rem; font: 15px/1.5 system-ui, sans-serif; }}
  pre {{ border-left: 4px solid #d9534f; padding-left: .9rem; white-space: pre-wrap; overflow-wrap: anywhere; }}
</style>
<h1>{}</h1><pre>{}</pre></html>
"""


def example() -> dict[str, str]:
    """Return the files that can be edited: the requests of the example, and its catalogs."""
    folder = Path(olmsolve.__file__).parent / "examples"
    paths = [*(folder / name for name in _REQUESTS), *sorted((folder / "catalogs").rglob("*.yaml"))]
    return {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in paths}


def answer(shown: str, files: str, folder: str = "/home/pyodide/playground") -> str:
    """Return the outcome, a summary and a page, as JSON, for the request in the file *shown*, else in the first one.

    *files* is an object of texts by path, as JSON; they are written into *folder*, which is emptied before.
    """
    given: Mapping[str, str] = json.loads(files)
    shutil.rmtree(folder, ignore_errors=True)
    for name, text in given.items():
        path = Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    request = shown if shown in _REQUESTS else _REQUESTS[0]
    # Pages name files, and the folder is nobody's concern.
    with contextlib.chdir(folder):
        outcome, summary, page = _answer(request)
    return json.dumps({"outcome": outcome, "summary": f"{request}: {summary}", "page": page})


def _answer(name: str) -> tuple[str, str, str]:
    try:
        # The files may come with a link from a stranger, and nothing else ends what keeps the tab busy.
        with olmsolve.limited(timeout=_SECONDS):
            request = olmsolve.read_request(name)
            try:
                plan = olmsolve.resolve(request, semantics="controller")
            except olmsolve.Unsatisfiable as failure:
                return "failure", "there is no plan", olmsolve.explanation_html(olmsolve.explanation(failure))
            count = len(plan.installs)
            summary = "nothing to install" if not count else f"{count} bundle{'s' * (count > 1)} to install"
            return "plan", summary, olmsolve.plan_html(plan)
    except olmsolve.Incomplete:
        said = f"It takes more than {_SECONDS} seconds. An installed olmsolve is quicker, and has no such limit."
        return "fault", "there is no answer in time", _FAULT.format("No answer in time", html.escape(said))
    except olmsolve.OlmsolveError as error:
        return "fault", "it cannot be read", _FAULT.format("This cannot be read", html.escape(str(error)))


answer  # noqa: B018 - what the page gets
