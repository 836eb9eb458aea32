"""``olmsolve explain`` and ``resolve --explain``: forms, files and exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import olmsolve as library
from olmsolve.render import explanation_markdown, explanation_mermaid, explanation_text, json_schema
from tests.cli.commands import Run
from tests.cluster.test_recorded_conditions import condition, reporting
from tests.recorded import VENDORED, records
from tests.simulation.small_clusters import OLM, Version, catalog, group, operator
from tests.yaml_files import yaml_text

EXAMPLES = Path(library.__file__).parent / "examples"
SCHEMA = json_schema("olmsolve.explanation")
FAILING = EXAMPLES / "unsatisfiable.yaml"
Written = Callable[..., str]


def blobs(name: str, *properties: dict[str, Any], entries: list[dict[str, Any]] | None = None) -> list[dict[str, Any]]:
    entries = entries or [{"name": f"{name}.v1.0.0"}]
    own = {"type": "olm.package", "value": {"packageName": name, "version": "1.0.0"}}
    bundles = [
        {"schema": "olm.bundle", "package": name, "name": entry["name"], "properties": [own, *properties]}
        for entry in entries
    ]
    return [
        {"schema": "olm.package", "name": name, "defaultChannel": "stable"},
        {"schema": "olm.channel", "package": name, "name": "stable", "entries": entries},
        *bundles,
    ]


def needs(package: str) -> dict[str, Any]:
    return {"type": "olm.package.required", "value": {"packageName": package, "versionRange": ">=1.0.0"}}


@pytest.fixture
def explanation() -> library.Explanation:
    with pytest.raises(library.Unsatisfiable) as failed:
        library.resolve(library.read_request(FAILING))
    return library.explanation(failed.value)


def test_forms(olmsolve: Run, explanation: library.Explanation) -> None:
    """Each form is the library's own text; ``resolve`` has the same exit code."""
    expected = {"text": explanation_text(explanation, width=100) + "\n", "markdown": explanation_markdown(explanation)}
    expected["mermaid"] = explanation_mermaid(explanation)
    for form, shown in expected.items():
        outcome = olmsolve("explain", FAILING, "--output", form)
        assert (outcome.code, outcome.out, outcome.err) == (1, shown, "")
    assert olmsolve("explain", FAILING, "-o", "html").out.startswith("<!")
    outcome = olmsolve("explain", FAILING, "-o", "json")
    assert json.loads(outcome.out) == explanation.to_dict()


def test_a_request_with_a_plan(olmsolve: Run) -> None:
    """There is nothing to explain, which is good news and not an error."""
    outcome = olmsolve("explain", EXAMPLES / "install.yaml")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out == "This request can be satisfied: there is nothing to explain.\n"


