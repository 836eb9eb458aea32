"""How each entry point grows along the dimension that costs it most.

Each case doubles one dimension until the call takes long: what it needs of a size is prepared first, and only the call
counts, in CPU seconds. The ratio says what one doubling multiplies the time by, on average over the last three: 2 is
linear, 4 is quadratic. A single doubling says less: the one at which the data outgrow a cache of the processor costs
more than the others, for the standard library too (the rows that begin with "Python").
"""

from __future__ import annotations

import gc
import io
import json
import random
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from time import process_time
from typing import Any, Final

import attrs

import olmsolve
from olmsolve import Catalog, Installed, OlmsolveError, Request, Source, Subscription, Unsatisfiable, authoring, fbc, v1
from olmsolve.catalog.index import index_of
from olmsolve.cel import compile as compile_rule
from olmsolve.render import update_graph_dot, update_graph_html, update_graph_mermaid
from olmsolve.semver import BlangRange, Version

__all__ = ["ALLOWED", "CASES", "run"]

ALLOWED: Final = 2.3
"""The most that a doubled dimension may multiply the time by."""

_SHORTEST: Final = 0.02
"""Seconds: a shorter call says nothing about growth."""
_LONGEST: Final = 0.5
"""Seconds: a call that takes longer is not doubled once more."""
_COMPARED: Final = 4
"""Sizes that the ratio is taken over: the largest ones, three doublings."""

Blob = dict[str, Any]
Call = Callable[[], object]


@attrs.frozen
class Case:
    """One call along one dimension: *prepare(size)* returns the call; *size* is the least size that says something."""

    name: str
    size: int
    prepare: Callable[[int], Call]


def run(*, quick: bool = False) -> None:
    """Print the growth of every case; *quick*: up to a tenth of the time."""
    print("CPU seconds for sizes that double, and what a doubling multiplies them by, over the last three")
    print(f"{'':48}  {'sizes':>18}  {'CPU seconds':>27}  ratio")
    for case in CASES:
        measured = _measured(case, _LONGEST / 10 if quick else _LONGEST, rounds=1 if quick else 3)
        sizes = f"{min(measured):,} to {max(measured):,}"
        last = list(measured.values())[-_COMPARED:]
        ratio = (last[-1] / last[0]) ** (1 / (len(last) - 1))
        verdict = f"  above {ALLOWED}" if ratio > ALLOWED and last[-1] > _SHORTEST else ""
        cells = " ".join(f"{seconds:6.3f}" for seconds in last)
        print(f"{case.name:48}  {sizes:>18}  {cells:>27}  {ratio:.2f}{verdict}", flush=True)


def _measured(case: Case, longest: float, rounds: int) -> dict[int, float]:
    """Return CPU seconds by size, for sizes that double up to 64 times, until a call takes *longest*.

    The sizes that are compared are measured in turn, *rounds* times in all, and the least counts: a machine whose speed
    changes within seconds would otherwise show as growth.
    """
    measured: dict[int, float] = {}
    for doubling in range(7):
        size = case.size * 2**doubling
        measured[size] = _seconds(case.prepare(size))
        if measured[size] > longest and doubling:
            break
    for _ in range(rounds - 1):
        for size in list(measured)[-_COMPARED:]:
            measured[size] = min(measured[size], _seconds(case.prepare(size)))
    return measured


def _seconds(call: Call) -> float:
    """Return the least CPU seconds of three runs, or of one that takes long; an error of ours is an answer."""
    least = float("inf")
    gc.collect()
    gc.disable()
    try:
        for _ in range(3):
            begin = process_time()
            _answer(call)
            least = min(least, process_time() - begin)
            if least > _LONGEST:
                break
    finally:
        gc.enable()
    return least


def _answer(call: Call) -> object:
    try:
        return call()
    except OlmsolveError as error:
        return error


# -- catalogs


