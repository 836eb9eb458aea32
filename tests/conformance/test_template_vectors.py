"""Recorded renderings of catalog templates, with their refusals."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from olmsolve.authoring import templates
from olmsolve.errors import CatalogError
from olmsolve.semver import quote
from tests.recorded import VENDORED, Record, records

# What follows here is worded by Go's libraries, differently from release to release.
LIBRARY = (
    "error unmarshaling JSON:",
    "error converting YAML to JSON:",
    "unmarshalling template:",
)

Template = Callable[[Any, templates.Renderer], templates.Rendered]


def renderer_of(record: Record) -> templates.Renderer:
    """The one that was there when the vectors were recorded."""

    def rendered(image: str) -> Iterable[dict[str, Any]]:
        if image not in record["bundles"]:
            raise CatalogError(f"test renderer: unknown image {quote(image)}")
        blobs: list[dict[str, Any]] = record["bundles"][image]
        return blobs

    return rendered


def beginning(message: str) -> str:
    for library in LIBRARY:
        head, separator, _ = message.partition(library)
        if separator:
            return head + separator
    return message


def check(template: Template, record: Record) -> None:
    def rendered() -> templates.Rendered:
        return template(io.StringIO(record["input"]), renderer_of(record))

    if "output" not in record:
        with pytest.raises(CatalogError) as refused:
            rendered()
        # Where upstream crashes any refusal is right.
        if "error" in record:
            assert beginning(refused.value.reason) == beginning(record["error"])
        return
    ours, expected = rendered(), record["output"]
    for group in ("packages", "channels", "deprecations", "others"):
        assert list(getattr(ours, group)) == (expected.get(group) or []), group
    bundles = list(ours.bundles)
    if template is templates.render_semver:
        # Upstream's order is random, so the recording is sorted.
        bundles.sort(key=lambda bundle: str(bundle["image"]))
    assert bundles == (expected.get("bundles") or [])
    assert templates.render_template(io.StringIO(record["input"]), renderer_of(record)) == ours


@pytest.mark.parametrize("record", records(VENDORED / "semver_template.jsonl.gz"), ids=lambda record: record["name"])
def test_semver_templates_are_as_recorded(record: Record) -> None:
    """Authors move from opm with their templates as they are."""
    check(templates.render_semver, record)


@pytest.mark.parametrize("record", records(VENDORED / "basic_template.jsonl.gz"), ids=lambda record: record["name"])
def test_basic_templates_are_as_recorded(record: Record) -> None:
    """The same blobs in the same order, and the same refusals."""
    check(templates.render_basic, record)
