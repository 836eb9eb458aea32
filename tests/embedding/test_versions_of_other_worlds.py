"""Versions that are not semantic ones, in every verb that reads one: PEP 440 and calendar versions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import olmsolve
from olmsolve import Bundles, Catalog, CatalogError, Keep, Never, RequestError, Source, catalog_of, package, request_for
from olmsolve.answers import version_runs
from olmsolve.catalog import write
from olmsolve.lifecycle.impact.comparing import _compared_versions, _VersionOrder
from olmsolve.semver import NAMED_SCHEMES, BlangRange
from olmsolve.testing import bench, fuzz, outline, reduced, same_outcome
from tests.cli.commands import runner

PEP440 = catalog_of(
    package("draw").channel("stable", "2024.1 < 2025.2rc1 < 2025.2 < 2025.10").requires("torch", ">=2.1,<3"),
    package("torch").channel("stable", "1.9 < 2.1 < 2.4.post1 < 2.10 < 3.0"),
    package("chat").channel("stable", "1.0").requires("torch", "~=2.4"),
    scheme="pep440",
)
CALENDAR = catalog_of(
    package("draw").channel("stable", "9.10 < 24.04 < 24.04.1 < 24.10").requires("torch", ">=9.10 <24.10"),
    package("torch").channel("stable", "9.04 < 9.10 < 24.04 < 24.10"),
    package("chat").channel("stable", "9.10").requires("torch", ">=24.04 <24.10"),
    scheme="calendar",
)
# A catalog; a range of package torch; the versions of torch in it, none of which is the newest that serves.
CASES = [
    pytest.param(PEP440, ">=2.1,<2.10", ["2.1", "2.4.post1"], "2.10", id="pep440"),
    pytest.param(CALENDAR, ">=9.10 <24.04", ["9.10"], "24.04", id="calendar"),
]
ranges = pytest.mark.parametrize(("catalog", "versions", "inside", "newest"), CASES)


def named(catalog: Catalog) -> list[str]:
    return [name.removeprefix("torch.v") for name in catalog.packages["torch"].bundles]


@ranges
def test_house_rules_read_ranges_as_their_catalog(
    catalog: Catalog, versions: str, inside: list[str], newest: str
) -> None:
    """A text was a range of semantic versions: refused, or one that held no version of the catalog."""
    rule = Never(Bundles("torch", versions=f"<={newest}"), name="too old")
    request = olmsolve.evolve(request_for(catalog, "draw"), house_rules=[rule])
    assert not olmsolve.is_satisfiable(request)
    rule = Never(Bundles("torch", versions=versions), name="some")
    request = olmsolve.evolve(request, house_rules=[rule])
    assert [install.candidate.version for install in olmsolve.resolve(request).installs][1:] == [newest]
    assert request.house_rules[0].to_dict() == rule.to_dict()
    assert rule.bundles == Bundles("torch", versions=versions)
    assert olmsolve.evolve(request, name="again").house_rules == request.house_rules


def test_ranges_of_house_rules_are_refused_where_the_catalog_cannot_read_them() -> None:
    """With the rule; and where two catalogs read a package by two schemes, neither is taken."""
    semantic = catalog_of(package("torch").channel("stable", "1.0.0"))
    rule = Never(Bundles("torch", versions="<2"), name="too old")
    with pytest.raises(RequestError, match=r"house_rules: too old: versions: not a version range"):
        olmsolve.evolve(request_for(semantic, "torch"), house_rules=[rule])
    sources = [Source("one", "olm", 0, semantic), Source("two", "olm", 0, PEP440)]
    with pytest.raises(RequestError) as refused:
        olmsolve.Request(["olm"], sources, [], house_rules=[rule])
    assert str(refused.value) == (
        "house_rules: too old: versions: of torch can be pep440 and semantic versions, by the catalogs that have it"
        " (scheme.range(...) says which ones are meant)"
    )
    absent = Never(Bundles("gone", versions="<2"), name="too old")
    assert olmsolve.Request(["olm"], sources, [], house_rules=[absent]).house_rules == (absent,)
    exact = Never(Bundles("torch", versions=BlangRange.parse("<2.0.0")), name="too old")
    assert olmsolve.Request(["olm"], sources, [], house_rules=[exact]).house_rules == (exact,)
    assert exact.bundles == Bundles("torch", versions="<2.0.0")
    assert hash(exact.bundles) == hash(Bundles("torch", versions="<2.0.0"))
    with pytest.raises(RequestError, match=r"a VersionScheme has range\(\.\.\.\) for its versions"):
        Bundles("torch", versions="<=pro")


@ranges
def test_parts_of_catalogs(catalog: Catalog, versions: str, inside: list[str], newest: str) -> None:
    """``subset_catalog`` and ``remove_from_catalog`` read ranges by the catalog, and follow its requirements."""
    assert named(olmsolve.subset_catalog(catalog, [Keep("torch", versions=versions)])) == inside
    assert named(olmsolve.subset_catalog(catalog, [Keep("torch", versions=versions, heads_only=True)])) == inside[-1:]
    assert named(olmsolve.subset_catalog(catalog, ["chat"], dependencies=True)) == [newest]
    without = olmsolve.remove_from_catalog(catalog, "torch", versions=versions, reconnect=True)
    assert not set(inside) & set(named(without))
    assert without.scheme == catalog.scheme
    assert olmsolve.diff_catalogs(catalog, without).changes


def test_catalogs_are_merged_with_their_scheme() -> None:
    """Two kinds of versions in one catalog would have no order."""
    other = catalog_of(package("speech").channel("stable", "1.0"), scheme="pep440")
    merged = olmsolve.merge_catalogs(PEP440, other)
    assert merged.scheme == PEP440.scheme
    assert [*merged.packages] == ["draw", "torch", "chat", "speech"]
    semantic = catalog_of(package("etcd").channel("stable", "1.0.0"))
    with pytest.raises(CatalogError, match="catalogs with pep440 and semantic versions cannot be one catalog"):
        olmsolve.merge_catalogs(PEP440, semantic)


@pytest.mark.parametrize(
    ("catalog", "installed", "to"), [(PEP440, "draw.v2024.1", "2025.2"), (CALENDAR, "draw.v9.10", "24.04.1")]
)
def test_paths_to_a_version(
    catalog: Catalog, installed: str, to: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The version that is wanted is one of the scheme, in Python and on the command line."""
    path = olmsolve.channel_path(catalog.packages["draw"], installed, to=to, scheme=catalog.scheme)
    assert path.steps[-1] == f"draw.v{to}"
    write(catalog, tmp_path / "store.json")
    ran = runner(capsys)(
        "path", tmp_path / "store.json", "draw", "--olm", "classic", "--from", installed, "--to", to, "--output", "json"
    )
    assert json.loads(ran.out)["steps"] == list(path.steps)
    given = f"{installed}=one"
    ran = runner(capsys)("path", tmp_path / "store.json", "draw", "--olm", "classic", "--from", given, "--to", to)
    assert ran.code == 2
    assert catalog.scheme is not None
    assert f"--from: 'one' is no {catalog.scheme.name} version" in ran.err


