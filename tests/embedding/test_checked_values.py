"""Values of the catalog model are what they say: a wrong one is refused at once, and nobody changes it."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable
from typing import Any

import attrs
import pytest

import olmsolve
from olmsolve import Bundle, Catalog, Channel, ChannelEntry, Package, RequestError
from olmsolve.catalog import Blob, Deprecation, Origin
from olmsolve.eligibility import CandidateFacts
from olmsolve.testing import catalog_of, package, request_for


def _wrong(value: object) -> Any:
    return value


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Channel("a", "x", _wrong(["a@1"])), "entries[0]: must be a ChannelEntry, not a str"),
        (lambda: Channel("a", "x", _wrong("ab")), "entries: must be several, not one text (['ab'])"),
        (lambda: Channel(_wrong(None), "x", ()), "package: must be text, not None"),
        (lambda: Bundle("a", _wrong(5), ()), "name: must be text, not an int (put it in quotes)"),
        (lambda: Bundle("a", "a.v1", _wrong([{"type": "x"}])), "properties[0]: must be a Property, not a dict"),
        (
            lambda: Bundle("a", "a.v1", extra=_wrong([])),
            "extra: must be a mapping of fields by their names, not a list",
        ),
        (lambda: ChannelEntry("a", skips=_wrong("ab")), "skips: must be a list of names, not one text (['ab'])"),
        (lambda: ChannelEntry("a", _wrong(1)), "replaces: must be text, not an int (put it in quotes)"),
        (lambda: Deprecation("olm.package", "", _wrong(None)), 'message: must be text, not None ("" means none)'),
        (lambda: Blob("custom", _wrong("x")), "value: must be a mapping of fields by their names, not a str"),
        (
            lambda: Package("a", "x", _wrong([]), {}),
            "channels: must be a mapping of channels by their names, not a list",
        ),
        (lambda: Package("a", "x", {}, {"a.v1": _wrong("a.v1")}), "bundles['a.v1']: must be a Bundle, not a str"),
        (
            lambda: Package("a", "x", {"y": Channel("a", "x", ())}, {}),
            "channels['y']: is called 'x' (the key is the name)",
        ),
        (
            lambda: Package("a", "x", {}, {"b.v1": Bundle("b", "b.v1")}),
            "bundles['b.v1']: is of package 'b', not 'a'",
        ),
        (lambda: Catalog(_wrong([])), "packages: must be a mapping of packages by their names, not a list"),
        (lambda: Catalog({"b": Package("a", "", {}, {})}), "packages['b']: is called 'a' (the key is the name)"),
        (lambda: Catalog({}, _wrong(["x"])), "others[0]: must be a Blob, not a str"),
        (lambda: Catalog({}, origin=_wrong(1)), "origin: must be text, not an int (put it in quotes)"),
    ],
)
def test_a_wrong_value_names_its_field(make: Callable[[], object], message: str) -> None:
    """Before, most of these were an AttributeError inside of ``resolve``, and ``skips="ab"`` skipped "a" and "b"."""
    with pytest.raises(RequestError) as refused:
        make()
    assert str(refused.value) == message


def test_a_dict_is_copied() -> None:
    """Whoever gave the dict can go on with it."""
    packages: dict[str, Package] = {}
    bundles: dict[str, Bundle] = {}
    extra = {"maintainers": ["a"]}
    catalog, built = Catalog(packages), Package("a", "", {}, bundles, extra=extra)
    packages["a"] = built
    bundles["a.v1"] = Bundle("a", "a.v1")
    extra.clear()
    assert not catalog.packages
    assert not built.bundles
    assert built.extra == {"maintainers": ["a"]}


def test_lists_become_tuples() -> None:
    """Values hash, whatever they were made of."""
    entries = [ChannelEntry("a.v2", "a.v1", skips=_wrong(["a.v0"])), ChannelEntry("a.v1")]
    channel = Channel("a", "stable", entries)
    assert channel == Channel("a", "stable", tuple(entries))
    assert hash(channel) == hash(Channel("a", "stable", tuple(entries)))
    assert entries[0].skips == ("a.v0",)


@pytest.mark.parametrize(
    ("cls", "shown"),
    [
        (Bundle, ["package", "name", "properties", "image", "extra", "origin"]),
        (Channel, ["package", "name", "entries", "properties", "extra", "origin"]),
        (
            Package,
            ["name", "default_channel", "channels", "bundles", "deprecations", "description", "extra", "origin"],
        ),
        (Blob, ["schema", "value", "origin"]),
    ],
)
def test_constructors_show_what_users_give(cls: type, shown: list[str]) -> None:
    """What readers of files keep beside it (how a blob was written, its digest) is not for users."""
    assert list(inspect.signature(cls).parameters) == shown


def test_copies_keep_what_a_reader_has_kept() -> None:
    """A copy with another field is still the blob of its file."""
    blobs: list[dict[str, Any]] = [
        {"schema": "olm.package", "name": "a", "defaultChannel": "stable", "owner": "team"},
        {"schema": "olm.channel", "package": "a", "name": "stable", "entries": [{"name": "a.v1"}]},
        {"schema": "olm.bundle", "package": "a", "name": "a.v1", "image": "", "properties": []},
    ]
    read = olmsolve.from_blobs(blobs, origin="memory").packages["a"]
    for value in (read, read.channels["stable"], read.bundles["a.v1"]):
        copy: Any = attrs.evolve(value, origin=Origin("other", 3))
        assert copy == value
        assert copy.written == value.written
        assert copy.origin == Origin("other", 3)


def _licensed(candidate: CandidateFacts) -> str:
    return "no licence" if candidate.value("licence") == "AGPL-3.0" else ""


def test_a_request_with_a_local_function_says_why_it_cannot_be_pickled() -> None:
    """The words of ``pickle`` ("attribute lookup <lambda> on __main__ failed") do not say which field it is."""
    request = request_for(catalog_of(package("a").channel("stable", "1.0.0")), "a")

    def local(candidate: CandidateFacts) -> str:
        return ""

    kept = olmsolve.evolve(request, eligibility=[_licensed])
    assert pickle.loads(pickle.dumps(kept)) == kept  # noqa: S301
    for wrong, fault in (
        ([_licensed, lambda _: ""], "[1]: is a lambda"),
        ([local], "[0]: is the local function local"),
    ):
        with pytest.raises(RequestError) as refused:
            pickle.dumps(olmsolve.evolve(request, eligibility=wrong))
        assert str(refused.value) == (
            f"eligibility{fault}, which cannot be pickled "
            "(define the function at the top of a module, where other processes find it)"
        )


def test_compiled_problems_compare_by_value() -> None:
    """Two compilations of equal requests have the same variables and clauses."""
    request = request_for(catalog_of(package("a").channel("stable", "1.0.0")), "a")
    compiled = olmsolve.compile(request)
    assert compiled == olmsolve.compile(request)
    assert hash(compiled) == hash(olmsolve.compile(request))
    assert compiled != olmsolve.compile(request, whole=True)
    assert compiled != olmsolve.compile(request, semantics="controller")
    assert compiled != "compiled"


def test_a_refusal_is_a_field_of_its_document() -> None:
    """Tools read it without cutting a sentence."""
    catalog = catalog_of(package("a").channel("stable", "1.0.0").having("licence", "AGPL-3.0"))
    request = olmsolve.evolve(request_for(catalog, "a"), eligibility=[_licensed])
    with pytest.raises(olmsolve.Unsatisfiable) as failure:
        olmsolve.resolve(request)
    documents = [reason.to_dict() for reason in failure.value.core]
    assert [document.get("refusal") for document in documents] == [None, "no licence"]
