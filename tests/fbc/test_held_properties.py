"""Bundles that share the list of their properties are what bundles with properties of their own are."""

from __future__ import annotations

import copy
import io
import json
import pickle
from typing import Any

import attrs
import pytest

from olmsolve.catalog import Bundle, Catalog, held_properties, own_version
from olmsolve.catalog.fbc import from_blobs, json_text, load
from olmsolve.catalog.index import COLUMNS, index_of
from olmsolve.catalog.update_graph import bundle_version
from olmsolve.predicates import Property, published_version

GVK: dict[str, Any] = {"type": "olm.gvk", "value": {"group": "g", "kind": "K", "version": "v1"}}
NEED: dict[str, Any] = {"type": "olm.package.required", "value": {"packageName": "q", "versionRange": ">=1.0.0"}}


@pytest.fixture(autouse=True)
def _from_the_first_line(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("msgspec", reason="msgspec is not installed")
    monkeypatch.setattr(json_text, "_LONG", 0)


def _own(version: str, package: str = "p", **more: Any) -> dict[str, Any]:
    return {"type": "olm.package", "value": {"packageName": package, "version": version, **more}}


def _blob(name: str, *properties: dict[str, Any], package: str = "p") -> dict[str, Any]:
    return {"schema": "olm.bundle", "name": name, "package": package, "properties": list(properties)}


def _loaded(*blobs: dict[str, Any]) -> Catalog:
    return load(
        io.StringIO("".join(json.dumps(blob, separators=(",", ":"), ensure_ascii=False) + "\n" for blob in blobs))
    )


def _bundle(version: str) -> Bundle:
    return _loaded(_blob("b", GVK, _own(version), NEED)).packages["p"].bundles["b"]


def test_versions_share_one_list() -> None:
    """The reason for all of it: of ten versions, each takes eight bytes for its properties."""
    bundles = _loaded(*(_blob(f"b{n}", GVK, _own(f"1.{n}.0"), NEED) for n in range(10))).packages["p"].bundles.values()

    assert len({id(held_properties(bundle)[0]) for bundle in bundles}) == 1
    assert [held_properties(bundle)[1] for bundle in bundles] == [f"1.{n}.0" for n in range(10)]
    assert [bundle.properties[1] for bundle in bundles] == [Property(**_own(f"1.{n}.0")) for n in range(10)]


def test_a_bundle_is_its_properties() -> None:
    """Equal, hashed, printed, copied, pickled and changed as one that was made in memory."""
    shared = _bundle("1.0.0")
    constructed = Bundle("p", "b", (Property(**GVK), Property(**_own("1.0.0")), Property(**NEED)))

    assert held_properties(shared)[1] == "1.0.0"
    assert held_properties(constructed)[1] is None
    assert shared == constructed == shared
    assert hash(shared) == hash(constructed)
    assert repr(shared) == repr(constructed)
    assert shared != _bundle("1.0.1")
    pickled = pickle.loads(pickle.dumps(shared))  # noqa: S301 - made here
    for other in (copy.copy(shared), copy.deepcopy(shared), pickled, attrs.evolve(shared)):
        assert other == constructed
        assert other.origin == shared.origin
    assert attrs.evolve(shared, package="other").properties == constructed.properties
    assert attrs.evolve(shared, properties=()).properties == ()
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        shared.properties = ()  # type: ignore[misc]


@pytest.mark.parametrize(
    "blobs",
    [
        [_blob("a", _own("1.0.0")), _blob("b", GVK, _own("1.0.1")), _blob("c", _own("1.0.2"), NEED)],
        [_blob("a", GVK, _own("1.0.0")), _blob("b", GVK, _own("no version")), _blob("c", GVK, _own("1.0.0"))],
        [_blob("a", GVK, _own("")), _blob("b", GVK, _own('1"\\')), _blob("c", GVK, _own("é"))],
        [_blob("a", _own("1.0.0", "q"), GVK), _blob("b", _own("1.0.0"), GVK), _blob("c", _own("2.0.0", "q"), GVK)],
        [_blob("a", _own("1.0.0"), _own("2.0.0", "q")), _blob("b", _own("1.0.1"), _own("2.0.0", "q"))],
        [_blob("a", _own("1.0.0"), _own("1.0.0")), _blob("b", _own("1.0.1"), _own("1.0.0"))],
        [_blob("a", _own("1.0.0"), GVK), _blob("b", _own("1.0.0", release="1"), GVK)],
        [_blob("a", {"type": "t", "value": [{"type": "u"}, _own("1.0.0"), {"type": "v"}]}, _own("2.0.0"))],
        [_blob("a", GVK, _own("1.0.0", "é"), package="é"), _blob("b", GVK, _own("1.0.1", "é"), package="é")],
        [_blob(name, GVK, _own(f"1.0.{n}", p), package=p) for n, name in enumerate("abc") for p in ("p", "q")],
        [_blob("a", GVK), _blob("b", GVK, _own("1.0.0")), _blob("c"), _blob("d", GVK, _own("1.0.1"))],
    ],
    ids=[
        "lists differ",
        "no version",
        "unusual texts",
        "other packages",
        "two packages",
        "two alike",
        "a release",
        "inside of another",
        "not ASCII",
        "packages by turns",
        "without",
    ],
)
def test_catalogs_and_indexes_are_the_same(blobs: list[dict[str, Any]]) -> None:
    """Catalogs made in memory share no lists, so they say what a file means, and what its index is."""
    loaded, constructed = _loaded(*blobs), from_blobs(blobs)

    assert loaded == constructed
    for name, package in loaded.packages.items():
        texts = [
            [(property_.type, property_.text) for property_ in bundle.properties] for bundle in package.bundles.values()
        ]
        expected = constructed.packages[name].bundles.values()
        assert texts == [[(property_.type, property_.text) for property_ in bundle.properties] for bundle in expected]
    one, other = index_of(loaded).columns, index_of(constructed).columns
    assert one.text == other.text
    assert [name for name in COLUMNS if getattr(one, name) != getattr(other, name)] == []


def test_a_list_that_was_replaced_by_a_whole_one() -> None:
    """Bundles that were changed to have equal properties have the version that these state, not their former ones."""
    catalog = _loaded(_blob("a", GVK, _own("1.0.0")), _blob("b", GVK, _own("2.0.0")))
    package = catalog.packages["p"]
    stated = (Property(**_own("3.0.0")),)
    bundles = {name: attrs.evolve(bundle, properties=stated) for name, bundle in package.bundles.items()}
    changed = Catalog({"p": attrs.evolve(package, bundles=bundles)})

    columns = index_of(changed).columns

    assert [columns.string(number) for number in columns.bundle_version] == ["3.0.0", "3.0.0"]


def test_what_is_left_out_is_not_held() -> None:
    """With the type itself left out, bundles have no list to share."""
    text = "\n".join(json.dumps(_blob(f"b{n}", GVK, _own(f"1.{n}.0")), separators=(",", ":")) for n in range(3))
    catalog = load(io.StringIO(text), drop=("olm.package",))

    assert [bundle.properties for bundle in catalog.packages["p"].bundles.values()] == [(Property(**GVK),)] * 3


def test_the_version_beside_a_list_is_known_without_its_properties() -> None:
    """Whoever wants the version alone need not make the property that states it; another one before it counts first."""
    assert own_version(_bundle("1.0.0")) == "1.0.0"
    stated = _loaded(_blob("b", _own("2.0.0", "q"), GVK, _own("1.0.0"))).packages["p"]
    assert own_version(stated.bundles["b"]) is None
    assert str(bundle_version(stated, "b")) == "2.0.0"
    changed = attrs.evolve(_bundle("1.0.0"), properties=(Property(**_own("3.0.0")),))
    assert own_version(changed) is None
    assert str(published_version(changed.properties)) == "3.0.0"
