"""Every verb that can take long, on objects that are made anew for each call, and its answer as plain data."""

from __future__ import annotations

import gzip
import json
import shutil
import tarfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias

import attrs

import olmsolve
from olmsolve import Request, Resolver, Source, Subscription, classic, lifecycle, render, v1
from olmsolve._limits import Cancellation, limited
from olmsolve.authoring import compose
from olmsolve.catalog import Catalog
from olmsolve.catalog.index import index_of
from olmsolve.catalog.index_files import write_index
from olmsolve.testing import synthetic
from tests.cli.small_cluster import blobs, catalog_source, cluster_catalog, extension, namespace
from tests.yaml_files import yaml_text

Verb: TypeAlias = Callable[[Cancellation | None], Any]
"""A call with a flag that cancels it; it may be called again, on the same objects."""

Made: TypeAlias = Callable[[Path], Verb]
"""Makes the objects of a call in an empty folder."""

NEWER: Final = {"type": "olm.maxOpenShiftVersion", "value": "4.18"}
RULE: Final = {
    "type": "olm.constraint",
    "value": {"failureMessage": "f", "cel": {"rule": "properties.exists(p, p.type == 'olm.package')"}},
}


@cache
def _dense(*, satisfiable: bool) -> Request:
    return synthetic.request(synthetic.DenseShape(30, 6, 2, 4), "hard", seed=2, satisfiable=satisfiable)


def dense(*, satisfiable: bool = True) -> Request:
    """A request with conflicts to learn from, over a catalog without an index."""
    request = _dense(satisfiable=satisfiable)
    return attrs.evolve(request, sources=[attrs.evolve(each, catalog=cold(each.catalog)) for each in request.sources])


def cold(catalog: Catalog) -> Catalog:
    """The same catalog without anything that was worked out."""
    return attrs.evolve(catalog)


def answer(request: Request) -> Any:
    """The plan of *request*, or its failure."""
    try:
        return olmsolve.resolve(request)
    except olmsolve.ResolutionFailure as failure:
        return failure


def failed(call: Callable[[], Any]) -> Any:
    """What *call* returns, or the failure that it raises, as text."""
    try:
        return call()
    except olmsolve.ResolutionFailure as failure:
        return str(failure)


@cache
def _text() -> str:
    """A catalog of three packages, one with an old version that other rules refuse."""
    made = [*blobs("etcd", 4, v1=[NEWER]), *blobs("db", 3, v2=[RULE], v3=[RULE]), *blobs("queue", 3)]
    return "\n".join(map(json.dumps, made))


def catalog() -> Catalog:
    """The catalog of :func:`_text`."""
    return olmsolve.fbc.from_blobs([json.loads(line) for line in _text().split("\n")])


def objects() -> list[dict[str, Any]]:
    """A cluster with two namespaces and two extensions."""
    return [
        *namespace(),
        *namespace("lab", "db"),
        catalog_source(),
        extension(),
        extension("queue", 0),
        cluster_catalog(),
    ]


def situation() -> olmsolve.Situation:
    """The situation of :func:`objects`."""
    found = catalog()
    return olmsolve.read_situation(*objects(), catalogs={"olm/cat": found, "main": found})


# -- requests


def _resolve(folder: Path, *, satisfiable: bool, **settings: Any) -> Verb:
    request = dense(satisfiable=satisfiable)
    return lambda cancel: failed(lambda: olmsolve.resolve(request, cancel=cancel, **settings))


def _is_satisfiable(folder: Path) -> Verb:
    request = dense(satisfiable=False)
    return lambda cancel: olmsolve.is_satisfiable(request, cancel=cancel)


def _resolver(folder: Path) -> Verb:
    request = dense()
    resolver = Resolver(request.sources)

    def ask(cancel: Cancellation | None) -> Any:
        asked: dict[str, Any] = {"namespaces": request.namespaces, "cancel": cancel}
        return (
            resolver.is_satisfiable(request.subscriptions, **asked),
            resolver.resolve(request.subscriptions, **asked),
        )

    return ask


def _warm(folder: Path) -> Verb:
    request = dense()
    resolver = Resolver(request.sources)

    def ask(cancel: Cancellation | None) -> Any:
        resolver.warm(namespaces=request.namespaces, cancel=cancel)
        return resolver.resolve(request.subscriptions, namespaces=request.namespaces)

    return ask


def _together(folder: Path) -> Verb:
    one = dense()
    other = attrs.evolve(
        one,
        namespaces=("other", *one.namespaces[1:]),
        subscriptions=[attrs.evolve(each, namespace="other") for each in one.subscriptions],
    )
    return lambda cancel: classic.resolve_together([one, other], cancel=cancel)


