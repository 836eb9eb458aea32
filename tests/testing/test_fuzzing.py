"""Fuzzing finds the faults that it is there for, gives them back small, and gives the same report whatever runs it.

Some tests ask one step of a run, since a whole run reaches a rare ending by luck only.
"""

from __future__ import annotations

import importlib.util
import itertools
import json
import random
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import olmsolve
from olmsolve import Candidate, Request, RequestError, Resolution, Semantics, Source, classic, evolve, read_request
from olmsolve.answers.verification import World
from olmsolve.testing import (
    COMPOUND,
    DENSE,
    FuzzReport,
    broken_constraints,
    catalog_of,
    check_constraints,
    check_preferred,
    check_semantics,
    fuzz,
    fuzzing,
    package,
    random_document,
    random_request,
    replay,
    request_for,
)
from olmsolve.testing.fuzzing.covering import COVERED, covered
from olmsolve.testing.fuzzing.drawing import RequestDrawer
from olmsolve.testing.fuzzing.questions import Examiner, doubtful_pairs
from olmsolve.testing.fuzzing.reports import command, save
from olmsolve.testing.fuzzing.working import FuzzSettings, FuzzWork
from olmsolve.v1 import ExtensionRequest
from tests.scale import LONG, scaled

EXAMPLES = Path(olmsolve.__file__).parent / "examples/catalogs"
API = "backup.example.com/v1/Backup"
AUTHORS = catalog_of(
    package("shop")
    .channel("stable", "1.0.0 < 2.0.0 < 3.0.0")
    .requires("broker", ">=3.0.0")
    .requires("broker", ">=4.0.0", at="3.0.0"),
    package("depot").channel("stable", "1.0.0").requires("broker", "<3.0.0").requires("broker", ">=1.0.0"),
    package("broker").channel("stable", "2.0.0 < 3.0.0"),
    package("archive").channel("stable", "1.0.0").provides(API),
    package("barn").channel("stable", "1.0.0").provides(API),
    package("clock").channel("stable", "1.0.0").requires_api(API),
)


def bundled() -> list[Source]:
    return [Source(name, "olm", 0, olmsolve.load(EXAMPLES / name)) for name in ("commons", "orchard")]


def sources(*catalogs: olmsolve.Catalog) -> list[Source]:
    return [Source(f"cat{number}", "olm", 0, catalog) for number, catalog in enumerate(catalogs)]


def check_nobody_needs_courier(request: Request, semantics: Semantics) -> None:
    """A law that is false: many plans bring courier along with storefront."""
    try:
        plan = classic.resolve(request, semantics=semantics)
    except olmsolve.OlmsolveError:
        return
    names = {install.package for install in plan.installs}
    if {"courier", "storefront"} <= names:
        raise AssertionError("courier comes along")


def check_no_extension_exists(request: ExtensionRequest) -> None:
    """A law that is false: an extension gets a bundle."""
    raise AssertionError(f"there is a bundle: {olmsolve.v1.resolve(request).bundle}")


# -- faults


def test_a_false_law_is_found_small_and_replayable(tmp_path: Path) -> None:
    """The finding is a request with the two packages that matter, in a file that shows it again."""
    report = fuzz(bundled(), cases=30, laws=[check_nobody_needs_courier], extension_laws=[], out=tmp_path)
    (number, finding), *others = report.of_kind("BrokenLaw")
    assert isinstance(finding, fuzzing.BrokenLaw)
    assert (finding.law, finding.reasons) == ("nobody needs courier", ("courier comes along",))
    assert isinstance(finding.request, Request)
    assert sum(len(package.bundles) for source in finding.request.sources for package in source.catalog) == 2
    assert len(others) + report.repeated > 0
    text = Path(report.files[number]).read_text("utf-8")
    assert text.startswith(f"# case {finding.case} breaks the law nobody needs courier\n# courier comes along\n")
    replayed = replay([read_request(report.files[number])], laws=[check_nobody_needs_courier])
    assert [finding.kind for finding in replayed.findings] == ["BrokenLaw"]
    # Its own laws hold for this answer.
    assert replay([read_request(report.files[number])]).clean


