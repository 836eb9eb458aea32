"""Families: requests full of plain package requirements, in which sets of bits change no answer.

The sets of bits change no answer, so the door cannot tell whether a request used them.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any

import attrs
import pytest

from olmsolve import CatalogError, Request, Semantics, Source, Unsatisfiable, resolve
from olmsolve.catalog.index import CatalogIndex, Fault, Group, Visible
from olmsolve.classic import ClassicProblem
from olmsolve.classic.families import PackageFamilies
from olmsolve.eligibility import CandidateFacts
from olmsolve.solver import Dependency, Identifier, MaskedNeeds, search
from olmsolve.solver.backends import DECIDING, PORTABLE
from olmsolve.solver.deciding import Engine
from olmsolve.testing import catalog_of, classic_request, package, request_for
from olmsolve.testing.synthetic import DenseShape, dense_problem
from tests.index_files.files import loaded_through_index, write_blobs
from tests.scale import scaled

Document = dict[str, Any]


def _package(name: str, version: str) -> Document:
    return {"type": "olm.package", "value": {"packageName": name, "version": version}}


def _required(name: str, versions: str) -> Document:
    return {"type": "olm.package.required", "value": {"packageName": name, "versionRange": versions}}


def _bundle(name: str, *properties: Document) -> Document:
    return {"schema": "olm.bundle", "package": name[0], "name": name, "properties": properties}


def _channel(package: str, *entries: Document) -> Document:
    return {"schema": "olm.channel", "package": package, "name": "stable", "entries": entries}


def _request(blobs: list[Document], *subscriptions: Document) -> Request:
    wishes = [{"name": f"{n}", "namespace": "ns"} | wish for n, wish in enumerate(subscriptions)]
    catalog = {"name": "cat", "namespace": "ns", "blobs": blobs}
    return classic_request({"namespaces": ["ns"], "catalogs": [catalog], "subscriptions": wishes})


@pytest.mark.parametrize("backend", [DECIDING, PORTABLE])
def test_a_skipped_bundle_of_two_packages_excludes_a_family(backend: str) -> None:
    """A startingCSV can select a bundle that no requirement can, and it excludes a family that a search meets later."""
    blobs = [
        _bundle("a.v0", _package("a", "0.1.0"), _package("b", "0.1.0")),
        _bundle("a.v1", _package("a", "1.0.0")),
        _bundle("b.v1", _package("b", "1.0.0")),
        _bundle("c.v1", _package("c", "1.0.0"), _required("b", ">=1.0.0")),
        _channel("a", {"name": "a.v1", "skips": ["a.v0"]}, {"name": "a.v0"}),
        _channel("b", {"name": "b.v1"}),
        _channel("c", {"name": "c.v1"}),
    ]
    request = _request(blobs, {"package": "c"}, {"package": "a", "startingCSV": "a.v0"})
    with pytest.raises(Unsatisfiable) as raised:
        resolve(request, backend=backend)
    assert [reason.kind for reason in raised.value.core] == [
        "SubscriptionWants",
        "SubscriptionWants",
        "Requires",
        "OnePerPackage",
    ]


def _refuted_by_a_family(*properties: Document) -> Request:
    """Two bundles of one package are wanted; a third, wanted by nobody, has *properties*."""
    blobs = [
        _bundle("a.v1", _package("a", "1.0.0"), _required("b", "1.0.0")),
        _bundle("b.v1", _package("b", "1.0.0")),
        _bundle("b.v2", _package("b", "2.0.0")),
        _bundle("b.v3", _package("b", "3.0.0"), *properties),
        _bundle("c.v1", _package("c", "1.0.0"), _required("b", "2.0.0")),
        _channel("a", {"name": "a.v1"}),
        _channel("b", {"name": "b.v3", "replaces": "b.v2"}, {"name": "b.v2", "replaces": "b.v1"}, {"name": "b.v1"}),
        _channel("c", {"name": "c.v1"}),
    ]
    return _request(blobs, {"package": "a"}, {"package": "c"})


@pytest.mark.parametrize("backend", [DECIDING, PORTABLE])
def test_a_family_with_requirements_that_do_not_parse(backend: str) -> None:
    """A bundle whose requirements do not parse is in no group: a refutation may not count it as a member of one."""
    request = _refuted_by_a_family(_required("a", "no range"))
    with pytest.raises(Unsatisfiable) as raised:
        resolve(request, backend=backend)
    assert [reason.kind for reason in raised.value.core] == [
        "SubscriptionWants",
        "SubscriptionWants",
        "Requires",
        "Requires",
        "OnePerPackage",
    ]


def test_requirements_as_families_are_requirements_as_predicates() -> None:
    """Candidates are numbered over all catalogs: those of the second begin behind the slots of the first."""
    first = catalog_of(package("web").channel("stable", "1.0.0 < 1.1.0").requires("cache", ">=1.0.0"))
    second = catalog_of(
        package("app").channel("stable", "1.0.0 < 2.0.0").requires("db", ">=1.1.0").requires("cache", "<2.0.0"),
        package("cache").channel("stable", "1.0.0 < 1.5.0 < 2.0.0"),
        package("db").channel("stable", "1.0.0 < 1.1.0 < 1.2.0"),
    )
    request = request_for(first, "web")
    sources = [*request.sources, attrs.evolve(request.sources[0], name="second", catalog=second)]
    request = attrs.evolve(request, sources=sources)
    plain, with_families = (ClassicProblem.of_request(request, Semantics.DOCUMENTED) for _ in range(2))
    families = with_families.families
    known = 0
    for number in range(plain.visible.size):
        needed = [constraint for constraint in plain.constraints(number) if isinstance(constraint, Dependency)]
        choices = families.choices(*plain.visible.locate(number))
        if choices is not None:
            assert [list(candidates) for candidates, _ in choices] == [
                list(dependency.candidates) for dependency in needed
            ]
            assert [dependency.origin for dependency in needed] == list(families.origins(number))
            known += len(choices)
    assert known == 4


def test_bits_beside_requirements_that_do_not_parse_have_their_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """An index file may hold such bits: the constraint of each is then the fault, which a core tells."""
    catalog = catalog_of(
        package("web").channel("stable", "1.0.0").requires("db"), package("db").channel("stable", "1.0.0")
    )
    problem = ClassicProblem.of_request(request_for(catalog, "web"), Semantics.DOCUMENTED)
    families = problem.families
    fault = Fault("web", "stable", "web.v1.0.0", "", "no JSON", "")
    monkeypatch.setattr(CatalogIndex, "requires", lambda *_: fault)
    assert [list(families.origins(number)) for number in range(2)] == [[], [fault]]


_VERSIONS = ("1.0.0", "1.0.0+a", "1.0.0+b", "1.1.0-rc.1", "1.1.0", "1.2.0", "2.0.0", "10.0.0")
_RANGES = (
    ">=1.0.0",
    "<1.1.0",
    "1.0.0",
    "!=1.1.0",
    "<1.1.0 || >1.2.0",
    ">=1.0.0 <1.1.0 || >=1.1.0 <2.0.0",
    "1.x",
    ">=1.1.0-0",
    "<=1.0.0 || 1.2.0 || >=2.0.0",
    ">=3.0.0 <4.0.0",
)


@attrs.frozen
class _Writer:
    """A writer of requests whose requirements nearly all name packages; *odd* (0 to 1) is the share of others."""

    chosen: random.Random
    names: str
    odd: float

    def chance(self, likelihood: float) -> bool:
        return self.chosen.random() < likelihood

    def required(self, own: str) -> Document:
        others = [name for name in self.names if name != own or self.chance(self.odd)]
        about = self.chosen.choice(others or ["nowhere"])
        if self.chance(self.odd / 2):
            return _required(*self.chosen.choice([("nowhere", ">=1.0.0"), (about, "no range")]))
        package = _required(about, self.chosen.choice(_RANGES))
        if self.chance(self.odd / 2):
            part = {"package": package["value"]}
            parts = self.chosen.choice([{"not": {"constraints": [part]}}, {"any": {"constraints": [part, part]}}])
            return {"type": "olm.constraint", "value": parts}
        return package

    def properties(self, package: str, version: str, says: list[str]) -> list[Document]:
        properties = [_package(name, version) for name in dict.fromkeys(says)]
        kinds = [kind for kind in (package, self.chosen.choice(self.names)) if self.chance(0.2)]
        properties += [{"type": "olm.gvk", "value": {"group": "g", "version": "v1", "kind": kind}} for kind in kinds]
        if self.chance(self.odd / 2):
            properties.append({"type": "olm.deprecated", "value": {}})
        while self.chance(0.6):
            properties.append(self.required(package))
        return properties

    def package(self, name: str) -> list[Document]:
        chosen = self.chosen
        versions = sorted(chosen.sample(range(len(_VERSIONS)), chosen.randint(1, 6)))
        blobs: list[Document] = []
        for place in versions:
            says = [name] if not self.chance(self.odd / 2) else chosen.choices(self.names, k=chosen.randrange(3))
            properties = self.properties(name, _VERSIONS[place], says)
            blobs.append(_bundle(f"{name}.v{_VERSIONS[place]}", *properties))
        bundles = [blob["name"] for blob in blobs]
        channels = chosen.sample(("alpha", "beta", "stable"), chosen.randint(1, 3))
        for channel in channels:
            members = [bundle for bundle in bundles if self.chance(0.75)] or bundles[-1:]
            entries: list[Document] = [
                {"name": member, "replaces": members[n - 1] if n else f"{name}.v0"} for n, member in enumerate(members)
            ]
            if self.chance(0.3):
                # No candidate of a requirement, but a subscription can start at it.
                skipped = f"{name}.skipped.{channel}"
                says = [package_name for package_name in (*name, chosen.choice(self.names)) if self.chance(0.6)]
                blobs.append(_bundle(skipped, *self.properties(name, chosen.choice(_VERSIONS), says)))
                entries[-1]["skips"] = [skipped, chosen.choice(bundles)]
                entries.append({"name": skipped})
            blobs.append({"schema": "olm.channel", "package": name, "name": channel, "entries": entries})
        default = chosen.choice([*channels, "none"])
        return [{"schema": "olm.package", "name": name, "defaultChannel": default}, *blobs]

    def document(self) -> Document:
        chosen = self.chosen
        catalogs: list[Document] = []
        count = chosen.choice([1, 1, 2, 3])
        apart = self.chance(0.6)
        for number in range(count):
            blobs: list[Document] = []
            for place, name in enumerate(self.names):
                if place % count == number or self.chance(0.05 if apart else 0.5):
                    blobs += self.package(name)
            if self.chance(0.3):
                chosen.shuffle(blobs)
            namespace, priority = chosen.choice(["ns", "olm"]), chosen.choice([0, 0, 5, -5])
            catalogs.append({"name": f"cat{number}", "namespace": namespace, "priority": priority, "blobs": blobs})
        bundles = [blob for catalog in catalogs for blob in catalog["blobs"] if blob["schema"] == "olm.bundle"]
        installed: list[Document] = []
        for blob in chosen.sample(bundles, min(len(bundles), chosen.choice([0, 0, 0, 1, 2]))):
            if blob["name"] not in [operator["name"] for operator in installed]:
                version = blob["name"].partition(".v")[2] or "1.0.0"
                installed.append({"name": blob["name"], "version": version, "properties": blob["properties"]})
        wishes = [self.wish(name, bundles) for name in chosen.sample(self.names, chosen.randint(1, len(self.names)))]
        for operator in installed:
            owner = next((w for w in wishes if w["package"] == operator["name"][0] and "installedCSV" not in w), None)
            if owner is not None and self.chance(0.7):
                owner["installedCSV"] = operator["name"]
        return {"namespaces": ["ns", "olm"], "catalogs": catalogs, "installed": installed, "subscriptions": wishes}

    def wish(self, package: str, bundles: list[Document]) -> Document:
        wish: Document = {"name": package, "namespace": "ns", "package": package}
        skipped = [b["name"] for b in bundles if b["package"] == package and "skipped" in b["name"]]
        if skipped and self.chance(0.4):
            wish["startingCSV"] = self.chosen.choice(skipped)
            if self.chance(0.7):
                wish["channel"] = wish["startingCSV"].rpartition(".")[2]
        return wish


def _document(seed: int) -> Document:
    chosen = random.Random(seed)
    return _Writer(chosen, "abcdefgh"[: chosen.randint(2, 8)], chosen.choice([0, 0.02, 0.1])).document()


def _refuse_some(candidate: CandidateFacts) -> str:
    return "not this one" if len(candidate.version) == 7 else ""


def _answer(request: Request, semantics: Semantics, backend: str) -> list[object]:
    try:
        plan = resolve(request, semantics=semantics, backend=backend)
    except Unsatisfiable as error:
        return ["core", error.core, str(error)]
    except CatalogError as error:
        return ["fault", str(error)]
    return ["plan", plan.installs, plan.kept, plan.replaced, plan.differing]


def test_families_change_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine reads requirements as bits where it can, and a SAT solver as clauses: both answer alike.

    Most other random requests have a requirement that is not about a package, and so hardly use bits.
    """
    # Without the search for an easy answer, so that the engine always runs.
    monkeypatch.setattr(search, "glance", lambda *_: None)
    masked_count = 0
    masked_needs = PackageFamilies._masked_needs

    def counted(families: PackageFamilies, number: int) -> object:
        nonlocal masked_count
        masked = masked_needs(families, number)
        masked_count += masked is not None
        return masked

    monkeypatch.setattr(PackageFamilies, "_masked_needs", counted)
    kinds: list[object] = []
    for seed in range(scaled(500, 3)):
        document = _document(seed)
        request = classic_request(document)
        if seed % 10 == 0:
            request = attrs.evolve(request, eligibility=(_refuse_some,))
        if seed % 10 == 1:
            sources = [
                attrs.evolve(
                    source,
                    catalog=loaded_through_index(
                        write_blobs(tmp_path / f"{seed}.{source.name}", catalog_document["blobs"])
                    ),
                )
                for source, catalog_document in zip(request.sources, document["catalogs"], strict=True)
                if catalog_document["blobs"]
            ]
            request = attrs.evolve(request, sources=sources)
        for semantics in Semantics:
            before = masked_count
            answer = _answer(request, semantics, DECIDING)
            with monkeypatch.context() as without:
                without.setattr(ClassicProblem, "families", None)
                assert answer == _answer(request, semantics, PORTABLE), (seed, semantics)
            kinds.append(answer[0] if masked_count > before else "without numbers")
    # Nothing was compared in vain.
    assert min(kinds.count("plan"), kinds.count("core")) > scaled(100, 3), {kind: kinds.count(kind) for kind in kinds}


