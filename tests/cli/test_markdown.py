"""``--output markdown``: an answer that is pasted into a review or a ticket."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import pytest
import yaml

import olmsolve as library
from olmsolve.cli.output import fenced
from tests.cli.commands import Run
from tests.cli.test_explain import blobs, needs

EXAMPLES: Final = Path(library.__file__).parent / "examples"
_CLUSTER: Final = (
    *("--cluster", str(EXAMPLES / "cluster.yaml")),
    *("--catalog", f"olm/orchard={EXAMPLES / 'catalogs/orchard'}"),
    *("--catalog", f"olm/commons={EXAMPLES / 'catalogs/commons'}"),
)


def test_a_plan_is_a_table(olmsolve: Run) -> None:
    """Reviewers see what comes, what it replaces and for whom; what stays and what is held back are lists."""
    lines = olmsolve("resolve", EXAMPLES / "upgrade.yaml", "-o", "markdown").out.splitlines()
    assert lines[:5] == [
        "## 3 bundles to install, replacing 2 installed operators",
        "",
        "| Bundle | Version | Channel | Catalog | Replaces | For |",
        "|---|---|---|---|---|---|",
        "| storefront.v2.0.0 | 2.0.0 | 2.x | olm/orchard | storefront.v1.4.1 | subscription shop |",
    ]
    assert lines[5].startswith(
        "| courier.v4.1.0 | 4.1.0 | stable | olm/commons | courier.v3.2.0 | subscription broker<br>"
    )
    assert lines[8:13] == ["## Kept", "", "- keyring.v1.0.1, version 1.0.1", "- ledgerdb.v5.3.0, version 5.3.0", ""]
    assert lines[13:16] == ["## Held back", "", "- subscription shop has storefront.v2.0.0 (2.x, olm/orchard)"]
    assert lines[16].startswith("  - storefront.v2.1.0 (2.x, olm/orchard): updates lead to it in 2 steps")
    nothing = olmsolve("resolve", EXAMPLES / "install.yaml", "-o", "markdown").out
    assert nothing.splitlines()[2] == "| Bundle | Version | Channel | Catalog | For |"


def test_a_failure_is_its_whole_explanation(olmsolve: Run) -> None:
    """Both commands give the same tree and ways out; with --core, the constraints are a block of text."""
    failing = EXAMPLES / "unsatisfiable.yaml"
    shown = olmsolve("resolve", failing, "-o", "markdown")
    assert shown == olmsolve("explain", failing, "-o", "markdown")
    assert (shown.code, shown.out.splitlines()[0]) == (1, "# This request cannot be satisfied")
    core = olmsolve("resolve", failing, "--core", "-o", "markdown").out.splitlines()
    assert (core[0], core[-1]) == ("```text", "```")


def test_differences_are_lists(olmsolve: Run) -> None:
    """Gains, losses and changes each have a heading; so has the answer that is no plan."""
    documents = [EXAMPLES / f"{name}.yaml" for name in ("install", "upgrade", "unsatisfiable")]
    changed = olmsolve("diff", *documents[:2], "-o", "markdown").out
    assert changed.startswith(
        "## Changed\n\n- keyring.v1.0.2 (stable, olm/commons) becomes keyring.v1.0.1 (installed)\n"
    )
    failed = olmsolve("diff", documents[0], documents[2], "-o", "markdown").out
    name = str(documents[2]).replace("_", r"\_")
    assert failed.startswith(f"## There is no plan for {name}\n\n- subscription shop needs one of ")
    assert "\n\n## Lost\n\n- courier.v4.1.0 (stable, olm/commons)\n" in failed
    assert olmsolve("diff", documents[0], documents[0], "-o", "markdown").out == "Nothing changes on the cluster.\n"
    compared = olmsolve("diff", documents[0], "--compare-semantics", "-o", "markdown").out
    assert compared.splitlines()[0] == "Nothing changes on the cluster."


def test_a_cluster_has_a_title_for_each_namespace(olmsolve: Run) -> None:
    """What its objects say comes first."""
    lines = olmsolve("resolve", *_CLUSTER, "-o", "markdown").out.splitlines()
    assert lines[:5] == [
        *("# Namespace shop", "", "## The cluster's objects say", ""),
        "- operator shop/keyring.v1.0.1 belongs to no subscription, so it must stay and gets no updates",
    ]
    assert [line for line in lines if line.startswith("# ")] == ["# Namespace shop", "# Namespace warehouse"]
    explained = olmsolve("explain", *_CLUSTER, "--namespace", "shop", "-o", "markdown").out
    assert explained.startswith("## The cluster's objects say\n\n- operator shop/keyring.v1.0.1 belongs to no ")


def test_ways_out_of_a_cluster_are_commands(olmsolve: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are a block of text, from which commands can be copied; the explanation lists no others beside them."""
    monkeypatch.chdir(EXAMPLES)
    shown = olmsolve("explain", "--cluster", "conflict.yaml", "-o", "markdown").out
    sentences, _, rest = shown.partition("```text\n")
    ways, _, tree = rest.partition("\n```\n")
    assert "OLM could not resolve the namespace (ConstraintsNotSatisfiable: " in sentences
    assert "\n     $ kubectl patch subscription.operators.coreos.com shop --namespace shop --type merge " in ways
    assert "\n# This request cannot be satisfied\n" in tree
    assert "## Ways out" not in shown