def test_a_false_law_of_extensions_is_found(tmp_path: Path) -> None:
    """Requests to OLM v1 are drawn, reduced and saved as well."""
    report = fuzz(bundled(), cases=40, laws=[], extension_laws=[check_no_extension_exists], out=tmp_path)
    finding = next(finding for finding in report.findings if isinstance(finding, fuzzing.BrokenLaw))
    assert isinstance(finding.request, ExtensionRequest)
    assert [len(catalog.catalog.packages) for catalog in finding.request.catalogs if catalog.catalog is not None] == [1]
    assert len(report.files) == len(report.findings), "each kind of finding is written"


def test_an_engine_with_a_fault_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here it leaves out the last bundle of plans with several: a law sees it, and so does whoever replays it."""
    real = classic.resolve

    def resolve(request: Request, **settings: Any) -> Resolution:
        plan = real(request, **settings)
        return evolve(plan, installs=plan.installs[:-1]) if len(plan.installs) > 1 else plan

    with monkeypatch.context() as patched:
        patched.setattr(classic, "resolve", resolve)
        laws = [check_constraints, check_preferred]
        report = fuzz(bundled(), cases=8, laws=laws, extension_laws=[])
        findings = [finding for finding in report.findings if isinstance(finding, fuzzing.BrokenLaw)]
        assert {finding.law for finding in findings} == {"constraints", "preferred"}
        first = next(finding for finding in findings if finding.law == "constraints")
        assert isinstance(first.request, Request)
        assert sum(len(package.bundles) for source in first.request.sources for package in source.catalog) <= 3
        assert not replay([first.request], laws=laws).clean
    assert replay([first.request]).clean


def test_a_crash_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception that is none of the library's own is a fault, whichever law meets it."""
    real = classic.resolve

    def resolve(request: Request, **settings: Any) -> Resolution:
        if "courier" in {subscription.package for subscription in request.subscriptions}:
            raise ZeroDivisionError("nothing to divide")
        return real(request, **settings)

    sources = bundled()
    work = fuzzing.fuzz(sources, cases=0)
    assert work.cases == 0
    monkeypatch.setattr(classic, "resolve", resolve)
    request = request_for(sources[0].catalog, "courier")
    report = replay([request])
    assert report.outcomes == {"crash": 1}
    assert {finding.reasons for finding in report.findings} >= {("ZeroDivisionError: nothing to divide",)}


def test_two_meanings_are_found() -> None:
    """The author means two bundles, and the controller looks for one: the request shrinks to the four that matter."""
    both = [{"package": {"packageName": name, "versionRange": ">=1.0.0"}} for name in ("a", "b")]
    catalog = catalog_of(
        package("shop").channel("stable", "0.9.0 < 1.0.0").constrained({"all": {"constraints": both}}, at="1.0.0"),
        package("a").channel("stable", "1.0.0 < 1.1.0"),
        package("b").channel("stable", "1.0.0 < 1.1.0"),
    )
    report = fuzz(sources(catalog), cases=10)
    assert [finding.kind for finding in report.findings if finding.kind == "BrokenLaw"] == []
    finding = next(finding for finding in report.findings if isinstance(finding, fuzzing.TwoMeanings))
    assert isinstance(finding.request, Request)
    assert "shop" in {subscription.package for subscription in finding.request.subscriptions}
    assert sum(len(package.bundles) for source in finding.request.sources for package in source.catalog) <= 4
    [reason] = finding.reasons
    assert reason == ("shop.v1.0.0 (stable, olm/cat0) requires all of (package a in >=1.0.0; package b in >=1.0.0)"), (
        "the author looks for the constraint, not for the packages that it moves"
    )


