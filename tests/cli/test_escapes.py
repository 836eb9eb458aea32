"""What strangers write into catalogs and objects reaches terminals and programs as harmless characters."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree

import pytest
import yaml

import olmsolve
from olmsolve.cli import main
from olmsolve.cli.output import write_data
from olmsolve.lifecycle.journey import JourneyStage, MadeChange, OperatorRemoval, PlanApproval
from olmsolve.render import in_markdown
from olmsolve.render.journey_runbook import change_commands, way_commands
from olmsolve.render.layout import shell_word
from tests.cli.commands import Run
from tests.cli.small_cluster import CONTENTS, blobs, catalog_source, cluster_catalog, extension, namespace, write

HOSTILE: Final = "x\u202ey\x1b[31mz\x9b32m\x7fé"
"""A mark that turns the direction of text, two ways to start a terminal's command, a deletion, and an honest letter."""
COMMANDS: Final = (
    ("resolve",),
    ("explain",),
    ("why", "etcd.v2"),
    ("why-not", "etcd", "--version", "3.0.0"),
    ("plan",),
    ("simulate",),
    ("blocking", "--openshift", "4.18.3"),
    ("path",),
    ("diff", "--compare-semantics"),
    ("migrate",),
    ("groups",),
    ("metrics",),
)
WITHOUT_CATALOGS: Final = ("groups", "metrics")
FORMS: Final = ("text", "json", "yaml")


def catalog() -> list[dict[str, Any]]:
    """The catalog of etcd with a hostile channel beside the others, and a hostile constraint in the head."""
    needs = {"type": "olm.package.required", "value": {"packageName": HOSTILE, "versionRange": ">0.0.0"}}
    return [
        *blobs(v3=[needs]),
        {"schema": "olm.channel", "package": "etcd", "name": HOSTILE, "entries": [{"name": "etcd.v3"}]},
    ]


def dump() -> tuple[str, ...]:
    """A cluster whose objects hold the hostile text wherever Kubernetes lets people write."""
    shop, other = namespace(), namespace(HOSTILE)
    other[1]["spec"]["channel"] = HOSTILE
    other[2]["status"] = {"phase": "Failed", "reason": HOSTILE, "message": HOSTILE}
    wrong = extension("wrong")
    wrong["spec"]["source"]["sourceType"] = HOSTILE
    objects = [*shop, *other, catalog_source(), extension(), cluster_catalog()]
    return write(*objects, wrong, extension(HOSTILE, version=HOSTILE), catalog=catalog())


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def assert_harmless(text: str) -> None:
    assert {character for character in text if not character.isprintable()} <= {"\n"}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_every_verb_and_form_is_harmless(olmsolve: Run, command: tuple[str, ...], form: str) -> None:
    """A terminal must not obey a catalog, nor show `moc.elgoog` as another address."""
    contents = () if command[0] in WITHOUT_CATALOGS else CONTENTS
    outcome = olmsolve(*command, *dump(), *contents, "-o", form)
    assert outcome.out, outcome.err
    assert_harmless(outcome.out)
    assert_harmless(outcome.err)
    if form == "json":
        json.loads(outcome.out)
    elif form == "yaml":
        yaml.safe_load(outcome.out)


def test_errors_that_are_answers(olmsolve: Run) -> None:
    """Among several questions an error is printed as the answer to its question, with the names in it."""
    objects = write(*namespace(), catalog_source(), catalog_source(HOSTILE), extension(), cluster_catalog())
    outcome = olmsolve("resolve", *objects, *CONTENTS)
    assert "its content was not given" in " ".join(outcome.out.split())
    assert r"olm/x\u202ey\x1b[31mz\x9b32m\x7fé" in outcome.out
    assert_harmless(outcome.out)
    assert_harmless(outcome.err)