def _bundle(package: str, version: str, *properties: Blob) -> Blob:
    own = {"type": "olm.package", "value": {"packageName": package, "version": version}}
    return {
        "schema": "olm.bundle",
        "package": package,
        "name": f"{package}.v{version}",
        "image": "i",
        "properties": [own, *properties],
    }


def _channel(package: str, name: str, entries: Iterable[Blob]) -> Blob:
    return {"schema": "olm.channel", "package": package, "name": name, "entries": list(entries)}


def _package(name: str, channel: str = "stable") -> Blob:
    return {"schema": "olm.package", "name": name, "defaultChannel": channel}


def _single(package: str, *properties: Blob) -> list[Blob]:
    """Return a package with one bundle, ``PACKAGE.v1.0.0``."""
    entry = {"name": f"{package}.v1.0.0"}
    return [_package(package), _channel(package, "stable", [entry]), _bundle(package, "1.0.0", *properties)]


def _chain(size: int, package: str = "p", **fields: Any) -> list[Blob]:
    """Return a package whose channel is a chain of *size* versions, each with the extra *fields* in its entry."""
    versions = [f"1.{number}.0" for number in range(size)]
    entries: list[Blob] = [{"name": f"{package}.v{version}"} | fields for version in versions]
    for older, entry in pairwise(entries):
        entry["replaces"] = older["name"]
    return [
        _package(package),
        _channel(package, "stable", entries),
        *(_bundle(package, version) for version in versions),
    ]


def _required(package: str, versions: str = ">=0.0.0") -> Blob:
    return {"type": "olm.package.required", "value": {"packageName": package, "versionRange": versions}}


def _needs(package: str, versions: str = ">=0.0.0") -> Blob:
    return {"package": {"packageName": package, "versionRange": versions}}


def _constraint(value: Blob) -> Blob:
    return {"type": "olm.constraint", "value": {"failureMessage": "because"} | value}


def _catalog(blobs: Iterable[Blob]) -> Catalog:
    catalog = fbc.from_blobs(blobs)
    index_of(catalog)
    return catalog


def _request(
    catalogs: Mapping[str, Catalog] | Catalog, packages: Iterable[str], installed: Iterable[str] = ()
) -> Request:
    """Return a request for *packages*; "p.v1.0.0" is installed for the subscription of package "p"."""
    if isinstance(catalogs, Catalog):
        catalogs = {"catalog": catalogs}
    sources = [Source(name, "olm", 0, catalog) for name, catalog in catalogs.items()]
    owned = {name.partition(".v")[0]: name for name in installed}
    return Request(
        ["ns", "olm"],
        sources,
        [Subscription(name, "ns", name, installed_csv=owned.get(name, "")) for name in packages],
        [Installed(name, name.partition(".v")[2], (), name.partition(".v")[0]) for name in owned.values()],
    )


def _failure(request: Request) -> Unsatisfiable:
    try:
        olmsolve.resolve(request)
    except Unsatisfiable as failure:
        return failure
    raise AssertionError("the request has a plan")


# -- cases, by what they double


def _of_text(text: Callable[[int], str]) -> Callable[[int], Call]:
    def prepare(size: int) -> Call:
        content = text(size)
        return lambda: fbc.load(io.StringIO(content))

    return prepare


def _of_standard_json(text: Callable[[int], str]) -> Callable[[int], Call]:
    def prepare(size: int) -> Call:
        content = text(size)
        return lambda: json.loads(content)

    return prepare


def _text(blobs: Iterable[Blob]) -> str:
    return "".join(json.dumps(blob) + "\n" for blob in blobs)


def _of_catalog(blobs: Callable[[int], list[Blob]], call: Callable[[Catalog], object]) -> Callable[[int], Call]:
    def prepare(size: int) -> Call:
        made = blobs(size)
        # A new catalog for each run: an index remembers what it worked out.
        return lambda: call(_catalog(made))

    return prepare


def _one_object(size: int) -> str:
    return json.dumps({"schema": "x"} | dict.fromkeys(_names(size), 1))