def test_a_difference_without_two_meanings_is_our_own_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here one semantics loses a bundle: the finding blames a law of olmsolve, never the author or the controller."""
    real = classic.resolve

    def resolve(request: Request, **settings: Any) -> Resolution:
        plan = real(request, **settings)
        return evolve(plan, installs=plan.installs[:-1]) if settings.get("semantics") is Semantics.CONTROLLER else plan

    monkeypatch.setattr(classic, "resolve", resolve)
    monkeypatch.setattr("olmsolve.answers.questions.differing.resolve", resolve)
    report = replay([request_for(AUTHORS, "depot")], laws=[check_semantics])
    assert [(finding.kind, str(finding)) for finding in report.findings] == [
        ("BrokenLaw", "case 0 breaks the law semantics"),
    ]
    assert "judged by olmsolve.testing.laws.agreement.check_semantics" in fuzzing.fuzz_text(report, width=200)


def test_two_meanings_say_which_answer_is_whose(tmp_path: Path) -> None:
    """Both answers are olmsolve's own: whoever knows the controller sees whether olmsolve has it right."""
    both = [{"package": {"packageName": name, "versionRange": ">=1.0.0"}} for name in ("a", "b")]
    catalog = catalog_of(
        package("shop").channel("stable", "1.0.0").constrained({"all": {"constraints": both}}),
        package("a").channel("stable", "1.0.0"),
        package("b").channel("stable", "1.0.0"),
    )
    report = fuzz(sources(catalog), cases=10, laws=[], out=tmp_path)
    text = fuzzing.fuzz_text(report, width=200)
    assert "olmsolve with documented semantics: shop.v1.0.0 (stable, olm/cat0), a.v1.0.0 (stable, olm/cat0)" in text
    assert "olmsolve with controller semantics: no plan" in text
    number, finding = report.of_kind("TwoMeanings")[0]
    assert isinstance(finding, fuzzing.TwoMeanings)
    assert (Path(report.files[number]).name, finding.request.name) == (
        "two-meanings-a-b-shop.yaml",
        "two meanings a b shop",
    )


# -- the questions of an author


def unservable() -> olmsolve.Catalog:
    """Packages that nothing can install: each for another reason; only one channel of "half" serves nobody."""
    return catalog_of(
        package("lonely").channel("stable", "1.0.0").requires("missing", ">=1.0.0"),
        package("egg").channel("stable", "1.0.0").requires("hen", ">=1.0.0"),
        package("hen").channel("stable", "1.0.0").requires("egg", ">=2.0.0"),
        package("half").channel("beta", "2.0.0").channel("stable", "1.0.0").requires("missing", ">=1.0.0", at="2.0.0"),
    )


def circular() -> olmsolve.Catalog:
    """A package whose entries replace each other, so that its channel has no head."""
    entries = [{"name": "round.v1", "replaces": "round.v2"}, {"name": "round.v2", "replaces": "round.v1"}]
    blobs: list[dict[str, Any]] = [
        {"schema": "olm.package", "name": "round", "defaultChannel": "stable"},
        {"schema": "olm.channel", "package": "round", "name": "stable", "entries": entries},
    ]
    blobs += [
        {
            "schema": "olm.bundle",
            "package": "round",
            "name": f"round.v{number}",
            "properties": [{"type": "olm.package", "value": {"packageName": "round", "version": f"{number}.0.0"}}],
        }
        for number in (1, 2)
    ]
    return olmsolve.from_blobs(blobs)


def test_packages_that_nothing_can_install_are_named() -> None:
    """Requirements that nothing meets, requirements that go in a circle, updates that go in a circle."""
    report = fuzz(sources(unservable(), circular()), cases=0)
    reasons = {str(finding): finding.reasons for _, finding in report.of_kind("NeverInstallable")}
    assert list(reasons) == [
        "egg of olm/cat0 can never be installed",
        "half of olm/cat0 can never be installed from channel beta",
        "hen of olm/cat0 can never be installed",
        "lonely of olm/cat0 can never be installed",
        "round of olm/cat1 can never be installed",
    ]
    assert reasons["egg of olm/cat0 can never be installed"][-1].startswith(
        "hen.v1.0.0 (stable, olm/cat0) requires package egg in >=2.0.0, which no bundle provides"
    )
    assert "head" in reasons["round of olm/cat1 can never be installed"][0]


