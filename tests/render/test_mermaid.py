"""Update graphs as mermaid text: what the recorded graphs do not show, and ``olmsolve graph``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from olmsolve.catalog import Catalog
from olmsolve.catalog.fbc import from_blobs
from olmsolve.catalog.update_graph import lane_layout, lanes
from olmsolve.errors import CatalogError
from olmsolve.render import update_graph_mermaid
from tests.cli.commands import runner
from tests.scale import LONG

COMMONS = Path(__file__).parents[2] / "olmsolve" / "examples" / "catalogs" / "commons"


def package(name: str, *entries: dict[str, Any], channel: str = "stable") -> list[dict[str, Any]]:
    """The blobs of a package of one channel, with a bundle for each entry (``name.vVERSION``)."""
    bundles = [
        {
            "schema": "olm.bundle",
            "package": name,
            "name": entry["name"],
            "properties": [
                {"type": "olm.package", "value": {"packageName": name, "version": entry["name"].partition(".v")[2]}}
            ],
        }
        for entry in entries
    ]
    return [
        {"schema": "olm.package", "name": name, "defaultChannel": channel},
        {"schema": "olm.channel", "package": name, "name": channel, "entries": list(entries)},
        *bundles,
    ]


def catalog(*blobs: dict[str, Any]) -> Catalog:
    return from_blobs(blobs)


def deprecation(name: str, *references: dict[str, str]) -> dict[str, Any]:
    entries = [{"reference": reference, "message": "old"} for reference in references]
    return {"schema": "olm.deprecations", "package": name, "entries": entries}


SKIPPING = ({"name": "a.v1.0.0"}, {"name": "a.v2.0.0", "skips": ["a.v1.0.0"]})


def test_deprecated_things_are_marked() -> None:
    """Package, channel and bundle each have a colour; a bundle that is skipped too has a class of both."""
    deprecated = deprecation(
        "a",
        {"schema": "olm.package"},
        {"schema": "olm.channel", "name": "stable"},
        {"schema": "olm.bundle", "name": "a.v1.0.0"},
        {"schema": "olm.bundle", "name": "a.v2.0.0"},
    )
    drawn = update_graph_mermaid(catalog(*package("a", *SKIPPING), deprecated))
    assert drawn.splitlines()[-4:] == [
        "style a fill:#989695",
        "style a-stable fill:#DCD0FF",
        "class a-stable-a.v2.0.0 deprecated",
        "class a-stable-a.v1.0.0 deprecatedskipped",
    ]


def test_links_are_counted_over_all_packages() -> None:
    """Upstream counts by the names of channels: the second channel's links go on where the first's ended."""

    def skipping_twice(name: str, channel: str) -> list[dict[str, Any]]:
        skips = [f"{name}.v1.0.0"]
        heads = ({"name": f"{name}.v{major}.0.0", "skips": skips} for major in (2, 3))
        return package(name, {"name": f"{name}.v1.0.0"}, *heads, channel=channel)

    drawn = update_graph_mermaid(catalog(*skipping_twice("a", "late"), *package("b", *SKIPPING, channel="early")))
    assert drawn.splitlines()[-1].startswith("linkStyle 2 ")


def test_a_range_that_does_not_parse_has_no_arrows() -> None:
    """It skips nothing on a cluster either; `olmsolve lint` says so."""
    drawn = update_graph_mermaid(catalog(*package("a", {"name": "a.v1.0.0", "skipRange": "<v2"})))
    assert "skipRange" not in drawn


def test_an_entry_without_a_bundle_is_drawn_last() -> None:
    """It has no version; upstream reads it as 0.0.0."""
    blobs = package("a", {"name": "a.v0.1.0"}, {"name": "a.v1.0.0"})
    assert [entry.name for entry in lanes(catalog(*blobs[:3]))[0].entries] == ["a.v0.1.0", "a.v1.0.0"]


@pytest.mark.parametrize("name", ["a\nend", "a\x1b[31m", 'a"b', "a\\b"])
def test_names_stay_on_their_line(name: str) -> None:
    """Catalogs come from strangers: a name must not end a line or reach a terminal."""
    blobs = package("p", {"name": "p.v1.0.0", "replaces": name})
    drawn = update_graph_mermaid(catalog(*blobs))
    assert (
        len(drawn.splitlines())
        == len(update_graph_mermaid(catalog(*package("p", {"name": "p.v1.0.0"}))).splitlines()) + 1
    )
    assert all(line.isprintable() for line in drawn.splitlines())


@pytest.mark.parametrize("properties", [[], [{"type": "olm.package", "value": {"version": "1.0"}}]])
def test_a_bundle_needs_a_version(properties: list[Any]) -> None:
    """Without one its place is unknown; the error says where the bundle stands."""
    blobs = package("a", {"name": "a.v1.0.0"})
    blobs[-1]["properties"] = properties
    with pytest.raises(CatalogError, match=r'document 3, package a: bundle "a.v1.0.0" has') as refused:
        update_graph_mermaid(catalog(*blobs))
    assert refused.value.package == "a"


def test_dense_ranges_do_not_exhaust_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ranges that contain everything make arrows by the square of a channel's length.

    The short run lowers the limit of a million arrows to ten thousand.
    """
    assert lane_layout._MOST_ARROWS == 1_000_000
    length = 1000 if LONG else 100
    monkeypatch.setattr(lane_layout, "_MOST_ARROWS", length**2)
    entries = [{"name": f"a.v{number}.0.0", "skipRange": "<9999.0.0"} for number in range(length)]
    assert update_graph_mermaid(catalog(*package("a", *entries)))
    entries.append({"name": f"a.v{length}.0.0", "skipRange": "<1.0.0"})
    with pytest.raises(CatalogError, match=f"more than {length**2:,} arrows") as refused:
        update_graph_mermaid(catalog(*package("a", *entries)))
    assert refused.value.channel == "stable"


def test_the_command_marks_only_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    """The command has the defaults of the `opm` command that it replaces."""
    olmsolve = runner(capsys)
    plain, marked = olmsolve("graph", COMMONS), olmsolve("graph", COMMONS, "--v0")
    assert (plain.code, plain.err, marked.code) == (0, "", 0)
    assert plain.out.startswith("graph LR\n")
    assert not [line for line in plain.out.splitlines() if line.startswith(("class ", "linkStyle"))]
    assert olmsolve("graph", COMMONS, "--package", "ember").out.count("subgraph") < plain.out.count("subgraph")


def test_the_command_refuses_a_minimum_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    """An empty picture would look like an answer."""
    outcome = runner(capsys)("graph", COMMONS, "--minimum-edge", "nope")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == 'olmsolve: unknown minimum edge name: "nope"\n'
