"""``olmsolve resolve --cluster``: from a cluster's objects to answers, for one namespace or all."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

import olmsolve as library
from olmsolve.cli import main
from olmsolve.requests import ClusterSituation
from tests.cli.commands import Run

ROOT = Path(__file__).parents[2]
EXAMPLES = Path(library.__file__).parent / "examples"
CLUSTER = "--cluster", EXAMPLES / "cluster.yaml"
ORCHARD = "--catalog", f"olm/orchard={EXAMPLES}/catalogs/orchard"
COMMONS = "--catalog", f"olm/commons={EXAMPLES}/catalogs/commons"

Written = Callable[..., str]


def answer(olmsolve: Run, *arguments: object, code: int = 0) -> Any:
    outcome = olmsolve("resolve", *arguments, "--output", "json")
    assert outcome.code == code, outcome.err
    return json.loads(outcome.out)


def test_objects_and_documents_give_one_plan(olmsolve: Run) -> None:
    """The objects of the example's shop say what upgrade.yaml says with installed operators typed by hand."""
    shop = answer(olmsolve, *CLUSTER, *ORCHARD, *COMMONS, "--namespace", "shop")
    upgrade = answer(olmsolve, EXAMPLES / "upgrade.yaml")
    key = "name"
    assert sorted(shop["installs"], key=lambda i: i[key]) == sorted(upgrade["installs"], key=lambda i: i[key])
    assert shop["kept"] == upgrade["kept"]


def test_the_answer_is_the_librarys(olmsolve: Run) -> None:
    """The command line adds nothing of its own. A cluster runs the shipped controller, so its semantics count."""
    contents = {f"olm/{name}": library.load(EXAMPLES / "catalogs" / name) for name in ("orchard", "commons")}
    state = library.read_cluster(EXAMPLES / "cluster.yaml")
    for namespace in ("shop", "warehouse"):
        plan = library.resolve(ClusterSituation(state, contents).request(namespace), semantics="controller")
        document = answer(olmsolve, *CLUSTER, *ORCHARD, *COMMONS, "--namespace", namespace)
        assert document.pop("heldBack") == [operator.to_dict() for operator in library.held_back(plan)]
        hindrances = library.cluster.held_in_cluster(state, namespace, contents=contents)
        assert document.pop("hindrances", []) == [hindrance.to_dict() for hindrance in hindrances]
        assert document == plan.to_dict()


def test_all_namespaces_are_answered_each_by_itself(olmsolve: Run) -> None:
    """Each namespace gets the answer that it gets alone."""
    every = answer(olmsolve, *CLUSTER, *ORCHARD, *COMMONS)
    assert every["schema"] == "olmsolve.cluster"
    assert list(every["namespaces"]) == ["shop", "warehouse"]
    for namespace, document in every["namespaces"].items():
        assert document == answer(olmsolve, *CLUSTER, *ORCHARD, *COMMONS, "--namespace", namespace)


def test_what_is_about_one_question_needs_one_chosen(olmsolve: Run) -> None:
    """Guessing would be certifying somebody else's namespace."""
    outcome = olmsolve("certify", *CLUSTER, *ORCHARD, *COMMONS)
    assert outcome.code == 2
    assert "one question is needed, not 2: shop, warehouse (--namespace or --extension chooses one)" in outcome.err


def test_a_misspelt_namespace_is_recognised(olmsolve: Run) -> None:
    """Without the hint, an empty answer would look like "nothing to do"."""
    outcome = olmsolve("resolve", *CLUSTER, *ORCHARD, *COMMONS, "--namespace", "shopp")
    assert outcome.code == 2
    assert "namespace shopp: no subscription is in this namespace (did you mean shop?)" in outcome.err


def test_a_catalog_without_a_path_is_named(olmsolve: Run) -> None:
    """The message says which option to add."""
    outcome = olmsolve("resolve", *CLUSTER, *COMMONS, "--namespace", "shop")
    assert outcome.code == 2
    assert "CatalogSource olm/orchard: its content was not given" in outcome.err
    assert "--catalog olm/orchard=PATH" in outcome.err