def test_every_finding_is_a_document_that_shows_it(tmp_path: Path) -> None:
    """Of each kind: a file that is called after what it shows, that resolves, and whose title is the finding."""
    bad_range = evolve(request_for(AUTHORS).sources[0].catalog.packages["clock"], name="clock")
    opinion = fuzzing.DifferentOpinion("olm/cat0", bad_range.name, "clock.v1.0.0", "read otherwise")
    report = fuzz(sources(AUTHORS, unservable()), cases=0, out=tmp_path)
    findings = [*report.findings, opinion]
    examiner = Examiner(sources(AUTHORS, unservable()), Semantics.DOCUMENTED)
    profiles = [profile for name in AUTHORS.packages for profile in examiner.profiles("olm/cat0", name)]
    saved = save(findings, tmp_path, examiner, profiles, Semantics.DOCUMENTED)
    assert {finding.kind for finding in saved} == set(fuzzing.KINDS) - {"BrokenLaw", "TwoMeanings"}
    assert [Path(finding.file).name for finding in saved] == [
        "never-together-archive-barn.yaml",
        "never-together-depot-shop.yaml",
        "never-installable-egg.yaml",
        "never-installable-half-beta.yaml",
        "never-installable-hen.yaml",
        "never-installable-lonely.yaml",
        "update-dead-end-shop.v2.0.0-stable.yaml",
        "never-decisive-depot.v1.0.0-package-broker-in-1.0.0.yaml",
        "won-by-name-archive-barn.yaml",
        "different-opinion-clock.v1.0.0.yaml",
    ]
    for finding in saved:
        request = read_request(finding.file)
        assert isinstance(request, Request)
        assert request.name == str(finding)
        text = Path(finding.file).read_text("utf-8")
        assert text.startswith(f"# {finding}\n")
        assert f"# {command(evolve(finding, file=Path(finding.file).name), 'documented')}\n" in text
        if finding.kind in ("NeverTogether", "NeverInstallable"):
            with pytest.raises(olmsolve.Unsatisfiable) as failure:
                olmsolve.resolve(request)
            assert {str(reason) for reason in failure.value.core} >= set(finding.reasons)
            continue
        plan = olmsolve.resolve(request)
        match finding:
            case fuzzing.UpdateDeadEnd():
                [operator] = olmsolve.held_back(plan)
                assert [newer.candidate.name for newer in operator.newer] == ["shop.v3.0.0"]
            case fuzzing.WonByName():
                assert finding.rival in {package for source in request.sources for package in source.catalog.packages}
                assert finding.package in {install.package for install in plan.installs}
            case fuzzing.NeverDecisive():
                assert finding.bundles[0] in {install.name for install in plan.installs}
            case _:
                assert finding.kind == "DifferentOpinion"


def test_files_of_findings_that_are_called_alike(tmp_path: Path) -> None:
    """Neither takes the place of the other, and a name in a catalog leads to no other folder."""
    examiner = Examiner(sources(AUTHORS), Semantics.DOCUMENTED)
    finding = fuzzing.NeverInstallable("olm/cat0", "shop", ("stable",))
    slashes = fuzzing.DifferentOpinion("olm/cat0", "shop", "../../Shop", "read otherwise")
    saved = save([finding, finding, slashes], tmp_path, examiner, (), Semantics.CONTROLLER)
    assert [finding.file for finding in saved] == [
        str(tmp_path / name)
        for name in (
            "never-installable-shop.yaml",
            "never-installable-shop-2.yaml",
            "different-opinion-..-..-shop.yaml",
        )
    ]
    assert "# olmsolve explain --semantics controller never-installable-shop.yaml\n" in Path(saved[0].file).read_text(
        "utf-8"
    )


def test_an_author_is_told() -> None:
    """One catalog with everything that authors should know."""
    report = fuzz(sources(AUTHORS), cases=0)
    pairs = [finding.subscriptions for finding in report.findings if isinstance(finding, fuzzing.NeverTogether)]
    assert [tuple(text.split()[1] for text in pair) for pair in pairs] == [("archive", "barn"), ("depot", "shop")]
    assert str(report.findings[0]) == (
        "package archive from channel stable of olm/cat0 and package barn from channel stable of olm/cat0"
        " can never be served together"
    )
    assert {finding.kind: str(finding) for finding in report.findings[2:]} == {
        "UpdateDeadEnd": (
            "in channel stable, shop.v2.0.0 cannot be updated to shop.v3.0.0; the head is also out of reach for"
            " shop.v1.0.0"
        ),
        "NeverDecisive": (
            "package broker in >=1.0.0, which depot.v1.0.0 requires, never decides: other requirements always meet it"
        ),
        "WonByName": (
            "archive is selected for the API backup.example.com/v1/Backup, which clock.v1.0.0 requires, only because"
            " its name comes before barn"
        ),
    }
    assert (report.packages, report.all_packages, report.pairs) == (6, 6, 15)