def _with_dependencies(catalog: Catalog) -> Catalog:
    return authoring.subset_catalog(catalog, ["p0"], dependencies=True)


def _many_channels(size: int) -> list[Blob]:
    channels = [_channel("p", f"c{number}", [{"name": "p.v1.0.0"}]) for number in range(size)]
    return [_package("p", "c0"), *channels, _bundle("p", "1.0.0")]


def _skips_of_all(size: int) -> list[Blob]:
    """Each entry skips all older ones: the text grows with the square, so a size is the number of skips."""
    count = int(size**0.5)
    names = [f"p.v1.{number}.0" for number in range(count)]
    entries = [{"name": name, "skips": names[:position]} for position, name in enumerate(names)]
    return [_package("p"), _channel("p", "stable", entries), *(_bundle("p", name[3:]) for name in names)]


def _cycle(size: int) -> list[Blob]:
    blobs = _chain(size)
    blobs[1]["entries"][0]["replaces"] = blobs[1]["entries"][-1]["name"]
    return blobs


def _independent(size: int, *properties: Blob) -> list[Blob]:
    return [blob for number in range(size) for blob in _single(f"p{number}", *properties)]


def _names(size: int) -> list[str]:
    return [f"p{number}" for number in range(size)]


def _dependency_chain(size: int) -> list[Blob]:
    every = [_single(f"p{number}", _required(f"p{number + 1}")) for number in range(size)]
    return [blob for blobs in (*every, _single(f"p{size}")) for blob in blobs]


def _members(kind: str, size: int) -> list[Blob]:
    constraint = _constraint({kind: {"constraints": [_needs(f"p{number}") for number in range(size)]}})
    provided = _independent(0 if kind == "not" else size)
    return [*_single("p", constraint), *provided]


def _resolving(blobs: Callable[[int], list[Blob]], packages: Callable[[int], Iterable[str]]) -> Callable[[int], Call]:
    def prepare(size: int) -> Call:
        made, names = blobs(size), list(packages(size))
        return lambda: olmsolve.resolve(_request(_catalog(made), names))

    return prepare


def _one(_: int) -> list[str]:
    return ["p"]


def _failing(call: Callable[[Unsatisfiable], object]) -> Callable[[int], Call]:
    def prepare(size: int) -> Call:
        catalog = _catalog(_independent(size, _required("nowhere")))
        return lambda: call(_failure(_request(catalog, _names(size))))

    return prepare


def _planned(call: Callable[[olmsolve.Resolution], object]) -> Callable[[int], Call]:
    """Subscriptions to chains of three versions; the first of each is installed."""

    def prepare(size: int) -> Call:
        catalog = _catalog([blob for name in _names(size) for blob in _chain(3, name)])
        request = _request(catalog, _names(size), [f"{name}.v1.0.0" for name in _names(size)])
        return lambda: call(_resolved(request))

    return prepare


def _resolved(request: Request) -> olmsolve.Resolution:
    plan = olmsolve.resolve(request)
    assert isinstance(plan, olmsolve.Resolution)
    return plan