def test_what_one_namespace_lacks_is_its_answer_alone(olmsolve: Run) -> None:
    """The warehouse does not need what the shop cannot have."""
    every = answer(olmsolve, *CLUSTER, *COMMONS, "--unreadable", "referenced", code=1)
    (constraint,) = every["namespaces"]["shop"]["constraints"]
    assert constraint["kind"] == "CatalogsUnreadable"
    assert [install["name"] for install in every["namespaces"]["warehouse"]["installs"]] == ["courier.v4.1.0"]
    outcome = olmsolve("resolve", *CLUSTER, *COMMONS, "--namespace", "warehouse", "--unreadable", "ignore")
    assert outcome.out.endswith("Left out, because they cannot be read:\n  olm/orchard: its content was not given\n")


def test_errors_of_one_namespace_do_not_hide_the_others(olmsolve: Run, tmp_path: Path) -> None:
    """Every answer is printed, and the worst exit code returned."""
    group = {
        "apiVersion": "operators.coreos.com/v1",
        "kind": "OperatorGroup",
        "metadata": {"name": "another", "namespace": "shop"},
    }
    second = tmp_path / "more.yaml"
    second.write_text(yaml.safe_dump(group))
    every = answer(olmsolve, *CLUSTER, second, *ORCHARD, *COMMONS, code=1)
    assert "it has 2 operator groups (another, shop)" in every["namespaces"]["shop"]["error"]
    assert every["namespaces"]["warehouse"]["installs"]


def test_catalogs_that_cannot_be_read_follow_the_policy(olmsolve: Run, tmp_path: Path) -> None:
    """Under strict, the catalog's own error ends the command; under the others, resolving leaves the catalog out."""
    broken = tmp_path / "broken.json"
    broken.write_text("{")
    arguments = (*CLUSTER, *COMMONS, "--catalog", f"olm/orchard={broken}", "--namespace", "warehouse")
    assert olmsolve("resolve", *arguments).code == 2
    plan = answer(olmsolve, *arguments, "--unreadable", "ignore")
    (left_out,) = plan["unreadable"]["catalogs"]
    assert left_out["catalog"] == "olm/orchard"
    assert "broken.json" in left_out["error"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("absent.yaml",), "absent.yaml: cannot be read"),
        (("c.yaml", "--catalog", "olm"), "not of the form [NAMESPACE/]NAME=PATH"),
        (("c.yaml",), "no subscriptions and no extensions"),
        (("c.yaml", "--namespace", "ns"), "no subscription is in this namespace"),
        (("c.yaml", "--catalog", "olm/a=c.yaml:10"), "priorities come from the cluster"),
        (("c.yaml", "--catalog", "a=c.yaml", "--catalog", "a=c.yaml"), "is given twice"),
        (("c.yaml", "--openshift", "banana"), "openshift banana: not a version"),
    ],
)
def test_what_cannot_be_answered_is_said(
    olmsolve: Run, written: Written, arguments: tuple[str, ...], words: str
) -> None:
    """One message, and the exit code of bad input."""
    written("c.yaml", {"apiVersion": "v1", "kind": "List", "items": []})
    outcome = olmsolve("resolve", "--cluster", *arguments)
    assert outcome.code == 2
    assert words in outcome.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("resolve", "--cluster", "c.yaml", "--subscribe", "p"), "exclude each other"),
        (("resolve", *map(str, (*CLUSTER, *ORCHARD, *COMMONS)), "--explain", "html=x.html"), "--explain is for one"),
        (("explain", *map(str, (*CLUSTER, *ORCHARD, *COMMONS)), "-o", "html"), "--output html is for one question"),
    ],
)
def test_arguments_that_contradict_each_other_are_refused(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], words: str
) -> None:
    """The message comes with the usage, as argparse prints it."""
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert words in capsys.readouterr().err


