"""The table of wings: what each is for, and which others it may import.

docs/architecture.md shows it as a picture and as a table; ``python -m tests.architecture`` draws both anew.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from olmsolve import _public


class Wing(NamedTuple):
    """A wing of the package: its *purpose* in one line, and the wings that it *may_import*."""

    purpose: str
    may_import: frozenset[str] = frozenset()


def _wing(purpose: str, *may_import: str) -> Wing:
    return Wing(purpose, frozenset(may_import))


GROUND: Final = (
    "errors",
    "events",
    "_arguments",
    "_attrs",
    "_attrs_fields",
    "_attrs_introspection",
    "_attrs_methods",
    "_named_tuples",
    "_collector",
    "_lazy",
    "_limits",
    "_near_names",
    "_paths",
    "_patterns",
    "_public",
    "_reader",
    "_record_reading",
    "_records",
    "_version",
    "_waiting",
    "_whole_files",
)
"""Modules that every wing may import."""

WINGS: Final[dict[str, Wing]] = {
    "semver": _wing("versions, and the two grammars of version ranges"),
    "cel": _wing("CEL rules: parsed, checked, evaluated on the properties of a bundle", "semver"),
    "predicates": _wing("what bundles say: properties, and the requirements that they state", "cel", "semver"),
    "catalog": _wing("catalogs: their model, file-based catalogs, update graphs, the index", "predicates", "semver"),
    "fbc": _wing("the short public name of file-based catalogs (`catalog.fbc`)", "catalog"),
    "solver": _wing("Boolean problems with preferences, and nothing of OLM: search, cores, backends"),
    "fields": _wing("typed access to the fields of documents and manifests", "predicates"),
    "eligibility": _wing("system constraints, which both resolvers take", "predicates"),
    "resolution": _wing("plans, and why there is none: what both resolvers return", "predicates", "catalog"),
    "classic": _wing(
        "OLM classic: subscriptions become a problem, its solution a plan, its core reasons",
        "catalog",
        "eligibility",
        "predicates",
        "resolution",
        "semver",
        "solver",
    ),
    "v1": _wing(
        "OLM v1: one cluster extension at a time",
        "catalog",
        "eligibility",
        "predicates",
        "resolution",
        "semver",
        "solver",
    ),
    "cluster": _wing(
        "the objects of a cluster, and OLM's rules around resolution",
        "catalog",
        "cel",
        "eligibility",
        "fields",
        "predicates",
        "semver",
        "v1",
    ),
    "requests": _wing(
        "every way in: documents and the objects of clusters become requests",
        "catalog",
        "classic",
        "cluster",
        "eligibility",
        "fields",
        "predicates",
        "semver",
        "v1",
    ),
    "answers": _wing(
        "answers beyond a plan: explanations, questions, certificates, audits",
        "catalog",
        "cel",
        "classic",
        "eligibility",
        "predicates",
        "resolution",
        "semver",
        "solver",
        "v1",
    ),
    "authoring": _wing(
        "work on catalogs: checks, composing, templates", "catalog", "cel", "cluster", "predicates", "semver", "v1"
    ),
    "serving": _wing(
        "a catalog served: the registry API of opm, the HTTP API of catalogd", "catalog", "predicates", "semver"
    ),
    "lifecycle": _wing(
        "what OLM would do next: install plans, simulation until a cluster is at rest, metrics",
        "answers",
        "catalog",
        "classic",
        "cluster",
        "eligibility",
        "predicates",
        "requests",
        "resolution",
        "semver",
        "solver",
        "v1",
    ),
    "render": _wing(
        "sentences, tables, pictures and pages made of answers",
        "answers",
        "authoring",
        "catalog",
        "classic",
        "cluster",
        "lifecycle",
        "requests",
        "resolution",
        "semver",
        "solver",
        "v1",
    ),
    "testing": _wing(
        "for tests of others: strategies, builders, laws of answers, and a brute-force reference",
        "answers",
        "authoring",
        "catalog",
        "cel",
        "classic",
        "predicates",
        "render",
        "requests",
        "resolution",
        "semver",
        "solver",
        "v1",
    ),
}
"""Every wing in reading order: each imports only what stands before it."""

FACADE: Final = ("__init__", "_catalog_store", "_questions", "_resolver", "_verbs")
"""The public face; it may import all wings."""

TOP: Final = ("cli", "__main__")
"""The command line, which stands on everything but `testing`; nothing stands on it."""

FOR_TESTS: Final[dict[str, str]] = {
    "olmsolve.cli.commands.bench": "the command of the kit's benchmarks, which need no extra",
    "olmsolve.cli.commands.fuzz": "the command of the kit's fuzzer, which needs no extra",
}
"""Modules of the command line that import `testing`, each for a reason."""

PUBLIC_DOORS: Final = tuple(_public.PUBLIC)
"""The modules that programs may import, the facade first; everything else is private by its place."""

PUBLIC: Final = tuple(sorted({door.split(".")[1] for door in PUBLIC_DOORS[1:]} & WINGS.keys()))
"""The wings with a public door."""

PUBLIC_MODULES: Final[dict[str, str]] = {
    "olmsolve.eligibility": "system constraints, which embedders write",
    "olmsolve.errors": "the error tree, drawn in its docstring",
    "olmsolve.events": "what an observer is told",
}
"""Public modules that are no doors, each for a reason."""

PAST_THE_DOOR: Final[dict[str, str]] = {
    "olmsolve.lifecycle.metrics.exposition": "needs an extra",
    "olmsolve.solver.backends.pysat": "one certificate in a hundred needs it, and it loads a SAT solver",
    "olmsolve.solver.deciding.engine": "loaded when the first problem needs it",
    "olmsolve.solver.deciding.core_oracle": "loaded when the first problem needs it",
}
"""Modules that other rooms import past the door, each for a reason."""