def _why(folder: Path) -> Verb:
    plan = answer(dense())
    return lambda cancel: olmsolve.why(plan, plan.installs[-1].name, cancel=cancel)


def _why_not(folder: Path) -> Verb:
    plan = answer(dense())
    return lambda cancel: olmsolve.why_not(plan, plan.installs[3].package, version="0.0.1", cancel=cancel)


def _why_not_lower(folder: Path) -> Verb:
    request = dense()
    plan = answer(request)
    install = plan.installs[2]
    package = request.sources[0].catalog.packages[install.package]
    lower = next(name for name in package.bundles if name != install.name).rpartition(".v")[2]
    return lambda cancel: olmsolve.why_not(plan, install.package, version=lower, cancel=cancel).to_dict()


def _diff(folder: Path) -> Verb:
    one = dense()
    other = attrs.evolve(one, subscriptions=one.subscriptions[1:])
    return lambda cancel: olmsolve.diff(one, other, cancel=cancel).to_dict()


def _semantics(folder: Path) -> Verb:
    request = dense()
    return lambda cancel: olmsolve.compare_semantics(request, cancel=cancel).to_dict()


def _held_back(folder: Path) -> Verb:
    plan = answer(dense())
    return lambda cancel: olmsolve.held_back(plan, cancel=cancel)


def _explained_plan(folder: Path) -> Verb:
    plan = answer(dense())
    return lambda cancel: olmsolve.explanation(plan, cancel=cancel)


def _explained_failure(folder: Path) -> Verb:
    failure = answer(dense(satisfiable=False))
    return lambda cancel: olmsolve.explanation(failure, fixes=1, tries=10, cancel=cancel)


def _unmet() -> Request:
    """A request that names a channel which does not exist."""
    source = Source("cat", "olm", 0, catalog())
    wishes = [Subscription(name, "shop", name, "stabel") for name in ("etcd", "db")]
    return Request(("shop", "olm"), [source], wishes)


def _explained_typo(folder: Path) -> Verb:
    failure = answer(_unmet())
    return lambda cancel: olmsolve.explanation(failure, cancel=cancel)


def _certificate(folder: Path) -> Verb:
    plan = answer(_small())
    return lambda cancel: olmsolve.certificate(plan, cancel=cancel)


def _small() -> Request:
    """A request over a catalog of three packages."""
    source = Source("cat", "olm", 0, catalog())
    return Request(("shop", "olm"), [source], [Subscription(name, "shop", name) for name in ("etcd", "db", "queue")])


def _verify(folder: Path) -> Verb:
    request = _small()
    certificate = olmsolve.certificate(answer(request))
    fresh = _small()
    return lambda cancel: olmsolve.verify(certificate, fresh, cancel=cancel)


# -- catalogs


def _load(folder: Path, name: str = "c.json", **settings: Any) -> Verb:
    path = folder / name
    text = _text()
    if ".yaml" in name:
        text = "---\n".join(yaml_text(json.loads(line)) for line in text.split("\n"))
    if name.endswith(".tar"):
        (folder / "part").mkdir()
        (folder / "part" / "c.json").write_text(text)
        with tarfile.open(path, "w") as archive:
            archive.add(folder / "part", "c")
    else:
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return lambda cancel: olmsolve.load(path, cancel=cancel, **settings).packages


def _load_indexed(folder: Path) -> Verb:
    load = _load(folder)
    load(None)
    write_index(folder / "c.json")
    return load


def _index(folder: Path) -> Verb:
    found = catalog()

    def ask(cancel: Cancellation | None) -> Any:
        with limited(cancel=cancel):
            return index_of(found).package_names()

    return ask


def _index_file(folder: Path) -> Verb:
    path = folder / "c.json"
    path.write_text(_text())

    def ask(cancel: Cancellation | None) -> Any:
        try:
            return write_index(path, cancel=cancel).read_bytes()
        except olmsolve.Incomplete:
            assert [each.name for each in folder.iterdir()] == ["c.json"]
            raise

    return ask


def _written(folder: Path) -> Verb:
    found = catalog()

    def ask(cancel: Cancellation | None) -> Any:
        shutil.rmtree(folder / "split", ignore_errors=True)
        (folder / "all.json").unlink(missing_ok=True)
        try:
            with limited(cancel=cancel):
                olmsolve.fbc.write(found, folder / "all.json")
                olmsolve.fbc.split(found, folder / "split")
        except olmsolve.Incomplete:
            assert not [each for each in (folder / "split").rglob("*") if each.is_file()]
            raise
        return (folder / "all.json").read_text(), olmsolve.load(folder / "split")

    return ask