@pytest.mark.parametrize("semantics", Semantics)
def test_pairs_that_are_not_asked_about_can_be_served(semantics: Semantics) -> None:
    """Uniting two plans must be right whenever it saves a question: each pair is resolved here."""
    pairs = 0
    for seed in range(scaled(150)):
        request = random_request(random.Random(seed), DENSE)
        visible = [source for source in request.sources if source.namespace in request.namespaces]
        if not visible:
            continue
        examiner = Examiner(visible, semantics)
        names = [(source.key, package.name) for source in visible for package in source.catalog]
        profiles = [profile for catalog, name in names for profile in examiner.profiles(catalog, name)]
        doubtful = set(doubtful_pairs(profiles, examiner.sources))
        for pair in itertools.combinations(profiles, 2):
            one, other = pair
            if one.package == other.package or pair in doubtful or pair[::-1] in doubtful:
                continue
            pairs += 1
            wishes = [
                examiner.wish(subscription.catalog, subscription.package, subscription.channel) for subscription in pair
            ]
            assert examiner.refusal(wishes) is None, (seed, one, other)
    assert pairs > scaled(150)


def _selections(request: Request, semantics: Semantics) -> list[list[Candidate]]:
    """All selections of the catalogs of *request* in which every bundle has what it requires."""
    world = World(request)
    everything = [
        Candidate(candidate.name, candidate.package, candidate.channel, candidate.catalog, "")
        for candidate in world.selectable
    ]
    return [
        list(selection)
        for count in range(1, len(everything) + 1)
        for selection in itertools.combinations(everything, count)
        if not broken_constraints(request, selection, semantics)
    ]


def test_requirements_that_never_decide_by_trying_all_selections() -> None:
    """Each is granted by the rest in every selection; all together can be left out; and a single one is not missed."""
    counts = {"idle": 0, "decisive": 0}
    for seed in range(scaled(240)):
        drawn = random_request(random.Random(seed), evolve(DENSE, catalogs=1, packages=3, bundles=2, channels=1))
        [source] = drawn.sources
        request = evolve(drawn, namespaces=("ns", source.namespace), subscriptions=(), installed=())
        examiner = Examiner([source], Semantics.DOCUMENTED)
        if len(World(request).selectable) > 6:
            continue
        for package_ in source.catalog:
            idle = {finding.requirement for finding in examiner.never_decisive(source.key, package_.name)}
            expected = _idle_by_trying(request, package_.name)
            assert idle <= expected["idle"], (seed, package_.name)
            assert bool(idle) == bool(expected["idle"]), (seed, package_.name)
            for kind in counts:
                counts[kind] += len(expected[kind])
            before, after = (
                _selections(one_request, Semantics.DOCUMENTED)
                for one_request in (request, _without(request, package_, idle))
            )
            names = set(package_.bundles)
            assert [selection for selection in before if names & {one.name for one in selection}] == [
                selection for selection in after if names & {one.name for one in selection}
            ], (seed, package_.name)
    assert min(counts.values()) > scaled(12), counts


def _without(request: Request, package: olmsolve.Package, texts: set[str]) -> Request:
    """*request* in which the bundles of *package* state no requirement of these *texts*."""

    def smaller(bundle: olmsolve.Bundle) -> olmsolve.Bundle:
        try:
            requirements = olmsolve.predicates.requirements(bundle.properties)
        except olmsolve.ConstraintError:
            return bundle
        gone = {requirement.property_index for requirement in requirements if str(requirement.predicate) in texts}
        kept = tuple(property_ for number, property_ in enumerate(bundle.properties) if number not in gone)
        return evolve(bundle, properties=kept)

    [source] = request.sources
    bundles = {name: smaller(bundle) for name, bundle in package.bundles.items()}
    packages = {**source.catalog.packages, package.name: evolve(package, bundles=bundles)}
    return evolve(request, sources=[evolve(source, catalog=olmsolve.Catalog(packages))])


def _idle_by_trying(request: Request, name: str) -> dict[str, set[str]]:
    """The texts of the requirements of package *name* that decide nothing in any bundle, and those that do."""
    predicates: dict[str, set[str]] = {"idle": set(), "decisive": set()}
    stated = _selections(request, Semantics.DOCUMENTED)
    source = request.sources[0]
    package = source.catalog.packages[name]
    for bundle in package.bundles.values():
        if not any(bundle.name in {one.name for one in selection} for selection in stated):
            continue
        for requirement in olmsolve.predicates.requirements(bundle.properties):
            if requirement.property_type == "olm.label.required":
                continue
            position = requirement.property_index
            rest = evolve(bundle, properties=bundle.properties[:position] + bundle.properties[position + 1 :])
            packages = {**source.catalog.packages, name: evolve(package, bundles={**package.bundles, rest.name: rest})}
            without = evolve(request, sources=[evolve(source, catalog=olmsolve.Catalog(packages))])
            with_bundle = [
                selection
                for selection in _selections(without, Semantics.DOCUMENTED)
                if bundle.name in {one.name for one in selection}
            ]
            is_idle = all(not broken_constraints(request, selection) for selection in with_bundle)
            predicates["idle" if is_idle else "decisive"].add(str(requirement.predicate))
    predicates["idle"] -= predicates["decisive"]
    return predicates


