"""``olmsolve resolve``: both ways to ask, all forms of the answer, and the exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

import olmsolve as library
from olmsolve.solver import backends
from tests.cli.commands import Run

EXAMPLES = Path(library.__file__).parent / "examples"
CATALOGS = f"orchard={EXAMPLES}/catalogs/orchard:10", f"commons={EXAMPLES}/catalogs/commons"
BOTH = "--catalog", CATALOGS[0], "--catalog", CATALOGS[1]

Written = Callable[..., str]


def package(name: str, *versions: str) -> list[dict[str, Any]]:
    """A package with one channel, the head first."""
    bundles = [f"{name}.v{version}" for version in versions]
    entries: list[dict[str, Any]] = [{"name": bundle} for bundle in bundles]
    for entry, replaced in zip(entries, bundles[1:], strict=False):
        entry["replaces"] = replaced
    blobs: list[dict[str, Any]] = [
        {"schema": "olm.package", "name": name, "defaultChannel": "stable"},
        {"schema": "olm.channel", "package": name, "name": "stable", "entries": entries},
    ]
    for bundle, version in zip(bundles, versions, strict=True):
        value = {"packageName": name, "version": version}
        properties = [{"type": "olm.package", "value": value}]
        blobs.append({"schema": "olm.bundle", "package": name, "name": bundle, "properties": properties})
    return blobs


def installs(olmsolve: Run, *arguments: object) -> list[str]:
    """The bundles that a request installs, with their catalogs."""
    outcome = olmsolve("resolve", *arguments, "--output", "json")
    assert outcome.code == 0, outcome.err
    return [f"{install['name']} {install['catalog']}" for install in json.loads(outcome.out)["installs"]]


@pytest.mark.parametrize(("example", "code"), [("install", 0), ("upgrade", 0), ("unsatisfiable", 1)])
def test_all_forms_say_the_same(olmsolve: Run, example: str, code: int) -> None:
    """JSON and YAML are the library's own dictionaries, with what is held back; text is for people."""
    request = library.read_request(EXAMPLES / f"{example}.yaml")
    try:
        plan = library.resolve(request)
        expected = {**plan.to_dict(), "heldBack": [operator.to_dict() for operator in library.held_back(plan)]}
    except library.Unsatisfiable as failure:
        expected = failure.to_dict()
    for form, read in (("json", json.loads), ("yaml", yaml.safe_load)):
        outcome = olmsolve("resolve", EXAMPLES / f"{example}.yaml", "--output", form)
        assert (outcome.code, outcome.err) == (code, "")
        assert read(outcome.out) == expected
    outcome = olmsolve("resolve", EXAMPLES / f"{example}.yaml")
    assert outcome.code == code
    assert ("to install" in outcome.out) == (code == 0)


def test_a_failure_is_explained_and_its_core_can_be_had(olmsolve: Run) -> None:
    """People read what they can change; the whole story and the constraints themselves are for who asks."""
    failing = EXAMPLES / "unsatisfiable.yaml"
    text = olmsolve("resolve", failing).out
    assert text.splitlines()[:2] == [
        "This request cannot be satisfied: subscriptions shop and parcels cannot be served together",
        "Nearest way out: switch subscription shop to channel 1.x.",
    ]
    assert "delete subscription" not in text
    assert text.splitlines()[-1] == "There are other ways out: olmsolve explain lists them."
    assert "delete subscription parcels" in olmsolve("explain", failing).out
    core = olmsolve("resolve", failing, "--core").out
    assert "because these cannot hold together:" in core
    assert "6. at most one bundle of package courier" in core


def test_wishes_are_a_request(olmsolve: Run) -> None:
    """The options ask what the example's document asks."""
    by_document = installs(olmsolve, EXAMPLES / "install.yaml")
    assert installs(olmsolve, *BOTH, "--subscribe", "storefront@2.x") == by_document


def test_subscriptions_without_channel_and_with_a_start(olmsolve: Run) -> None:
    """Each part of PACKAGE[@CHANNEL][=STARTING] counts."""
    assert installs(olmsolve, *BOTH, "--subscribe", "keyring") == ["keyring.v1.0.2 olm/commons"]
    assert installs(olmsolve, *BOTH, "--subscribe", "keyring=keyring.v1.0.1") == ["keyring.v1.0.1 olm/commons"]
    wish = "ledgerdb@preview=ledgerdb.v5.3.0"
    assert installs(olmsolve, *BOTH, "--subscribe", wish)[0] == "ledgerdb.v5.3.0 olm/commons"


