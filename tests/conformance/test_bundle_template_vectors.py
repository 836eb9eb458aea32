"""Templates over bundles in images, rendered by ``opm`` (operator-registry 1.73.0), with and without its migration.

A record has the template (``input``), the files of each bundle by its image, and what ``opm alpha render-template
--migrate-level LEVEL`` printed for two levels: blobs, or an error where Go's types refuse a ClusterServiceVersion.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from olmsolve.authoring import templates
from olmsolve.errors import CatalogError
from tests.recorded import VENDORED, Record, records

RECORDS = records(VENDORED / "bundle_templates.jsonl.gz")
WHOLE, METADATA = "none", "bundle-object-to-csv-metadata"


def ordered(blobs: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Sort bundles by image, whose order is random in ``opm``; other blobs keep their order."""
    return sorted(blobs, key=lambda blob: blob.get("image", "") if blob["schema"] == "olm.bundle" else "")


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record["name"])
@pytest.mark.parametrize("level", [WHOLE, METADATA])
def test_bundles_are_rendered_as_recorded(record: Record, level: str, tmp_path: Path) -> None:
    """Package, channels and bundles are the same, icon and description included; what ``opm`` refuses, so do we."""
    folders = {}
    for number, (image, files) in enumerate(record["bundles"].items()):
        folders[image] = tmp_path / str(number)
        for name, text in files.items():
            path = folders[image] / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8", newline="")
    renderer = templates.bundles_by_path(folders, with_objects=level == WHOLE)
    if "error" in record[level]:
        # Go's error names the field: "... Go struct field ClusterServiceVersion.spec.icon of type []v1alpha1.Icon".
        field = record[level]["error"].partition("ClusterServiceVersion.spec.")[2].partition(" ")[0].split(".")[0]
        with pytest.raises(CatalogError, match=rf"spec\.{field}\b"):
            templates.render_template(io.StringIO(record["input"]), renderer)
        return
    rendered = templates.render_template(io.StringIO(record["input"]), renderer)
    assert ordered(rendered) == ordered(record[level]["blobs"])
