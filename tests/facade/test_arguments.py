"""What callers pass wrongly is a RequestError that names the field, before any work is done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import olmsolve
from olmsolve import v1

CATALOG = olmsolve.Catalog({})
SOURCE = olmsolve.Source("main", "olm", 0, CATALOG)
WISH = olmsolve.Subscription("blue", "shop", "blue")
PLAN = olmsolve.resolve(olmsolve.Request(["shop"], [SOURCE], []))


def nested(levels: int) -> list[Any]:
    """A list in a list in a list."""
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


def request(**changed: Any) -> olmsolve.Request:
    """A request with wrong fields."""
    fields: dict[str, Any] = {"namespaces": ["shop"], "sources": [SOURCE], "subscriptions": [WISH]}
    return olmsolve.Request(**{**fields, **changed})


def resolved(**how: Any) -> olmsolve.Resolution:
    plan: olmsolve.Resolution = olmsolve.resolve(request(subscriptions=[]), **how)
    return plan


def extension(**changed: Any) -> v1.ExtensionRequest:
    return v1.ExtensionRequest(**{"extension": v1.Extension("blue"), "catalogs": [], **changed})


# The call, the field that the error names, and what it says.
WRONG: list[tuple[Callable[[], object], str, str]] = [
    (lambda: request(sources=[CATALOG]), "sources[0]", "must be a Source, not a Catalog"),
    (lambda: request(sources=SOURCE), "sources", "must be several (Source), not a Source (put it in a list)"),
    (lambda: request(sources=None), "sources", "not None"),
    (lambda: request(subscriptions=[{"name": "x"}]), "subscriptions[0]", "must be a Subscription, not a dict"),
    (lambda: request(subscriptions=[WISH, "blue"]), "subscriptions[1]", "not a str"),
    (lambda: request(subscriptions=WISH), "subscriptions", "put it in a list"),
    (lambda: request(subscriptions=None), "subscriptions", "not None"),
    (lambda: request(namespaces="shop"), "namespaces", "['shop']"),
    (lambda: request(namespaces=None), "namespaces", "not None"),
    (lambda: request(namespaces=["shop", 5]), "namespaces[1]", "must be text, not an int"),
    (lambda: request(installed=["blue.v1"]), "installed[0]", "must be an Installed, not a str"),
    (lambda: request(name=5), "name", "must be text"),
    (lambda: request(unreadable=[SOURCE]), "unreadable[0]", "must be an UnreadableSource"),
    (lambda: request(health_policy="lax"), "health_policy", "strict, referenced, ignore"),
    (lambda: request(eligibility="abc"), "eligibility", "list of functions"),
    (lambda: request(eligibility=lambda _: ""), "eligibility", "put it in a list"),
    (lambda: request(eligibility=[None]), "eligibility[0]", "must be a function"),
    (lambda: olmsolve.Source("main", "olm", "5", CATALOG), "priority", "must be a whole number, not a str"),  # type: ignore[arg-type]
    (lambda: olmsolve.Source("main", "olm", True, CATALOG), "priority", "must be a whole number"),
    (lambda: olmsolve.Source("main", "olm", 0, "catalog.json"), "catalog", "must be a Catalog, not a str"),  # type: ignore[arg-type]
    (lambda: olmsolve.Source("main", None, 0, CATALOG), "namespace", '"" means none'),  # type: ignore[arg-type]
    (lambda: olmsolve.Subscription("a", "shop", None), "package", "must be text"),  # type: ignore[arg-type]
    (lambda: olmsolve.Subscription("a", "shop", "b", channel=4.1), "channel", "put it in quotes"),  # type: ignore[arg-type]
    (lambda: olmsolve.Installed("a", 1.0), "version", "put it in quotes"),  # type: ignore[arg-type]
    (lambda: olmsolve.Installed("a", properties="b"), "properties", "not one text"),  # type: ignore[arg-type]
    (lambda: olmsolve.Installed("a", properties=[{"type": "b"}]), "properties[0]", "must be a Property"),  # type: ignore[list-item]
    (lambda: olmsolve.Property(None, 1), "type", "must be text"),  # type: ignore[arg-type]
    (lambda: olmsolve.Property("a", {1}), "value", "is not a JSON value"),
    (lambda: olmsolve.Property("a", {1: 2}), "value", "the key 1 is not text"),
    (lambda: olmsolve.Property("a", [print]), "value", "is not a JSON value"),
    (lambda: olmsolve.Property("a", nested(100_000)), "value", "it is nested too deeply"),
    (lambda: olmsolve.Catalog([]), "packages", "a mapping of packages"),  # type: ignore[arg-type]
    (lambda: olmsolve.load(None), "path", "must be a path or an open file, not None"),  # type: ignore[arg-type]
    (lambda: olmsolve.load(5), "path", "not an int"),  # type: ignore[arg-type]
    (lambda: olmsolve.from_blobs(None), "blobs", "iterable of blobs"),  # type: ignore[arg-type]
    (lambda: resolved(cancel=lambda: False), "cancel", "a threading.Event has one"),
    (lambda: resolved(timeout=True), "timeout", "True is not a positive number"),
    (lambda: resolved(timeout="5"), "timeout", "is not a positive number"),
    (lambda: resolved(conflicts=2.5), "conflicts", "is not a positive number"),
    (lambda: resolved(semantics=[]), "semantics", "documented or controller"),
    (lambda: olmsolve.Resolver([CATALOG]), "sources[0]", "must be a Source"),  # type: ignore[list-item]
    (lambda: olmsolve.Resolver(SOURCE), "sources", "put it in a list"),  # type: ignore[arg-type]
    (lambda: olmsolve.Resolver([SOURCE, SOURCE]), "catalogs", "is given 2 times"),
    (lambda: olmsolve.why_not(PLAN, None), "package", "must be text"),  # type: ignore[call-overload]
    (lambda: olmsolve.diff(None, None), "request", "must be a request"),  # type: ignore[arg-type]
    (lambda: olmsolve.audit([CATALOG]), "sources[0]", "must be a Source"),  # type: ignore[list-item]
    (lambda: olmsolve.audit(None), "sources", "not None"),  # type: ignore[arg-type]
    (lambda: olmsolve.validate(None), "catalog", "a path or a Catalog"),  # type: ignore[arg-type]
    (lambda: olmsolve.lint("catalog"), "catalog", "olmsolve.load reads one"),  # type: ignore[arg-type]
    (lambda: olmsolve.plan(None), "situation", "olmsolve.read_situation makes one"),  # type: ignore[arg-type]
    (lambda: extension(extension="blue"), "extension", "must be an Extension, not a str"),
    (lambda: extension(catalogs=[CATALOG]), "catalogs[0]", "must be a ClusterCatalog"),
    (lambda: extension(catalogs=None), "catalogs", "not None"),
    (lambda: extension(installed="blue.v1"), "installed", "must be an InstalledBundle"),
    (lambda: extension(eligibility="abc"), "eligibility", "list of functions"),
    (lambda: v1.ClusterCatalog("main", "catalog.json"), "catalog", "must be a Catalog"),  # type: ignore[arg-type]
    (lambda: v1.ClusterCatalog("main", CATALOG, priority="5"), "priority", "whole number"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("call", "field", "message"), WRONG, ids=[f"{field} {message}" for _, field, message in WRONG])
def test_wrong_types_are_named(call: Callable[[], object], field: str, message: str) -> None:
    """An AttributeError from the middle of a resolution says nothing about what was passed."""
    with pytest.raises(olmsolve.RequestError) as error:
        call()
    assert error.value.field == field
    assert message in str(error.value)


# A value without its name, the field, and how the value is made.
NAMELESS: list[tuple[str, Callable[[], object]]] = [
    ("name", lambda: olmsolve.Subscription("", "shop", "blue")),
    ("namespace", lambda: olmsolve.Subscription("blue", "", "blue")),
    ("package", lambda: olmsolve.Subscription("blue", "shop", "")),
    ("name", lambda: olmsolve.Installed("")),
    ("name", lambda: olmsolve.Source("", "olm", 0, CATALOG)),
    ("name", lambda: olmsolve.catalog.UnreadableSource("", "olm", 0, "gone")),
    ("name", lambda: olmsolve.Package("", "stable", {}, {})),
    ("package", lambda: olmsolve.Channel("", "stable", [])),
    ("name", lambda: olmsolve.Channel("blue", "", [])),
    ("package", lambda: olmsolve.Bundle("", "blue.v1.0.0")),
    ("name", lambda: olmsolve.Bundle("blue", "")),
    ("name", lambda: olmsolve.package("")),
    ("name", lambda: olmsolve.package("blue").channel("", "1.0.0")),
    ("package", lambda: v1.Extension("")),
    ("name", lambda: v1.InstalledBundle("", "1.0.0")),
]


@pytest.mark.parametrize(("field", "call"), NAMELESS)
def test_empty_names_are_refused(field: str, call: Callable[[], object]) -> None:
    """A package called "" is in no catalog: said at once, and not as the answer that nothing has such a package."""
    with pytest.raises(olmsolve.RequestError, match="must not be empty") as error:
        call()
    assert error.value.field == field


def test_empty_names_that_catalogs_have_are_kept() -> None:
    """A file may hold an entry without a name, and recorded requests have a namespace and a ClusterCatalog without."""
    assert olmsolve.ChannelEntry("").name == ""
    assert olmsolve.Package("blue", "", {}, {}).default_channel == ""
    assert request(namespaces=["shop", ""]).namespaces == ("shop", "")
    assert v1.ClusterCatalog("", CATALOG).name == ""


def test_iterables_of_all_kinds_are_taken() -> None:
    """Checks must not refuse what works: generators, sets, subclasses."""

    class Mine(olmsolve.Subscription):
        pass

    built = request(namespaces=iter(("shop",)), sources={SOURCE}, subscriptions=(Mine("blue", "shop", "blue"),))
    assert built.namespaces == ("shop",)
    assert built.sources == (SOURCE,)


BLOBS: list[dict[str, Any]] = [
    {"schema": "olm.package", "name": "blue", "defaultChannel": "stable"},
    {"schema": "olm.channel", "package": "blue", "name": "stable", "entries": [{"name": "blue.v1.0.0"}]},
    {
        "schema": "olm.bundle",
        "package": "blue",
        "name": "blue.v1.0.0",
        "properties": [{"type": "olm.package", "value": {"packageName": "blue", "version": "1.0.0"}}],
    },
]


@pytest.mark.parametrize("returned", [True, False, None, 1, ["no"]])
def test_a_predicate_cannot_be_taken_backwards(returned: Any) -> None:
    """True was "may not be selected"; whoever writes ``return is_allowed(...)`` means the opposite."""
    catalog = olmsolve.from_blobs(BLOBS)

    def is_allowed(_: object) -> Any:
        return returned

    restricted = request(sources=[olmsolve.Source("main", "shop", 0, catalog)], eligibility=[is_allowed])
    with pytest.raises(olmsolve.RequestError, match=r"eligibility: .*is_allowed returned .*which is not a reason"):
        olmsolve.resolve(restricted)
    of_v1 = extension(catalogs=[v1.ClusterCatalog("main", catalog)], eligibility=[is_allowed])
    with pytest.raises(olmsolve.RequestError, match="which is not a reason"):
        olmsolve.resolve(of_v1)


def test_a_predicate_says_why_or_nothing() -> None:
    """The two right answers."""
    sources = [olmsolve.Source("main", "shop", 0, olmsolve.from_blobs(BLOBS))]
    assert olmsolve.is_satisfiable(request(sources=sources, eligibility=[lambda _: ""]))
    with pytest.raises(olmsolve.Unsatisfiable, match="needs a licence"):
        olmsolve.resolve(request(sources=sources, eligibility=[lambda _: "needs a licence"]))