def test_versions_and_groups_can_be_heeded(olmsolve: Run, tmp_path: Path) -> None:
    """System constraints from options; without them the bundle would be selected."""
    csv = {"minKubeVersion": "1.31.0", "installModes": [{"type": "OwnNamespace", "supported": True}]}
    published = [("olm.package", {"packageName": "p", "version": "1.0.0"}), ("olm.csv.metadata", csv)]
    properties = [{"type": kind, "value": value} for kind, value in published]
    blobs = [
        {"schema": "olm.package", "name": "p", "defaultChannel": "stable"},
        {"schema": "olm.channel", "package": "p", "name": "stable", "entries": [{"name": "p.v1"}]},
        {"schema": "olm.bundle", "package": "p", "name": "p.v1", "image": "p:1", "properties": properties},
    ]
    catalog = tmp_path / "catalog.json"
    catalog.write_text("".join(map(json.dumps, blobs)))
    metadata = {"name": "x", "namespace": "ns"}
    operators = "operators.coreos.com/v1alpha1"
    wish = {"name": "p", "channel": "stable", "source": "x", "sourceNamespace": "ns"}
    objects = [
        {"apiVersion": operators, "kind": "CatalogSource", "metadata": metadata},
        {"apiVersion": operators, "kind": "Subscription", "metadata": metadata, "spec": wish},
        {"apiVersion": operators, "kind": "OperatorGroup", "metadata": metadata, "status": {"namespaces": ["", "ns"]}},
    ]
    (tmp_path / "objects.yaml").write_text(yaml.safe_dump_all(objects))
    arguments = "--cluster", tmp_path / "objects.yaml", "--catalog", f"ns/x={catalog}", "--namespace", "ns"
    assert answer(olmsolve, *arguments)["installs"]
    assert answer(olmsolve, *arguments, "--kubernetes", "v1.31.4", "--openshift", "4.18")["installs"]
    for option in (("--kubernetes", "1.30.0"), ("--operator-groups",)):
        refused = answer(olmsolve, *arguments, *option, code=1)
        assert [constraint["kind"] for constraint in refused["constraints"]] == ["SubscriptionWants", "NotEligible"]


def test_extensions_are_answered_too(olmsolve: Run, tmp_path: Path) -> None:
    """Objects of OLM v1 in the same dump; an extension that is chosen is answered alone."""
    catalog = {
        "apiVersion": "olm.operatorframework.io/v1",
        "kind": "ClusterCatalog",
        "metadata": {"name": "commons"},
        "spec": {"source": {"type": "Image", "image": {"ref": "quay.example.com/commons:v1"}}},
    }
    extension = {
        "apiVersion": "olm.operatorframework.io/v1",
        "kind": "ClusterExtension",
        "metadata": {"name": "keyring"},
        "spec": {"namespace": "keys", "source": {"sourceType": "Catalog", "catalog": {"packageName": "keyring"}}},
    }
    objects = tmp_path / "v1.yaml"
    objects.write_text(yaml.safe_dump_all([catalog, extension]))
    content = "--catalog", f"commons={EXAMPLES}/catalogs/commons"
    alone = answer(olmsolve, "--cluster", objects, *content, "--extension", "keyring")
    assert alone["bundle"] == "keyring.v1.0.2"
    every = answer(olmsolve, *CLUSTER, objects, *ORCHARD, *COMMONS, *content)
    assert every["extensions"] == {"keyring": alone}


@pytest.mark.parametrize("command", ["resolve", "explain"])
def test_a_namespace_that_cannot_be_resolved_is_answered_alone_as_among_others(
    olmsolve: Run, tmp_path: Path, command: str
) -> None:
    """The state of a cluster is an answer, in the form that is wanted, and no fault of the input."""
    meta = {"name": "ledger", "namespace": "bank"}
    wanted = {"name": "ledger", "source": "cat", "sourceNamespace": "olm"}
    subscription = {"apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription", "metadata": meta}
    file = tmp_path / "dump.json"
    file.write_text(json.dumps(subscription | {"spec": wanted}), "utf-8")
    among = olmsolve(command, "--cluster", file, "-o", "json")
    alone = olmsolve(command, "--cluster", file, "--namespace", "bank", "-o", "json")
    assert (among.code, among.err, alone.code, alone.err) == (1, "", 1, "")
    assert json.loads(alone.out) == json.loads(among.out)["namespaces"]["bank"]
    assert "no operator group" in json.loads(alone.out)["error"]
