"""The notebook of the documentation, executed as a reader would, and what its cells show."""

from __future__ import annotations

import html
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

NOTEBOOK = Path(__file__).parents[2] / "docs/examples/notebook.ipynb"


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, str]:
    """The notebook with its outputs, and the page that nbconvert makes of it."""
    nbformat = pytest.importorskip("nbformat", reason="nbconvert is not installed")
    preprocessors = pytest.importorskip("nbconvert.preprocessors", reason="nbconvert is not installed")
    exporters = pytest.importorskip("nbconvert", reason="nbconvert is not installed")
    folder = tmp_path_factory.mktemp("notebook")
    kernels = folder / "kernels" / "olmsolve-test"
    kernels.mkdir(parents=True)
    # The kernel of this environment, whatever others are installed for this user.
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    (kernels / "kernel.json").write_text(json.dumps({"argv": command, "display_name": "t", "language": "python"}))
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("JUPYTER_PATH", str(folder))
        patched.setenv("IPYTHONDIR", str(folder / "ipython"))
        work = preprocessors.ExecutePreprocessor(timeout=60, kernel_name="olmsolve-test")
        work.preprocess(notebook, {"metadata": {"path": str(folder)}})
    page, _ = exporters.HTMLExporter().from_notebook_node(notebook)
    return notebook, page


@pytest.mark.filterwarnings("ignore")
def test_every_cell_shows_its_picture(executed: tuple[Any, str]) -> None:
    """A plan, why, a comparison, an explanation and a graph are drawn; an audit is a page; the last cell is a line."""
    notebook, page = executed
    codes = [cell for cell in notebook.cells if cell.cell_type == "code"]
    frames = [_page(cell) for cell in codes[:-1]]
    titles = [re.search(r"<title>([^<]*)</title>", frame) for frame in frames]
    assert [title and html.unescape(title[1]) for title in titles] == [
        "Plan: 5 bundles to install",
        "Why keyring.v1.0.2 is in the plan",
        "What differs between two plans",
        "No plan",
        "Update graphs of storefront",
        "Audit of catalogs",
    ]
    assert all("<svg" in frame for frame in frames[:3])
    assert "<svg" in frames[4]
    assert codes[-1].outputs[0]["data"]["text/plain"].startswith("'<Resolution: storefront.v2.1.0, ")
    assert len(re.findall(r"<iframe [^>]*srcdoc=", page)) == len(frames)


def _page(cell: Any) -> str:
    """The page in the frame of the output of *cell*."""
    [output] = cell.outputs
    match = re.search(r'srcdoc="([^"]*)"', output["data"]["text/html"])
    assert match is not None
    return html.unescape(match[1])


def test_the_notebook_is_kept_without_outputs() -> None:
    """Outputs in the repository would be those of another version."""
    cells = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells)
