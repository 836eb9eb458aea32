"""House rules on the command line: from a file for any situation, in every answer, and held to the schemas."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

import olmsolve as library
from olmsolve import AtLeastOne, Bundles, Never, Prefer
from olmsolve.cli import Exit
from olmsolve.render import json_schema
from tests.cli import small_cluster
from tests.cli.commands import Run

INSTALL = Path(library.__file__).parent / "examples" / "install.yaml"


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dumps are written into the working directory."""
    monkeypatch.chdir(tmp_path)


def rules(folder: Path, *given: dict[str, object]) -> Path:
    """A file of house rules."""
    path = folder / "rules.yaml"
    path.write_text(yaml.safe_dump({"houseRules": list(given)}), "utf-8")
    return path


def test_rules_from_a_file_hold_for_a_request(olmsolve: Run, tmp_path: Path) -> None:
    """The plan says which rule wanted a bundle, and JSON keeps to its schema."""
    file = rules(tmp_path, {"name": "cache", "atLeastOne": {"api": "cache.example.com/v1/Cache"}})
    outcome = olmsolve("resolve", INSTALL, "--house-rules", file)
    assert outcome.code == Exit.PLAN
    assert "for house rule 'cache'" in outcome.out
    answer = json.loads(olmsolve("resolve", INSTALL, "--house-rules", file, "-o", "json").out)
    jsonschema.validate(answer, json_schema("resolve"))
    assert answer["installs"][1]["for"][0] == {"houseRule": "cache"}


def test_a_rule_that_cannot_be_kept_is_explained(olmsolve: Run, tmp_path: Path) -> None:
    """With the way out, and as JSON of the schema."""
    file = rules(
        tmp_path, {"name": "review 7", "never": "courier", "beside": "keyring"}, {"name": "x", "never": "ember"}
    )
    outcome = olmsolve("explain", INSTALL, "--house-rules", file)
    assert outcome.code == Exit.UNSATISFIABLE
    text = " ".join(outcome.out.split())
    assert "house rule 'review 7' says never package courier together with package keyring" in text
    assert "lift the house rule 'review 7'; and lift the house rule 'x'" in text
    for command in ("explain", "resolve"):
        answer = json.loads(olmsolve(command, INSTALL, "--house-rules", file, "-o", "json").out)
        jsonschema.validate(answer, json_schema(command))


@pytest.mark.parametrize("command", ["resolve", "simulate", "plan"])
def test_rules_hold_for_a_clusters_objects(olmsolve: Run, tmp_path: Path, command: str) -> None:
    """A namespace's next update is one that the rules allow."""
    dump = small_cluster.write(*small_cluster.namespace(), small_cluster.catalog_source())
    arguments = (*dump, *small_cluster.CONTENTS[:2])
    assert '"etcd.v2"' in olmsolve(command, *arguments, "-o", "json").out
    file = rules(tmp_path, {"name": "freeze", "never": {"package": "etcd", "versions": ">=2.0.0"}})
    outcome = olmsolve(command, *arguments, "--house-rules", file, "-o", "json")
    installed = outcome.out.partition('"heldBack"')[0]
    assert outcome.code == Exit.PLAN, outcome.err
    assert '"etcd.v2"' not in installed


def test_a_wrong_file_is_refused_by_name_and_field(olmsolve: Run, tmp_path: Path) -> None:
    """One line, and the exit code of bad input."""
    file = rules(tmp_path, {"name": "x", "never": {"pakage": "ember"}})
    outcome = olmsolve("resolve", INSTALL, "--house-rules", file)
    assert outcome.code == Exit.BAD_INPUT
    assert "rules.yaml: houseRules[0].never.pakage: unknown field (did you mean package?)" in outcome.err


def test_request_documents_with_rules_keep_to_their_schema() -> None:
    """What ``to_dict`` writes is what the schema allows."""
    request = library.read_request(INSTALL)
    given = [
        Never("ember", Bundles("courier", versions=">=4.0.0"), name="one"),
        AtLeastOne(Bundles(name="ember.v1.2.0", catalog="olm/commons"), name="two"),
        Prefer(Bundles(api="cache.example.com/v1/Cache", constraint={"cel": {"rule": "true"}}), name="three"),
    ]
    document = library.Request(request.namespaces, request.sources, request.subscriptions, house_rules=given).to_dict()
    schema = json_schema("olmsolve.request")
    jsonschema.validate(document, schema)
    for wrong in ({"name": "x"}, {"name": "x", "prefer": "a", "beside": "b"}, {"never": "a"}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**document, "houseRules": [wrong]}, schema)
