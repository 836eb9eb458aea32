"""Recorded ``opm alpha render-graph``: mermaid text of whole catalogs and of parts of them."""

from __future__ import annotations

import io

import pytest

from olmsolve.catalog import Catalog
from olmsolve.catalog.fbc import from_blobs, load
from olmsolve.errors import CatalogError
from olmsolve.render import update_graph_mermaid
from tests.recorded import VENDORED, Record, records


def catalog_of(record: Record) -> Catalog:
    text: str = record["catalog"]
    # A file without a document is no catalog to load, but one of no blobs can be drawn.
    return load(io.StringIO(text)) if text.strip() else from_blobs(())


@pytest.mark.parametrize("record", records(VENDORED / "render_graph.jsonl.gz"), ids=lambda record: record["name"])
def test_graphs_are_as_recorded(record: Record) -> None:
    """The same text to the byte: people keep these graphs in their repositories and compare them."""
    options = record["options"]
    catalog = catalog_of(record)

    def drawn() -> str:
        return update_graph_mermaid(
            catalog,
            minimum_edge=options["minimum_edge"],
            package=options["package_name"],
            v0_semantics=options["draw_v0_semantics"],
        )

    if "error" in record:
        with pytest.raises(CatalogError) as refused:
            drawn()
        assert refused.value.reason == record["error"]
    else:
        assert drawn() == record["mermaid"]
