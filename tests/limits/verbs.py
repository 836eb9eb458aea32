"""Every verb that can take long, on objects that are made anew for each call, and its answer as plain data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import attrs

import olmsolve
from olmsolve import Request, Resolver, Source, Subscription, classic, lifecycle, limited, render, v1
from olmsolve.solver import Cancellation
from tests.limits.catalog_verbs import CATALOG_VERBS
from tests.limits.verb_objects import (
    NEWER,
    Made,
    Verb,
    answer,
    catalog,
    catalog_text,
    dense,
    failed,
    objects,
    situation,
)
from tests.yaml_files import yaml_text

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
        options: dict[str, Any] = {"namespaces": request.namespaces, "cancel": cancel}
        return (
            resolver.is_satisfiable(request.subscriptions, **options),
            resolver.resolve(request.subscriptions, **options),
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
        subscriptions=[attrs.evolve(subscription, namespace="other") for subscription in one.subscriptions],
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
    numbers = {variable.stands_for: variable.number for variable in compiled.variables()}
    model = [numbers[install.candidate] for install in answer(request).installs]

    def ask(cancel: Cancellation | None) -> Any:
        with limited(cancel=cancel):
            return compiled.decode(model)

    return ask


def _resolver_explanation(folder: Path) -> Verb:
    request = dense(satisfiable=False)
    resolver = Resolver(request.sources)
    return lambda cancel: resolver.explanation(
        request.subscriptions, namespaces=request.namespaces, fixes=1, tries=10, cancel=cancel
    )


# -- clusters


def _read_situation(folder: Path) -> Verb:
    path = folder / "dump.yaml"
    path.write_text(yaml_text(*objects()))

    def ask(cancel: Cancellation | None) -> Any:
        dumped = olmsolve.read_situation(path, catalogs={"olm/cat": catalog()}, cancel=cancel)
        assert dumped.cluster is not None
        return dumped.cluster.state

    return ask


def _read_cluster(folder: Path) -> Verb:
    path = folder / "dump.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects()}))
    return lambda cancel: olmsolve.read_cluster(path, cancel=cancel)


def _read_request(folder: Path) -> Verb:
    (folder / "c.json").write_text(catalog_text())
    path = folder / "request.yaml"
    subscriptions = [{"name": "etcd", "package": "etcd"}]
    catalogs = [{"name": "cat", "namespace": "shop", "file": "c.json"}]
    document = {"namespaces": ["shop"], "catalogs": catalogs, "subscriptions": subscriptions}
    path.write_text(yaml_text(document))
    return lambda cancel: olmsolve.read_request(path, cancel=cancel)


def _read_extension_request(folder: Path) -> Verb:
    (folder / "c.json").write_text(catalog_text())
    path = folder / "request.yaml"
    path.write_text(yaml_text({"catalogs": [{"name": "main", "file": "c.json"}], "extension": {"packageName": "etcd"}}))
    return lambda cancel: olmsolve.resolve(olmsolve.read_extension_request(path, cancel=cancel))


def _plan(folder: Path) -> Verb:
    the_situation = situation()
    return lambda cancel: olmsolve.plan(the_situation, cancel=cancel).to_dict()


def _simulate(folder: Path) -> Verb:
    the_situation = situation()
    return lambda cancel: olmsolve.simulate(the_situation, verify=True, cancel=cancel).to_dict()


def _blocking(folder: Path) -> Verb:
    the_situation = situation()

    def blocking(cancel: Cancellation | None) -> object:
        with limited(cancel=cancel):
            return lifecycle.situation_update(the_situation, "4.18.3").to_dict()

    return blocking


def _cluster_update(folder: Path) -> Verb:
    # The operators of both namespaces say that they work with OpenShift 4.18 at most.
    dump = objects()
    for object_ in dump:
        if object_["kind"] == "ClusterServiceVersion":
            properties = json.dumps({"properties": [NEWER]})
            object_["metadata"]["annotations"] = {"operatorframework.io/properties": properties}
    content = catalog()
    the_situation = olmsolve.read_situation(*dump, catalogs={"olm/cat": content, "main": content}).only(
        namespace="shop"
    )

    def blocking(cancel: Cancellation | None) -> object:
        with limited(cancel=cancel):
            return lifecycle.situation_update(the_situation, "4.18.3").to_dict()

    return blocking


def _migrations(folder: Path) -> Verb:
    request = _small()

    def migrations(cancel: Cancellation | None) -> object:
        with limited(cancel=cancel):
            return lifecycle.migrations(request).to_dict()

    return migrations


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
    content = catalog()

    def ask(cancel: Cancellation | None) -> Any:
        with limited(cancel=cancel):
            return render.update_graph_html(content)

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
    **CATALOG_VERBS,
    "compile": _compile,
    "compile, decode": _decode,
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