def _families() -> Iterator[tuple[PackageFamilies, Group, Sequence[Identifier]]]:
    """Yield each package that is a family, with its members: of random documents, and of a dense problem."""
    requests = [classic_request(_document(seed)) for seed in range(scaled(100))]
    dense = dense_problem(DenseShape(packages=20, versions=5, requirements=3, roots=2), "hard", seed=1)
    for request in (*requests, dense.request()):
        visible = Visible(request.sources, request.namespaces)
        try:
            families = ClassicProblem(request, visible, Semantics.DOCUMENTED).families
        except CatalogError:
            continue
        names = sorted({package.name for source in request.sources for package in source.catalog})
        for group in [Group("package", name) for name in names]:
            members = families.family(group)
            if members is not None:
                yield families, group, members


def test_needs_in_runs_are_the_masked_needs() -> None:
    """Whole families are read as runs, and single members as bits: a run is the bits of members that stand together."""
    compared = 0
    for families, group, members in _families():
        needs = families.needs_in_runs(group)
        if needs is None:
            continue
        for member, runs in zip(members, needs, strict=True):
            if runs is not None:
                masks = tuple([(target, (2 << end) - (2 << first)) for target, first, end in runs])
                assert families.masked_needs(member) == MaskedNeeds(masks, ())
                compared += bool(runs)
    assert compared > 50


