"""Catalogs in memory with versions that are not semantic ones, and requirements by a program's own predicates."""

from __future__ import annotations

import itertools
import pickle
import re
from pathlib import Path
from typing import Any

import attrs
import pytest

import olmsolve
from olmsolve import (
    Bundles,
    Catalog,
    CatalogError,
    Never,
    RangeError,
    RequestError,
    Unsatisfiable,
    VersionScheme,
    catalog_of,
    package,
    request_for,
)
from olmsolve.answers import followed
from olmsolve.catalog import blobs, write, write_index
from olmsolve.eligibility import CandidateFacts
from olmsolve.predicates import AllOf, InPackage, NoneOf, Predicate, Published, Satisfies
from olmsolve.semver import BlangRange
from olmsolve.v1 import ClusterCatalog

BACKENDS = ("deciding", "minisat22", "python")


def is_free(app: CandidateFacts) -> bool:
    """an app with a free licence"""
    return app.value("licence") in ("MIT", "GPL-3.0")


@attrs.frozen
class OfAtLeast(Predicate):
    """A predicate of a program: a number of the bundle is large enough."""

    type: str
    least: int
    message: str = attrs.field(default="", kw_only=True)

    def test(self, published: Published) -> bool:
        return any(property_.type == self.type and property_.value >= self.least for property_ in published.properties)

    def __str__(self) -> str:
        return f"a bundle of {self.type} {self.least}"


def installs(request: olmsolve.Request, backend: str = "deciding") -> list[str]:
    return [install.name for install in olmsolve.resolve(request, backend=backend).installs]


def world(scheme: str | VersionScheme | None = "pep440") -> Catalog:
    return catalog_of(
        package("draw").channel("stable", "2024.1 < 2025.2rc1").requires("torch", ">=2.1,<3").requires(is_free),
        package("torch").channel("stable", "1.9 < 2.1 < 2.4.post1 < 3.0").having("licence", "MIT"),
        package("chat").channel("stable", "1.0").requires("torch", "~=2.4"),
        scheme=scheme,
    )


def test_ranges_follow_the_scheme_of_their_catalog() -> None:
    """2.4.post1 is no semantic version, ~=2.4 no semantic range; all backends read both alike."""
    for backend in BACKENDS:
        assert installs(request_for(world(), "draw", "chat"), backend) == [
            "draw.v2025.2rc1",
            "chat.v1.0",
            "torch.v2.4.post1",
        ]


def test_installed_versions_are_read_by_the_scheme() -> None:
    """2.4.post1 serves what is installed, and 2.1 does not, which is told by its version as written."""
    assert installs(request_for(world(), "chat", installed="torch.v2.4.post1")) == ["chat.v1.0"]
    with pytest.raises(Unsatisfiable) as failure:
        olmsolve.resolve(request_for(world(), "chat", installed="torch.v2.1"))
    text = olmsolve.explanation_text(olmsolve.explanation(failure.value))
    assert "chat.v1.0 (stable, olm/catalog) requires package torch in ~=2.4" in text
    phrase = "draw 2024.1 and 2025.2rc1"
    ruled = attrs.evolve(request_for(world(), "draw"), house_rules=(Never("torch", name="none"),))
    with pytest.raises(Unsatisfiable) as failure:
        olmsolve.resolve(ruled)
    assert phrase in olmsolve.explanation_text(olmsolve.explanation(failure.value))


class Letters(VersionScheme):
    """Versions that are letters, which order as the alphabet does."""

    name = "letters"

    def key(self, version: str) -> int:
        if len(version) != 1:
            raise ValueError("it has several letters")
        return ord(version)


def test_a_scheme_of_a_program() -> None:
    """It orders its versions; comparisons come with it."""
    catalog = catalog_of(
        package("a").channel("stable", "a < b < c").requires("d", ">=b !=d || x"),
        package("d").channel("stable", "b < c < d"),
        scheme=Letters(),
    )
    assert installs(request_for(catalog, "a")) == ["a.vc", "d.vc"]
    assert pickle.loads(pickle.dumps(catalog)) == catalog  # noqa: S301
    assert catalog.scheme == Letters()
    assert repr(catalog.scheme) == "<VersionScheme letters>"
    assert catalog != catalog_of(package("a").channel("stable", "1.0"), scheme="pep440")