def test_data_is_the_same_and_stays_readable(olmsolve: Run) -> None:
    """An escape is only another spelling; letters of other languages keep theirs."""
    outcome = olmsolve("groups", *dump(), "-o", "json")
    assert HOSTILE in {group["namespace"] for group in json.loads(outcome.out)["groups"]}
    assert r"x\u202ey\u001b[31mz\u009b32m\u007fé" in outcome.out
    outcome = olmsolve("groups", *dump(), "-o", "yaml")
    assert HOSTILE in {group["namespace"] for group in yaml.safe_load(outcome.out)["groups"]}


def test_labels_for_prometheus(olmsolve: Run) -> None:
    """People look at a scrape with curl, and its format has no escape for control characters."""
    pytest.importorskip("prometheus_client")
    outcome = olmsolve("metrics", *dump(), "-o", "prometheus")
    assert outcome.code == 0, outcome.err
    assert_harmless(outcome.out)
    assert r"x\\u202ey\\x1b[31mz\\x9b32m\\x7fé" in outcome.out


def test_commands_about_catalogs(olmsolve: Run) -> None:
    """Whoever looks at a catalog has not decided yet to trust it."""
    dump()
    Path("old.json").write_text("\n".join(map(json.dumps, blobs())), "utf-8")
    Path("strange.json").write_text(json.dumps({"schema": "olm.package", "name": HOSTILE}), "utf-8")
    for arguments in (
        ("catalog", "edges", "catalog.json", "-o", "jsonl"),
        ("catalog", "diff", "old.json", "catalog.json", "-o", "json"),
        ("validate", "strange.json", "-o", "json"),
        ("validate", "strange.json", "-o", "sarif"),
        ("validate", "strange.json", "-o", "junit"),
        ("validate", "strange.json", "-o", "github"),
        ("lint", "catalog.json", "-o", "json"),
        ("audit", "--catalog", "main=catalog.json", "-o", "json"),
    ):
        outcome = olmsolve(*arguments)
        assert outcome.out, outcome.err
        assert_harmless(outcome.out)
        assert_harmless(outcome.err)
        if arguments[-1] in ("json", "sarif"):
            json.loads(outcome.out)
        elif arguments[-1] == "junit":
            ElementTree.fromstring(outcome.out)  # noqa: S314 - our own


@pytest.mark.parametrize(
    "arguments",
    [
        ("groups", "-o", "json"),
        ("groups", "-o", "yaml"),
        ("lint", "catalog.json", "-o", "json"),
        ("catalog", "edges", "catalog.json", "-o", "jsonl"),
    ],
    ids=" ".join,
)
def test_streams_of_few_characters(monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]) -> None:
    """Old locales and some build servers take ASCII alone; what they get is still JSON or YAML, with every letter.

    The first is asked of a process, which has such a stream by its environment.
    """
    objects = dump() if arguments[0] == "groups" else ()
    gvk = {"type": "olm.gvk", "value": {"group": "é.example.com", "kind": "É", "version": "1"}}
    Path("catalog.json").write_text("\n".join(map(json.dumps, blobs("é", versions=2, v1=[gvk]))), "utf-8")
    if arguments == ("groups", "-o", "json"):
        environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
        command = [sys.executable, "-m", "olmsolve", *arguments, *objects]
        written = subprocess.run(command, env=environment, capture_output=True, check=False).stdout
    else:
        stream = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(stream, encoding="ascii"))
        main([*arguments, *objects])
        written = stream.getvalue()
    load = yaml.safe_load if "yaml" in arguments else json.loads
    assert "é" in str(load(written.decode("ascii")))