def test_needs_by_target_are_the_masked_needs() -> None:
    """Some members are read at once for unions, by target; a family that a single one of several needs is left out."""
    compared = left_out = unsaid = 0
    generator = random.Random(1)
    for families, group, members in _families():
        # Half of the time all members, otherwise any but none.
        wanted_bits = (2 << len(members)) - 2
        if len(members) and generator.random() < 0.5:
            wanted_bits = 2 * generator.randrange(1, 1 << len(members))
        by_target = families.needs_by_target(group, wanted_bits)
        if by_target is None:
            unsaid += 1
            continue
        expected: dict[object, list[tuple[int, int, int]]] = {}
        covered_bits = 0
        for position, member in enumerate(members):
            masked = families.masked_needs(member) if wanted_bits & 2 << position else None
            if masked is None:
                # Only what is left out can be about no family.
                continue
            covered_bits |= 2 << position
            for number, (target, mask) in enumerate(masked.needs):
                expected.setdefault(target, []).append((mask, 2 << position, number))
        read = dict(by_target)
        assert len(read) == len(by_target)
        for wanted, needs in expected.items():
            if wanted in read:
                assert sorted(needs) == sorted(need for need in read[wanted] if need[1] & covered_bits)
                compared += len(needs)
            else:
                assert len(needs) == 1
                left_out += 1
    assert compared > 50
    assert left_out
    assert unsaid