def _over_catalogs(size: int) -> Call:
    """Ten subscriptions to packages in catalogs spread over all."""
    catalogs = {f"c{number}": _catalog(_single(f"p{number}")) for number in range(size)}
    wanted = _names(size)[:: max(1, size // 10)]
    return lambda: olmsolve.resolve(_request(catalogs, wanted))


def _rule(size: int) -> Call:
    """Return a rule that compares all properties with all: a size is the number of pairs."""
    properties = [{"type": "t", "value": {"n": number}} for number in range(int(size**0.5))]
    rule = compile_rule("properties.all(p, properties.exists(q, q.value.n == p.value.n && q.type == 't'))")
    return lambda: rule.evaluate(properties)


def _extensions(size: int) -> Call:
    catalog = _catalog([blob for name in _names(size) for blob in _chain(3, name)])
    catalogs = [v1.ClusterCatalog("catalog", catalog)]
    requests = [v1.ExtensionRequest(v1.Extension(name), catalogs, name=name) for name in _names(size)]
    return lambda: v1.plan(requests)


def _satisfiable(size: int) -> Call:
    request = _request(_catalog(_independent(size)), _names(size))
    return lambda: olmsolve.is_satisfiable(request)


def _compiled(size: int) -> Call:
    request = _request(_catalog([blob for name in _names(size) for blob in _chain(3, name)]), _names(size))
    return lambda: sum(map(len, olmsolve.compile(request).to_dimacs()))


def _verified(size: int) -> Call:
    request = _request(_catalog(_independent(size)), _names(size))
    certificate = olmsolve.certificate(_resolved(request))
    return lambda: olmsolve.verify(certificate, request)


def _verified_facts(size: int) -> Call:
    """A certificate that names every entry of a channel, and proves nothing."""
    request = _request(_catalog(_chain(size)), ["p"], ["p.v1.0.0"])
    members = [["olm/catalog", "p", "stable", f"p.v1.{number}.0"] for number in range(size)]
    facts = [{"onePer": "package", "name": "p", "members": [each, members[0]]} for each in members]
    certificate = olmsolve.certificate(_resolved(request))
    forged = {**certificate, "kind": "unsatisfiable", "facts": facts, "steps": []}
    return lambda: olmsolve.verify(forged, request)


def _audited(size: int) -> Call:
    source = Source("catalog", "olm", 0, _catalog(_dependency_chain(size)))
    return lambda: olmsolve.audit([source])


def _object(kind: str, namespace: str, name: str, spec: Blob) -> Blob:
    version = "operators.coreos.com/v1" if kind == "OperatorGroup" else "operators.coreos.com/v1alpha1"
    metadata = {"namespace": namespace, "name": name}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec}


def _situation(size: int) -> olmsolve.Situation:
    """Return a cluster of *size* namespaces, each with one subscription to a package of its own."""
    objects = [_object("CatalogSource", "olm", "catalog", {"sourceType": "grpc", "image": "i"})]
    for name in _names(size):
        spec = {"name": name, "channel": "stable", "source": "catalog", "sourceNamespace": "olm"}
        objects.append(_object("OperatorGroup", name, "group", {"targetNamespaces": [name]}))
        objects.append(_object("Subscription", name, name, spec))
    return olmsolve.read_situation(*objects, catalogs={"olm/catalog": _catalog(_independent(size))})


def _of_situation(call: Callable[[olmsolve.Situation], object]) -> Callable[[int], Call]:
    def prepare(size: int) -> Call:
        situation = _situation(size)
        return lambda: call(situation)

    return prepare


def _diffs(size: int) -> Call:
    catalog = _catalog(_independent(size))
    one, other = _request(catalog, _names(size)), _request(catalog, _names(size)[: size // 2])
    return lambda: olmsolve.diff(one, other)


def _or_parts(size: int, joined: str) -> str:
    return " || ".join(f">={number}.0.0{joined}<{number}.5.0" for number in range(size))


def _versions(size: int) -> list[str]:
    versions = [f"{n % 7}.{n % 11}.{n}-rc.{n % 3}" for n in range(size)]
    random.Random(1).shuffle(versions)
    return versions


def _shuffled(size: int) -> Call:
    versions = _versions(size)
    return lambda: sorted(map(Version.parse, versions))


def _shuffled_tuples(size: int) -> Call:
    versions = _versions(size)
    return lambda: sorted([(*map(int, text.partition("-")[0].split(".")), text) for text in versions])


CASES: Final = (
    Case("load: bundles of a chain", 250, _of_text(lambda size: _text(_chain(size)))),
    Case("load: keys of one object", 20_000, _of_text(_one_object)),
    Case("Python: json.loads of that object", 20_000, _of_standard_json(_one_object)),
    Case("load: objects on one line", 625, _of_text(lambda n: " ".join(map(json.dumps, _independent(n // 3))))),
    Case("load: YAML documents", 37, _of_text(lambda n: "".join(f"---\nschema: x\nname: n{i}\n" for i in range(n)))),
    Case("index: channels", 250, _of_catalog(_many_channels, index_of)),
    Case("index: entries of a chain", 250, _of_catalog(_chain, index_of)),
    Case("index: skips, of all by all", 5000, _of_catalog(_skips_of_all, index_of)),
    Case("validate: channels", 125, _of_catalog(_many_channels, olmsolve.validate)),
    Case("validate: entries of a chain", 125, _of_catalog(_chain, olmsolve.validate)),
    Case("validate: entries of a cycle", 125, _of_catalog(_cycle, olmsolve.validate)),
    Case("validate: skips, of all by all", 2500, _of_catalog(_skips_of_all, olmsolve.validate)),
    Case("lint: packages that need each other", 62, _of_catalog(_dependency_chain, olmsolve.lint)),
    Case("lint: entries with a skipRange", 62, _of_catalog(lambda n: _chain(n, skipRange="<2.0.0"), olmsolve.lint)),
    Case("resolve: subscriptions", 62, _resolving(_independent, _names)),
    Case("resolve: catalogs", 25, _over_catalogs),
    Case("resolve: length of a chain of requirements", 62, _resolving(_dependency_chain, lambda _: ["p0"])),
    Case("resolve: members of all", 37, _resolving(lambda n: _members("all", n), _one)),
    Case("resolve: members of any", 37, _resolving(lambda n: _members("any", n), _one)),
    Case("resolve: members of not", 37, _resolving(lambda n: _members("not", n), _one)),
    Case("resolve: entries of a chain", 250, _resolving(_chain, _one)),
    Case("is_satisfiable: subscriptions", 62, _satisfiable),
    Case("compile: subscriptions", 37, _compiled),
    Case("explanation: independent failures", 6, _failing(lambda failure: olmsolve.explanation(failure, fixes=0))),
    Case("explanation: with ways out", 5, _failing(olmsolve.explanation)),
    Case("certificate: independent failures", 6, _failing(lambda failure: olmsolve.certificate(failure))),
    Case("certificate: subscriptions", 12, _planned(olmsolve.certificate)),
    Case("verify: subscriptions", 12, _verified),
    Case("verify: facts about a channel", 62, _verified_facts),
    Case("why: subscriptions", 25, _planned(lambda plan: olmsolve.why(plan, "p0.v1.1.0"))),
    Case("why_not: subscriptions", 25, _planned(lambda plan: olmsolve.why_not(plan, "p0", version="1.2.0"))),
    Case("held_back: subscriptions", 25, _planned(olmsolve.held_back)),
    Case("diff: subscriptions", 37, _diffs),
    Case("v1.plan: extensions", 12, _extensions),
    Case("audit: packages that need each other", 6, _audited),
    Case("subset: packages with dependencies", 300, _of_catalog(_dependency_chain, _with_dependencies)),
    Case("merge: packages", 37, _of_catalog(_independent, lambda c: authoring.merge_catalogs(c, c))),
    Case("read_situation: namespaces", 12, lambda n: lambda: _situation(n)),
    Case("plan: namespaces", 6, _of_situation(olmsolve.plan)),
    Case("simulate: namespaces", 5, _of_situation(olmsolve.simulate)),
    Case("graph as mermaid: entries", 62, _of_catalog(_chain, lambda c: update_graph_mermaid(c))),
    Case("graph as DOT: skips, of all by all", 1250, _of_catalog(_skips_of_all, lambda c: update_graph_dot(c))),
    Case("graph as HTML: entries", 62, _of_catalog(_chain, update_graph_html)),
    Case("cel: pairs of properties", 1250, _rule),
    Case("blang range: || parts", 125, lambda n: lambda: BlangRange.parse(_or_parts(n, " "))),
    Case("versions sorted", 1250, _shuffled),
    Case("Python: tuples of numbers and texts sorted", 1250, _shuffled_tuples),
)