def test_files_beside_the_answer(olmsolve: Run) -> None:
    """Certificates and explanations are read with cat and less."""
    document = {
        "namespaces": ["shop"],
        "catalogs": [{"name": "cat", "namespace": "shop", "blobs": catalog()}],
        "subscriptions": [{"name": "etcd", "package": "etcd", "channel": HOSTILE}],
    }
    Path("request.json").write_text(json.dumps(document), "utf-8")
    assert olmsolve("resolve", "request.json", "--explain", "json=explanation.json").code == 1
    assert olmsolve("certify", "request.json", "--to", "certificate.json").code == 1
    outcome = olmsolve("certify", "request.json")
    assert json.loads(outcome.out) == json.loads(Path("certificate.json").read_text("utf-8"))
    for text in (outcome.out, *(Path(name).read_text("utf-8") for name in ("explanation.json", "certificate.json"))):
        assert "etcd" in text
        assert_harmless(text)
    assert olmsolve("verify", "certificate.json", "request.json").code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("graph", "catalog.json"),
        ("graph", "catalog.json", "-o", "dot"),
        ("graph", "catalog.json", "-o", "html"),
        ("render", "catalog.json"),
        ("render", "catalog.json", "-o", "jsonl"),
        ("render", "catalog.json", "-o", "yaml"),
        ("catalog", "merge", "catalog.json"),
        ("resolve", "request.json"),
        ("resolve", "request.json", "--core"),
        ("explain", "request.json"),
        ("explain", "request.json", "-o", "markdown"),
        ("explain", "request.json", "-o", "mermaid"),
        ("explain", "request.json", "-o", "html"),
        ("why-not", "request.json", "etcd", "--channel", HOSTILE),
    ],
    ids=" ".join,
)
def test_drawings_pages_and_catalogs(olmsolve: Run, arguments: tuple[str, ...]) -> None:
    """They are printed to terminals before they are written anywhere, and shell commands among them are copied."""
    text = [{"schema": "olm.custom", "name": "notes", "text": f"first\n{HOSTILE}\n"}]
    written = [*catalog(), *text]
    Path("catalog.json").write_text("\n".join(map(json.dumps, written)), "utf-8")
    document = {
        "namespaces": ["shop"],
        "catalogs": [{"name": "cat", "namespace": "shop", "blobs": written}],
        "subscriptions": [{"name": HOSTILE, "package": "etcd", "channel": HOSTILE}],
    }
    Path("request.json").write_text(json.dumps(document), "utf-8")
    outcome = olmsolve(*arguments)
    assert "etcd" in outcome.out, outcome.err
    assert_harmless(outcome.out)
    assert_harmless(outcome.err)
    if arguments[0] in ("render", "catalog"):
        Path("again.txt").write_text(outcome.out, "utf-8")
        rendered = olmsolve("render", "again.txt", "-o", "jsonl").out
        assert [json.loads(line) for line in rendered.splitlines()] == written


RUNNER_COMMANDS = ("::error::all is lost", "  ::add-mask::a", "##[error]b")
"""What a runner of GitHub's workflows obeys, behind white space at the beginning of a line, or anywhere."""


def assert_no_command(text: str) -> None:
    """Check that no line of *text* is a command to a runner."""
    for line in text.split("\n"):
        assert not line.lstrip().startswith("::"), line
        assert "##[" not in line, line


@pytest.mark.parametrize("sign", RUNNER_COMMANDS)
@pytest.mark.parametrize(
    "command",
    [
        ("validate",),
        ("lint",),
        ("render",),
        ("catalog", "list", "packages"),
        ("graph", "-o", "dot"),
        ("audit", "-o", "json"),
        ("resolve", "--subscribe", "p", "--catalog"),
        ("resolve", "--output", "yaml", "--subscribe", "p", "--catalog"),
        ("explain", "--subscribe", "p", "--catalog"),
    ],
)
def test_names_command_no_workflow(olmsolve: Run, tmp_path: Path, sign: str, command: tuple[str, ...]) -> None:
    """Logs of workflows are read for commands: neither names in a catalog nor those of files may forge one."""
    odd = f"a\n{sign}"
    path = tmp_path / f"c\n{sign}.json"
    blobs: list[dict[str, Any]] = [
        {"schema": "olm.package", "name": "p", "defaultChannel": sign, "description": odd},
        {"schema": "olm.channel", "package": "p", "name": sign, "entries": [{"name": sign}]},
        {
            "schema": "olm.bundle",
            "package": "p",
            "name": sign,
            "image": "x",
            "properties": [{"type": "olm.package", "value": {"packageName": "p", "version": "1.0.0"}}],
        },
    ]
    for text in (
        "".join(f"{json.dumps(blob)}\n" for blob in blobs),
        "".join(f"{json.dumps(blob)}\n" for blob in blobs[:2]),
        f'{{"schema": "{sign}", ',
        f"schema: a\n{sign}: [",
    ):
        path.write_text(text)
        outcome = olmsolve(*command[:-1], command[-1], f"c={path}" if command[-1] == "--catalog" else str(path))
        assert_no_command(outcome.err)
        assert_no_command(outcome.out)
        assert olmsolve("resolve", str(path), f"--semantics={sign}").code == 2


