"""Questions about plans as people ask them: what each answer must say, and why that matters."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import attrs
import pytest

import olmsolve
from olmsolve import Request, Subscription, compare_semantics, diff, read_request, resolve, why, why_not
from olmsolve.answers.questions import WhyNotVerdict
from olmsolve.catalog import fbc
from olmsolve.cli import main
from olmsolve.render import plan_diff_text, why_text
from tests.cli.commands import runner

EXAMPLES = Path(olmsolve.__file__).parent / "examples"


def bundle(name: str, version: str, *properties: tuple[str, Any]) -> dict[str, Any]:
    own = {"type": "olm.package", "value": {"packageName": name, "version": version}}
    others = [{"type": kind, "value": value} for kind, value in properties]
    full = f"{name}.v{version}"
    return {"schema": "olm.bundle", "package": name, "name": full, "properties": [own, *others]}


def package(name: str, *bundles: dict[str, Any], channel: str = "stable") -> list[dict[str, Any]]:
    """A package with one channel; the last bundle is the head."""
    entries: list[dict[str, str]] = []
    for bundle in bundles:
        entries.append({"name": bundle["name"], **({"replaces": entries[-1]["name"]} if entries else {})})
    return [
        {"schema": "olm.package", "name": name, "defaultChannel": channel},
        {"schema": "olm.channel", "package": name, "name": channel, "entries": entries},
        *bundles,
    ]


def source(name: str, *packages: list[dict[str, Any]], priority: int = 0) -> olmsolve.Source:
    blobs = [blob for package in packages for blob in package]
    return olmsolve.Source(name, "olm", priority, fbc.from_blobs(blobs))


def request(*sources: olmsolve.Source, wishes: tuple[str, ...] = ("app",)) -> Request:
    return Request(("team", "olm"), sources, [Subscription(f"wish-{name}", "team", name) for name in wishes])


def test_a_bundle_that_changes_its_version_alone_says_so() -> None:
    """Nobody learns anything from a bundle that becomes itself."""
    renamed = bundle("app", "1.0.0")
    renamed["properties"][0]["value"]["version"] = "1.0.1"
    answer = diff(
        request(source("main", package("app", bundle("app", "1.0.0")))),
        request(source("main", package("app", renamed))),
    )
    bundles = "app.v1.0.0 (stable, olm/main) in version 1.0.0 becomes app.v1.0.0 (stable, olm/main) in version 1.0.1"
    assert str(answer) == f"app: {bundles}"
    assert bundles in plan_diff_text(answer, width=200)


@pytest.mark.parametrize("name", ["keyrin", "keyring.v1.0.3"])
def test_why_offers_the_bundle_of_a_package_or_of_another_version(name: str) -> None:
    """People ask why a package is there before they know its bundle."""
    plan = resolve(read_request(EXAMPLES / "install.yaml"))
    with pytest.raises(olmsolve.RequestError, match=r"did you mean keyring\.v1\.0\.2\?"):
        why(plan, name)


API = ("olm.gvk", {"group": "g", "version": "v1", "kind": "K"})
NEEDS_API = ("olm.gvk.required", {"group": "g", "version": "v1", "kind": "K"})


def test_a_head_that_cannot_be_installed_is_passed_over() -> None:
    """ "Why do I not get the newest version?" is the question that OLM never answers."""
    app = package("app", bundle("app", "1.0.0"), bundle("app", "2.0.0", NEEDS_API))
    answer = why(resolve(request(source("main", app))), "app.v1.0.0")
    (passed,) = answer.passed_over
    assert str(passed.candidate) == "app.v2.0.0 (stable, olm/main)"
    assert tuple(map(str, passed.because)) == (
        "app.v2.0.0 (stable, olm/main) requires the API g/v1/K, which no bundle provides",
    )
    assert answer.candidates == 2


def test_what_was_selected_before_it_is_named() -> None:
    """The version is possible, but not beside what an earlier subscription has."""
    one = package(
        "one", bundle("one", "1.0.0", ("olm.package.required", {"packageName": "db", "versionRange": "1.0.0"}))
    )
    two = package(
        "two", bundle("two", "1.0.0", ("olm.package.required", {"packageName": "db", "versionRange": ">0.9.0"}))
    )
    db = package("db", bundle("db", "1.0.0"), bundle("db", "2.0.0"))
    plan = resolve(request(source("main", one, two, db), wishes=("one", "two")))
    answer = why(plan, "db.v1.0.0")
    assert [str(wanted) for wanted in answer.also_for] == ["two.v1.0.0, which requires package db in >0.9.0"]
    refused = why_not(plan, "db", version="2")
    assert refused.verdict is WhyNotVerdict.IMPOSSIBLE
    assert refused.conflict is not None
    assert "requires package db in 1.0.0" in [node.statement for node in refused.conflict.nodes]


def test_a_higher_version_from_a_catalog_of_lower_priority() -> None:
    """The surprise that priorities bring: the rule is named, with both priorities."""
    preferred = source("preferred", package("app", bundle("app", "1.0.0")), priority=10)
    other = source("other", package("app", bundle("app", "9.0.0")))
    plan = resolve(request(preferred, other))
    assert [str(bundle) for bundle in why(plan, "app.v1.0.0").outranked] == [
        "app.v9.0.0 (stable, olm/other): catalog olm/preferred has priority 10, olm/other has 0"
    ]
    answer = why_not(plan, "app", version="9.0.0")
    assert answer.verdict is WhyNotVerdict.LESS_PREFERRED
    assert answer.reason.endswith("catalog olm/preferred has priority 10, olm/other has 0")
    assert str(answer.change) == "set startingCSV of subscription wish-app to app.v9.0.0"
    assert [tuple(map(str, pair)) for pair in answer.instead] == [
        ("app.v1.0.0 (stable, olm/preferred)", "app.v9.0.0 (stable, olm/other)")
    ]


def test_what_nobody_asks_for() -> None:
    """It could be selected, but no subscription asks for it; the whole subscription is offered."""
    app, extra = package("app", bundle("app", "1.0.0")), package("extra", bundle("extra", "1.0.0"))
    plan = resolve(request(source("main", app, extra)))
    answer = why_not(plan, "extra")
    assert answer.verdict is WhyNotVerdict.NOT_ASKED_FOR
    assert str(answer.change) == "create a subscription for package extra, channel stable, catalog olm/main"


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ({"package": "ap"}, "package ap is not in any visible catalog (did you mean app?)"),
        ({"package": "app", "catalog": "olm/x"}, "there is no visible catalog olm/x (there is olm/main)"),
        ({"package": "x", "catalog": "@existing"}, "no operator of package x is installed"),
        ({"package": "app", "channel": "x"}, "package app has no channel x in any visible catalog (it has stable)"),
        (
            {"package": "app", "channel": "stabel"},
            "package app has no channel stabel in any visible catalog (did you mean stable? it has stable)",
        ),
        (
            {"package": "app", "catalog": "olm/mian"},
            "there is no visible catalog olm/mian (did you mean olm/main? there is olm/main)",
        ),
        (
            {"package": "app", "catalog": "elsewhere/main"},
            "there is no visible catalog elsewhere/main (did you mean olm/main? there is olm/main)",
        ),
        ({"package": "app", "version": "3.0.0"}, "package app has no bundle of version 3.0.0 in any visible catalog"),
    ],
)
def test_what_is_not_there(question: dict[str, str], reason: str) -> None:
    """A name that is wrong should not look like a conflict."""
    plan = resolve(request(source("main", package("app", bundle("app", "1.0.0")))))
    answer = why_not(plan, **question)  # type: ignore[call-overload]
    assert (answer.verdict, answer.reason) == (WhyNotVerdict.ABSENT, reason)


def test_a_version_that_is_none_is_refused() -> None:
    """A malformed version is refused; "no bundle matches" would mislead."""
    plan = resolve(request(source("main", package("app", bundle("app", "1.0.0")))))
    with pytest.raises(olmsolve.RequestError, match="is not a version"):
        why_not(plan, "app", version="new")


def test_a_catalog_is_updated() -> None:
    """What does tomorrow's catalog change? Gained, lost and changed, package by package."""
    old = source("main", package("app", bundle("app", "1.0.0", NEEDS_API)), package("api", bundle("api", "1.0.0", API)))
    new = source("main", package("app", bundle("app", "1.0.0"), bundle("app", "1.1.0")), package("api"))
    answer = diff(request(old), request(new))
    assert [candidate.name for candidate in answer.lost] == ["api.v1.0.0"]
    assert [(str(change.before), str(change.after)) for change in answer.changed] == [
        ("app.v1.0.0 (stable, olm/main)", "app.v1.1.0 (stable, olm/main)")
    ]
    assert answer
    assert not diff(request(new), request(new))
    assert plan_diff_text(answer).splitlines() == [
        "Lost:",
        "  - api.v1.0.0 (stable, olm/main)",
        "",
        "Changed:",
        "  - app.v1.0.0 (stable, olm/main) becomes app.v1.1.0 (stable, olm/main)",
    ]


