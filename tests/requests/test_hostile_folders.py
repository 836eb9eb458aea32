"""Folders and archives that strangers send: links lead nowhere, sizes that lie end, and nothing names our files."""

from __future__ import annotations

import io
import os
import struct
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

import olmsolve
from olmsolve import limited
from olmsolve._paths import files_below, leaves
from olmsolve.errors import Incomplete, RequestError
from olmsolve.requests import documents_in, recorded_clusters, recorded_files
from tests.attacks import attacked, check_late, check_refused

SECRET: Final = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "of-somebody-else"}}
SPACE: Final = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
SOURCE: Final[dict[str, Any]] = {
    "apiVersion": "operators.coreos.com/v1alpha1",
    "kind": "CatalogSource",
    "metadata": {"name": "c", "namespace": "shop", "annotations": {"olmsolve/file": "/etc/passwd"}},
    "spec": {"sourceType": "grpc", "image": "registry.example/c:v1"},
}
WISH: Final = {
    "apiVersion": "operators.coreos.com/v1alpha1",
    "kind": "Subscription",
    "metadata": {"name": "w", "namespace": "shop"},
    "spec": {"name": "p", "source": "c", "sourceNamespace": "shop"},
}
TREE: Final = "namespaces/shop/operators.coreos.com"


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """An object in a folder that nobody has named."""
    (tmp_path / "outside").mkdir()
    path = tmp_path / "outside" / "secret.yaml"
    path.write_text(yaml.safe_dump(SECRET), "utf-8")
    return path


def written(folder: Path, files: dict[str, object]) -> Path:
    for name, value in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(yaml.safe_dump(value), "utf-8")
    return folder


@pytest.mark.parametrize("name", ["dump/x.yaml", f"must/{TREE}/x.yaml", "dump/deep/x.yaml"])
def test_links_out_of_a_folder_are_left_out(name: str, outside: Path, tmp_path: Path) -> None:
    """A must-gather comes in an archive that somebody unpacks, with its links."""
    root = tmp_path / Path(name).parts[0]
    written(root, {f"{TREE}/a.yaml" if root.name == "must" else "a.yaml": SPACE})
    link = tmp_path / name
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(outside)
    situation = olmsolve.read_situation(root)
    assert [(file.source, file.reason) for file in situation.left_out] == [
        (str(link), "a symbolic link that leaves the folder that was given")
    ]
    assert "of-somebody-else" not in str(situation.cluster)


def test_links_inside_of_a_folder_are_read(tmp_path: Path) -> None:
    """The volume of a ConfigMap has such links: each file leads to ``..data``, which leads to a folder of a time."""
    folder = written(tmp_path / "volume", {"..2026/a.yaml": SPACE})
    (folder / "..data").symlink_to("..2026")
    (folder / "a.yaml").symlink_to("..data/a.yaml")
    assert not olmsolve.read_situation(folder).left_out


@pytest.mark.parametrize("name", ["x.yaml", "cluster", f"{TREE}/x.yaml"])
def test_links_out_of_a_fleet_are_faults_of_their_cluster(name: str, outside: Path, tmp_path: Path) -> None:
    """The other clusters are read."""
    fleet = written(tmp_path / "fleet", {"one.yaml": SPACE} if name[0] != "n" else {f"{TREE}/a.yaml": SPACE})
    link = fleet / name
    link.symlink_to(outside.parent if name == "cluster" else outside)
    clusters = list(recorded_clusters(fleet))
    assert any("a symbolic link that leaves" in cluster.fault for cluster in clusters)
    assert not any(str(outside) in map(str, cluster.sources) for cluster in clusters if not cluster.fault)


def test_links_out_of_a_folder_of_requests_are_refused(outside: Path, tmp_path: Path) -> None:
    """Documents are needed whole: half of them would be another question."""
    folder = written(tmp_path / "objects", {"a.yaml": SPACE})
    (folder / "x.yaml").symlink_to(outside)
    with pytest.raises(RequestError, match=r"x\.yaml: a symbolic link that leaves the folder that was given"):
        list(documents_in(folder))


def test_links_out_of_a_folder_of_objects_are_refused(outside: Path, tmp_path: Path) -> None:
    """The state of a cluster has no place for what was left out."""
    folder = written(tmp_path / "objects", {"a.yaml": SPACE})
    (folder / "x.yaml").symlink_to(outside)
    with pytest.raises(RequestError, match=r"x\.yaml: a symbolic link that leaves the folder that was given"):
        olmsolve.read_cluster(folder)


def test_folders_behind_links_are_not_entered(outside: Path, tmp_path: Path) -> None:
    """A link to the root of the file system would be searched for hours."""
    folder = written(tmp_path / "dump", {"a.yaml": SPACE})
    (folder / "all").symlink_to("/")
    (folder / "again").symlink_to(".")
    (folder / "namespaces").symlink_to(outside.parent)
    assert list(files_below(folder, (".yaml",))) == [folder / "a.yaml"]
    assert recorded_files.trees_below(folder) == []
    assert [leaves(folder / name, folder) for name in ("all", "again", "a.yaml")] == [True, False, False]


