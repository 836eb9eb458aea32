"""What commands write as JSON, held to the schemas that ``olmsolve schema`` prints.

Answers about clusters are held to theirs where all commands are asked about clusters, in tests/scenarios/agreement.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

import olmsolve as library
from olmsolve._reader import SITE
from olmsolve.render import json_schema, json_schema_names
from olmsolve.render.json_schemas import COMMANDS
from tests.cli.commands import Run
from tests.recorded import records
from tests.render.clusters import small
from tests.scenarios.dumps.files import cluster_arguments
from tests.scenarios.notation import request_document
from tests.schemas import bundles_of, faults
from tests.yaml_files import yaml_documents

EXAMPLES: Final = Path(library.__file__).parent / "examples"
SCENARIOS: Final = Path(__file__).parents[1] / "scenarios"
PAGE: Final = Path(__file__).parents[2] / "docs/commands.md"
VENDORED: Final = Path(__file__).parents[1] / "conformance"
# The other fields of a recording are the answer, and remarks.
REQUEST_FIELDS: Final = {"name", "catalogs", "extension", "installed", "feature_gates", "validations"}


REQUESTS: Final = {
    f"{file.stem} {number}": document
    for file in sorted(SCENARIOS.glob("*.yaml"))
    for number, document in enumerate(yaml_documents(file))
}
# What a command asks beside the situation.
MORE: Final = {"blocking": ("--openshift", "4.18.3"), "diff": ("--compare-semantics",)}


def held_to_its_schema(olmsolve: Run, command: str, *arguments: object) -> Any:
    """Run *command* for JSON, hold it to its schema, and return the document; None without output."""
    outcome = olmsolve(*command.split(), *arguments, *MORE.get(command, ()), "--output", "json")
    assert outcome.code in (0, 1, 2), outcome.err
    if not outcome.out:
        return None
    document = json.loads(outcome.out)
    assert faults(command, document) == [], (command, arguments)
    return document


def test_answers_of_the_library_about_a_cluster(tmp_path: Path) -> None:
    """``SituationPlan.to_dict`` has a schema, too, though the command prints objects."""
    _, dump, *rest = cluster_arguments(small(), tmp_path)
    situation = library.read_situation(dump, catalogs=dict(argument.split("=", 1) for argument in rest[1::2]))
    document = json.loads(json.dumps(library.plan(situation).to_dict()))
    assert faults("olmsolve.plan", document) == []


@pytest.mark.parametrize("name", REQUESTS)
def test_answers_to_a_document(olmsolve: Run, tmp_path: Path, name: str) -> None:
    """Plans, failures and broken catalogs under both semantics; the document itself is of the schema for requests."""
    document = request_document(REQUESTS[name])
    assert faults("olmsolve.request", document) == []
    file = tmp_path / "request.json"
    file.write_text(json.dumps(document), "utf-8")
    for semantics in ("documented", "controller"):
        answer = held_to_its_schema(olmsolve, "resolve", file, "--semantics", semantics)
        held_to_its_schema(olmsolve, "explain", file, "--semantics", semantics)
        for bundle in list(bundles_of(answer or {}))[:2]:
            held_to_its_schema(olmsolve, "why", bundle, file, "--semantics", semantics)
    held_to_its_schema(olmsolve, "diff", file)


def test_every_example_is_of_the_schema_for_requests() -> None:
    """The examples are what people copy."""
    for name in ("install", "upgrade", "unsatisfiable"):
        document = yaml.safe_load((EXAMPLES / f"{name}.yaml").read_text("utf-8"))
        assert faults("olmsolve.request", document) == [], name


def test_recorded_requests_for_olm_v1_and_their_answers_have_schemas() -> None:
    """As recorded: every field that such a request has, and resolutions and failures of each kind (one in five)."""
    for record in list(records(VENDORED / "v1_resolve.jsonl.gz"))[::5]:
        document = {key: value for key, value in record.items() if key in REQUEST_FIELDS}
        assert faults("olmsolve.v1.request", document) == [], record["name"]
        request = library.read_extension_request(document)
        answer: Any
        try:
            answer = library.resolve(request)
        except library.ResolutionFailure as failure:
            answer = failure
        written = json.loads(json.dumps(answer.to_dict()))
        name = "failure" if isinstance(answer, library.ResolutionFailure) else "resolution"
        assert faults(f"olmsolve.v1.{name}", written) == [], record["name"]


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("olmsolve.request", {"subscription": []}),
        ("olmsolve.request", {"namespaces": []}),
        ("olmsolve.request", {"catalogs": [{"name": "a"}]}),
        ("olmsolve.request", {"catalogs": [{"name": "a", "file": "a", "error": "b"}]}),
        ("olmsolve.request", {"unreadable": "banana"}),
        ("olmsolve.v1.request", {"extension": {"packageName": "a", "version": 1}}),
        ("olmsolve.v1.request", {"extension": {}}),
        ("olmsolve.v1.request", {"validations": ["banana"]}),
    ],
)
def test_the_schemas_for_requests_refuse_what_the_reader_refuses(name: str, change: dict[str, Any]) -> None:
    """An editor that knows the schema marks the field before anybody runs the command."""
    valid: dict[str, Any] = {"extension": {"packageName": "a"}}
    if name == "olmsolve.request":
        valid = {"namespaces": ["a"], "catalogs": [], "subscriptions": []}
    reader = library.read_request if name == "olmsolve.request" else library.read_extension_request
    reader(valid)
    assert faults(name, valid) == []
    with pytest.raises(library.RequestError):
        reader(valid | change)
    assert faults(name, valid | change) != []


def test_answers_about_examples(olmsolve: Run, tmp_path: Path) -> None:
    """Requests for OLM v1, failures, updates to a bundle, certificates with their check, and clauses."""
    upgrade, failing = EXAMPLES / "upgrade.yaml", EXAMPLES / "unsatisfiable.yaml"
    for file in sorted(EXAMPLES.glob("*.yaml")):
        for command in ("resolve", "explain", "path", "migrate", "blocking"):
            held_to_its_schema(olmsolve, command, file)
    held_to_its_schema(olmsolve, "diff", EXAMPLES / "install.yaml", "--to", upgrade)
    held_to_its_schema(olmsolve, "why-not", "storefront", upgrade, "--version", "2.1.0")
    held_to_its_schema(olmsolve, "why-not", "nonesuch", upgrade)
    held_to_its_schema(olmsolve, "why-not", "storefront", failing)
    certificate, symbols = tmp_path / "certificate.json", tmp_path / "symbols.json"
    for file in (upgrade, failing):
        olmsolve("certify", file, "--to", certificate)
        assert faults("certify", json.loads(certificate.read_text("utf-8"))) == []
        held_to_its_schema(olmsolve, "verify", certificate, file)
        olmsolve("cnf", file, "--to", tmp_path / "request.cnf", "--symbols", symbols)
        assert faults("cnf", json.loads(symbols.read_text("utf-8"))) == []
    held_to_its_schema(olmsolve, "verify", certificate, upgrade)


def test_answers_about_catalogs(olmsolve: Run, tmp_path: Path) -> None:
    """Findings, audits, differences and edges of the catalogs that come with the package."""
    commons, orchard = EXAMPLES / "catalogs/commons", EXAMPLES / "catalogs/orchard"
    for command in ("lint", "validate"):
        assert held_to_its_schema(olmsolve, command, commons)["schema"] == "olmsolve.findings"
    broken = tmp_path / "broken.yaml"
    broken.write_text("schema: olm.package\nname: a\ndefaultChannel: nowhere\n", "utf-8")
    assert held_to_its_schema(olmsolve, "validate", broken)["findings"]
    held_to_its_schema(olmsolve, "audit", commons, orchard)
    assert held_to_its_schema(olmsolve, "catalog diff", commons, orchard)["changes"]
    for kind in ("packages", "channels", "bundles"):
        assert held_to_its_schema(olmsolve, "catalog list", kind, commons)[kind]
    edges = olmsolve("catalog", "edges", commons, "--output", "jsonl").out.splitlines()
    assert edges
    assert all(faults("catalog edges", json.loads(line)) == [] for line in edges)
    package = held_to_its_schema(olmsolve, "path", commons, "courier", "--from", "courier.v3.1.0")
    assert package["schema"] == "olmsolve.v1.path"
    classic = held_to_its_schema(olmsolve, "path", commons, "courier", "--from", "courier.v3.1.0", "--olm", "classic")
    assert classic["schema"] == "olmsolve.path"
    assert held_to_its_schema(olmsolve, "migrate", commons, "courier")["schema"] == "olmsolve.v1.differences"


def test_answers_about_definitions(olmsolve: Run, tmp_path: Path) -> None:
    """A definition that loses a version is refused by both generations, with reasons."""
    schema = {"openAPIV3Schema": {"type": "object"}}
    names = {"plural": "things", "kind": "Thing", "listKind": "ThingList"}
    files = []
    for count in (2, 1):
        versions = [
            {"name": f"v{number}", "served": True, "storage": number == 1, "schema": schema}
            for number in range(1, count + 1)
        ]
        spec = {"group": "example.com", "scope": "Namespaced", "names": names, "versions": versions}
        definition = {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "things.example.com"},
            "spec": spec,
            "status": {"storedVersions": [version["name"] for version in versions]},
        }
        files.append(tmp_path / f"{count}.json")
        files[-1].write_text(json.dumps(definition), "utf-8")
    assert held_to_its_schema(olmsolve, "crd-check", *files)["crds"][0]["v1"]["faults"]
    assert held_to_its_schema(olmsolve, "crd-check", *reversed(files))["allowed"]


def test_reduced_requests(olmsolve: Run, tmp_path: Path) -> None:
    """What ``reduce`` writes is a request document again, of either generation."""
    assert held_to_its_schema(olmsolve, "reduce", EXAMPLES / "unsatisfiable.yaml")["subscriptions"]
    arguments = cluster_arguments(small(), tmp_path)
    assert held_to_its_schema(olmsolve, "reduce", *arguments, "--extension", "cache")["extension"]


def test_answers_about_backends(olmsolve: Run) -> None:
    """One or all of them."""
    assert len(held_to_its_schema(olmsolve, "backends")["backends"]) > 1
    held_to_its_schema(olmsolve, "backends", "minisat22")


def test_the_command_prints_schemas(olmsolve: Run) -> None:
    """By name, of commands and of documents; or the list of all names."""
    assert json.loads(olmsolve("schema", "catalog", "diff").out) == json_schema("catalog diff")
    assert json.loads(olmsolve("schema", "olmsolve.request").out) == json_schema("olmsolve.request")
    listed = olmsolve("schema", "--list").out
    assert all(name in listed for name in json_schema_names())
    unknown = olmsolve("schema", "resolv")
    assert (unknown.code, unknown.out) == (2, "")
    assert "there is no schema of this name (did you mean resolve?)" in unknown.err


def command_table() -> Iterator[str]:
    """Yield a line for each command: what it writes."""
    yield "| command | what it writes |"
    yield "|---|---|"
    for name, answers in COMMANDS.items():
        documents = dict.fromkeys((*answers.classic, *answers.v1, *(["olmsolve.cluster"] if answers.each else [])))
        shown = [f"`{document}`" for document in documents if document.startswith("olmsolve.")]
        title = json_schema(name)["$defs"][answers.classic[0]].get("title")
        yield f"| `{name}` | {', '.join(shown) or title} |"


def document_table() -> Iterator[str]:
    """Yield a line for each document: what it is, and the page that explains it."""
    yield "| document | what it is |"
    yield "|---|---|"
    for name in json_schema_names():
        if name not in COMMANDS:
            schema = json_schema(name)
            page = re.search(rf"{re.escape(SITE)}([a-z0-9-]+)/", schema.get("description", ""))
            yield f"| `{name}` | {schema['title']}{f' ([{page[1]}]({page[1]}.md))' if page else ''} |"


@pytest.mark.parametrize(
    ("name", "lines"), [("written", command_table), ("documents", document_table)], ids=["written", "documents"]
)
def test_the_page_shows_the_tables(name: str, lines: Callable[[], Iterator[str]]) -> None:
    """docs/commands.md is made from the schemas; UPDATE_SNAPSHOTS=1 writes the tables anew."""
    text = PAGE.read_text("utf-8")
    before, _, rest = text.partition(f"<!-- {name} -->\n")
    _, _, after = rest.partition(f"<!-- /{name} -->")
    expected = f"{before}<!-- {name} -->\n" + "\n".join(lines()) + f"\n<!-- /{name} -->{after}"
    if "UPDATE_SNAPSHOTS" in os.environ:
        PAGE.write_text(expected, "utf-8")
    assert PAGE.read_text("utf-8") == expected