def test_a_request_that_fails_leaves_what_is_installed() -> None:
    """An answer without a plan leaves the cluster as it is, and the difference says so."""
    main = source("main", package("app", bundle("app", "1.0.0")))
    fine = attrs.evolve(request(main), installed=[olmsolve.Installed("tool.v1", "1.0.0")])
    failing = attrs.evolve(fine, subscriptions=[Subscription("wish-x", "team", "x")])
    answer = diff(fine, failing)
    assert [candidate.name for candidate in answer.lost] == ["app.v1.0.0"]
    assert not answer.gained
    assert str(answer.changes[0]) == "app: loses app.v1.0.0 (stable, olm/main)"
    assert str(diff(failing, fine).changes[0]) == "app: gains app.v1.0.0 (stable, olm/main)"
    assert str(answer).endswith("after: there is no plan")


def test_why_a_side_has_no_plan_is_told_line_by_line() -> None:
    """Each constraint of the core is a line of its own, as everywhere else; run together nobody reads them."""
    fine = request(source("main", package("app", bundle("app", "1.0.0"))))
    failing = request(source("main", package("app", bundle("app", "1.0.0", NEEDS_API))))
    assert plan_diff_text(diff(fine, failing), names=("for a", "for b"), width=100).splitlines()[:3] == [
        "There is no plan for b:",
        "  - subscription wish-app needs one of app.v1.0.0 (stable, olm/main)",
        "  - app.v1.0.0 (stable, olm/main) requires the API g/v1/K, which no bundle provides",
    ]


