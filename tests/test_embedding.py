"""olmsolve inside other people's programs: threads, processes, pickles, budgets and cancellation."""

from __future__ import annotations

import hashlib
import json
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from olmsolve import (
    BackendError,
    Catalog,
    CatalogError,
    Incomplete,
    Property,
    Request,
    RequestError,
    Resolution,
    Resolver,
    Semantics,
    Source,
    Subscription,
    Unsatisfiable,
    explanation,
    read_request,
    resolve,
)
from olmsolve.catalog import Bundle, Channel, ChannelEntry, Package
from olmsolve.catalog.index import index_of
from olmsolve.solver import (
    Budget,
    Constraint,
    Core,
    Dependency,
    Exclusive,
    Identifier,
    Solution,
    Variables,
    solve,
)
from tests.recorded import VENDORED, Record, our_answer, records, request_of
from tests.scale import LONG


def test_a_resolver_answers_and_explains_over_one_view() -> None:
    """Requests, their verdicts and their explanations share what the resolver keeps."""
    request = read_request(Path("olmsolve/examples/unsatisfiable.yaml"))
    resolver = Resolver(request.sources)
    options: dict[str, Any] = {"namespaces": request.namespaces, "installed": request.installed}
    with pytest.raises(Unsatisfiable) as raised:
        resolver.resolve(request.subscriptions, **options)
    assert not resolver.is_satisfiable(request.subscriptions, **options)
    explained = resolver.explanation(request.subscriptions, **options)
    assert explained.to_dict() == explanation(raised.value).to_dict()
    assert explained.fixes
    context = raised.value.context
    assert context is not None
    assert context.visible is resolver._views.seen_from(tuple(request.namespaces))
    nothing = resolver.explanation([], namespaces=request.namespaces)
    assert not nothing.conflicts


def test_requests_and_catalogs_can_be_pickled() -> None:
    """Work is sent to other processes as it is, and means the same there."""
    for record in records(VENDORED / "classic_random.jsonl.gz")[::100]:
        request = request_of(record)
        before = our_answer(request)
        copy: Request = pickle.loads(pickle.dumps(request))  # noqa: S301 - our own bytes
        assert copy == request
        assert our_answer(copy) == before


def test_outcomes_can_be_pickled() -> None:
    """Plans and failures come back from other processes."""
    for record in records(VENDORED / "classic_random.jsonl.gz")[::100]:
        try:
            plan = resolve(request_of(record))
            assert pickle.loads(pickle.dumps(plan)) == plan  # noqa: S301 - our own bytes
        except Unsatisfiable as failure:
            copy = pickle.loads(pickle.dumps(failure))  # noqa: S301 - our own bytes
            assert (copy.core, str(copy)) == (failure.core, str(failure))  # noqa: PT017 - most have plans


def test_threads_share_catalogs_and_resolvers() -> None:
    """One catalog has one index, whoever asks first, and threads do not disturb each other's answers."""
    sample = records(VENDORED / "classic_random.jsonl.gz")[:40]
    requests = [request_of(record) for record in sample]
    expected = [our_answer(request) for request in requests]
    shared_requests = [request_of(record) for record in sample]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(our_answer, shared_requests * 8))
    assert answers == expected * 8
    indexes: set[int] = set()
    catalog = request_of(sample[0]).sources[0].catalog
    with ThreadPoolExecutor(8) as pool:
        indexes.update(id(index) for index in pool.map(index_of, [catalog] * 64))
    assert len(indexes) == 1


def test_resolver_answers_as_resolve_does() -> None:
    """A resolver only remembers; it may not remember the wrong thing from one request to the next."""
    for record in records(VENDORED / "classic_random.jsonl.gz")[:60:3]:
        request = request_of(record)
        resolver = Resolver(request.sources)
        for subscriptions in (request.subscriptions[:1], request.subscriptions, request.subscriptions[:1]):
            names = {subscription.name for subscription in subscriptions}
            installed = [o for o in request.installed if o.subscription is None or o.subscription in names]
            single = Request(request.namespaces, request.sources, subscriptions, installed)
            alone = partial(resolve, single)
            kept = partial(resolver.resolve, subscriptions, namespaces=request.namespaces, installed=installed)
            assert _outcome(alone) == _outcome(kept)


def _outcome(ask: Callable[[], Resolution]) -> object:
    try:
        return ask()
    except Unsatisfiable as failure:
        return failure.core


_DIGEST = """
import json, sys
sys.path.insert(0, sys.argv[1])
from tests.test_embedding import digest
print(digest(json.load(sys.stdin)))
"""


def digest(sample: Sequence[Record]) -> str:
    """Return a fingerprint of plans and cores, in words, over the recorded requests *sample*."""
    fingerprint = hashlib.sha256()
    for request in map(request_of, sample):
        for semantics in Semantics:
            try:
                text = str(resolve(request, semantics=semantics).to_dict())
            except Unsatisfiable as failure:
                text = str(failure)
            fingerprint.update(text.encode())
    return fingerprint.hexdigest()