def test_what_waits_is_passed_over(tmp_path: Path) -> None:
    """Opening a FIFO waits for its writer."""
    folder = written(tmp_path / "dump", {"a.yaml": SPACE})
    os.mkfifo(folder / "b.yaml")
    assert list(files_below(folder, (".yaml",))) == [folder / "a.yaml"]


def test_a_folder_of_many_files_ends_with_the_limit(tmp_path: Path) -> None:
    """The files are found before the first is read, and the limits are looked at meanwhile."""
    for number in range(300):
        (tmp_path / f"{number}.txt").touch()

    class Flag:
        looks = 0

        def is_set(self) -> bool:
            self.looks += 1
            return self.looks > 2

    with pytest.raises(Incomplete), limited(cancel=Flag()):
        list(files_below(tmp_path, (".yaml",)))


def test_a_folder_that_may_not_be_looked_into(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One below is passed over, as before; the one that was given is not."""
    folder = written(tmp_path / "dump", {"a.yaml": SPACE, "closed/b.yaml": SPACE})
    scandir = os.scandir

    def refusing(path: Path) -> Iterator[Any]:
        if Path(path).name == refused:
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    refused = "closed"
    assert list(files_below(folder, (".yaml",))) == [folder / "a.yaml"]
    refused = "dump"
    for read in (olmsolve.read_cluster, olmsolve.read_situation, lambda path: list(documents_in(path))):
        with pytest.raises(RequestError, match="dump: cannot be read: Permission denied"):
            read(folder)


def packed(folder: Path) -> Path:
    path = folder.parent / "dump.tar"
    with tarfile.open(path, "w") as archive:
        archive.add(folder, "dump")
    return path


@pytest.mark.parametrize("form", ["archive", "tree"])
def test_recorded_clusters_name_no_files(form: str, tmp_path: Path) -> None:
    """Whoever can annotate a CatalogSource must not choose what is read on the machine of whoever gets the dump."""
    prefix = f"{TREE}/" if form == "tree" else ""
    folder = written(tmp_path / "dump", {f"{prefix}a.yaml": SOURCE, f"{prefix}b.yaml": WISH})
    path = packed(folder) if form == "archive" else folder
    read: list[Path] = []

    def load(path: Path) -> olmsolve.Catalog:
        read.append(path)
        raise olmsolve.CatalogError("read")

    [question] = olmsolve.read_situation(path, load=load).questions
    with pytest.raises(olmsolve.OlmsolveError):
        question.request()
    assert read == []


def zipped(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def test_a_zip_whose_entries_share_their_bytes(tmp_path: Path) -> None:
    """One compressed megabyte, mentioned by thousands of entries, is gigabytes."""
    path = zipped(tmp_path / "c.zip", {"a0.yaml": b"#" + b"a" * 1_000_000})
    data = path.read_bytes()
    start = data.rindex(b"PK\x05\x06")
    begin = int.from_bytes(data[start + 16 : start + 20], "little")
    entry = data[begin:start]
    count = 3_000
    listed = entry * count
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, count, count, len(listed), begin, 0)
    path.write_bytes(data[:begin] + listed + end)
    with pytest.raises(RequestError, match=r"c\.zip: ZIP data that grows to more than 200 times its size"):
        olmsolve.read_situation(path)


def test_a_zip_with_a_list_of_entries_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each entry of the list becomes an object before one of them is read."""
    monkeypatch.setattr(recorded_files, "_ZIP_DIRECTORY", 100)
    path = zipped(tmp_path / "c.zip", {f"{number}.yaml": b"" for number in range(5)})
    with pytest.raises(RequestError, match="a ZIP whose list of entries has more than 100 bytes"):
        olmsolve.read_situation(path)
    (tmp_path / "d.zip").write_bytes(b"PK\x03\x04" + b"\0" * 99)
    with pytest.raises(RequestError, match="a damaged ZIP"):
        olmsolve.read_situation(tmp_path / "d.zip")


def test_a_list_of_entries_ends_with_the_limit(tmp_path: Path) -> None:
    """Three hundred thousand entries are read in one step of a library that knows no limit."""
    path = tmp_path / "c.zip"
    header = struct.pack("<4s6H3L5H2L", b"PK\x01\x02", 20, 20, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0)
    listed = b"".join(header + b"%08d" % number for number in range(300_000))
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 65_535, 65_535, len(listed), 4, 0)
    path.write_bytes(b"PK\x03\x04" + listed + end)
    size = 100 + 10 * (len(listed) >> 20)
    check_late("plan", "--cluster", str(path), limit=0.4, megabytes=size)


def test_archives_that_repeat_little(tmp_path: Path) -> None:
    """An archive of a few kilobytes stands for gigabytes of objects: it is refused within its memory."""
    path = tmp_path / "c.tgz"
    with tarfile.open(path, "w:gz") as archive:
        for number in range(64):
            entry = tarfile.TarInfo(f"{number}.yaml")
            entry.size = 8 << 20
            archive.addfile(entry, io.BytesIO(b"#" + b"a" * (8 << 20)))
    check_refused(attacked("plan", "--cluster", str(path), timeout=10.0), "grows to more than 200 times")
    check_refused(attacked("impact", "--clusters", str(path), "--catalog", "a/b=c", timeout=10.0), "")