def test_a_plan_that_holds_something_back(olmsolve: Run) -> None:
    """Whoever asks why nothing happens gets an answer, although there is nothing wrong with the request."""
    outcome = olmsolve("explain", EXAMPLES / "upgrade.yaml")
    assert (outcome.code, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    assert lines[:3] == ["This request can be satisfied.", "", "Held back:"]
    assert "channel preview, and the subscription names channel stable" in " ".join(outcome.out.split())
    document = json.loads(olmsolve("explain", EXAMPLES / "upgrade.yaml", "-o", "json").out)
    assert [operator["because"] for operator in document["heldBack"]] == ["later", "channel"]
    jsonschema.Draft202012Validator(SCHEMA).validate(document)


def test_fixes_are_limited(olmsolve: Run) -> None:
    """Whoever only wants the reasons should not wait for more."""
    assert "Ways out" not in olmsolve("explain", FAILING, "--fixes", "0").out
    assert "delete" not in olmsolve("explain", FAILING, "--fixes", "1").out
    assert "cut off" in olmsolve("explain", FAILING, "--tries", "1").out
    outcome = olmsolve("explain", FAILING, "--fixes", "-1")
    assert outcome.code == 2
    assert "not a number from 0 to 999999" in outcome.err


def test_known_catalogs(olmsolve: Run, written: Written) -> None:
    """A catalog that the cluster could be given is one of the ways out."""
    written("main.json", *blobs("app", needs("db")))
    written("more.json", *blobs("db"))
    outcome = olmsolve("explain", "--catalog", "main=main.json", "--subscribe", "app", "--known", "more=more.json:7")
    assert outcome.code == 1
    assert "1. add catalog olm/more" in outcome.out
    outcome = olmsolve("explain", "--catalog", "main=main.json", "--subscribe", "app", "--known", "more")
    assert outcome.code == 2
    assert "--known more: not of the form [NAMESPACE/]NAME=PATH[:PRIORITY]" in outcome.err


def test_a_fault_of_a_catalog_is_explained_and_remains_bad_input(olmsolve: Run, written: Written) -> None:
    """The catalog has to be repaired, but which wish led there is worth knowing."""
    broken = blobs("db", entries=[{"name": "db.v1.0.0"}, {"name": "db.v1.1.0"}])
    written("main.json", *blobs("app", needs("db")), *broken)
    outcome = olmsolve("explain", "--catalog", "main=main.json", "--subscribe", "app")
    assert outcome.code == 2
    assert "channel stable of package db (olm/main) is broken in its catalog" in outcome.out
    assert "the request fails because of a fault here" in outcome.err
    arguments = "--catalog", "main=main.json", "--subscribe", "app", "--explain", "text=why.txt"
    assert olmsolve("resolve", *arguments).code == 2
    assert Path("why.txt").read_text("utf-8") == outcome.out


def test_an_extension_of_v1(olmsolve: Run, written: Written) -> None:
    """The other kind of request takes the same command."""
    written("main.json", *blobs("app"))
    document = {"extension": {"packageName": "app", "version": ">=2"}, "catalogs": [{"name": "m", "file": "main.json"}]}
    Path("request.json").write_text(json.dumps(document), "utf-8")
    outcome = olmsolve("explain", "request.json")
    assert outcome.code == 1
    assert "catalog m has 1 bundle of the package, 1 in a wanted channel, none in the wanted range" in outcome.out
    assert olmsolve("explain", "request.json", "--semantics", "controller").code == 2
    outcome = olmsolve("resolve", "request.json", "--explain", "json=why.json")
    assert outcome.code == 1
    assert json.loads(Path("why.json").read_text("utf-8"))["schema"] == "olmsolve.explanation"


def test_files_beside_an_answer(olmsolve: Run, explanation: library.Explanation, tmp_path: Path) -> None:
    """A pipeline keeps the answer and puts the explanation into a ticket."""
    targets = {form: tmp_path / form for form in ("text", "markdown", "json", "mermaid")}
    arguments = [part for form, path in targets.items() for part in ("--explain", f"{form}={path}")]
    plain = olmsolve("resolve", FAILING)
    assert olmsolve("resolve", FAILING, *arguments) == plain
    assert targets["text"].read_text("utf-8") == explanation_text(explanation, width=100) + "\n"
    assert targets["markdown"].read_text("utf-8") == explanation_markdown(explanation)
    assert targets["mermaid"].read_text("utf-8") == explanation_mermaid(explanation)
    assert json.loads(targets["json"].read_text("utf-8")) == explanation.to_dict()


def test_no_file_where_there_is_a_plan(olmsolve: Run, tmp_path: Path) -> None:
    """An empty file would look like an explanation."""
    assert olmsolve("resolve", EXAMPLES / "install.yaml", "--explain", f"text={tmp_path / 'why'}").code == 0
    assert not (tmp_path / "why").exists()


@pytest.mark.parametrize("target", ["text", "text=", "=why", "pdf=why"])
def test_targets_that_make_no_sense(olmsolve: Run, target: str) -> None:
    """A malformed target is refused before anything is resolved."""
    outcome = olmsolve("resolve", FAILING, "--explain", target)
    assert (outcome.code, outcome.out) == (2, "")
    assert f"--explain {target}: not of the form FORM=FILE" in outcome.err


def test_a_file_that_cannot_be_written(olmsolve: Run, tmp_path: Path) -> None:
    """One clear sentence says so."""
    outcome = olmsolve("resolve", FAILING, "--explain", f"text={tmp_path / 'no' / 'why'}")
    assert outcome.code == 2
    assert "cannot be written: No such file or directory" in outcome.err


def test_what_a_cluster_says_is_not_called_nothing(olmsolve: Run, tmp_path: Path) -> None:
    """The resolver has a plan, and the namespace is stuck all the same: "nothing to explain" would deny it."""
    wish = reporting(
        "e", condition("BundleUnpackFailed", "BundleUnpackFailed", "ErrImagePull"), installedCSV="e.v1.0.0"
    )
    main = {"apiVersion": OLM, "kind": "CatalogSource", "metadata": {"name": "main", "namespace": "olm"}}
    items = [group("ns"), main, wish, operator("ns", "e", Version("1.0.0", ("E.v1",)))]
    (tmp_path / "dump.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    one = Version("1.0.0", ("E.v1",))
    content = "".join(map(json.dumps, library.fbc.blobs(catalog(e=[one]))))
    (tmp_path / "catalog.json").write_text(content)
    outcome = olmsolve("explain", "--cluster", tmp_path / "dump.json", "--catalog", f"olm/main={tmp_path}/catalog.json")
    assert outcome.code == 0, outcome.err
    assert "could not unpack a bundle" in outcome.out
    assert outcome.out.endswith("This request can be satisfied, and nothing new is to be installed.\n")


def test_a_way_out_for_several_namespaces_is_told_once(olmsolve: Run, tmp_path: Path) -> None:
    """A catalog that all namespaces see is repaired once; alone, each namespace has the whole way."""
    away = {"connectionState": {"lastObservedState": "TRANSIENT_FAILURE"}}
    main = {
        "apiVersion": OLM,
        "kind": "CatalogSource",
        "metadata": {"name": "main", "namespace": "olm"},
        "status": away,
    }
    items = [main]
    for name in ("east", "west"):
        items += [group(name), {**reporting("e"), "metadata": {"name": "e", "namespace": name}}]
    (tmp_path / "dump.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    text = olmsolve("explain", "--cluster", tmp_path / "dump.json").out
    assert text.count("kubectl get pods --namespace olm --selector olm.catalogSource=main") == 1
    assert "it helps 2 namespaces: east, west" in text
    assert "as shown for namespace east" in text
    alone = olmsolve("explain", "--cluster", tmp_path / "dump.json", "--namespace", "west").out
    assert "kubectl get pods --namespace olm --selector olm.catalogSource=main" in alone
    document = json.loads(olmsolve("explain", "--cluster", tmp_path / "dump.json", "-o", "json").out)
    [way] = document["namespaces"]["west"]["clusterWaysOut"]
    assert (way["harm"], way["namespaces"]) == ("wait", ["east", "west"])


@pytest.mark.parametrize("name", ["dev-2026-1416", "dev-2026-1500", "dev-2026-1765", "dev-2026-1643"])
def test_the_nearest_way_out_is_the_first_of_all(olmsolve: Run, tmp_path: Path, name: str) -> None:
    """``resolve`` and ``why-not`` looked less far, and named a way out that ``explain`` ranked lower or left out."""
    record = next(record for record in records(VENDORED / "classic_random.jsonl.gz") if record["name"] == name)
    fields = ("name", "namespaces", "catalogs", "installed", "subscriptions")
    path = tmp_path / "request.yaml"
    path.write_text(yaml_text({field: record[field] for field in fields if field in record}), "utf-8")
    for fixes in ("1", "5"):
        document = json.loads(olmsolve("explain", path, "--output", "json", "--fixes", fixes).out)
        first = document["fixes"][0]["text"]
        for command in (("resolve", path), ("why-not", path, record["subscriptions"][0]["package"])):
            shown = " ".join(olmsolve(*command).out.split())
            nearest = shown.partition("Nearest way out: ")[2].removeprefix(
                "add a catalog that has what is missing here, or "
            )
            assert nearest.startswith(f"{first}."), command
