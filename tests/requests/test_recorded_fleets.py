"""Fleets as files: which clusters a file, a folder or an archive holds, and how a broken one spoils only itself."""

from __future__ import annotations

import gzip
import io
import json
import os
import tarfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from olmsolve.errors import ManifestError
from olmsolve.requests import RecordedCluster, fleet_files, recorded_clusters, recorded_files


def _object(name: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def _list(*names: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "List", "items": [_object(name) for name in names]}


def _line(value: object) -> bytes:
    return json.dumps(value).encode() + b"\n"


def _outcomes(clusters: Iterable[RecordedCluster], folder: Path) -> list[tuple[str, list[str] | str]]:
    """Return the name of each cluster below *folder*, with the names of its objects, or why it cannot be read."""
    outcomes: list[tuple[str, list[str] | str]] = []
    for cluster in clusters:
        name = os.path.relpath(cluster.name, folder)
        try:
            documents = list(cluster.documents())
        except ManifestError as error:
            outcomes.append((name, str(error.reason)))
        else:
            items = [item for document in documents for item in document.get("items", [document])]
            outcomes.append((name, [item["metadata"]["name"] for item in items]))
    return outcomes


def _archive(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return out.getvalue()


def test_lines_are_clusters_or_objects_of_one(tmp_path: Path) -> None:
    """A List is a cluster of its own; all other lines together are one, and a broken line is one without objects."""
    content = (
        _line(_list("a", "b")) + b"\n" + _line(_object("c")) + b"{broken\n" + _line(_list("d")) + _line(_object("e"))
    )
    for name, data in {"fleet.jsonl": content, "fleet.jsonl.gz": gzip.compress(content)}.items():
        (tmp_path / name).write_bytes(data)
        first, broken, second, rest = _outcomes(recorded_clusters(tmp_path / name), tmp_path)
        assert (first, second, rest) == ((f"{name}:1", ["a", "b"]), (f"{name}:4", ["d"]), (name, ["c", "e"]))
        assert broken[0] == f"{name}:3"
        assert isinstance(broken[1], str)
    (tmp_path / "empty.jsonl").write_bytes(b"\n \n")
    assert _outcomes(recorded_clusters(tmp_path / "empty.jsonl"), tmp_path) == [("empty.jsonl", "nothing to read")]


def test_lines_that_end_in_the_middle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was read until then stands; the file itself is the cluster that cannot be read."""
    content = gzip.compress(b"".join(_line(_list(f"n{number}")) for number in range(50)), mtime=0)
    (tmp_path / "fleet.jsonl.gz").write_bytes(content[:-10])
    *_, (name, reason) = _outcomes(recorded_clusters(tmp_path / "fleet.jsonl.gz"), tmp_path)
    assert name == "fleet.jsonl.gz"
    assert "truncated gzip data" in reason
    monkeypatch.setattr(fleet_files, "DOCUMENT", 100)
    (tmp_path / "long.jsonl").write_bytes(_line(_list("a")) + b"x" * 1000)
    *_, (name, reason) = _outcomes(recorded_clusters(tmp_path / "long.jsonl"), tmp_path)
    assert (name, reason) == ("long.jsonl", "a line of more than 100 bytes")


TREE = {
    "must/quay/namespaces/shop/operators.coreos.com/subscriptions/a.yaml": "a",
    "must/quay/namespaces/shop/shop.yaml": "shop",
    "must/quay/namespaces/shop/pods/p.yaml": "unread",
}
FILES = {"one.json": ["one"], "two/a.yaml": ["a"], "two/b.json": ["b"], "three.yaml": ["c"]}


def test_archives_are_read_like_folders(tmp_path: Path) -> None:
    """Whoever packs a fleet, or a must-gather tree, gets the same clusters under the same names."""
    for number, files in enumerate([{name: names[0] for name, names in FILES.items()}, TREE]):
        data = {name: _line(_object(content)) for name, content in files.items()}
        folder = tmp_path / f"folder{number}"
        for name, archive_bytes in data.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(archive_bytes)
        (tmp_path / f"folder{number}.tar").write_bytes(_archive(data))
        unpacked = _outcomes(recorded_clusters(folder), folder)
        packed = _outcomes(recorded_clusters(tmp_path / f"folder{number}.tar"), tmp_path / f"folder{number}.tar")
        assert sorted(name for _, names in unpacked for name in names) == sorted(
            name for _, names in packed for name in names
        )
        if files is TREE:
            assert [sorted(names) for _, names in unpacked] == [["a", "shop"]]
        else:
            assert sorted(unpacked) == sorted(packed)
            assert sorted(name for name, _ in packed) == ["one.json", "three.yaml", "two"]


def _faulty(tmp_path: Path) -> dict[str, tuple[Path, str]]:
    one, other = _line(_object("a")), _line(_object("b"))
    contents = {
        "text.tar": (b"x" * 600, "is neither a tar archive, perhaps in gzip, nor a ZIP"),
        "nothing.tar": (_archive({"README.md": b"x"}), "the archive has no dump of a cluster"),
        "mixed.tar": (_archive({"a/1.json": one, "b/1.json": one, "a/2.json": other}), "do not follow one another"),
        "cut.tar": (_archive({"a/1.json": one})[:600], "ends too early"),
        "large.tar": (_archive({"a/1.json": one, "a/2.json": other}), "a cluster of more than 100 bytes"),
    }
    for name, (data, _) in contents.items():
        (tmp_path / name).write_bytes(data)
    os.mkfifo(tmp_path / "pipe")
    messages = {name: (tmp_path / name, message) for name, (_, message) in contents.items()}
    return messages | {
        "pipe": (tmp_path / "pipe", "is neither a file nor a folder"),
        "missing.jsonl": (tmp_path / "missing.jsonl", "cannot be read: No such file or directory"),
        "missing.tar": (tmp_path / "missing.tar", "cannot be read: No such file or directory"),
    }


def test_what_cannot_be_read_is_a_cluster_with_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One broken file must not end the answer about a thousand others, and nothing waits for a pipe."""
    monkeypatch.setattr(recorded_files, "CLUSTER_BYTES", 100)
    for name, (path, message) in _faulty(tmp_path).items():
        *_, (_, reason) = _outcomes(recorded_clusters(path), tmp_path)
        assert isinstance(reason, str), name
        assert message in reason, name


def test_a_folder_that_may_not_be_looked_into(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The others are told as ever."""
    for name in ("good", "locked"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.json").write_bytes(_line(_object(name)))
    listed = Path.iterdir

    def refusing(path: Path) -> Iterable[Path]:
        if path.name == "locked":
            raise PermissionError(13, "Permission denied")
        return listed(path)

    monkeypatch.setattr(Path, "iterdir", refusing)
    denied = "cannot be read: Permission denied"
    assert _outcomes(recorded_clusters(tmp_path), tmp_path) == [("good", ["good"]), ("locked", denied)]
    assert _outcomes(recorded_clusters(tmp_path / "locked"), tmp_path) == [("locked", denied)]