@pytest.mark.parametrize(("seed", "first"), [("0", 0), ("4242", 24)], ids=["0", "4242"])
def test_hash_seed_changes_nothing(seed: str, first: int) -> None:
    """Strings hash differently in every process; answers may not. In the short run the seeds share the requests."""
    sample = records(VENDORED / "classic_random.jsonl.gz")[first :: 12 if LONG else 72]
    run = subprocess.run(
        [sys.executable, "-c", _DIGEST, str(Path(__file__).parents[1])],
        env={"PYTHONHASHSEED": seed, "PATH": ""},
        input=json.dumps(sample),
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.strip() == digest(sample)


def _pigeons(holes: int) -> Variables:
    """One more pigeon than holes: unsatisfiable, and hard for every clause-learning solver."""
    groups: dict[Identifier, list[Constraint]] = {
        f"{pigeon} in {hole}": [Exclusive(f"{pigeon} in {hole}", (f"hole {hole}",))]
        for pigeon in range(holes + 1)
        for hole in range(holes)
    }
    roots: dict[Identifier, list[Constraint]] = {
        f"pigeon {pigeon}": [Dependency(None, tuple(f"{pigeon} in {hole}" for hole in range(holes)))]
        for pigeon in range(holes + 1)
    }
    return Variables({**roots, **groups})


@pytest.mark.parametrize("backend", ["deciding", "minisat22", "cadical153", "glucose4", "python"])
def test_time_limit_ends_the_work(backend: str) -> None:
    """A hard problem ends with Incomplete soon after its time, even on solvers that cannot be interrupted."""
    started = time.monotonic()
    with pytest.raises(Incomplete, match="time budget"):
        solve(_pigeons(14), backend=backend, budget=Budget(timeout=0.1))
    assert time.monotonic() - started < 20


def test_conflict_limit_ends_the_work() -> None:
    """The same limit gives the same end on a slow and on a fast machine."""
    with pytest.raises(Incomplete, match="conflict budget"):
        solve(_pigeons(12), budget=Budget(conflicts=500))


def test_another_thread_cancels() -> None:
    """A dashboard whose user has left does not go on computing."""
    cancel = threading.Event()
    timer = threading.Timer(0.2, cancel.set)
    timer.start()
    with pytest.raises(Incomplete, match="cancelled"):
        solve(_pigeons(14), budget=Budget(cancel=cancel))
    timer.join()


def test_small_pigeons_are_solved() -> None:
    """The limit is what ends the hard ones, not a wrong answer."""
    answer = solve(_pigeons(4), budget=Budget(timeout=60))
    assert isinstance(answer, Core)
    assert len(answer.constraints) == 9
    assert isinstance(solve(Variables({"a": [Dependency(None, ("b",))], "b": []})), Solution)


def test_backend_without_limits_is_refused() -> None:
    """Lingeling cannot be stopped, so promising a time limit with it would be a lie."""
    with pytest.raises(BackendError, match="lingeling"):
        solve(_pigeons(3), backend="lingeling", budget=Budget(timeout=1))
    assert isinstance(solve(_pigeons(3), backend="lingeling"), Core)


def test_unknown_names_are_refused() -> None:
    """A typing error in a name says what there is."""
    request = _tiny_request()
    with pytest.raises(BackendError, match="minisat22"):
        resolve(request, backend="minisat")
    with pytest.raises(RequestError, match="documented or controller"):
        resolve(request, semantics="upstream")  # type: ignore[arg-type]


def _tiny_request() -> Request:
    identity = Property("olm.package", {"packageName": "etcd", "version": "1.0.0"})
    bundle = Bundle("etcd", "etcd.v1.0.0", (identity,))
    channel = Channel("etcd", "stable", (ChannelEntry("etcd.v1.0.0"),))
    package = Package("etcd", "stable", {"stable": channel}, {"etcd.v1.0.0": bundle})
    source = Source("community", "olm", 0, Catalog({"etcd": package}))
    return Request(("default", "olm"), (source,), (Subscription("etcd", "default", "etcd"),))


def test_catalogs_are_built_in_memory() -> None:
    """A pipeline that holds its catalog as values needs no files."""
    plan = resolve(_tiny_request())
    assert [install.name for install in plan.installs] == ["etcd.v1.0.0"]
    assert plan.installs[0].version == "1.0.0"
    assert [str(wanted) for wanted in plan.installs[0].wanted_by] == ["subscription etcd"]


def test_mapping_is_a_request() -> None:
    """What a tool has parsed already need not be written to a file."""
    request = read_request({"namespaces": ["default"], "catalogs": [], "installed": [], "subscriptions": []})
    assert resolve(request).installs == ()


def test_errors_cross_processes_of_distributed_workers() -> None:
    """Such libraries pickle exceptions in their own way, for the whole process, and may not break ours."""
    pickling = pytest.importorskip("tblib.pickling_support", reason="distributed is not installed")
    for error in (CatalogError("broken", bundle="b"), Incomplete("timeout"), Unsatisfiable(())):
        rebuild, arguments, *_ = pickling.pickle_exception(error)
        copy = rebuild(*arguments)
        assert (type(copy), str(copy)) == (type(error), str(error))


def test_a_plan_knows_what_was_asked_and_leaves_it_behind() -> None:
    """Questions about a plan need its request; sending it back from a worker must not send the catalogs as well."""
    request = request_of(records(VENDORED / "classic_random.jsonl.gz")[0])
    plan = resolve(request)
    assert plan.context.request is request
    copy = pickle.loads(pickle.dumps(plan))  # noqa: S301 - our own bytes
    assert copy == plan
    assert (copy.context.request, copy.context.semantics) == (None, plan.context.semantics)
