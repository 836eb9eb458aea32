"""The phases of resolution as calls: what is timed, apart from what it needs before.

A benchmark of one's own times them too, for example with pytest-benchmark::

    for phase in phases(requests_over([Source("mine", "olm", 0, catalog)])):
        benchmark.pedantic(lambda call: call(), setup=lambda: ((phase.prepared(),), {}), rounds=5)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Final, TypeAlias

import olmsolve._attrs as attrs
from olmsolve import classic, v1
from olmsolve.answers.explain import explanation
from olmsolve.catalog import Catalog, Source
from olmsolve.catalog.index import index_of
from olmsolve.classic import Request, Semantics
from olmsolve.errors import CatalogError
from olmsolve.resolution import Resolution, ResolutionFailure
from olmsolve.solver.backends import DEFAULT
from olmsolve.testing.timing.questions import TimedRequest

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
    """The calls that answer *requests* with one *backend*; which of them fail is found once."""

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
