"""YAML files of tests, read by libyaml: the reader in Python takes ten times as long."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

__all__ = ["yaml_documents"]


def yaml_documents(file: Path) -> list[Any]:
    """Return the documents in *file*, which the caller may change."""
    return list(yaml.load_all(file.read_text("utf-8"), yaml.CSafeLoader))