def test_comparisons_of_a_scheme_against_brute_force() -> None:
    """Every comparison of every pair of letters, alone and with another one, by a test written here."""
    meaning = {
        "<": lambda a, b: a < b,
        "<=": lambda a, b: a <= b,
        "=": lambda a, b: a == b,
        "!=": lambda a, b: a != b,
        ">": lambda a, b: a > b,
        ">=": lambda a, b: a >= b,
    }
    scheme = Letters()
    for one, other in itertools.product(meaning, repeat=2):
        for bound, second, version in itertools.product("abc", repeat=3):
            first_holds, second_holds = meaning[one](version, bound), meaning[other](version, second)
            both, either = f"{one}{bound} {other}{second}", f"{one}{bound}||{other} {second}"
            assert scheme.contains(both, version) == (first_holds and second_holds), both
            assert scheme.contains(either, version) == (first_holds or second_holds), either


@pytest.mark.parametrize("text", ["", ">=", "a || ", ">=ab", "~a b", "a !"])
def test_wrong_ranges_of_a_scheme_are_refused(text: str) -> None:
    """A range that does not parse breaks the bundle that states it, and is an error that names the bundle."""
    with pytest.raises(RangeError, match="no range of letters versions"):
        Letters().range(text)
    if text:
        catalog = catalog_of(package("a").channel("stable", "a").requires("b", text), scheme=Letters())
        with pytest.raises(CatalogError, match="no range of letters versions"):
            olmsolve.resolve(request_for(catalog, "a"))


def test_a_range_of_one_scheme_holds_no_version_of_another() -> None:
    """Neither is read as the other: 1.0 of pep440 is in no semantic range, and the other way round."""
    semantic = catalog_of(
        package("app").channel("stable", "1.0.0").requires("lib", ">=0.0.0"),
        package("own").channel("stable", "1.0.0"),
    )
    packaged = catalog_of(
        package("lib").channel("stable", "1.0"), package("py").channel("stable", "1.0").requires("own")
    )
    packaged = Catalog(packaged.packages, scheme="pep440")
    sources = [olmsolve.Source("one", "olm", 0, semantic), olmsolve.Source("two", "olm", 0, packaged)]
    for wanted in ("app", "py"):
        request = olmsolve.Request(["olm"], sources, [olmsolve.Subscription(wanted, "olm", wanted)])
        assert not olmsolve.is_satisfiable(request)
    rule = Never(Bundles("torch", versions=BlangRange.parse(">=0.0.0")), name="semantic")
    request = attrs.evolve(request_for(world(), "draw"), house_rules=(rule,))
    assert olmsolve.is_satisfiable(request)
    catalog = world()
    assert catalog.scheme is not None
    rule = Never(Bundles("torch", versions=catalog.scheme.range("!=1.9")), name="old ones")
    with pytest.raises(Unsatisfiable):
        olmsolve.resolve(attrs.evolve(request, house_rules=(rule,)))


def test_a_catalog_in_a_file_names_its_scheme(tmp_path: Path) -> None:
    """The blob that names it is written and read; an index knows no ranks of such versions, and answers alike."""
    catalog = catalog_of(
        package("a").channel("stable", "24.04 < 24.10").requires("b", ">=23.10"),
        package("b").channel("stable", "9.04 < 23.10 < 23.10.1"),
        scheme="calendar",
    )
    assert list(blobs(catalog))[-1] == {"schema": "olmsolve.versions", "scheme": "calendar"}
    file = tmp_path / "catalog.json"
    olmsolve.catalog.write(catalog, file)
    loaded = olmsolve.load(file)
    assert loaded.scheme == catalog.scheme
    write_index(file)
    for same_catalog in (
        loaded,
        olmsolve.load(file),
        olmsolve.subset_catalog(loaded, [olmsolve.Keep("a"), olmsolve.Keep("b")]),
    ):
        assert installs(request_for(same_catalog, "a")) == ["a.v24.10", "b.v23.10.1"]
    unknown = [{"schema": "olmsolve.versions", "scheme": "roman"}]
    with pytest.raises(CatalogError, match="names the version scheme 'roman'; catalogs can name pep440, calendar"):
        olmsolve.from_blobs(unknown)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: catalog_of(package("a").channel("stable", "1.x"), scheme="calendar"),
            "'1.x' is not a calendar version",
        ),
        (lambda: catalog_of(package("a").channel("stable", "1"), scheme="roman"), "names the version scheme 'roman'"),
        (lambda: catalog_of(package("a").channel("stable", "1"), scheme=5), "scheme: must be a VersionScheme, or"),  # type: ignore[arg-type]
        (lambda: catalog_of("a"), "packages: must be a package under construction, not a str"),  # type: ignore[arg-type]
        (lambda: package("a").channel("stable", ["1.0.0"]), "chain: must be text, not a list"),  # type: ignore[arg-type]
        (lambda: package("a").requires(5), "requires: must be the name of a package, a predicate or a function"),  # type: ignore[arg-type]
        (lambda: package("a").requires(is_free, ">1"), "versions: go only with the name of a package"),
        (lambda: package("a").provides("Kind"), "api: is written group/version/Kind, not 'Kind'"),
    ],
)
def test_wrong_worlds_are_refused(make: Any, message: str) -> None:
    """One error that says what to write."""
    with pytest.raises((RequestError, CatalogError)) as refused:
        make()
    assert message in str(refused.value)


