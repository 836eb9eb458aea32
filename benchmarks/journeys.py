"""Journeys to a later OpenShift: how many generated clusters get there, what stops the others, and how long it takes.

Over recorded catalogs of four versions where they are at hand; and one cluster with 60 operators over three versions of
a large catalog.
"""

from __future__ import annotations

import gc
import json
import random
import tempfile
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.catalogs import COMMUNITY, generated_file
from benchmarks.measuring import shared, table
from olmsolve import Catalog, Installed, Journey, Situation, Source, Subscription, journey, load, read_situation
from olmsolve.catalog import blobs
from olmsolve.catalog.update_graph import channel_order
from olmsolve.lifecycle.journey import JourneyPlanner, stages_between
from olmsolve.lifecycle.journey.stages import BundlePool
from olmsolve.predicates import published
from olmsolve.solver.backends import DEFAULT
from olmsolve.testing import FleetShape, fleet
from olmsolve.testing.fleets import (
    catalog_source,
    cluster_service_version,
    next_version,
    operator_group,
    subscription_object,
)

__all__ = ["run"]

_KEY: Final = "olm/main"
_VERSIONS: Final = ("4.12", "4.16", "4.20", "4.22")
_SHAPE: Final = {"namespaces": 3, "subscriptions": 3, "lag": 4, "manual": 0.2, "failed": 0.02, "ungrouped": 0.02}


def run(*, quick: bool = False) -> None:
    """Plan the journeys of 200 clusters (*quick*: 10) where there are recorded catalogs, then of the large one."""
    folder = shared()
    if folder is not None:
        _recorded(folder / "catalogs", 10 if quick else 200)
        print()
    _large(10 if quick else 60)
    print()
    _memory()


def _recorded(folder: Path, count: int) -> None:
    catalogs = {version: load(folder / f"fbc-v{version}.jsonl.gz") for version in _VERSIONS}
    first, *later = _VERSIONS
    given = {version: {_KEY: catalogs[version]} for version in later}
    stages = stages_between(first, _VERSIONS[-1], {_KEY: catalogs[first]}, given, load, eus=False)
    planner = JourneyPlanner(stages, most=3000, backend=DEFAULT)
    times: list[float] = []
    found: list[Journey] = []
    shape = FleetShape(clusters=count, templates=count, **_SHAPE)  # type: ignore[arg-type]  # whole numbers and shares
    for each in fleet(catalogs[first], shape, seed=1):
        situation = read_situation(*each.sources, catalogs={_KEY: catalogs[first]})
        assert situation.cluster is not None
        started = time.process_time()
        found.append(planner.journey(situation.cluster))
        times.append(time.process_time() - started)
    print(f"{count} clusters from {first} to {_VERSIONS[-1]}, by their recorded catalogs:")
    reached = [each for each in found if each.is_reached]
    freed = [each for each in found if each.ways]
    rows = [
        ("get there", len(reached)),
        ("get there with changes by hand", sum(each.changes > 0 for each in reached)),
        ("freed by ways out that were tried", len(freed)),
        ("not decided", sum(bool(each.undecided) for each in found)),
    ]
    rows += [(f"end at {version}", count) for version, count in sorted(_ends(found).items())]
    table(("clusters", "count"), [(name, str(count)) for name, count in rows])
    print()
    stops = Counter(stop for each in found for stop in set(_stops(each)))
    table(("what stops them", "clusters"), [(stop, str(count)) for stop, count in stops.most_common()])
    ordered = sorted(times)
    print(f"CPU seconds: median {ordered[count // 2]:.2f}, most {ordered[-1]:.2f}, all {sum(times):.1f};", end=" ")
    print(f"{sum(each.simulated for each in found):,} states simulated")


def _ends(found: list[Journey]) -> Counter[str]:
    return Counter(each.furthest for each in found if not each.is_reached)


