"""OLM v1's recorded answers: which bundle resolves, in whose words it fails, and which bundles are successors."""

from __future__ import annotations

import functools
import gzip
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import olmsolve
from olmsolve import v1
from olmsolve.catalog import Bundle, Catalog, Channel, ChannelEntry, fbc
from olmsolve.errors import VersionError
from olmsolve.predicates import Property
from tests.scale import grouped

HERE = Path(__file__).parent
SHARED = Path(os.environ.get("OLMSOLVE_SHARED", Path(__file__).parents[2].parent / "shared"))
UPSTREAM = SHARED / "conformance" / "upstream"
ABSENT = "upstream's test data is read in place, and it is not there"


def records(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def outcome(record: dict[str, Any]) -> dict[str, Any]:
    try:
        request = olmsolve.read_extension_request(as_document(record))
        assert isinstance(request, v1.ExtensionRequest)
        resolution = v1.resolve(request)
        # What was recorded is the resolver's answer: where it fails and no catalog is there, the controller keeps the
        # bundle all the same (test_v1_runs.py).
        return {"error": resolution.unresolved} if resolution.unresolved else resolution.to_dict()
    except v1.ResolutionError as error:
        return {"error": error.to_dict()["error"]}


RECORDED = {record["name"]: record for record in records(HERE / "v1_resolve.jsonl.gz")}
GROUPS = grouped(list(RECORDED))
SUCCESSORS = grouped(list(records(HERE / "successors.jsonl.gz")))


@functools.cache
def recorded_outcome(name: str) -> dict[str, Any]:
    """The answer to the recording *name*, which two laws look at."""
    return outcome(RECORDED[name])


def as_document(record: dict[str, Any]) -> dict[str, Any]:
    """A recording as a request document: without the outcomes, and without what it says about itself."""
    given = ("name", "catalogs", "extension", "installed", "feature_gates", "validations")
    return {field: record[field] for field in given}


def agrees(record: dict[str, Any], answer: dict[str, Any]) -> bool:
    """Whether *answer* is one of the recorded outcomes.

    The deprecation is left out: upstream returns that of the catalog walked last, we the winner's.
    """
    expected = [*record["outcomes"], *record.get("outcomes_any_order", [])]
    compared = ("bundle", "version", "release", "error")
    return any(
        all(accepted.get(field) == answer.get(field) for field in compared)
        and accepted.get("catalog") in (None, answer.get("catalog"))
        for accepted in expected
    )


def winners_deprecation(record: dict[str, Any], answer: dict[str, Any]) -> Any:
    """The first deprecations of the winning catalog; an empty list of them says nothing."""
    for catalog in record["catalogs"]:
        if catalog["name"] == answer["catalog"]:
            for blob in catalog["fbc"]["deprecations"] or []:
                return {**blob, "schema": "olm.deprecations"} if blob["entries"] else None
    return None


@pytest.mark.parametrize("names", GROUPS.values(), ids=GROUPS)
def test_resolves_as_recorded(names: Sequence[str]) -> None:
    """Same bundle, version, release and catalog, or the same error; and the deprecation is the winner's."""
    for name in names:
        record, answer = RECORDED[name], recorded_outcome(name)
        assert agrees(record, answer), name
        if "error" not in answer:
            assert answer["deprecation"] == winners_deprecation(record, answer), name


@pytest.mark.parametrize("names", GROUPS.values(), ids=GROUPS)
def test_the_returned_deprecation_differs_only_where_it_is_not_the_winners(names: Sequence[str]) -> None:
    """Where upstream's deprecation is not ours, it is that of another catalog, or empty."""
    for name in names:
        record, answer = RECORDED[name], recorded_outcome(name)
        if "error" in answer or answer["deprecation"] == record["outcomes"][0]["deprecation"]:
            continue
        recorded = record["outcomes"][0]["deprecation"]
        others = [
            blob
            for catalog in record["catalogs"]
            if catalog["name"] != answer["catalog"]
            for blob in (catalog["fbc"] or {}).get("deprecations") or [None]
        ]
        assert recorded in others or recorded is None or not recorded["entries"], name


def test_resolves_as_upstreams_own_tests_say() -> None:
    """All of them; what two of the tests stub is handed over as values."""
    path = UPSTREAM / "v1_resolve.jsonl.gz"
    if not path.exists():
        pytest.skip(ABSENT)
    every = list(records(path))
    assert len(every) > 30
    for record in every:
        request = olmsolve.read_extension_request(as_document(record))
        assert isinstance(request, v1.ExtensionRequest)
        if "custom walker or validator" in record.get("notes", ""):
            error = record["outcomes"][0]["error"]
            if not request.catalogs:
                unlisted = v1.ExtensionRequest(request.extension, (), listing_error="fake error")
                with pytest.raises(v1.ListingError) as failed:
                    v1.resolve(unlisted)
                assert str(failed.value) == error
                continue
            refusing = v1.ExtensionRequest(request.extension, request.catalogs, validations=(lambda _: "fail",))
            with pytest.raises(v1.BundleRefusedError) as refused:
                v1.resolve(refusing)
            assert str(refused.value) == error
        else:
            assert agrees(record, outcome(record)), record["name"]


def channel(blob: dict[str, Any]) -> Channel:
    entries = (
        ChannelEntry(
            entry["name"],
            entry.get("replaces", ""),
            tuple(entry.get("skips") or ()),
            entry.get("skipRange", ""),
        )
        for entry in blob["entries"] or ()
    )
    return Channel(blob["package"], blob["name"], tuple(entries))


def bundle(blob: dict[str, Any]) -> Bundle:
    properties = (Property(item["type"], item["value"]) for item in blob.get("properties") or ())
    return Bundle(blob["package"], blob["name"], tuple(properties))


def check_successors(record: dict[str, Any]) -> None:
    installed = v1.InstalledBundle(**record["installed"])
    # Not through a catalog: recordings repeat names, of which a catalog would refuse the second.
    channels, bundles = map(channel, record["channels"] or ()), map(bundle, record["bundles"] or ())
    gate = record["feature_gates"]["BundleReleaseSupport"]
    if "error" in record:
        with pytest.raises(VersionError) as refused:
            v1.successors(installed, channels, bundles, release_support=gate)
        assert refused.value.reason == record["error"], record["name"]
    else:
        successors = v1.successors(installed, channels, bundles, release_support=gate)
        assert [successor.name for successor in successors] == (record["matches"] or []), record["name"]


@pytest.mark.parametrize("group", SUCCESSORS.values(), ids=SUCCESSORS)
def test_successors_are_those_recorded(group: Sequence[dict[str, Any]]) -> None:
    """By replaces, skips, skipRange or the exact version and release."""
    for record in group:
        check_successors(record)


def test_successors_are_those_of_upstreams_own_tests() -> None:
    """The cases that upstream thought worth writing down."""
    path = UPSTREAM / "successors.jsonl.gz"
    if not path.exists():
        pytest.skip(ABSENT)
    for record in records(path):
        check_successors(record)


def test_the_order_of_catalogs_does_not_matter() -> None:
    """Upstream's answer may depend on it (which deprecation it returns), in production it is undefined."""
    for record in RECORDED.values():
        if "outcomes_any_order" in record:
            turned = {**record, "catalogs": record["catalogs"][::-1]}
            answers = [outcome(record), outcome(turned)]
            for answer in answers:
                answer.pop("explanation", None)
            assert answers[0] == answers[1]


def test_vectors_are_all_there() -> None:
    """A truncated file would pass."""
    assert len(RECORDED) == 953
    assert sum(1 for _ in records(HERE / "successors.jsonl.gz")) == 360


def test_a_catalog_can_be_given_in_memory() -> None:
    """The facade's catalogs and those of documents are the same thing."""
    catalog: Catalog = fbc.from_blobs(
        [
            {"schema": "olm.package", "name": "p", "defaultChannel": "c"},
            {"schema": "olm.channel", "package": "p", "name": "c", "entries": [{"name": "p.v1"}]},
            {
                "schema": "olm.bundle",
                "package": "p",
                "name": "p.v1",
                "properties": [{"type": "olm.package", "value": {"packageName": "p", "version": "1.0.0"}}],
            },
        ]
    )
    request = v1.ExtensionRequest(v1.Extension("p"), [v1.ClusterCatalog("a", catalog)])
    assert v1.resolve(request).bundle == "p.v1"
