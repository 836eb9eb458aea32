"""How far a limit can be overshot: the longest time between two looks at the limits, in each verb and phase.

A flag that is never set notes when it is looked at, and from where. One run so tells the most that any limit could be
overshot by. Times are CPU time of the thread, because on a busy machine others would be measured; modules are
imported before, and Python's cyclic collector is off.
"""

from __future__ import annotations

import gc
import json
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

import attrs

from benchmarks.catalogs import catalog_files
from benchmarks.measuring import table
from benchmarks.synthetic_problem import generated
from olmsolve import (
    Catalog,
    OlmsolveError,
    Request,
    Resolver,
    Source,
    Subscription,
    certificate,
    compare_semantics,
    diff,
    explanation,
    fbc,
    held_back,
    is_satisfiable,
    lifecycle,
    limited,
    lint,
    load,
    plan,
    read_situation,
    render,
    resolve,
    simulate,
    v1,
    validate,
    verify,
    why,
    why_not,
)
from olmsolve import audit as audit_catalogs
from olmsolve import compile as compile_request
from olmsolve.catalog.index import index_of
from olmsolve.catalog.index_files import write_index

__all__ = ["Looks", "run"]

Call = Callable[["Looks"], Any]

_FRAMES: Final = 6
_NAMESPACES: Final = ("target", "olm")


class Looks:
    """A flag that is never set and notes the longest time between two looks, and what the second look was for."""

    def __init__(self) -> None:
        self.longest = 0.0
        self.where = ""
        self.count = 0
        self._last = time.thread_time()

    def is_set(self) -> bool:
        """Note this look."""
        self.count += 1
        self._note(traceback.walk_stack(None))
        self._last = time.thread_time()
        return False

    def end(self) -> None:
        """Note the end of the work."""
        self._note(iter(()))

    def _note(self, stack: Iterator[Any]) -> None:
        passed = time.thread_time() - self._last
        if passed > self.longest:
            self.longest = passed
            files = [(frame.f_code.co_filename, line) for frame, line in stack]
            passed_on = (__file__, "_limits.py", "budget.py")
            inside = [(name, line) for name, line in files if not name.endswith(passed_on)]
            self.where = "the end"
            if inside:
                name, line = inside[0]
                self.where = f"{name.rpartition('olmsolve/')[2]}:{line}"


def run(*, quick: bool = False) -> None:
    """Print the longest times over catalogs like real ones, dense problems and a cluster; *quick*: smaller ones."""
    rows: list[tuple[str, ...]] = []

    def measured(about: str, what: str, call: Call) -> Any:
        gc.collect()
        gc.disable()
        looks, started = Looks(), time.thread_time()
        try:
            found = call(looks)
        except OlmsolveError as error:
            found = error
        finally:
            looks.end()
            total = time.thread_time() - started
            gc.enable()  # which may collect at once
        rows.append((f"{about}: {what}", f"{total:.2f}", f"{looks.count:,}", f"{looks.longest * 1e3:.0f}", looks.where))
        return found

    _warm_up()
    with tempfile.TemporaryDirectory() as temporary:
        for name, file in catalog_files(Path(temporary), quick=quick).items():
            copy = Path(temporary, f"copy-{file.name}")
            copy.write_bytes(file.read_bytes())
            _catalogs(partial(measured, name), copy)
            _clusters(partial(measured, name), load(file))
    for size in "S" if quick else "SM":
        for unsat in (False, True):
            label = f"dense {size}, {'no plan' if unsat else 'plan'}"
            _requests(partial(measured, label), size, unsat=unsat)
    print(
        "seconds of CPU in all, looks at the limits, most milliseconds of CPU between two of them, and where it ended"
    )
    table(("", "seconds", "looks", "most", "where"), rows)


def _warm_up() -> None:
    """Import what the verbs import when they are first called."""
    with tempfile.TemporaryDirectory() as temporary:
        file = Path(temporary, "warm.yaml")
        fbc.write(fbc.from_blobs(_blobs()), file)
        catalog = load(file)
        validate(file)
        _catalogs(lambda what, call: call(Looks()), file)
        _clusters(lambda what, call: call(Looks()), catalog)
    request = _request(catalog, ["warm"])
    _ask(lambda what, call: call(Looks()), request)
    for backend in ("minisat22", "cadical153"):
        resolve(request, backend=backend)


def _blobs() -> list[dict[str, Any]]:
    return [
        {"schema": "olm.package", "name": "warm", "defaultChannel": "c"},
        {
            "schema": "olm.channel",
            "package": "warm",
            "name": "c",
            "entries": [{"name": "b"}, {"name": "b", "replaces": "a"}],
        },
        {
            "schema": "olm.bundle",
            "package": "warm",
            "name": "b",
            "properties": [{"type": "olm.package", "value": {"packageName": "warm", "version": "1.0.0"}}],
        },
    ]


def _request(catalog: Catalog, packages: list[str]) -> Request:
    wishes = [Subscription(name, _NAMESPACES[0], name) for name in packages]
    return Request(_NAMESPACES, [Source("catalog", "olm", 0, catalog)], wishes)


def _scoped(work: Callable[[], Any]) -> Call:
    def call(looks: Looks) -> Any:
        with limited(cancel=looks):
            return work()

    return call


