"""Certificates and catalogs of strangers: what they cost grows with their size, and limits are looked at on the way."""

from __future__ import annotations

import gc
from collections.abc import Callable
from time import process_time
from typing import Any

import pytest

import olmsolve
from olmsolve import Request, Semantics, verify
from olmsolve.answers.verification import replaying
from olmsolve.errors import Incomplete
from tests.certificates.forging import relabelled
from tests.growing import times_as_long

Document = dict[str, Any]


def chain(package: str, size: int, *needs: Document) -> list[Document]:
    """Return a package with one channel of *size* entries, each of which updates whatever is installed."""
    names = [f"{package}.v{number}.0.0" for number in range(size)]
    entries = [
        {"name": name, "replaces": below, "skipRange": f"<{number}.0.0"}
        for number, (name, below) in enumerate(zip(names, ["", *names], strict=False))
    ]
    blobs: list[Document] = [
        {"schema": "olm.package", "name": package, "defaultChannel": "stable"},
        {"schema": "olm.channel", "package": package, "name": "stable", "entries": entries},
    ]
    for number, name in enumerate(names):
        own = {"type": "olm.package", "value": {"packageName": package, "version": f"{number}.0.0"}}
        blobs.append({"schema": "olm.bundle", "package": package, "name": name, "properties": [own, *needs]})
    return blobs


def request_of(blobs: list[Document], *wishes: str, **fields: Any) -> Request:
    document = {
        "namespaces": ["ns"],
        "catalogs": [{"name": "main", "namespace": "ns", "blobs": blobs}],
        "subscriptions": [{"name": name, "package": name} for name in wishes],
        **fields,
    }
    request = olmsolve.read_request(document)
    assert isinstance(request, Request)
    return request


def bundle(package: str, number: int) -> list[str]:
    return ["ns/main", package, "stable", f"{package}.v{number}.0.0"]


def failure(request: Request, facts: list[Document]) -> Document:
    """Return a certificate that claims a failure because of *facts*, which do not contradict each other."""
    heading = {"schema": "olmsolve.certificate", "schemaVersion": 2, "kind": "unsatisfiable"}
    return relabelled({**heading, "facts": facts, "steps": []}, request, Semantics.DOCUMENTED)


NEEDS = {"type": "olm.package.required", "value": {"packageName": "many", "versionRange": ">=0.0.0"}}
EXCLUDES = {
    "type": "olm.constraint",
    "value": {"not": {"constraints": [{"package": {"packageName": "many", "versionRange": ">=0.0.0"}}]}},
}


def replacing(size: int) -> tuple[Request, Document]:
    """One channel, and the fact of each entry that it replaces the installed operator."""
    operator = {"name": "a.v0.0.0", "version": "0.0.0", "subscription": "a", "properties": []}
    wish = {"name": "a", "package": "a", "installedCSV": "a.v0.0.0"}
    request = request_of(chain("a", size), installed=[operator], subscriptions=[wish])
    operator_id = ["@existing", "", "", "a.v0.0.0"]
    return request, failure(request, [{"replaces": bundle("a", n), "operator": operator_id} for n in range(1, size)])


def passing_over(size: int) -> tuple[Request, Document]:
    """As many choices as refutations: each is checked against everything that was taken before."""
    gone = {"type": "olm.package.required", "value": {"packageName": "gone", "versionRange": ">=0.0.0"}}
    blobs: list[Document] = []
    for number in range(size):
        blobs += chain(f"p{number}", 2)
        blobs[-1]["properties"].append(gone)
    request = request_of(blobs, *(f"p{number}" for number in range(size)))
    return request, olmsolve.certificate(olmsolve.resolve(request))


def naming_operators(size: int) -> tuple[Request, Document]:
    """Installed operators, each of which is named by a fact."""
    names = [f"o{number}.v1.0.0" for number in range(size)]
    deprecated = {"type": "olm.deprecated", "value": {}}
    installed = [{"name": name, "version": "1.0.0", "properties": [deprecated]} for name in names]
    request = request_of(chain("a", 1), "a", installed=installed)
    return request, failure(request, [{"never": ["@existing", "", "", name]} for name in names])


@pytest.mark.parametrize("attack", [replacing, passing_over, naming_operators])
def test_a_check_takes_time_as_the_certificate_grows(attack: Callable[[int], tuple[Request, Document]]) -> None:
    """Chains, pairs of updates and operators were looked for in lists, and what is held was copied for each proof."""
    given = {size: attack(size) for size in (50, 400)}
    assert times_as_long(lambda size: verify(given[size][1], given[size][0]), 50, 400) < 20


class Looks:
    """A flag that is never set, and notes the most seconds of CPU between two looks at it."""

    def __init__(self) -> None:
        self.longest = 0.0
        self._last = process_time()

    def is_set(self) -> bool:
        now = process_time()
        self.longest = max(self.longest, now - self._last)
        self._last = now
        return False


def requiring(size: int) -> tuple[Request, Document]:
    """Bundles that each require as many others, by the fact of each."""
    request = request_of([*chain("a", size, NEEDS), *chain("many", size)], "a")
    return request, failure(request, [{"requires": bundle("a", n), "wish": 0} for n in range(size)])


def excluding(size: int) -> tuple[Request, Document]:
    """Bundles that each exclude as many others, by the fact of each."""
    request = request_of([*chain("a", size, EXCLUDES), *chain("many", size)], "a")
    return request, failure(request, [{"requires": bundle("a", n), "wish": 0} for n in range(size)])


def kept_apart(size: int) -> tuple[Request, Document]:
    """Bundles that a house rule keeps from each other, by the fact of each."""
    rules = [{"name": "alone", "never": "a", "beside": "a"}]
    request = request_of(chain("a", size), "a", houseRules=rules)
    return request, failure(request, [{"requires": bundle("a", n), "wish": 0} for n in range(size)])


@pytest.mark.parametrize("attack", [replacing, naming_operators, requiring, excluding, kept_apart])
def test_limits_are_looked_at_on_the_way(attack: Callable[[int], tuple[Request, Document]]) -> None:
    """Whatever a certificate names, there are less than 0.2 seconds of work between two looks at the limits."""
    _, written = attack(1_000)
    fresh, _ = attack(1_000)  # a catalog of which nothing is remembered
    # What other tests keep would be walked by a full collection, which takes longer than all work between two looks.
    gc.collect()
    gc.freeze()
    looks = Looks()
    verify(written, fresh, cancel=looks)
    assert looks.longest < 0.2


@pytest.mark.parametrize("attack", [requiring, excluding, kept_apart])
def test_clauses_take_no_more_memory_than_allowed(
    attack: Callable[[int], tuple[Request, Document]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fact is a line, and its clauses may be as many as the catalog has bundles: many facts would fill memory."""
    request, written = attack(60)
    assert str(verify(written, request).reason) == "its steps do not lead to a contradiction"
    monkeypatch.setattr(replaying, "SPACE", 3_600)
    assert str(verify(written, request).reason) == "checking it would take too long"


def test_a_limit_ends_a_check() -> None:
    """Ten thousand facts about one channel took twenty seconds, whatever the limit was."""
    request, written = replacing(5_000)
    with pytest.raises(Incomplete):
        verify(written, request, timeout=0.001)
