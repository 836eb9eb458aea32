"""``why``, ``why-not``, ``diff`` and ``explain`` for extensions of OLM v1, alone and among namespaces."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.commands import Run
from tests.cli.small_cluster import CONTENTS, blobs, catalog_source, cluster_catalog, extension, namespace, write

MAIN = ("--catalog", "main=catalog.json")


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_why_names_the_filters_and_rules(olmsolve: Run) -> None:
    """OLM v1 has no requirements to follow; what its filters left is the reason."""
    dump = write(extension(), cluster_catalog())
    outcome = olmsolve("why", *dump, *MAIN, "etcd.v2", "--extension", "etcd")
    assert (outcome.code, outcome.err) == (0, "")
    assert "etcd.v2 (main) will replace etcd.v1 because:" in outcome.out
    assert "etcd.v3 (main): comes after etcd.v2, one update at a time" in outcome.out


def test_a_bundle_is_looked_for_in_every_plan(olmsolve: Run) -> None:
    """Who asks about a bundle need not know which namespace has it; one that nobody has is bad input."""
    dump = write(*namespace(), *namespace("lab", installed=0), catalog_source(), extension(), cluster_catalog())
    outcome = olmsolve("why", *dump, *CONTENTS, "etcd.v2")
    assert (outcome.code, outcome.err) == (0, "")
    assert "Namespace lab\n\netcd.v2 is not in this plan." in outcome.out
    assert "etcd.v2 (stable, olm/cat) is in the plan because:" in outcome.out
    assert "etcd.v2 (main) will replace etcd.v1 because:" in outcome.out
    near = "did you mean etcd.v3 or etcd.v2?"
    absent = olmsolve("why", *dump, *CONTENTS, "etcd.v9")
    assert (absent.code, absent.err) == (2, f"olmsolve: BUNDLE etcd.v9: no plan has this bundle ({near})\n")


def test_why_not_answers_for_what_stays_and_for_what_fails(olmsolve: Run) -> None:
    """A pin keeps one extension from its update, and a range that nothing meets lets another one fail."""
    pinned, failing = extension(version="1.0.0"), extension("vault", version=">=9.0.0")
    dump = write(pinned, failing, cluster_catalog(), catalog=[*blobs(), *blobs("vault")])
    stays = olmsolve("why-not", *dump, *MAIN, "etcd", "--version", "2.0.0")
    assert (stays.code, stays.err) == (0, "")
    assert "etcd.v2 (main): the extension is pinned to 1.0.0" in stays.out
    assert "To get etcd.v2, each way confirmed by resolving again:" in stays.out
    assert "This extension is for package vault." in stays.out
    fails = olmsolve("why-not", *dump, *MAIN, "vault", "--version", "2.0.0", "--extension", "vault", "-o", "json")
    assert fails.code == 0
    assert json.loads(fails.out)["verdict"] == "impossible"


def test_diff_compares_extensions_by_name(olmsolve: Run) -> None:
    """A new catalog changes what both generations get, which one command tells."""
    dump = write(*namespace(installed=3), catalog_source(), extension(installed=3), cluster_catalog())
    Path("new.json").write_text("\n".join(map(json.dumps, blobs(versions=4))), "utf-8")
    later = ("--then-catalog", "olm/cat=new.json", "--then-catalog", "main=new.json")
    outcome = olmsolve("diff", *dump, *CONTENTS, *later)
    assert (outcome.code, outcome.err) == (1, "")
    assert "etcd.v3 (installed) becomes etcd.v4 (stable, olm/cat)" in outcome.out
    assert "etcd: etcd.v3 (main) becomes etcd.v4 (main)" in outcome.out
    assert olmsolve("diff", *dump, *CONTENTS, "--then-catalog", "main=catalog.json").code == 0


def test_semantics_cannot_differ_for_extensions(olmsolve: Run) -> None:
    """It is said, and the namespaces are compared."""
    dump = write(*namespace(), catalog_source(), extension(), cluster_catalog())
    outcome = olmsolve("diff", *dump, *CONTENTS, "--compare-semantics")
    assert (outcome.code, outcome.err) == (0, "")
    assert "OLM v1 has one semantics of constraints." in outcome.out


def test_standard_input_cannot_be_compared_with_itself(olmsolve: Run) -> None:
    """It can be read once, and an empty second reading would look like a cluster that lost everything."""
    outcome = olmsolve("diff", "-", "--then-catalog", "main=new.json")
    assert (outcome.code, outcome.out) == (2, "")
    assert 'standard input ("-") can be read once' in outcome.err


def test_explain_tells_the_ways_out_of_an_extension(olmsolve: Run) -> None:
    """Each was resolved until the extension is at rest."""
    dump = write(extension(version=">=9.0.0"), cluster_catalog())
    outcome = olmsolve("explain", *dump, *MAIN, "--extension", "etcd")
    assert (outcome.code, outcome.err) == (1, "")
    assert "Ways out, each confirmed by resolving again:" in outcome.out