def _catalogs(measured: Callable[[str, Call], Any], file: Path) -> None:
    """Measure what is done with the catalog in *file*, beside which an index may be written."""
    catalog: Catalog = measured("load", lambda looks: load(file, cancel=looks))
    yaml = file.with_suffix(".yaml")
    measured("write YAML", _scoped(lambda: fbc.write(catalog, yaml)))
    measured("load YAML", lambda looks: load(yaml, cancel=looks))
    measured("index", _scoped(lambda: index_of(catalog)))
    measured("write_index", lambda looks: write_index(file, cancel=looks))
    measured("load by index", lambda looks: load(file, cancel=looks))
    resolver = Resolver([Source("catalog", "olm", 0, attrs.evolve(catalog))])
    measured("index and warm", lambda looks: resolver.warm(namespaces=_NAMESPACES, cancel=looks))
    measured("validate", lambda looks: validate(file, cancel=looks))
    measured("lint", lambda looks: lint(catalog, cancel=looks))
    measured("second opinions", lambda looks: lint(catalog, second_opinion=True, cancel=looks))
    some = attrs.evolve(catalog, packages=dict(list(catalog.packages.items())[:25]))
    measured("audit of 25 packages", lambda looks: audit_catalogs([Source("catalog", "olm", 0, some)], cancel=looks))
    measured("update_graph_html", _scoped(lambda: render.update_graph_html(some)))


def _objects(catalog: Catalog, namespaces: int, each: int, extensions: int) -> Iterator[dict[str, Any]]:
    """Yield a cluster whose *namespaces* subscribe to *each* packages, and which has *extensions*."""
    operators, group = "operators.coreos.com/v1alpha1", "operators.coreos.com/v1"
    names = [package.name for package in catalog if package.default_channel]
    yield {"apiVersion": operators, "kind": "CatalogSource", "metadata": {"name": "c", "namespace": "olm"}, "spec": {}}
    yield {"apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterCatalog", "metadata": {"name": "main"}}
    for number in range(namespaces):
        name = f"ns{number:03}"
        yield {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        yield {"apiVersion": group, "kind": "OperatorGroup", "metadata": {"name": "g", "namespace": name}, "spec": {}}
        for position in range(each):
            package = names[(number * each + position) % len(names)]
            spec = {"name": package, "source": "c", "sourceNamespace": "olm"}
            metadata = {"name": package, "namespace": name}
            yield {"apiVersion": operators, "kind": "Subscription", "metadata": metadata, "spec": spec}
    for package in names[:extensions]:
        source: dict[str, Any] = {"sourceType": "Catalog", "catalog": {"packageName": package}}
        yield {
            "apiVersion": "olm.operatorframework.io/v1",
            "kind": "ClusterExtension",
            "metadata": {"name": package},
            "spec": {"namespace": "v1", "source": source},
        }


def _clusters(measured: Callable[[str, Call], Any], catalog: Catalog) -> None:
    """Measure what is done with a cluster of forty namespaces and a hundred extensions over *catalog*."""
    objects = list(_objects(catalog, 40, 6, 100))
    contents = {"olm/c": catalog, "main": catalog}
    with tempfile.TemporaryDirectory() as temporary:
        file = Path(temporary, "dump.json")
        file.write_text("\n".join(map(json.dumps, objects)), "utf-8")
        situation = measured("read_situation", lambda looks: read_situation(file, catalogs=contents, cancel=looks))
    found = measured("plan", lambda looks: plan(situation, cancel=looks))
    measured("plan as objects", _scoped(found.manifests))
    simulation = measured(
        "simulate, verified", lambda looks: simulate(situation, verify=True, most_steps=1, cancel=looks)
    )
    measured("simulation_text", _scoped(lambda: render.simulation_text(simulation)))
    measured("situation_update", _scoped(lambda: lifecycle.situation_update(situation, "4.18.3")))
    request = situation.questions[0].request()
    measured("migrations", _scoped(lambda: lifecycle.migrations(request)))
    requests = [each.request() for each in situation.questions if isinstance(each.request(), v1.ExtensionRequest)]
    measured("v1.plan", lambda looks: v1.plan(requests, keep_going=True, cancel=looks))


def _requests(measured: Callable[[str, Call], Any], size: str, *, unsat: bool) -> None:
    """Measure questions about a dense problem of *size*."""
    request = generated(size, hard=True, unsat=unsat).request()
    _ask(measured, request)
    for backend in ("minisat22", "cadical153"):
        measured(f"resolve, {backend}", lambda looks, name=backend: resolve(request, backend=name, cancel=looks))  # type: ignore[misc]
    if size == "S":
        answer = measured("resolve", lambda looks: resolve(request, cancel=looks))
        proof = measured("certificate", lambda looks: certificate(answer, cancel=looks))
        measured("verify", lambda looks: verify(proof, request, cancel=looks))


def _ask(measured: Callable[[str, Call], Any], request: Request) -> None:
    answer = measured("index and resolve", lambda looks: resolve(request, cancel=looks))
    measured("is_satisfiable", lambda looks: is_satisfiable(request, cancel=looks))
    measured("explanation", lambda looks: explanation(answer, cancel=looks))
    measured("held_back", lambda looks: held_back(answer, cancel=looks))
    compiled = measured("compile", lambda looks: compile_request(request, cancel=looks))
    measured("clauses as text", _scoped(lambda: sum(map(len, compiled.to_wcnf()))))
    measured("compare_semantics", lambda looks: compare_semantics(request, cancel=looks))
    measured("diff", lambda looks: diff(request, request, cancel=looks))
    if not isinstance(answer, OlmsolveError):
        last = answer.installs[-1]
        measured("why", lambda looks: why(answer, last.name, cancel=looks))
        measured("why_not", lambda looks: why_not(answer, last.package, version="0.0.1", cancel=looks))
        measured("plan_html", _scoped(lambda: render.plan_html(answer)))