@pytest.mark.parametrize(("form", "read"), [("json", json.loads), ("yaml", yaml.safe_load)])
def test_data_keeps_its_values(form: str, read: Callable[[str], Any], capsys: pytest.CaptureFixture[str]) -> None:
    """Escapes of JSON and YAML change no value for whoever reads them."""
    data = {"##[error]b": "a\n::x", "::k": [" ::y" * 40, "##["], "usual": "café::b"}
    write_data(data, form)
    out = capsys.readouterr().out
    assert_no_command(out)
    assert read(out) == data


def test_mermaid_takes_no_syntax_from_names() -> None:
    """Identifiers of mermaid have no quotes, and its labels no escapes: each odd character becomes a number."""
    odd = 'a"]; click n0 href "javascript:alert(1)"; x["`b`<i>'
    bundle = {"type": "olm.package", "value": {"packageName": odd, "version": "1.0.0"}}
    entries = [{"name": odd}, {"name": "a--> b", "skips": [odd]}]
    blobs: list[dict[str, Any]] = [
        {"schema": "olm.package", "name": odd, "defaultChannel": odd},
        {
            "schema": "olm.channel",
            "package": odd,
            "name": odd,
            "entries": entries,
        },
        *(
            {"schema": "olm.bundle", "package": odd, "name": name, "image": "x", "properties": [bundle]}
            for name in (odd, "a--> b")
        ),
        {
            "schema": "olm.deprecations",
            "package": odd,
            "entries": [
                {"reference": {"schema": "olm.package"}, "message": "old"},
                {"reference": {"schema": "olm.channel", "name": odd}, "message": "old"},
                {"reference": {"schema": "olm.bundle", "name": odd}, "message": "old"},
            ],
        },
    ]
    text = olmsolve.update_graph_mermaid(olmsolve.from_blobs(blobs))
    # Without what stands in double quotes, there are usual names and mermaid's own signs alone.
    for line in text.splitlines():
        assert line.count('"') in (0, 2, 4), line
        assert "javascript:" not in re.sub('"[^"]*"', "", line), line
        assert not re.search("`|<[A-Za-z]", line), line


@pytest.mark.parametrize("name", ["--all", "-A", "-", "$(id)", "a b", "a\nrm", "a;b", "`id`", "'", "\x1b[31m"])
def test_names_in_commands_are_words_and_no_options(name: str) -> None:
    """Who copies ``kubectl delete`` from an answer deletes one object, whatever a dump calls it."""
    word = shell_word(name)
    assert "\n" not in word
    (read,) = shlex.split(word)
    assert not read.startswith("-")
    approval = MadeChange(PlanApproval(name, "plan", (name, name)))
    commands = [
        *way_commands(OperatorRemoval(name, name, name)),
        *change_commands(approval, JourneyStage("4.18", "1.31")),
    ]
    for line in commands:
        assert "\n" not in line
        assert not {"--all", "-A", "-"} & set(shlex.split(line, comments=True)), line


def test_markdown_mentions_nobody() -> None:
    """A report becomes a comment of a workflow, and a name in a catalog would call a team of strangers."""
    for text in ("@team", "a (@team/b)", "*@me*", "\\@me", "<!--@me-->"):
        assert not re.search(r"(?<![A-Za-z0-9_])@[A-Za-z0-9]", in_markdown(text)), text
    assert in_markdown("b@sha256:00 <x> &lt;") == "b@sha256:00 \\<x\\> &amp;lt;"