def _stops(found: Journey) -> Iterator[str]:
    for conflict in found.conflicts:
        for reason in conflict.reasons:
            yield f"{reason.rule.value} at {reason.version}: {reason.package or reason.subject}"


def _large(operators: int) -> None:
    """Measure one cluster with so many operators in six namespaces, over three versions of a catalog."""
    with tempfile.TemporaryDirectory() as folder:
        now = load(generated_file(COMMUNITY, Path(folder)))
    later = {f"4.{19 + number}": {_KEY: next_version(now, 100, seed=number)} for number in (1, 2)}
    started = time.process_time()
    found = journey(_cluster(now, operators), openshift="4.19", to="4.21", catalogs=later)
    seconds = time.process_time() - started
    bundles = sum(len(package.bundles) for package in now)
    print(f"one cluster with {operators} operators, over three versions of a catalog with {bundles:,} bundles:")
    what = "gets there" if found.is_reached else f"ends at {found.furthest}"
    print(f"it {what}; changes by hand: {found.changes}, updates: {found.updates}, conflicts: {len(found.conflicts)}")
    print(f"CPU seconds: {seconds:.2f}, {found.simulated} states simulated")
    for stop, count in Counter(_stops(found)).most_common():
        print(f"  {stop} ({count})")


def _memory() -> None:
    """Measure what three versions of a large catalog hold, each by itself and with what is equal held once."""
    with tempfile.TemporaryDirectory() as folder:
        files = [generated_file(COMMUNITY, Path(folder))]
        for number in (1, 2):
            files.append(Path(folder) / f"later-{number}.json")
            newer = next_version(load(files[0]), 100, seed=number)
            files[-1].write_text("\n".join(map(json.dumps, blobs(newer))), "utf-8")
        apart, shared_ones = _held(files, load), _held(files, _shared_by(BundlePool()))
    rows = [(str(n), f"{a:.1f}", f"{b:.1f}") for n, a, b in zip((1, 2, 3), apart, shared_ones, strict=True)]
    table(("versions of the catalog", "MB apart", "MB shared"), rows)


def _shared_by(pool: BundlePool) -> Callable[[Path], Catalog]:
    return lambda path: pool.pooled(load(path))


def _held(files: Sequence[Path], loaded: Callable[[Path], Catalog]) -> list[float]:
    """Return how many MB are held once each of *files* is there beside those before it."""
    tracemalloc.start()
    held: list[Catalog] = []
    sizes: list[float] = []
    for path in files:
        held.append(loaded(path))
        gc.collect()
        sizes.append(tracemalloc.get_traced_memory()[0] / 1e6)
    tracemalloc.stop()
    return sizes


def _cluster(catalog: Catalog, operators: int) -> Situation:
    draw = random.Random("journey")
    packages = [each for each in catalog if (each.channels.get(each.default_channel)) is not None]
    objects: list[Any] = [catalog_source(Source("main", "olm", 0, catalog))]
    objects += [operator_group("group", f"team-{number}", [f"team-{number}"]) for number in range(6)]
    for number, package in enumerate(draw.sample(packages, operators)):
        namespace = f"team-{number % 6}"
        chain = channel_order(package.channels[package.default_channel].entries).chain
        name = next((each for each in chain[1:] if each in package.bundles), "") or (chain[0] if chain else "")
        bundle = package.bundles.get(name)
        if bundle is None:
            continue
        wish = Subscription(
            name=package.name,
            namespace=namespace,
            package=package.name,
            channel=package.default_channel,
            source="main",
            source_namespace="olm",
            installed_csv=name,
        )
        version = published(package.name, bundle.properties).version
        objects.append(subscription_object(wish, namespace))
        installed = Installed(name, "" if version is None else str(version), bundle.properties, package.name)
        objects.append(cluster_service_version(installed, namespace))
    return read_situation({"apiVersion": "v1", "kind": "List", "items": objects}, catalogs={_KEY: catalog})
