"""YAML of tests, read and written by libyaml: in Python that takes ten times as long."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

__all__ = ["yaml_documents", "yaml_text"]


def yaml_documents(file: Path) -> list[Any]:
    """Return the documents in *file*, which the caller may change."""
    return list(yaml.load_all(file.read_text("utf-8"), yaml.CSafeLoader))


def yaml_text(*documents: Any) -> str:
    """Return *documents* as the text of one YAML file."""
    text: str = yaml.dump_all(documents, Dumper=yaml.CSafeDumper)
    return text
