"""Dumps as they come: must-gather trees, archives and folders with a broken file, read in place within bounds.

The limits, of which one is 256 MiB, are made small behind the door.
"""

from __future__ import annotations

import io
import json
import tarfile
import zipfile
from pathlib import Path
from typing import Any, Final

import pytest

import olmsolve
from olmsolve.cluster.objects import CatalogSource, Namespace, SubscriptionObject
from olmsolve.errors import ManifestError, RequestError
from olmsolve.requests import recorded_files

ROOT: Final = "must-gather.local.123/quay-io-image-sha256-456"


def subscription(name: str, channel: str = "stable", version: str = "") -> dict[str, Any]:
    metadata = {"name": name, "namespace": "shop", **({"resourceVersion": version} if version else {})}
    spec = {"name": name, "channel": channel, "source": "main", "sourceNamespace": "olm"}
    api = "operators.coreos.com/v1alpha1"
    return {"apiVersion": api, "kind": "Subscription", "metadata": metadata, "spec": spec}


def catalog() -> dict[str, Any]:
    metadata = {"name": "main", "namespace": "olm"}
    api = "operators.coreos.com/v1alpha1"
    return {"apiVersion": api, "kind": "CatalogSource", "metadata": metadata, "spec": {"sourceType": "grpc"}}


def text(value: object) -> bytes:
    return json.dumps(value).encode()


# What `oc adm must-gather` leaves: a folder with an image's name, logs and objects of all kinds, and files of its own.
TREE: Final[dict[str, bytes]] = {
    "version": b"4.18.1",
    "event-filter.html": b"<html>",
    f"{ROOT}/namespaces/shop/shop.yaml": b"apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n",
    f"{ROOT}/namespaces/shop/operators.coreos.com/subscriptions/ledger.yaml": text(subscription("ledger")),
    f"{ROOT}/namespaces/shop/operators.coreos.com/subscriptions/cut.yaml": b"apiVersion: operators\n  }",
    f"{ROOT}/namespaces/shop/pods/ledger-7c9d/ledger-7c9d.yaml": b"kind: [not, closed",
    f"{ROOT}/namespaces/shop/core/secrets.yaml": b"}",
    f"{ROOT}/namespaces/olm/operators.coreos.com/catalogsources/main.yaml": text(catalog()),
}