# -- runs


def written(report: FuzzReport) -> str:
    return fuzzing.fuzz_json(report) + fuzzing.fuzz_text(report) + fuzzing.fuzz_junit(report)


def run(executor: Executor | None = None, **settings: Any) -> FuzzReport:
    laws = [check_nobody_needs_courier]
    return fuzz(bundled(), cases=6, seed=1, laws=laws, extension_laws=[], executor=executor, **settings)


@cache
def run_alone() -> FuzzReport:
    """The report of a run without an executor, with a finding; made once for those that are compared with it."""
    report = run()
    assert report.of_kind("BrokenLaw")
    return report


EXECUTORS: dict[str, Callable[[], Executor]] = {
    "threads": lambda: ThreadPoolExecutor(2),
    "one process": lambda: ProcessPoolExecutor(1),
    "processes": lambda: ProcessPoolExecutor(2),
}


@pytest.mark.forks
@pytest.mark.parametrize("name", EXECUTORS)
def test_workers_give_the_same_report(name: str) -> None:
    """To the byte, in every form: the randomness of a case depends on the seed and its number alone."""
    with EXECUTORS[name]() as executor:
        assert written(run(executor)) == written(run_alone())


@pytest.mark.skipif(not LONG, reason="a cluster takes seconds to start (OLMSOLVE_TESTS=long)")
@pytest.mark.filterwarnings("default")
def test_a_cluster_gives_the_same_report() -> None:
    """Dask's executor is one like any other."""
    if importlib.util.find_spec("distributed") is None:
        pytest.skip('the extra "dask" is not installed')
    distributed = importlib.import_module("distributed")
    cluster = distributed.LocalCluster(n_workers=2, processes=True, dashboard_address=None, silence_logs=50)
    with cluster, distributed.Client(cluster) as client:
        laws = olmsolve.testing.LAWS
        expected = fuzz(bundled(), cases=20, laws=laws)
        assert written(fuzz(bundled(), cases=20, laws=laws, executor=client.get_executor())) == written(expected)


def test_a_run_goes_on_where_it_ended(tmp_path: Path) -> None:
    """Whoever interrupts it, the state has what was done, and the report is that of a run in one go."""
    # Before the cases come packages, and the pairs of channels that might exclude each other.
    questions = run_alone().packages + 8

    def interrupt(done: int, total: int) -> None:
        if done == questions + 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(out=tmp_path, progress=interrupt)
    state = json.loads((tmp_path / "fuzz-state.json").read_text("utf-8"))
    assert [case["number"] for case in state["state"]["cases"]] == [0, 1, 2]
    calls: list[int] = []
    report = run(out=tmp_path, progress=lambda done, total: calls.append(done))
    cases = json.loads((tmp_path / "fuzz-state.json").read_text("utf-8"))["state"]["cases"]
    reduced = sum(len(case["broken"]) for case in cases)
    assert reduced
    assert [done - questions for done in calls] == list(range(4, len(cases) + reduced + 1)), "then what was found"
    assert report == run_alone()


def test_a_state_of_other_things_is_not_taken(tmp_path: Path) -> None:
    """Another seed draws other requests; and a file that is no state is left alone."""
    fuzz(bundled(), cases=3, seed=1, out=tmp_path)
    report = fuzz(bundled(), cases=3, seed=2, out=tmp_path)
    assert report == fuzz(bundled(), cases=3, seed=2)
    assert "is for other catalogs, requests or options" in report.notes[0]
    path = tmp_path / "fuzz-state.json"
    state = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps(state | {"packages": [{"catalog": 7}]}), "utf-8")
    assert "is damaged" in fuzz(bundled(), cases=3, seed=2, out=tmp_path).notes[0]
    for text in ("{}", "[]", "nothing", '{"schema": "olm.package"}'):
        path.write_text(text, "utf-8")
        with pytest.raises(RequestError, match="this is not a state of fuzzing"):
            fuzz(bundled(), cases=3, out=tmp_path)
        assert path.read_text("utf-8") == text


