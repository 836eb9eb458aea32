"""Posted documents: a service that reads what strangers send opens no file, no image and no URL of theirs."""

from __future__ import annotations

import gzip
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

import olmsolve
from olmsolve.errors import CatalogError, RequestError

BLOBS: list[dict[str, Any]] = [
    {"schema": "olm.package", "name": "etcd", "defaultChannel": "stable"},
    {"schema": "olm.channel", "package": "etcd", "name": "stable", "entries": [{"name": "etcd.v1.0.0"}]},
    {
        "schema": "olm.bundle",
        "package": "etcd",
        "name": "etcd.v1.0.0",
        "properties": [{"type": "olm.package", "value": {"packageName": "etcd", "version": "1.0.0"}}],
    },
]
SUBSCRIPTION = {"name": "etcd", "package": "etcd", "source": "c", "sourceNamespace": "a"}
NAMES = ["/etc/passwd", "secret.json", "../x", "quay.io/a/b:v1", "docker://a.example/b", "https://a.example/c", "-", ""]


def classic(**content: Any) -> dict[str, Any]:
    """Return a request for etcd, over a catalog with this content."""
    catalog = {"name": "c", **content}
    return {"namespaces": ["a"], "catalogs": [catalog], "subscriptions": [SUBSCRIPTION]}


def extension(**content: Any) -> dict[str, Any]:
    """Return a request to OLM v1 for etcd, over a catalog with this content."""
    return {"extension": {"packageName": "etcd"}, "catalogs": [{"name": "c", **content}]}


def cluster(name: str) -> str:
    """Return the objects of a cluster, whose catalog is annotated with *name*."""
    source = {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "CatalogSource",
        "metadata": {"name": "c", "namespace": "a", "annotations": {"olmsolve/file": name}},
        "spec": {"sourceType": "grpc"},
    }
    wish = {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "Subscription",
        "metadata": {"name": "etcd", "namespace": "a"},
        "spec": {"name": "etcd", "source": "c", "sourceNamespace": "a"},
    }
    group = {
        "apiVersion": "operators.coreos.com/v1",
        "kind": "OperatorGroup",
        "metadata": {"name": "g", "namespace": "a"},
    }
    return "\n---\n".join(map(json.dumps, (source, wish, group)))


def ask(situation: olmsolve.Situation) -> list[Any]:
    """Return the requests of *situation*, whose catalogs are then read."""
    return [question.request() for question in situation.questions]


WATCHED: list[list[str]] = []
# Where Python looks for modules, which are imported when they are first used.
MODULES = ("site-packages", "/lib/python", str(Path(olmsolve.__file__).parent))


def watch(event: str, given: tuple[Any, ...]) -> None:
    """Note what the interpreter itself says about files and hosts (sys.addaudithook), but for modules."""
    if WATCHED and (event in ("open", "os.listdir", "os.scandir", "subprocess.Popen") or event.startswith("socket.")):
        text = str(given[0])
        if event != "open" or not text.endswith((".py", ".pyc", ".so")):
            WATCHED[-1].append(f"{event} {text}")


@pytest.fixture(scope="module", autouse=True)
def watching() -> None:
    """Watch this process; a hook stays for good, so there is one."""
    sys.addaudithook(watch)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_that_is_named_is_opened(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who posts a document may not learn what files there are, nor what other hosts answer."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret.json").write_text("\n".join(map(json.dumps, BLOBS)))
    documents: list[Any] = [classic(file=name), json.dumps(extension(file=name))]
    if name:
        documents.append(cluster(name).encode())
    for document in documents:
        WATCHED.append([])
        try:
            with pytest.raises(RequestError) as caught:
                ask(olmsolve.read_posted(document))
            # A text is never a path.
            with pytest.raises(RequestError):
                olmsolve.read_posted(name)
        finally:
            opened = WATCHED.pop()
        assert not [path for path in opened if not any(folder in path for folder in MODULES)]
        assert "may not name" in str(caught.value) or not name


def test_the_watch_sees_files(tmp_path: Path) -> None:
    """The test above would be worth nothing if its watch were blind."""
    (tmp_path / "c.json").write_text("\n".join(map(json.dumps, BLOBS)))
    WATCHED.append([])
    ask(olmsolve.read_posted(classic(file=str(tmp_path / "c.json")), files=True))
    assert f"open {tmp_path / 'c.json'}" in WATCHED.pop()


def test_content_in_the_document() -> None:
    """A document that holds its catalogs itself is a request like any other, in every form of a body."""
    text = json.dumps(classic(blobs=BLOBS))
    for body in (classic(blobs=BLOBS), text, text.encode(), gzip.compress(text.encode()), io.StringIO(text)):
        [request] = ask(olmsolve.read_posted(body))
        assert [install.name for install in olmsolve.resolve(request).installs] == ["etcd.v1.0.0"]
    [question] = olmsolve.read_posted(extension(blobs=BLOBS)).questions
    assert "etcd" in repr(question.request())


def test_what_the_caller_allows(tmp_path: Path) -> None:
    """The service says what a name means: it decides about each, knows catalogs of its own, or trusts its clients."""
    own = olmsolve.from_blobs(BLOBS)
    paths: list[Path] = []

    def load(path: Path) -> olmsolve.Catalog:
        paths.append(path)
        if path != Path("ours"):
            raise CatalogError("there is no such catalog", origin=str(path))
        return own

    [request] = ask(olmsolve.read_posted(classic(file="ours"), load=load, files=True))
    assert request.sources[0].catalog is own
    with pytest.raises(CatalogError, match="theirs: there is no such catalog"):
        ask(olmsolve.read_posted(classic(file="theirs"), load=load))
    assert paths == [Path("ours"), Path("theirs")]
    [request] = ask(olmsolve.read_posted(cluster("/etc/passwd"), catalogs={"a/c": own}))
    assert request.sources[0].catalog is own
    file = tmp_path / "c.json"
    file.write_text("\n".join(map(json.dumps, BLOBS)))
    [request] = ask(olmsolve.read_posted(classic(file=str(file)), files=True))
    assert list(request.sources[0].catalog.packages) == ["etcd"]


def test_a_stream_has_no_folder(tmp_path: Path) -> None:
    """A web framework keeps a large body in a file: a client learns neither its name nor what lies beside it."""
    (tmp_path / "body").write_text(json.dumps(classic(file="secret.json")))
    (tmp_path / "secret.json").write_text("{}")
    with (tmp_path / "body").open("rb") as body, pytest.raises(RequestError) as caught:
        ask(olmsolve.read_posted(body))
    assert str(tmp_path) not in str(caught.value)


def test_what_cannot_be_posted() -> None:
    """A path object is a mistake of the service, not a document."""
    with pytest.raises(RequestError, match="a mapping, a text or an open stream"):
        olmsolve.read_posted(Path("request.json"))  # type: ignore[arg-type]
    with pytest.raises(RequestError, match="nothing to read"):
        olmsolve.read_posted()
