"""What a namespace lacks may be in a catalog of the cluster that it does not see: explanations say which, and why."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import pytest

import olmsolve
from olmsolve.render import explanation_text
from tests.cli.commands import Run
from tests.scenarios.dumps.files import cluster_arguments

VAULT = "vaults.example.com/v1/Vault"
CLUSTER: dict[str, Any] = {
    "catalogs": {
        "olm/community": {
            "packages": {
                "ledger": {"channels": {"stable": "ledger.v1.0.0"}, "bundles": {"ledger.v1.0.0": [{"needs": VAULT}]}}
            }
        },
        "books/mine": {
            "packages": {
                "vault": {"channels": {"stable": "vault.v1.0.0"}, "bundles": {"vault.v1.0.0": [{"provides": VAULT}]}},
                "press": {"channels": {"stable": "press.v1.0.0"}},
            }
        },
    },
    "groups": {"bank": ["bank"], "books": ["books"]},
}
OF_BOOKS = "which sees only its own catalogs and the catalogs of olm; if books is the global namespace of this cluster"


def answer_text(olmsolve: Run, folder: Path, scenario: dict[str, Any], verb: str = "explain") -> str:
    outcome = olmsolve(verb, *cluster_arguments(scenario, folder), "--namespace", "bank")
    assert outcome.code == 1
    return " ".join(outcome.out.split())


@pytest.mark.parametrize(
    ("wish", "has"),
    [
        ({"ledger": {"from": "olm/community"}}, "has vault.v1.0.0, which would meet it, but"),
        ({"press": {"from": "olm/community"}}, "has package press but"),
        ({"press": {"from": "books/mine"}}, "is there but"),
    ],
    ids=["an API", "a package", "a named catalog"],
)
@pytest.mark.parametrize("verb", ["explain", "resolve"])
def test_the_catalog_that_has_it_is_named(
    olmsolve: Run, tmp_path: Path, wish: dict[str, Any], has: str, verb: str
) -> None:
    """Whoever looks at the catalog sees the package there: what is missing is that the namespace sees it as well."""
    scenario = {**CLUSTER, "subscriptions": {f"bank/{name}": given for name, given in wish.items()}}
    text = answer_text(olmsolve, tmp_path, scenario, verb)
    assert f"catalog books/mine {has} is not visible in namespace bank, {OF_BOOKS}" in text
    assert "--global-namespace books says so" in text


@pytest.mark.parametrize("name", ["ledger", "press"])
def test_a_copy_in_the_global_namespace_is_a_way_out(olmsolve: Run, tmp_path: Path, name: str) -> None:
    """The other remedy needs no assumption about the cluster."""
    text = answer_text(olmsolve, tmp_path, {**CLUSTER, "subscriptions": {f"bank/{name}": {"from": "olm/community"}}})
    assert "create catalog olm/mine with the content of books/mine" in text
    # The package of press is there, so nobody needs to give it up.
    assert ("delete subscription" in text) == (name == "ledger")


def test_a_named_catalog_needs_no_content_to_be_named(olmsolve: Run, tmp_path: Path) -> None:
    """That it is in another namespace is in the objects."""
    scenario = {**copy.deepcopy(CLUSTER), "subscriptions": {"bank/press": {"from": "books/mine"}}}
    del scenario["catalogs"]["books/mine"]["packages"]
    assert f"catalog books/mine is there but is not visible in namespace bank, {OF_BOOKS}" in answer_text(
        olmsolve, tmp_path, scenario
    )


def test_a_group_that_hides_the_global_catalogs_is_named(olmsolve: Run, tmp_path: Path) -> None:
    """Then another global namespace would change nothing."""
    scenario = {**CLUSTER, "groupSettings": {"bank": {"alone": True}}}
    text = answer_text(olmsolve, tmp_path, {**scenario, "subscriptions": {"bank/ledger": {"from": "olm/community"}}})
    assert "catalog olm/community is there but is not visible in namespace bank, whose operator group hides" in text
    assert "olm.operatorframework.io/exclude-global-namespace-resolution" in text
    assert "--global-namespace" not in text


def test_a_program_gets_the_name_of_the_argument(tmp_path: Path) -> None:
    """The failure of a cluster's namespace carries the catalogs; a copy in another process leaves them behind."""
    scenario = {**CLUSTER, "subscriptions": {"bank/ledger": {"from": "olm/community"}}}
    options = cluster_arguments(scenario, tmp_path)
    contents = dict(
        str(option).split("=") for option in options[options.index("--catalog") + 1 :] if "=" in str(option)
    )
    situation = olmsolve.read_situation(options[1], catalogs=contents)
    request = situation.only(namespace="bank").questions[0].request()
    with pytest.raises(olmsolve.Unsatisfiable) as failed:
        olmsolve.resolve(request)
    text = " ".join(explanation_text(olmsolve.explanation(failed.value)).split())
    assert "Policy(global_namespace='books') says so" in text
    copy = pickle.loads(pickle.dumps(request))  # noqa: S301 - our own
    assert copy == request
    assert copy.hidden.all() == ()


def test_other_failures_load_nothing_more(olmsolve: Run, tmp_path: Path) -> None:
    """The catalogs of hundreds of other namespaces are read only where something is missing."""
    catalogs = copy.deepcopy(CLUSTER["catalogs"])
    for name in ("a", "b"):
        catalogs["olm/community"]["packages"][name] = {
            "channels": {"stable": f"{name}.v1.0.0"},
            "bundles": {f"{name}.v1.0.0": [{"provides": VAULT}]},
        }
    wishes = {f"bank/{name}": {"from": "olm/community"} for name in ("a", "b")}
    options = list(cluster_arguments({**CLUSTER, "catalogs": catalogs, "subscriptions": wishes}, tmp_path))
    options = [f"books/mine={tmp_path}/nowhere" if option.startswith("books/mine=") else option for option in options]
    outcome = olmsolve("explain", *options, "--namespace", "bank")
    assert (outcome.code, outcome.err) == (1, "")
    assert "nowhere" not in outcome.out
