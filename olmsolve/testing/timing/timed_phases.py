"""Requests to time, as catalogs suggest them, and the phases of resolution as calls, apart from their preparation.

A catalog suggests a request for each package, for each channel, or for each update. A benchmark of one's own times the
phases too, for example with pytest-benchmark::

    for phase in phases(requests_over([Source("mine", "olm", 0, catalog)])):
        benchmark.pedantic(lambda call: call(), setup=lambda: ((phase.prepared(),), {}), rounds=5)
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, TypeAlias

import olmsolve._attrs as attrs
from olmsolve import classic, v1
from olmsolve._limits import checked
from olmsolve.answers.explain import explanation
from olmsolve.catalog import Catalog, Package, Source
from olmsolve.catalog.index import index_of
from olmsolve.catalog.update_graph import bundle_version
from olmsolve.classic import Installed, Request, Semantics, Subscription
from olmsolve.errors import CatalogError
from olmsolve.resolution import Resolution, ResolutionFailure
from olmsolve.solver.backends import DEFAULT
from olmsolve.v1 import ExtensionRequest

TimedRequest: TypeAlias = Request | ExtensionRequest

_TARGET: Final = "target"


class RequestSubject(enum.Enum):
    """The subject of each request: a *package* from its default channel, a *channel*, or an *update*.

    A request for an update has one installed operator, a bundle below the head of its channel, with its subscription.
    """

    PACKAGE = "package"
    CHANNEL = "channel"
    UPDATE = "update"


def requests_over(
    sources: Sequence[Source], every: RequestSubject | str = RequestSubject.PACKAGE
) -> dict[str, Request]:
    """Return a classic request for *every* package, channel or update of the catalogs *sources*, by its name.

    All catalogs are visible to each request, which names the one that it is about.
    """
    every = RequestSubject(every)
    namespaces = (_TARGET, *dict.fromkeys(source.namespace for source in sources))
    requests: dict[str, Request] = {}
    for source in sources:
        for package in checked(source.catalog, every=16):
            for name, subscription, installed in _wishes(source, package, every):
                key = name if name not in requests else f"{name} ({source.key})"
                requests[key] = Request(namespaces, sources, [subscription], installed, name=key)
    return requests


def _wishes(
    source: Source, package: Package, every: RequestSubject
) -> Iterator[tuple[str, Subscription, Iterable[Installed]]]:
    def subscription(channel: str) -> Subscription:
        return Subscription("wish", _TARGET, package.name, channel, source.name, source.namespace)

    if every is RequestSubject.PACKAGE:
        yield package.name, subscription(package.default_channel), ()
        return
    for channel in package.channels.values():
        if every is RequestSubject.CHANNEL:
            yield f"{package.name}/{channel.name}", subscription(channel.name), ()
            continue
        replaced = {entry.replaces for entry in channel.entries} | {
            skipped for entry in channel.entries for skipped in entry.skips
        }
        for entry in channel.entries:
            bundle = package.bundles.get(entry.name)
            if bundle is None or entry.name not in replaced:
                continue
            version = str(bundle_version(package, bundle.name, source.catalog.scheme) or "")
            operator = Installed(bundle.name, version, bundle.properties, "wish")
            yield f"{package.name}/{channel.name} from {bundle.name}", subscription(channel.name), (operator,)


Calls: TypeAlias = dict[str, Callable[[], object]]

FIRST: Final = "first"
REPEATED: Final = "repeated"


@attrs.frozen
class TimedPhase:
    """A phase by *name*, for one *backend* ("" where none is asked); *prepare* makes its calls, by request."""

    name: str
    backend: str
    prepare: Callable[[], Calls]

    def prepared(self) -> Callable[[], None]:
        """Return one call that makes all calls of the phase, after all preparation."""
        calls = list(self.prepare().values())

        def run() -> None:
            for call in calls:
                call()

        return run


def phases(
    requests: Mapping[str, TimedRequest],
    *,
    backends: Iterable[str] = (DEFAULT,),
    semantics: Semantics = Semantics.DOCUMENTED,
) -> tuple[TimedPhase, ...]:
    """Return the phases of answering *requests*, in order.

    - ``index``: index each catalog, from its loaded form;
    - ``first``: answer each request once over a new index, so that nothing is remembered from others but earlier ones;
    - ``repeated``: answer each request when it has been answered before;
    - ``verdict``, ``core`` and ``explanation`` of the requests without a plan: that there is none
      (:func:`olmsolve.is_satisfiable`), the reasons (:func:`olmsolve.resolve`), and what would help
      (:func:`olmsolve.explanation`).
    """
    phases_found = [TimedPhase("index", "", lambda: _indexing(requests))]
    for backend in backends:
        answers = _Answers(requests, backend, semantics)
        phases_found += [
            TimedPhase(FIRST, backend, answers.first),
            TimedPhase(REPEATED, backend, answers.repeated),
            TimedPhase("verdict", backend, answers.verdict),
            TimedPhase("core", backend, answers.core),
            TimedPhase("explanation", backend, answers.explanation),
        ]
    return tuple(phases_found)


class _Answers:
    """The calls that answer *requests* with one *backend*. The failures among the answers are kept, to be explained."""

    def __init__(self, requests: Mapping[str, TimedRequest], backend: str, semantics: Semantics) -> None:
        self._requests = requests
        self._backend = backend
        self._semantics = semantics
        self._failures: dict[str, ResolutionFailure] | None = None

    def first(self) -> Calls:
        copies = over_new_indexes(self._requests)
        return {name: self._answering(request) for name, request in copies.items()}

    def repeated(self) -> Calls:
        calls = {name: self._answering(request) for name, request in self._requests.items()}
        for call in calls.values():
            call()
        return calls

    def verdict(self) -> Calls:
        return {name: self._judging(self._requests[name]) for name in self._failing()}

    def core(self) -> Calls:
        return {name: self._answering(self._requests[name]) for name in self._failing()}

    def explanation(self) -> Calls:
        return {name: partial(explanation, failure) for name, failure in self._failing().items()}

    def _failing(self) -> dict[str, ResolutionFailure]:
        if self._failures is None:
            answers = {name: self._answering(request)() for name, request in self._requests.items()}
            self._failures = {name: answer for name, answer in answers.items() if isinstance(answer, ResolutionFailure)}
        return self._failures

    def _judging(self, request: TimedRequest) -> Callable[[], object]:
        if isinstance(request, Request):
            return partial(classic.is_satisfiable, request, backend=self._backend, semantics=self._semantics)
        return self._answering(request)

    def _answering(self, request: TimedRequest) -> Callable[[], object]:
        return partial(answer_of, request, self._backend, self._semantics)


def answer_of(
    request: TimedRequest, backend: str, semantics: Semantics
) -> Resolution | v1.ExtensionResolution | ResolutionFailure | CatalogError:
    """Return the answer to *request*: what resolves it, or the failure that :func:`olmsolve.resolve` raises."""
    try:
        if isinstance(request, Request):
            return classic.resolve(request, backend=backend, semantics=semantics)
        return v1.resolve(request)
    except (ResolutionFailure, CatalogError) as failure:
        return failure


def over_new_indexes(requests: Mapping[str, TimedRequest]) -> dict[str, TimedRequest]:
    """Return *requests* over copies of their catalogs that are indexed anew, and know no answer yet."""
    copies: dict[int, Catalog] = {}
    for catalog in catalogs_of(requests.values()):
        copies[id(catalog)] = attrs.evolve(catalog)
        index_of(copies[id(catalog)])
    made: dict[str, TimedRequest] = {}
    sources: dict[tuple[int, ...], tuple[Source, ...]] = {}
    for name, request in requests.items():
        if isinstance(request, Request):
            # Requests share their sources, and their copies do: else each request would have views of its own.
            key = tuple(id(source) for source in request.sources)
            if key not in sources:
                sources[key] = tuple(
                    attrs.evolve(listed_source, catalog=copies[id(listed_source.catalog)])
                    for listed_source in request.sources
                )
            made[name] = attrs.evolve(request, sources=sources[key])
        else:
            catalogs = [
                listed_catalog
                if listed_catalog.catalog is None
                else attrs.evolve(listed_catalog, catalog=copies[id(listed_catalog.catalog)])
                for listed_catalog in request.catalogs
            ]
            made[name] = attrs.evolve(request, catalogs=catalogs)
    return made


def catalogs_of(requests: Iterable[TimedRequest]) -> list[Catalog]:
    """Return the catalogs of *requests*, each once."""
    catalogs: dict[int, Catalog] = {}
    for request in requests:
        holders = request.sources if isinstance(request, Request) else request.catalogs
        catalogs.update((id(holder.catalog), holder.catalog) for holder in holders if holder.catalog is not None)
    return list(catalogs.values())


def _indexing(requests: Mapping[str, TimedRequest]) -> Calls:
    copies = [attrs.evolve(catalog) for catalog in catalogs_of(requests.values())]
    return {f"catalog {number}": partial(index_of, copy) for number, copy in enumerate(copies)}