def _validate(folder: Path) -> Verb:
    path = folder / "c.json"
    path.write_text(f"{_text()}\n{json.dumps({'schema': 'olm.channel', 'package': 'etcd', 'name': 'none'})}")
    return lambda cancel: str(olmsolve.validate(path, cancel=cancel)).replace(str(folder), "")


def _compile(folder: Path) -> Verb:
    request = dense()

    def ask(cancel: Cancellation | None) -> Any:
        compiled = olmsolve.compile(request, cancel=cancel)
        with limited(cancel=cancel):
            return compiled.counts, "".join(compiled.to_wcnf()), compiled.to_dict()

    return ask


def _decode(folder: Path) -> Verb:
    request = _small()
    compiled = olmsolve.compile(request, whole=True)
    numbers = {each.stands_for: each.number for each in compiled.variables()}
    model = [numbers[install.candidate] for install in answer(request).installs]

    def ask(cancel: Cancellation | None) -> Any:
        with limited(cancel=cancel):
            return compiled.decode(model)

    return ask


def _second_opinions(folder: Path) -> Verb:
    # Without rules: how often the limits are looked at while a process works is a matter of time.
    needs = {"type": "olm.package.required", "value": {"packageName": "etcd", "versionRange": ">=1.0.0 <3.0.0"}}
    found = olmsolve.fbc.from_blobs([*blobs("etcd", 4), *blobs("db", 3, v2=[needs], v3=[needs])])
    return lambda cancel: olmsolve.lint(found, second_opinion=True, cancel=cancel)


def _resolver_explanation(folder: Path) -> Verb:
    request = dense(satisfiable=False)
    resolver = Resolver(request.sources)
    return lambda cancel: resolver.explanation(
        request.subscriptions, namespaces=request.namespaces, fixes=1, tries=10, cancel=cancel
    )


def _lint(folder: Path) -> Verb:
    found = catalog()
    return lambda cancel: olmsolve.lint(found, cancel=cancel)


def _audit(folder: Path) -> Verb:
    sources = [Source("cat", "olm", 0, catalog())]
    return lambda cancel: olmsolve.audit(sources, cancel=cancel)


def _merge(folder: Path) -> Verb:
    one, other = catalog(), olmsolve.fbc.from_blobs(blobs("cache"))

    def ask(cancel: Cancellation | None) -> Any:
        with limited(cancel=cancel):
            return compose.merge(one, other)

    return ask


# -- clusters


def _read_situation(folder: Path) -> Verb:
    path = folder / "dump.yaml"
    path.write_text(yaml_text(*objects()))

    def ask(cancel: Cancellation | None) -> Any:
        found = olmsolve.read_situation(path, catalogs={"olm/cat": catalog()}, cancel=cancel)
        assert found.cluster is not None
        return found.cluster.state

    return ask


def _read_cluster(folder: Path) -> Verb:
    path = folder / "dump.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects()}))
    return lambda cancel: olmsolve.read_cluster(path, cancel=cancel)


def _read_request(folder: Path) -> Verb:
    (folder / "c.json").write_text(_text())
    path = folder / "request.yaml"
    subscriptions = [{"name": "etcd", "package": "etcd"}]
    catalogs = [{"name": "cat", "namespace": "shop", "file": "c.json"}]
    document = {"namespaces": ["shop"], "catalogs": catalogs, "subscriptions": subscriptions}
    path.write_text(yaml_text(document))
    return lambda cancel: olmsolve.read_request(path, cancel=cancel)


def _read_extension_request(folder: Path) -> Verb:
    (folder / "c.json").write_text(_text())
    path = folder / "request.yaml"
    path.write_text(yaml_text({"catalogs": [{"name": "main", "file": "c.json"}], "extension": {"packageName": "etcd"}}))
    return lambda cancel: olmsolve.resolve(olmsolve.read_extension_request(path, cancel=cancel))


def _plan(folder: Path) -> Verb:
    found = situation()
    return lambda cancel: olmsolve.plan(found, cancel=cancel).to_dict()


def _simulate(folder: Path) -> Verb:
    found = situation()
    return lambda cancel: olmsolve.simulate(found, verify=True, cancel=cancel).to_dict()


def _blocking(folder: Path) -> Verb:
    found = situation()
    return lambda cancel: lifecycle.situation_update(found, "4.18.3", cancel=cancel).to_dict()