@pytest.mark.parametrize("catalog", [PEP440, CALENDAR], ids=["pep440", "calendar"])
def test_answers_and_tools(catalog: Catalog, tmp_path: Path) -> None:
    """Audit, lints, fuzzing, benchmarks, pages, clauses and reductions take the catalog as it is."""
    source = Source("store", "olm", 0, catalog)
    plan = olmsolve.resolve(request_for(catalog, "draw", "chat"))
    assert plan.installs[-1].candidate.version in ("2.10", "24.04")
    assert "<svg" in olmsolve.update_graph_html(catalog)
    assert "draw" in olmsolve.plan_html(plan)
    assert olmsolve.held_back(plan) == ()
    assert olmsolve.compile(request_for(catalog, "draw", "chat"), whole=True)
    assert all(package.name in catalog.packages for package in olmsolve.audit([source]).packages)
    assert not olmsolve.lint(catalog)
    assert not fuzz([source], cases=10, seed=1).findings
    write(catalog, tmp_path / "store.json")
    report = bench([str(tmp_path / "store.json")], every="update", processes=1, passes=1)
    assert "draw/stable from draw.v9.10" in {one.name for one in report.requests} or catalog is PEP440
    assert all(request.outcome == "plan" for request in report.requests)
    request = request_for(catalog, "draw", "chat")
    smaller = reduced(request, same_outcome(request))
    assert f"{catalog.scheme.name} versions" in outline(smaller)  # type: ignore[union-attr]