def test_time_ends_a_run() -> None:
    """The report says how much was done."""
    report = fuzz(bundled(), seconds=0.3, laws=[])
    assert 0 < report.packages <= report.all_packages
    assert fuzz(bundled(), seconds=1e-9).cases == 0
    with pytest.raises(olmsolve.Incomplete):
        fuzz(bundled(), cases=50, timeout=1e-6)


def test_requests_of_ones_own_are_varied() -> None:
    """Half of the requests keep the names of the given one, with other channels, starts and contents."""
    own = request_for(AUTHORS, "depot@stable", installed="broker.v2.0.0")
    near = RequestDrawer(sources(AUTHORS), [own], 0)
    drawn = [near.drawn(number) for number in range(60)]
    alike = [request for request in drawn if isinstance(request, Request) and request.sources[0].name == "catalog"]
    assert 15 < len(alike) < 45
    assert {request.subscriptions[0].package for request in alike} == {"depot"}
    assert {len(request.installed) for request in alike} == {0, 1}
    alone = RequestDrawer([], [own], 0)
    assert all(
        isinstance(request, Request) and request.sources[0].name == "catalog" for request in map(alone.drawn, range(20))
    )
    extension = ExtensionRequest(olmsolve.v1.Extension("depot"), [olmsolve.v1.ClusterCatalog("main", AUTHORS)])
    assert isinstance(RequestDrawer([], [extension], 0).drawn(0), ExtensionRequest)


def test_drawn_requests_are_rich() -> None:
    """Every kind of request comes soon, and each is the same in every process."""
    drawer = RequestDrawer(bundled(), [], 5)
    drawn = [drawer.drawn(number) for number in range(200)]
    assert drawn[:20] == [RequestDrawer(bundled(), [], 5).drawn(number) for number in range(20)]
    plain = [request for request in drawn if isinstance(request, Request)]
    assert 100 < len(plain) < 190
    assert {len(request.subscriptions) for request in plain} == {1, 2, 3}
    wishes = [wish for request in plain for wish in request.subscriptions]
    for field in ("channel", "source", "starting_csv"):
        assert 0.05 < sum(bool(getattr(wish, field)) for wish in wishes) / len(wishes) < 0.9
    operators = [operator for request in plain for operator in request.installed]
    assert {operator.subscription is None for operator in operators} == {True, False}
    assert any(operator.version == "0.0.1" for operator in operators)
    assert any(len(request.sources) == 3 for request in plain)
    names = " ".join(case.name for case in drawn)
    for change in ("without ", "is deprecated", "requires package"):
        assert change in names


def test_nothing_to_draw_from_is_refused() -> None:
    """An empty catalog has no requests, and two catalogs of one name are one too many."""
    with pytest.raises(RequestError, match="there is no package"):
        fuzz(sources(catalog_of()), cases=1)
    with pytest.raises(RequestError, match="there is no package"):
        fuzz(cases=1)
    twice = [*sources(AUTHORS), *sources(AUTHORS)]
    with pytest.raises(RequestError, match="is given 2 times"):
        fuzz(twice, cases=1)


# -- what is drawn


def conflicts() -> list[Source]:
    """Catalogs with every kind of requirement, in which most random wishes exclude each other."""
    shape = evolve(COMPOUND, packages=8, bundles=4, channels=2, provides=0.3)
    blobs = (random_document(random.Random(seed), shape)["catalogs"][0]["blobs"] for seed in (10, 11))
    return sources(*map(olmsolve.from_blobs, blobs))


def test_plans_and_failures_are_balanced() -> None:
    """Catalogs full of conflicts had a plan for one request in four, and laws of plans were hardly asked."""
    drawer = RequestDrawer(conflicts(), [], 0)
    drawn = [request for number in range(80) if isinstance(request := drawer.drawn(number), Request)]
    assert 0.4 < sum(map(has_plan, drawn)) / len(drawn) < 0.8


def has_plan(request: Request) -> bool:
    try:
        return olmsolve.is_satisfiable(request)
    except olmsolve.CatalogError:
        return False


def test_all_that_can_be_drawn_is_drawn() -> None:
    """What is never drawn is never tested: all that a report counts is among two hundred requests."""
    work = FuzzWork(FuzzSettings(tuple(conflicts()), (), 0))
    features: set[str] = set()
    for number in range(200):
        request = work.request(number)
        features.update(covered(request, work.outcome(request)[1]))
        if features == set(COVERED):
            return
    assert features == set(COVERED)
