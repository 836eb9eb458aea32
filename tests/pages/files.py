"""Files that pages make, for tests that hold them to more than the page does."""

from __future__ import annotations

import importlib.util
import tempfile
from pathlib import Path
from types import ModuleType

from tests.pages.blocks import ROOT, File, read_page

__all__ = ["file_of", "module_of"]


def file_of(page: str, name: str) -> str:
    """Return the text of the file *name* that *page* (such as ``docs/events.md``) makes."""
    steps = read_page((ROOT / page).read_text("utf-8")).steps
    (text,) = (step.text for step in steps if isinstance(step, File) and step.name == name)
    return text


def module_of(page: str, name: str) -> ModuleType:
    """Import the file *name* that *page* makes, as a module of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_text(file_of(page, name), "utf-8")
        spec = importlib.util.spec_from_file_location(f"page_{path.stem}", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return module