def test_labels_of_impacts() -> None:
    """A downgrade is one by the scheme, and only semantic versions have a major version that says something breaks."""
    pep440, calendar = NAMED_SCHEMES["pep440"], NAMED_SCHEMES["calendar"]
    downgrade, major, other = _VersionOrder.DOWNGRADE, _VersionOrder.MAJOR, _VersionOrder.OTHER
    assert _compared_versions("1.2.0", "2.0.0", None) is major
    assert _compared_versions("1.2.0", "1.1.0", None) is downgrade
    assert _compared_versions("1.2.0", "nothing", None) is other
    assert _compared_versions("2025.10", "2026.1", pep440) is other
    assert _compared_versions("1!1.0", "2.0", pep440) is downgrade
    assert _compared_versions("1.0.post1", "1.0", pep440) is downgrade
    assert _compared_versions("9.10", "24.04", calendar) is other
    assert _compared_versions("24.04.1", "24.04", calendar) is downgrade


@pytest.mark.parametrize(
    ("versions", "scheme", "sentence"),
    [
        ("1.0 < 1.1rc1 < 1.1", "pep440", "app 1.0 to 1.1 (3 bundles"),
        ("2!1.0 < 2!1.1 < 2!1.1.post1", "pep440", "app 2!1.0 to 2!1.1.post1 (3 bundles"),
        ("9.10 < 24.04 < 24.10", "calendar", "app 9.10 to 24.10 (3 bundles"),
    ],
)
def test_ranges_in_explanations(versions: str, scheme: str, sentence: str) -> None:
    """The last version of a range is the highest one: it was 1.1rc1, whose numbers are more than those of 1.1."""
    catalog = catalog_of(package("app").channel("stable", versions).requires("nothing"), scheme=scheme)
    with pytest.raises(olmsolve.Unsatisfiable) as failure:
        olmsolve.resolve(request_for(catalog, "app"))
    assert sentence in olmsolve.explanation_text(olmsolve.explanation(failure.value))


def test_ranges_without_a_scheme() -> None:
    """A text that no catalog explains goes by its numbers, and by letters that say it comes before."""
    versions = ["1.0.dev3", "1.0a1", "1.0rc2", "1.0", "1.0.post1", "1.0.0.1", "1.1", "v2"]
    assert version_runs(reversed(versions), versions) == (
        ("1.0.dev3", "1.0a1", "1.0rc2", "1.0", "1.0.0.1", "1.0.post1", "1.1", "v2"),
    )


def test_installed_versions_that_could_be_semantic_ones() -> None:
    """2.4.1 is a version of both kinds, and meets a range of the catalog's."""
    catalog = catalog_of(
        package("chat").channel("stable", "1.0.0").requires("torch", "~=2.4.0"),
        package("torch").channel("stable", "2.4.1 < 3.0.0"),
        scheme="pep440",
    )
    plan = olmsolve.resolve(request_for(catalog, "chat", installed="torch.v2.4.1"))
    assert [install.name for install in plan.installs] == ["chat.v1.0.0"]
    assert named(olmsolve.subset_catalog(catalog, [Keep("torch", versions="~=2.4.0")])) == ["2.4.1"]