def test_groups_of_a_member_are_those_of_its_constraints() -> None:
    """Masked needs leave out most groups of a member; whoever wants all of them spares its constraints."""
    compared = 0
    for seed in range(scaled(100)):
        request = classic_request(_document(seed))
        visible = Visible(request.sources, request.namespaces)
        try:
            problem = ClassicProblem(request, visible, Semantics.DOCUMENTED)
        except CatalogError:
            continue
        families = problem.families
        for slot in range(visible.size):
            if families.masked_needs(slot) is not None:
                groups = [group for constraint in problem.constraints(slot) for group in constraint.groups]
                assert list(families.groups_of(slot)) == groups
                compared += bool(groups)
    assert compared > 50


def test_nothing_is_carried_from_what_is_no_family_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that stops being a family has other variables: a candidate with two could be selected by one alone."""
    carried: list[bool] = []
    follow = Engine.inherit

    def noted(engine: Engine, before: Engine, lost: AbstractSet[str]) -> None:
        kept = [group for group in before._domains.groups if group is not None and group not in lost]
        families = [
            [side._families is not None and side._families.family(g) for g in kept] for side in (before, engine)
        ]
        carried.append(families[0] == families[1])
        follow(engine, before, lost)

    monkeypatch.setattr(Engine, "inherit", noted)
    # Few requests get there: but for the last, a run over other families would be carried in these.
    for names, odd, seed in (("abcd", 0.4, 216), ("abcdefgh", 0.1, 274), ("abcdefgh", 0.3, 751), ("abcdef", 0.2, 3)):
        writer = _Writer(random.Random(seed), names, odd)
        with contextlib.suppress(Unsatisfiable, CatalogError):
            resolve(classic_request(writer.document()))
    assert set(carried) <= {True}


def test_a_catalog_beside_changes_no_family() -> None:
    """What one catalog says in bits it says beside another one too, wherever that stands: only the numbers move."""
    catalog = catalog_of(
        package("app").channel("stable", "1.0.0 < 2.0.0").requires("db", "<2.0.0").requires("kv"),
        package("db").channel("stable", "1.0.0 < 1.1.0 < 2.0.0").requires("kv", ">=2.0.0", at="2.0.0"),
        package("kv").channel("stable", "1.0.0 < 2.0.0").channel("beta", "2.0.0 < 3.0.0"),
    )
    other = catalog_of(package("idle").channel("stable", "1.0.0 < 2.0.0"))
    request = request_for(catalog, "app")
    alone = ClassicProblem.of_request(request, Semantics.DOCUMENTED)
    size = alone.visible.size
    for priority, offset in ((-1, 0), (1, 2)):
        source = Source("other", "olm", priority, other)
        both = ClassicProblem.of_request(
            attrs.evolve(request, sources=[*request.sources, source]), Semantics.DOCUMENTED
        )
        assert both.visible.size == size + 2
        masked = 0
        for number in range(size):
            needs = alone.families.masked_needs(number)
            assert both.families.masked_needs(number + offset) == needs
            masked += needs is not None
            family = alone.families.family_of(number)
            assert family is not None
            assert both.families.family_of(number + offset) == family
            members, moved = alone.families.family(family[0]), both.families.family(family[0])
            assert members is not None
            assert moved is not None
            assert [alone.candidate(member) for member in members] == [both.candidate(member) for member in moved]
        assert masked == size


def test_a_family_is_in_the_block_of_its_package() -> None:
    """Unless a bundle in another package's channels is one of them; APIs and strange names have no families."""
    blobs = [
        _bundle("a.v1", _package("a", "1.0.0")),
        _bundle("b.v1", _package("b", "1.0.0")),
        _bundle("c.v1", _package("b", "2.0.0")),
        *(_channel(name, {"name": f"{name}.v1"}) for name in "abc"),
    ]
    families = ClassicProblem.of_request(_request(blobs, {"package": "a"}), Semantics.DOCUMENTED).families
    assert families.block_of(Group("package", "a")) == "a"
    assert families.block_of(Group("package", "b")) is None
    assert families.family(Group("package", "b")) is not None
    assert families.block_of(Group("package", "gone")) is families.block_of(Group("api", "g/v1/A")) is None