def _cluster_update(folder: Path) -> Verb:
    # The operators of both namespaces say that they work with OpenShift 4.18 at most.
    dump = objects()
    for each in dump:
        if each["kind"] == "ClusterServiceVersion":
            properties = json.dumps({"properties": [NEWER]})
            each["metadata"]["annotations"] = {"operatorframework.io/properties": properties}
    content = catalog()
    found = olmsolve.read_situation(*dump, catalogs={"olm/cat": content, "main": content}).cluster
    assert found is not None
    return lambda cancel: lifecycle.cluster_update(found.state, "4.18.3", found.contents, cancel=cancel).to_dict()


def _migrations(folder: Path) -> Verb:
    request = _small()
    return lambda cancel: lifecycle.migrations(request, cancel=cancel).to_dict()


# -- OLM v1


def _extensions() -> list[v1.ExtensionRequest]:
    offered = [v1.ClusterCatalog("main", catalog())]
    return [v1.ExtensionRequest(v1.Extension(name), offered, name=name) for name in ("etcd", "db", "queue")]


def _extension_plan(folder: Path) -> Verb:
    requests = _extensions()
    return lambda cancel: v1.plan(requests, keep_going=True, cancel=cancel).to_dict()


def _extension_resolve(folder: Path) -> Verb:
    request = _extensions()[0]
    return lambda cancel: olmsolve.resolve(request, cancel=cancel)


def _extension_simulation(folder: Path) -> Verb:
    requests = _extensions()

    def ask(cancel: Cancellation | None) -> Any:
        with limited(cancel=cancel):
            return v1.simulate(requests).to_dict(), v1.differences(catalog(), "etcd")

    return ask


def _extension_failure() -> Any:
    request = attrs.evolve(_extensions()[0], extension=v1.Extension("etcd", version="9.9.9"))
    try:
        return v1.resolve(request)
    except v1.ResolutionError as failure:
        return failure


def _explained_extension(folder: Path) -> Verb:
    failure = _extension_failure()
    return lambda cancel: olmsolve.explanation(failure, cancel=cancel)


def _extension_why_not(folder: Path) -> Verb:
    request = attrs.evolve(_extensions()[0], installed=v1.InstalledBundle("etcd.v1", "1.0.0"))
    return lambda cancel: olmsolve.why_not(request, version="2.0.0", cancel=cancel)


# -- pages


def _page(folder: Path) -> Verb:
    found = catalog()

    def ask(cancel: Cancellation | None) -> Any:
        with limited(cancel=cancel):
            return render.update_graph_html(found)

    return ask


VERBS: Final[dict[str, Made]] = {
    "resolve": lambda folder: _resolve(folder, satisfiable=True),
    "resolve, no plan": lambda folder: _resolve(folder, satisfiable=False),
    "resolve, minisat22": lambda folder: _resolve(folder, satisfiable=True, backend="minisat22"),
    "resolve, minisat22, no plan": lambda folder: _resolve(folder, satisfiable=False, backend="minisat22"),
    "resolve, python, no plan": lambda folder: _resolve(folder, satisfiable=False, backend="python"),
    "resolve, extension": _extension_resolve,
    "is_satisfiable": _is_satisfiable,
    "Resolver": _resolver,
    "Resolver.warm": _warm,
    "Resolver.explanation": _resolver_explanation,
    "resolve_together": _together,
    "why": _why,
    "why_not": _why_not,
    "why_not, lower": _why_not_lower,
    "diff": _diff,
    "compare_semantics": _semantics,
    "held_back": _held_back,
    "explanation, plan": _explained_plan,
    "explanation, failure": _explained_failure,
    "explanation, typo": _explained_typo,
    "explanation, extension": _explained_extension,
    "certificate": _certificate,
    "verify": _verify,
    "load": _load,
    "load, yaml": lambda folder: _load(folder, "c.yaml"),
    "load, gzip": lambda folder: _load(folder, "c.yaml.gz"),
    "load, archive": lambda folder: _load(folder, "c.tar"),
    "load, indexed": _load_indexed,
    "load, writing the index": lambda folder: _load(folder, index=folder / "new.olmindex"),
    "index": _index,
    "write_index": _index_file,
    "write and split": _written,
    "validate": _validate,
    "lint": _lint,
    "lint, second opinion": _second_opinions,
    "compile": _compile,
    "compile, decode": _decode,
    "audit": _audit,
    "merge": _merge,
    "read_situation": _read_situation,
    "read_cluster": _read_cluster,
    "read_request": _read_request,
    "read_extension_request": _read_extension_request,
    "plan": _plan,
    "simulate": _simulate,
    "situation_update": _blocking,
    "cluster_update": _cluster_update,
    "migrations": _migrations,
    "v1.plan": _extension_plan,
    "v1.simulate": _extension_simulation,
    "why_not, extension": _extension_why_not,
    "update_graph_html": _page,
}
"""The verbs by name; a remark behind the comma says on what."""
