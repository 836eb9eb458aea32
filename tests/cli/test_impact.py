"""``olmsolve impact``: fleets as people have them on disk, gates, and the forms of the report."""

from __future__ import annotations

import gzip
import io
import json
import os
import tarfile
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

import olmsolve
from tests.cli.commands import Run
from tests.cli.small_cluster import blobs, catalog_source, namespace
from tests.schemas import faults

SIDES: Final = ("--before", "olm/cat=old.json", "--catalog", "olm/cat=new.json")


def listed(*objects: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "List", "items": list(objects)}


def cluster(name: str = "shop", installed: int = 1) -> list[dict[str, Any]]:
    return [catalog_source(), *namespace(name, installed=installed)]


@pytest.fixture(autouse=True)
def _catalogs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working directory with an old catalog and a new one, which has one version more."""
    monkeypatch.chdir(tmp_path)
    for name, versions in (("old", 2), ("new", 3)):
        Path(f"{name}.json").write_text("\n".join(map(json.dumps, blobs(versions=versions))), "utf-8")
    Path("dumps").mkdir()


def report(olmsolve: Run, *arguments: object, code: int = 0) -> dict[str, Any]:
    """The report as data, held to its schema."""
    outcome = olmsolve("impact", *arguments, *SIDES, "--output", "json")
    assert outcome.code == code, outcome.err
    document: dict[str, Any] = json.loads(outcome.out)
    assert faults("impact", document) == []
    return document


def names(document: dict[str, Any]) -> list[str]:
    return sorted(name for class_ in document["classes"] for name in class_["clusters"])


def tree(folder: str, objects: list[dict[str, Any]]) -> dict[str, bytes]:
    """The files of a must-gather tree with *objects*, logs and files of other kinds among them."""
    files = {
        f"{folder}/namespaces/shop/core/pods.yaml": b"{ nothing that could be read",
        f"{folder}/namespaces/shop/pods/etcd/etcd.yaml": b"\x00",
        f"{folder}/version": b"4.18.3",
    }
    for number, object_ in enumerate(objects):
        about = object_["metadata"]
        group = object_["apiVersion"].partition("/")[0]
        above = f"namespaces/{about['namespace']}" if "namespace" in about else "cluster-scoped-resources"
        path = f"{folder}/{above}/{group}/{object_['kind'].lower()}s/{about['name']}-{number}.yaml"
        files[path] = yaml.safe_dump(object_).encode()
    return files


def write_files(files: dict[str, bytes]) -> None:
    for name, data in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(data)


def write_tar(path: str, files: dict[str, bytes]) -> None:
    with tarfile.open(path, "w:gz" if path.endswith("gz") else "w") as archive:
        link = tarfile.TarInfo("latest")
        link.type, link.linkname = tarfile.SYMTYPE, "elsewhere"
        archive.addfile(link)
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))


def test_clusters_are_read_wherever_they_are(olmsolve: Run) -> None:
    """Fleets are recorded as it was handy: files, folders, archives, lines and must-gather trees, all in one call."""
    text = yaml.safe_dump(listed(*cluster()))
    Path("dumps/a.yaml").write_text(text, "utf-8")
    Path("dumps/b.yaml.gz").write_bytes(gzip.compress(text.encode()))
    Path("dumps/c").mkdir()
    for number, object_ in enumerate(cluster()):
        Path(f"dumps/c/{number}.json").write_text(json.dumps(object_), "utf-8")
    Path("lines.jsonl").write_text("\n".join(json.dumps(listed(*cluster())) for _ in range(2)), "utf-8")
    Path("objects.jsonl").write_text("\n".join(map(json.dumps, cluster())), "utf-8")
    write_files(tree("must-gather.local.1/quay-io-sha256-2", cluster()))
    write_files(tree("dumps/gathered", cluster()))
    write_tar("one.tar.gz", tree("must-gather.local.1/quay-io-sha256-2", cluster()))
    write_tar(
        "many.tar", {f"fleet{number}/dump.yaml": text.encode() for number in range(2)} | {"x.yaml": text.encode()}
    )
    document = report(
        olmsolve,
        *("--clusters", "dumps", "lines.jsonl", "objects.jsonl", "must-gather.local.1", "*.tar*"),
    )
    assert names(document) == [
        "dumps/a.yaml",
        "dumps/b.yaml.gz",
        "dumps/c",
        "dumps/gathered",
        "lines.jsonl:1",
        "lines.jsonl:2",
        "many.tar/fleet0",
        "many.tar/fleet1",
        "many.tar/x.yaml",
        "must-gather.local.1",
        "objects.jsonl",
        "one.tar.gz/must-gather.local.1",
    ]
    assert document["unreadable"]["count"] == 0
    assert len(document["classes"]) == 1
    (update,) = document["classes"][0]["impact"]["operators"]
    assert (update["before"], update["after"]) == ("etcd.v2", "etcd.v3")


def test_broken_dumps_are_named_and_the_others_answered(olmsolve: Run) -> None:
    """Five in a hundred are always broken, each in its own way."""
    text = yaml.safe_dump(listed(*cluster()))
    broken = {
        "dumps/cut.yaml.gz": gzip.compress(text.encode())[:-20],
        "dumps/empty.yaml": b"",
        "dumps/html.yaml": b"<html>",
        "dumps/shape.yaml": yaml.safe_dump(listed({**cluster()[2], "spec": 7})).encode(),
        "dumps/bytes.json": b"\x00\xff",
        "dumps/no.tar": b"no tar",
        "dumps/lines.jsonl": (json.dumps(listed(*cluster())) + "\n{ broken\n").encode(),
        "dumps/none.tar": b"",
    }
    write_files({"dumps/good.yaml": text.encode(), **broken})
    write_tar("dumps/none.tar", {"readme.txt": b"nothing"})
    document = report(olmsolve, "--clusters", "dumps")
    assert names(document) == ["dumps/good.yaml", "dumps/lines.jsonl:1"]
    reasons = {dump["name"]: dump["reason"] for dump in document["unreadable"]["clusters"]}
    assert {*reasons} == {*broken} - {"dumps/lines.jsonl"} | {"dumps/lines.jsonl:2"}
    assert all(name.partition(":")[0] in reason for name, reason in reasons.items())
    assert document["unreadable"]["count"] == len(broken)
    report(olmsolve, "--clusters", "dumps", "--fail-on", "unreadable", code=1)


def test_what_cannot_be_opened_is_a_finding(olmsolve: Run) -> None:
    """A pipe would be waited for until somebody writes into it."""
    os.mkfifo("dumps/pipe.yaml")
    os.mkfifo("dumps/pipe.jsonl")
    Path("dumps/good.yaml").write_text(yaml.safe_dump(listed(*cluster())), "utf-8")
    document = report(olmsolve, "--clusters", "dumps")
    assert names(document) == ["dumps/good.yaml"]
    assert [dump["name"] for dump in document["unreadable"]["clusters"]] == ["dumps/pipe.jsonl", "dumps/pipe.yaml"]


def test_a_file_with_many_clusters_is_told_in_parts(olmsolve: Run) -> None:
    """A file of JSON lines may hold a million clusters, which must not be in memory together."""
    Path("lines.jsonl").write_text((json.dumps(listed(catalog_source())) + "\n") * 600, "utf-8")
    document = report(olmsolve, "--clusters", "lines.jsonl", "--workers", 2)
    assert [(class_["count"], len(class_["clusters"])) for class_ in document["classes"]] == [(600, 100)]


def test_bombs_are_refused(olmsolve: Run) -> None:
    """A small archive must not fill the memory, nor end the report on the others."""
    Path("dumps/bomb.yaml.gz").write_bytes(gzip.compress(b" " * (64 << 20)))
    with gzip.open("dumps/bomb.tar.gz", "wb") as file:
        file.write(tarfile.TarInfo("a.yaml").tobuf()[:124] + b"77777777777\0" + bytes(376))
    Path("dumps/good.yaml").write_text(yaml.safe_dump(listed(*cluster())), "utf-8")
    document = report(olmsolve, "--clusters", "dumps")
    assert names(document) == ["dumps/good.yaml"]
    assert document["unreadable"]["count"] == 2


def test_a_gate_closes_for_what_it_names_alone(olmsolve: Run) -> None:
    """A pipeline decides which changes need a person."""
    Path("dumps/a.yaml").write_text(yaml.safe_dump(listed(*cluster())), "utf-8")
    report(olmsolve, "--clusters", "dumps")
    report(olmsolve, "--clusters", "dumps", "--fail-on", "downgrades,new-failures")
    report(olmsolve, "--clusters", "dumps", "--fail-on", "downgrades,major", code=1)
    Path("new.json").write_text("\n".join(map(json.dumps, blobs("other"))), "utf-8")
    report(olmsolve, "--clusters", "dumps", code=1)
    report(olmsolve, "--clusters", "dumps", "--fail-on", "nothing")
    report(olmsolve, "--clusters", "dumps", "--fail-on", "stranded", code=1)


def test_the_same_bytes_from_one_and_two_processes(olmsolve: Run) -> None:
    """Workers only save time."""
    for number in range(12):
        Path(f"dumps/{number}.json").write_text(json.dumps(listed(*cluster(installed=number % 3))), "utf-8")
    Path("dumps/broken.json").write_text("{", "utf-8")
    for form in ("text", "json", "markdown"):
        one, two = (
            olmsolve("impact", "--clusters", "dumps", *SIDES, "-o", form, "--workers", workers) for workers in (1, 2)
        )
        assert one == two
        assert one.out


def test_workers_share_the_files_of_a_folder(tmp_path: Path) -> None:
    """Fleets lie in one folder, which must not be the work of one worker, nor begin anew after it was stopped."""
    for name in ("a.json", "b.json", "c.txt"):
        Path(f"dumps/{name}").write_text(json.dumps(listed(*cluster())), "utf-8")
    write_files(tree("dumps/gathered", cluster()))
    write_files({"dumps/sub/one.json": json.dumps(listed(*cluster())).encode()})
    progress: list[tuple[int, int]] = []
    sides: dict[str, Any] = {"before": {"olm/cat": "old.json"}, "after": {"olm/cat": "new.json"}}
    comparison = olmsolve.impact(["dumps"], **sides, progress=lambda *counts: progress.append(counts))
    assert progress == [(1, 0), (2, 0), (3, 0), (4, 0)]
    assert sorted(comparison.classes[0].names) == ["dumps/a.json", "dumps/b.json", "dumps/gathered", "dumps/sub"]


def test_a_scheduler_that_does_not_answer_is_one_clear_error(olmsolve: Run) -> None:
    """Nobody waits for minutes, and no trace of a library is shown."""
    Path("dumps/a.json").write_text(json.dumps(listed(*cluster())), "utf-8")
    outcome = olmsolve("impact", "--clusters", "dumps", *SIDES, "--dask", "nonsense://x")
    assert outcome.code == 2
    assert "--dask" in outcome.err
    assert len(outcome.err.splitlines()) <= 2


def test_a_comparison_is_resumed(olmsolve: Run) -> None:
    """The state file is made on the way, and a second run has nothing left to do."""
    Path("dumps/a.json").write_text(json.dumps(listed(*cluster())), "utf-8")
    first, second = (report(olmsolve, "--clusters", "dumps", "--resume", "state.json") for _ in range(2))
    assert first == second
    Path("dumps/a.json").write_text(json.dumps(listed(*cluster(installed=2))), "utf-8")
    outcome = olmsolve("impact", "--clusters", "dumps", *SIDES, "--resume", "state.json")
    assert outcome.code == 2
    assert "have changed" in outcome.err


def test_the_report_for_people(olmsolve: Run) -> None:
    """The summary first, then what changes where, with reasons and ways out."""
    Path("dumps/a.yaml").write_text(yaml.safe_dump(listed(*cluster())), "utf-8")
    Path("dumps/b.yaml").write_text(yaml.safe_dump(listed(*cluster("lab|<b>", installed=2))), "utf-8")
    Path("dumps/c.yaml").write_text("{", "utf-8")
    text = olmsolve("impact", "--clusters", "dumps", *SIDES, "--openshift", "4.18").out
    assert text.startswith("2 clusters in 2 classes, made of 2 parts; 2 are affected; 1 cannot be read.\n")
    assert "shop/etcd: etcd.v3 in place of etcd.v2 (a new major version), in 2 steps from etcd.v1" in text
    assert "1 cluster cannot be read:\n  dumps/c.yaml" in text
    Path("new.json").write_text("\n".join(map(json.dumps, blobs("other"))), "utf-8")
    page = olmsolve("impact", "--clusters", "dumps", *SIDES, "--output", "markdown").out
    assert "### Newly fails" in page
    assert "  - way out: delete subscription etcd" in page
    assert "lab\\|\\<b\\>" in page


def test_nothing_to_read_is_bad_input(olmsolve: Run) -> None:
    """A pattern without a file must not look like a fleet without changes."""
    for arguments in (("--clusters", "none/*.yaml", *SIDES), ("--clusters", "dumps", *SIDES)):
        outcome = olmsolve("impact", *arguments)
        assert outcome.code == 2
        assert "--clusters" in outcome.err


def test_changes_of_objects(olmsolve: Run) -> None:
    """Catalogs may stay as they are: then a subscription is all that changes, and the report says where."""
    Path("dumps/a.json").write_text(json.dumps(listed(*cluster())), "utf-8")
    Path("dumps/b.json").write_text(json.dumps(listed(catalog_source())), "utf-8")
    wish = next(object_ for object_ in cluster() if object_["kind"] == "Subscription")
    spec = {**wish["spec"], "installPlanApproval": "Manual", "channel": "stable"}
    Path("change.yaml").write_text(yaml.safe_dump({**wish, "spec": spec}), "utf-8")
    arguments = ("impact", "--clusters", "dumps", "--change", "change.yaml")
    given = [olmsolve(*arguments, option, "olm/cat=old.json") for option in ("--before", "--catalog")]
    assert given[0] == given[1]
    assert "\n  Subscription shop/etcd is applied to 1 cluster\n" in given[0].out
    assert "shop/etcd: etcd.v1 in place of etcd.v2 (a downgrade)" in given[0].out
    document = json.loads(olmsolve(*arguments, "--before", "olm/cat=old.json", "-o", "json").out)
    assert faults("impact", document) == []
    assert document["reached"] == [{"kind": "Subscription", "namespace": "shop", "name": "etcd", "clusters": 1}]
    for form in ("markdown", "html"):
        assert "Subscription shop/etcd is applied to 1 cluster" in olmsolve(*arguments, *SIDES, "-o", form).out


def test_a_bad_change_is_bad_input(olmsolve: Run) -> None:
    """The error names the file and the document; without any catalog there is nothing to compare."""
    Path("dumps/a.json").write_text(json.dumps(listed(*cluster())), "utf-8")
    wish = next(object_ for object_ in cluster() if object_["kind"] == "Subscription")
    Path("change.yaml").write_text(yaml.safe_dump({**wish, "metadata": {"name": "etcd"}}), "utf-8")
    outcome = olmsolve("impact", "--clusters", "dumps", *SIDES, "--change", "change.yaml")
    assert (outcome.code, len(outcome.err.splitlines())) == (2, 1)
    assert "change.yaml" in outcome.err
    assert "metadata.namespace: is missing" in outcome.err
    outcome = olmsolve("impact", "--clusters", "dumps", "--change", "change.yaml")
    assert outcome.code == 2
    assert "--catalog is needed" in outcome.err