def test_the_two_semantics_are_told_apart() -> None:
    """A constraint that one bundle alone cannot meet: the controller has no plan where the documentation has one."""
    both = {"all": {"constraints": [{"package": {"packageName": name, "versionRange": ">=1.0.0"}} for name in "ab"]}}
    app = package("app", bundle("app", "1.0.0", ("olm.constraint", {"failureMessage": "both", **both})))
    main = source("main", app, package("a", bundle("a", "1.0.0")), package("b", bundle("b", "1.0.0")))
    answer = compare_semantics(request(main))
    assert isinstance(answer.before, olmsolve.Resolution)
    assert isinstance(answer.after, olmsolve.Unsatisfiable)
    ((candidate, constraints),) = answer.differing
    assert (candidate.name, constraints) == (
        "app.v1.0.0",
        ("all of (package a in >=1.0.0; package b in >=1.0.0)",),
    )


def test_only_classic_requests_are_compared() -> None:
    """An extension of OLM v1 has no plan to compare."""
    with pytest.raises(olmsolve.RequestError, match="not a classic request"):
        diff(request(source("main")), "x")  # type: ignore[arg-type]


def test_the_commands(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Answers and exit codes are the documented ones; a missing plan is reported as resolve reports it."""
    run = runner(capsys)
    install = EXAMPLES / "install.yaml"
    answer = run("why", install, "keyring.v1.0.2")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith("keyring.v1.0.2 (stable, olm/commons) is in the plan because:")
    assert run("why", install, "nonesuch").code == 2
    failed = run("why", EXAMPLES / "unsatisfiable.yaml", "x")
    assert (failed.code, "olmsolve explain says what would help" in failed.out) == (1, True)
    assert run("why", install, "keyring").out == answer.out, "a package stands for its bundle"
    answer = run("why-not", install, "keyring", "--version", "1.0.1", "--output", "json")
    assert (answer.code, '"verdict": "less-preferred"' in answer.out) == (0, True)
    assert run("diff", install, install).code == 0
    assert run("diff", install, EXAMPLES / "upgrade.yaml").code == 1
    assert run("diff", install, "--compare-semantics").code == 0
    assert run("diff", install).code == 2


def test_examples_say_why(capsys: pytest.CaptureFixture[str]) -> None:
    """Every bundle of the example's plan can be asked about, as data and as text."""
    plan = resolve(read_request(EXAMPLES / "upgrade.yaml"))
    for candidate in (*plan.kept, *(install.candidate for install in plan.installs)):
        answer = why(plan, candidate.name)
        assert answer.to_dict()["candidate"] == candidate.to_dict()
        assert candidate.name in why_text(answer)


def test_whoever_asks_in_python_is_told_of_a_function(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command is called why-not; a program cannot write that."""
    request = olmsolve.request_for(olmsolve.catalog_of(olmsolve.package("a").channel("s", "1.0.0")))
    with pytest.raises(olmsolve.RequestError, match=r"\(why_not says why a bundle is not\)"):
        olmsolve.why(olmsolve.resolve(request), "a")
    (tmp_path / "request.json").write_text(json.dumps(olmsolve.request_document(request)), "utf-8")
    assert main(["why", str(tmp_path / "request.json"), "a"]) == 2
    assert "(why-not says why a bundle is not)" in capsys.readouterr().err