def unpacked(folder: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def packed(path: Path, files: dict[str, bytes]) -> Path:
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in files.items():
                archive.writestr(name, data)
        return path
    with tarfile.open(path, "w:gz" if path.suffix == ".tgz" else "w") as tar:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return path


@pytest.mark.parametrize("form", ["folder", "must.tgz", "must.tar", "must.zip"])
def test_a_must_gather_is_read_as_it_comes(tmp_path: Path, form: str) -> None:
    """Support gets it as an archive: OLM's kinds alone are read, and the file that is cut off is named and left out."""
    path = unpacked(tmp_path / form, TREE) if form == "folder" else packed(tmp_path / form, TREE)
    situation = olmsolve.read_situation(path)
    assert situation.cluster is not None
    state = situation.cluster.state
    assert [wish.key for wish in state.all(SubscriptionObject)] == ["shop/ledger"]
    assert [source.key for source in state.all(CatalogSource)] == ["olm/main"]
    assert [namespace.name for namespace in state.all(Namespace)] == ["shop"]
    (fault,) = situation.left_out
    assert f"{path}/{ROOT}/namespaces/shop/operators.coreos.com/subscriptions/cut.yaml" in str(fault)
    assert [question.name for question in situation.questions] == ["shop"]


def test_the_position_in_an_archive_is_told(tmp_path: Path) -> None:
    """A message about an object names the archive, the member and the line, though nothing was unpacked."""
    path = packed(tmp_path / "dump.tgz", {"all.yaml": b"kind: List\napiVersion: v1\nitems:\n- " + text(catalog())})
    (source,) = olmsolve.read_cluster(path).all(CatalogSource)
    assert str(source.origin) == f"{path}/all.yaml:4"


def test_a_cluster_that_is_not_whole_is_refused_where_a_state_is_asked_for(tmp_path: Path) -> None:
    """`read_cluster` returns objects alone, which cannot say that some are missing."""
    with pytest.raises(ManifestError, match=r"cut\.yaml"):
        olmsolve.read_cluster(packed(tmp_path / "must.tgz", TREE))


def test_trees_of_several_images_are_one_cluster(tmp_path: Path) -> None:
    """A gathering of two images comes by an object twice, and OLM works on in between: the newer state counts."""
    old, new = subscription("ledger", version="7"), subscription("ledger", "beta", version="19")
    names = [f"must/{image}/namespaces/shop/operators.coreos.com/subscriptions" for image in "ab"]
    for pair in ((old, new), (new, old)):
        first, second = (text(object_) for object_ in pair)
        files = {f"{names[0]}/ledger.yaml": first, f"{names[1]}/ledger.yaml": second}
        (wish,) = olmsolve.read_cluster(packed(tmp_path / "must.tar", files)).all(SubscriptionObject)
        assert wish.channel == "beta"
    listed = text({"kind": "SubscriptionList", "apiVersion": old["apiVersion"], "items": [old, subscription("ink")]})
    files = {f"{names[0]}.yaml": listed, f"{names[0]}/ledger.yaml": text(new)}
    state = olmsolve.read_cluster(packed(tmp_path / "must.tar", files))
    assert [(wish.name, wish.channel) for wish in state.all(SubscriptionObject)] == [
        ("ink", "stable"),
        ("ledger", "beta"),
    ]


def test_states_without_an_order_contradict_each_other(tmp_path: Path) -> None:
    """Nobody knows which of two different objects is the newer one."""
    folder = "namespaces/shop/operators.coreos.com/subscriptions"
    files = {f"{folder}/a.yaml": text(subscription("ink")), f"{folder}/b.yaml": text(subscription("ink", "beta"))}
    with pytest.raises(ManifestError, match="Subscription shop/ink"):
        olmsolve.read_situation(packed(tmp_path / "must.tar", files))


def _faulty() -> dict[str, tuple[bytes, str]]:
    tree = "namespaces/shop/operators.coreos.com/subscriptions"
    encrypted = bytearray(_zip({f"{tree}/a.yaml": text(subscription("a"))}))
    # The bit of encryption, in the header of the file and in the directory.
    encrypted[6] |= 1
    encrypted[encrypted.index(b"PK\x01\x02") + 8] |= 1
    return {
        "nothing.tar": (_tar({"README.md": b"x"}), "the archive has no dump of a cluster"),
        "cut.tar": (_tar({"a.json": text(subscription("a"))})[:600], "ends too early"),
        "large.tar": (_tar({"a.json": text(subscription("a"))}), "a cluster of more than 100 bytes"),
        "cut.zip": (_zip({"a.json": text(subscription("a"))})[:40], "a damaged ZIP"),
        "large.zip": (_zip({"a.json": text(subscription("a"))}), "its a.json has more than 100 bytes"),
        "secret.zip": (bytes(encrypted), f"its {tree}/a.yaml is encrypted"),
        "leaves.zip": (_zip({"../a.json": b"{}"}), "which leaves it"),
    }


def _tar(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return out.getvalue()


def _zip(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


@pytest.mark.parametrize("name", list(_faulty()))
def test_archives_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """One message names the archive and the fault, and no archive costs more memory than the bound."""
    monkeypatch.setattr(recorded_files, "CLUSTER_BYTES", 100 if "large" in name else 1 << 20)
    data, message = _faulty()[name]
    (tmp_path / name).write_bytes(data)
    with pytest.raises(RequestError) as raised:
        olmsolve.read_situation(tmp_path / name)
    assert message in str(raised.value)
    assert name in str(raised.value)
    with pytest.raises(ManifestError, match=name.replace(".", r"\.")):
        olmsolve.read_cluster(tmp_path / name)


def test_zips_hold_clusters_of_fleets(tmp_path: Path) -> None:
    """A fleet may be packed either way; links and folders in a ZIP are passed over."""
    path = packed(tmp_path / "fleet.zip", {"one.json": text(subscription("a")), "two/b.json": text(subscription("b"))})
    with zipfile.ZipFile(path, "a") as archive:
        archive.mkdir("empty")
        link = zipfile.ZipInfo("link.json")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    from olmsolve.requests import recorded_clusters

    assert [cluster.name for cluster in recorded_clusters(path)] == [f"{path}/one.json", f"{path}/two"]


def test_a_folder_of_dumps_with_a_broken_file(tmp_path: Path) -> None:
    """`kubectl get` was ended in the middle of one kind: the others are read."""
    unpacked(tmp_path, {"subscriptions.yaml": text(subscription("ink")), "catalogs.json": b'{"kind": "CatalogSour'})
    situation = olmsolve.read_situation(tmp_path)
    assert [question.name for question in situation.questions] == ["shop"]
    assert "catalogs.json" in str(situation.left_out[0])


def test_a_folder_with_a_request_has_no_file_to_leave_out(tmp_path: Path) -> None:
    """A request is written by hand: whoever misspells something must hear of it."""
    request = {"namespaces": ["a"], "catalogs": [], "subscriptions": []}
    unpacked(tmp_path, {"request.json": text(request), "other.json": b'{"namespaces": '})
    with pytest.raises(RequestError, match=r"other\.json"):
        olmsolve.read_situation(tmp_path)


def test_a_zip_with_more_entries_than_anybody_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its directory alone would take the memory."""
    monkeypatch.setattr(recorded_files, "ENTRIES", 1)
    path = packed(tmp_path / "many.zip", {"a.json": text(subscription("a")), "b.json": text(subscription("b"))})
    with pytest.raises(RequestError, match="a ZIP of more than 1 entries"):
        olmsolve.read_situation(path)


def test_a_folder_that_may_not_be_looked_into(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The words of the system, and the folder."""

    def refusing(_: Path) -> list[Path]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", refusing)
    with pytest.raises(RequestError, match="cannot be read: Permission denied"):
        olmsolve.read_situation(tmp_path)


def test_a_folder_without_anything(tmp_path: Path) -> None:
    """The message says what was looked for."""
    with pytest.raises(RequestError, match="the folder has no YAML or JSON file"):
        olmsolve.read_situation(tmp_path)
    unpacked(tmp_path, {"namespaces/shop/pods/p.yaml": b"kind: Pod"})
    with pytest.raises(RequestError, match="the must-gather has no object of OLM"):
        olmsolve.read_situation(tmp_path)
    with pytest.raises(ManifestError, match="the must-gather has no object of OLM"):
        olmsolve.read_cluster(tmp_path)