def test_olm_v1_and_certificates_read_semantic_versions_alone() -> None:
    """Both say so, and neither reads another scheme as semantic versions."""
    with pytest.raises(RequestError) as refused:
        ClusterCatalog("main", world())
    assert str(refused.value) == "catalog: has pep440 versions, and OLM v1 resolves only semantic versions"
    with pytest.raises(RequestError) as refused:
        olmsolve.certificate(olmsolve.resolve(request_for(world(), "chat")))
    assert "catalog olm/catalog: has pep440 versions, and certificates hold only semantic versions" in str(
        refused.value
    )


def test_requirements_by_predicates_of_a_program() -> None:
    """A function, a predicate class, and compounds of both; every backend takes them, and failures use their words."""
    both = AllOf((OfAtLeast("gpu", 16), NoneOf((OfAtLeast("price", 100),))))
    catalog = catalog_of(
        package("train").channel("stable", "1.0.0").requires(OfAtLeast("gpu", 16)).requires(is_free),
        package("alone").channel("stable", "1.0.0").requires(both),
        package("card").channel("stable", "1.0.0 < 2.0.0").having("gpu", 8, at="1.0.0").having("gpu", 24, at="2.0.0"),
        package("free").channel("stable", "1.0.0").having("licence", "MIT"),
        package("gold").channel("stable", "1.0.0").having("price", 500).requires("alone"),
    )
    for backend in BACKENDS:
        assert installs(request_for(catalog, "train"), backend) == ["train.v1.0.0", "card.v2.0.0", "free.v1.0.0"]
        assert installs(request_for(catalog, "alone"), backend) == ["alone.v1.0.0", "card.v2.0.0"]
        with pytest.raises(Unsatisfiable) as failure:
            olmsolve.resolve(request_for(catalog, "gold"), backend=backend)
        assert "a bundle of gpu 16" in str(failure.value)
    plan = olmsolve.resolve(request_for(catalog, "train"))
    assert str(plan.installs[2].wanted_by[0]) == "train.v1.0.0, which requires an app with a free licence"
    without = catalog_of(package("train").channel("stable", "1.0.0").requires(is_free))
    with pytest.raises(Unsatisfiable) as failure:
        olmsolve.resolve(request_for(without, "train"))
    assert "requires an app with a free licence, which no bundle provides" in str(failure.value)


def test_a_predicate_of_a_program_cannot_be_written_down() -> None:
    """Documents, files, index files and certificates say so, each with the predicate."""
    builder = package("a").channel("stable", "1.0.0").requires(is_free)
    catalog = catalog_of(builder, package("b").channel("stable", "1.0.0").having("licence", "MIT"))
    request = request_for(catalog, "a")
    plan = olmsolve.resolve(request)
    words = "an app with a free licence is a predicate of a program, which "
    for refused in (
        builder.blobs,
        request.to_dict,
        lambda: list(blobs(catalog)),
        lambda: olmsolve.certificate(plan),
    ):
        with pytest.raises(RequestError) as error:
            refused()
        assert words in str(error.value)


def test_a_function_must_return_a_truth_value() -> None:
    """ "no" would be true, and None false: neither is meant."""

    def wrong(app: CandidateFacts) -> Any:
        return "no"

    catalog = catalog_of(package("a").channel("stable", "1.0.0").requires(wrong))
    with pytest.raises(RequestError, match=r"requires: .*wrong returned 'no' \(it returns True or False\)"):
        olmsolve.resolve(request_for(catalog, "a"))


def test_rules_of_cel_and_predicates_of_programs_live_beside_each_other() -> None:
    """A catalog may have both; equal requirements of several bundles are one."""
    rule = {"cel": {"rule": 'properties.exists(p, p.type == "certified")'}}
    catalog = catalog_of(
        package("a").channel("stable", "1.0.0 < 1.1.0").constrained(rule).requires(is_free),
        package("b").channel("stable", "1.0.0").having("certified", True).having("licence", "MIT"),
    )
    assert installs(request_for(catalog, "a")) == ["a.v1.1.0", "b.v1.0.0"]
    kinds = {
        type(requirement.predicate)
        for requirement in olmsolve.predicates.requirements(catalog.packages["a"].bundles["a.v1.0.0"].properties)
    }
    assert Satisfies in kinds
    assert InPackage not in kinds