def test_installed_bundles_come_from_the_catalogs(olmsolve: Run) -> None:
    """A subscription for its package owns the operator, so it is upgraded; another one must stay."""
    arguments = (
        *BOTH,
        "--subscribe",
        "keyring",
        "--installed",
        "keyring.v1.0.1",
        "--installed",
        "ember.v1.1.0",
    )
    outcome = olmsolve("resolve", *arguments, "--output", "json")
    answer = json.loads(outcome.out)
    assert answer["replaced"] == [{"installed": "keyring.v1.0.1", "by": "keyring.v1.0.2"}]
    assert [kept["name"] for kept in answer["kept"]] == ["ember.v1.1.0"]


def test_priorities(olmsolve: Run, written: Written) -> None:
    """The highest priority comes first, whatever the order of the options; negative ones exist."""
    written("a.json", *package("p", "1.0.0"))
    written("b.json", *package("p", "2.0.0"))
    wish = "--subscribe", "p"
    assert installs(olmsolve, "--catalog", "a=a.json", "--catalog", "b=b.json:1", *wish) == ["p.v2.0.0 olm/b"]
    assert installs(olmsolve, "--catalog", "a=a.json:-1", "--catalog", "b=b.json", *wish) == ["p.v2.0.0 olm/b"]


def test_a_path_may_look_like_a_priority(olmsolve: Run, written: Written) -> None:
    """Where a file has such a name, the number is part of it and no priority."""
    written("a:5", *package("p", "1.0.0"))
    assert installs(olmsolve, "--catalog", "a=a:5", "--subscribe", "p") == ["p.v1.0.0 olm/a"]


def test_semantics(olmsolve: Run, written: Written) -> None:
    """The two meanings of a compound constraint give two answers, and the plan notes where they can."""
    value = {"all": {"constraints": [{"package": {"packageName": name, "versionRange": ">=1.0.0"}} for name in "qr"]}}
    red = package("p", "1.0.0")
    red[2]["properties"].append({"type": "olm.constraint", "value": value})
    written("c.json", *red, *package("q", "1.0.0"), *package("r", "1.0.0"))
    arguments = "--catalog", "c=c.json", "--subscribe", "p"

    documented = olmsolve("resolve", *arguments)
    assert documented == olmsolve("resolve", *arguments, "--semantics", "documented")
    assert documented.code == 0
    assert "this plan follows documented semantics" in documented.out

    assert olmsolve("resolve", *arguments, "--semantics", "controller").code == 1


def test_backends(olmsolve: Run) -> None:
    """Every backend gives the same answer, and an unknown one is bad input with the known ones named."""
    arguments = "resolve", EXAMPLES / "unsatisfiable.yaml"
    expected = olmsolve(*arguments)
    for backend in backends.names():
        assert olmsolve(*arguments, "--backend", backend) == expected
    outcome = olmsolve(*arguments, "--backend", "nonesuch")
    assert outcome.code == 2
    assert "nonesuch" in outcome.err


def test_out_of_budget(olmsolve: Run) -> None:
    """Running out of time has another exit code than having no plan, and prints no answer."""
    outcome = olmsolve("resolve", EXAMPLES / "unsatisfiable.yaml", "--timeout", "1e-9")
    assert outcome.code == 3
    assert outcome.out == ""
    assert outcome.err == "olmsolve: no answer within the time budget\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "a request document is needed"),
        (["--catalog", "a=b"], "a request document is needed"),
        (["--subscribe", "p"], "a request document is needed"),
        (["r.yaml", "--subscribe", "p"], "exclude each other"),
        (["r.yaml", "--timeout", "0"], "not a number of seconds above 0"),
        (["r.yaml", "--timeout", "soon"], "not a number of seconds above 0"),
        (["r.yaml", "--timeout", "nan"], "not a number of seconds above 0"),
        (["r.yaml", "--semantics", "other"], "documented"),
        (["r.yaml", "--output", "xml"], "json"),
        (["--catalog", "a", "--subscribe", "p"], "--catalog a: not of the form [NAMESPACE/]NAME=PATH[:PRIORITY]"),
        (["--catalog", "=b", "--subscribe", "p"], "--catalog =b: not of the form [NAMESPACE/]NAME=PATH[:PRIORITY]"),
        (
            ["--catalog", "a=b", "--subscribe", "@c"],
            "--subscribe @c: not of the form PACKAGE[@CHANNEL][=STARTING]",
        ),
    ],
)
def test_arguments_that_make_no_sense(olmsolve: Run, arguments: list[str], words: str) -> None:
    """Bad arguments are bad input as well."""
    outcome = olmsolve("resolve", *arguments)
    assert outcome.code == 2
    assert words in outcome.err
    assert outcome.out == ""


def test_an_unknown_installed_bundle(olmsolve: Run) -> None:
    """Without the bundle its properties are unknown, so guessing would give wrong plans."""
    outcome = olmsolve("resolve", *BOTH, "--subscribe", "keyring", "--installed", "keyring.v1.0.3")
    assert outcome.code == 2
    assert "--installed keyring.v1.0.3: no catalog has this bundle (did you mean keyring.v1.0." in outcome.err