@pytest.mark.parametrize(
    "command",
    [
        ("why", EXAMPLES / "install.yaml", "keyring"),
        ("why-not", EXAMPLES / "install.yaml", "keyring", "--version", "1.0.1"),
        ("path", EXAMPLES / "upgrade.yaml"),
        ("plan", *_CLUSTER),
        ("simulate", *_CLUSTER),
        ("blocking", *_CLUSTER, "--openshift", "4.18.3"),
        ("groups", *_CLUSTER[:2]),
        ("metrics", *_CLUSTER[:2]),
        ("migrate", EXAMPLES / "catalogs/orchard", "storefront"),
        ("crd-check", EXAMPLES / "crd/old.yaml", EXAMPLES / "crd/new.yaml"),
        ("catalog", "list", "packages", EXAMPLES / "catalogs/commons"),
        ("catalog", "edges", EXAMPLES / "catalogs/commons"),
        ("audit", EXAMPLES / "catalogs/commons"),
        ("backends",),
        ("where",),
    ],
    ids=lambda command: command[0],
)
def test_other_answers_are_blocks_that_keep_their_columns(olmsolve: Run, command: Sequence[object]) -> None:
    """They are what a pipe gets, behind a fence, and the exit code is the same."""
    text = olmsolve(*command)
    assert olmsolve(*command, "-o", "markdown") == library.evolve(text, out=f"```text\n{text.out}```\n")


def test_a_fence_is_longer_than_those_inside() -> None:
    """Strangers name bundles, and no name may end the block."""
    assert fenced("a\n```\n````b") == "`````text\na\n```\n````b\n`````"


def test_findings_are_a_list(olmsolve: Run, written: Callable[..., str]) -> None:
    """Each has its code, its position and what helps, below the verdict; ``lint`` has none."""
    name = written("catalog.json", *blobs("etcd", needs("vault")))
    shown = olmsolve("validate", name, "-o", "markdown")
    assert shown.code == 1
    lines = shown.out.splitlines()
    assert lines[:2] == ["## catalog.json: not valid, 1 error", ""]
    assert lines[2].startswith("- **error** `image-missing`: the bundle has no image")
    assert lines[3].startswith("  - at catalog.json:3, package etcd, bundle etcd.v1.0.0")
    assert lines[4] == "  - help: image says where the bundle can be pulled from"
    assert olmsolve("lint", name, "-o", "markdown").out == "## catalog.json: nothing found\n"


def test_an_error_among_answers_is_a_block(olmsolve: Run, written: Callable[..., str]) -> None:
    """A message is no markup: it stands as it is below the title of its namespace."""
    written("broken.json", *blobs("storefront"), *blobs("parcels", entries=[{"name": "a"}, {"name": "b"}]))
    objects = yaml.safe_load((EXAMPLES / "conflict.yaml").read_text("utf-8"))
    for object_ in objects["items"]:
        if object_["kind"] == "CatalogSource":
            object_["metadata"]["annotations"] = {"olmsolve/file": "broken.json"}
        if object_["kind"] == "Subscription":
            object_["spec"] |= {"channel": "stable", "startingCSV": ""}
    Path("dump.json").write_text(json.dumps(objects), "utf-8")
    shown = olmsolve("resolve", "--cluster", "dump.json", "-o", "markdown")
    assert shown.code == 2
    title, _, block = shown.out.partition("\n\n")
    assert title == "# Namespace shop"
    assert block.startswith("```text\n")
    assert block.endswith("\n```\n")
    assert "parcels" in block


def test_too_little_time_for_the_explanation(olmsolve: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The constraints that cannot hold together are there in any case, and standard error says what is not."""

    def late(*_: object, **__: object) -> None:
        raise library.Incomplete("late")

    monkeypatch.setattr(library, "explanation", late)
    shown = olmsolve("resolve", EXAMPLES / "unsatisfiable.yaml", "-o", "markdown")
    assert shown.out.startswith("```text\nThis request cannot be satisfied, because these cannot hold together:\n")
    assert "was not explained within --timeout" in shown.err


def test_a_catalog_without_updates(olmsolve: Run, written: Callable[..., str]) -> None:
    """An empty answer looks like a command that did not run."""
    assert olmsolve("catalog", "edges", written("one.json", *blobs("etcd"))).out == "The channels offer no updates.\n"