SCHEMES = {"pep440": "2024.1 < 2024.2rc1 < 2025.1.post1", "calendar": "2023.10 < 2024.01 < 2024.10"}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_questions_and_pictures_follow_the_scheme(scheme: str, tmp_path: Path) -> None:
    """Paths take its versions, drawings order by it, and checks find no fault in versions that are right there."""
    first, second, third = SCHEMES[scheme].split(" < ")
    app = package("app").channel("stable", SCHEMES[scheme]).requires("lib", ">=1.1", at=third)
    catalog = catalog_of(app, package("lib").channel("stable", "1.0 < 1.1"), scheme=scheme)
    request = request_for(catalog, "app", installed=[f"app.v{first}"])
    resolver = olmsolve.Resolver(request.sources)

    def steps(to: str) -> tuple[str, ...]:
        [path] = resolver.path(request.subscriptions, namespaces=request.namespaces, installed=request.installed, to=to)
        assert path.path is not None, path.reason
        return path.path.steps

    assert steps("") == steps(third) == (f"app.v{second}", f"app.v{third}")
    assert steps(second) == steps(f"app.v{second}") == (f"app.v{second}",)
    # Reading order is the scheme's: a candidate comes before its release, a post-release after it.
    columns = re.findall(r'data-name="app\.v([^"]+)"', olmsolve.update_graph_html(catalog))
    assert columns in ([], [first, second, third])
    for drawn in (olmsolve.update_graph_dot(catalog), olmsolve.update_graph_mermaid(catalog)):
        assert all(f"app.v{version}" in drawn for version in (first, second, third))
    assert olmsolve.lint(catalog) == ()
    plan = olmsolve.resolve(request)
    assert olmsolve.why_not(plan, "app", version=third).candidates[0].name == f"app.v{third}"
    with pytest.raises(RequestError, match=f"'abc' is not a {scheme} version"):
        olmsolve.why_not(plan, "app", version="abc")
    assert olmsolve.diff(request, request_for(catalog, "app")).changed[0].package == "app"
    file = tmp_path / "catalog.json"
    write(catalog, file, "json")
    assert olmsolve.update_graph_dot(olmsolve.load(file)) == olmsolve.update_graph_dot(catalog)


def test_a_version_that_the_scheme_does_not_know_is_refused() -> None:
    """The drawing says which version it is, and of which scheme."""
    written = catalog_of(package("app").channel("stable", "1.0.post1"), scheme="pep440")
    with pytest.raises(CatalogError, match=r'has "1\.0\.post1", which is no calendar version'):
        olmsolve.update_graph_dot(Catalog(written.packages, scheme="calendar"))


def test_answers_about_newer_versions_follow_the_scheme() -> None:
    """`why` names the newer bundle of another channel, and a plan goes back only by the order of its catalog."""
    catalog = catalog_of(
        package("torch").channel("stable", "1!1.0 < 2024.1").channel("fast", "2024.1 < 1!2.0"), scheme="pep440"
    )
    answer = olmsolve.why(olmsolve.resolve(request_for(catalog, "torch")), "torch.v2024.1")
    assert [outranked.candidate.version for outranked in answer.outranked] == ["1!1.0", "1!2.0"]
    request = request_for(catalog, "torch", installed="torch.v1!1.0")
    rest = followed(request, olmsolve.resolve(request), semantics=olmsolve.Semantics.DOCUMENTED, backend="deciding")
    assert [(before.version, after.version) for before, after in rest.downgrades] == [("1!1.0", "2024.1")]


def test_paths_follow_the_scheme() -> None:
    """2024.1.0 of the calendar is in no skipRange, which holds semantic versions: resolving updates nothing either."""
    catalog = catalog_of(
        package("torch").channel("old", "2024.1.0").channel("stable", "2026.1.0", skip_range=">=2024.0.0 <2026.1.0"),
        scheme="calendar",
    )
    request = request_for(catalog, "torch@stable", installed="torch.v2024.1.0")
    assert installs(request) == []
    resolver = olmsolve.Resolver(request.sources)
    (path,) = resolver.path(request.subscriptions, namespaces=request.namespaces, installed=request.installed)
    assert path.path is None or not path.path.steps, path
