"""Reasons of plans over dense catalogs, which are parsed when somebody reads them: nobody can tell."""

from __future__ import annotations

import copy
import gc
import inspect
import pickle
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import attrs
import pytest

from olmsolve import Catalog, Install, Request, Resolution, Source, Subscription, WantedBy, limited, resolution, resolve
from olmsolve._records import evolve
from olmsolve.catalog.index import Fault, UnparsedRequirements, index_of
from olmsolve.catalog.index_files import load, write_index
from olmsolve.testing import catalog_of, package, request_for
from olmsolve.testing.synthetic import DenseShape, dense_problem
from tests.index_files.files import write_blobs


def _catalog(versions: str = ">=1.0.0") -> Catalog:
    """Return a dense catalog: it has as many requirements as bundles."""
    return catalog_of(
        package("app").channel("stable", "1.0.0").requires("db", versions).requires("cache", "1.x || 2.x"),
        package("cache").channel("stable", "1.0.0 < 1.5.0").requires("db", "<2.0.0"),
        package("db").channel("stable", "1.0.0 < 1.5.0"),
    )


def _is_unread(install: Install) -> bool:
    return callable(resolution._REASONS.__get__(install))


def _matched(install: Install) -> tuple[WantedBy, ...]:
    match install:
        case Install(_, _, wanted_by):
            return wanted_by


@attrs.frozen
class _NotedInstall(Install):
    note: str = ""


def _read_at_once(request: Request) -> Resolution:
    """Return the plan for *request* from an index that has parsed all requirements before."""
    for source in request.sources:
        for _ in index_of(source.catalog).warm():
            pass
    plan = resolve(request)
    assert plan.installs
    return plan


def _reasons(plan: Resolution) -> list[tuple[WantedBy, ...]]:
    return [install.wanted_by for install in plan.installs]


_ASKED: list[Callable[[Resolution], object]] = [
    lambda plan: plan,
    lambda plan: plan.to_dict(),
    lambda plan: [repr(install) for install in plan.installs],
    lambda plan: hash(plan),
    _reasons,
    lambda plan: [type(install.wanted_by) for install in plan.installs],
    lambda plan: pickle.loads(pickle.dumps(plan)),  # noqa: S301 - what it has written itself
    lambda plan: copy.deepcopy(plan.installs),
    lambda plan: [copy.copy(install) for install in plan.installs],
    lambda plan: [evolve(install, replaces="x") for install in plan.installs],
    lambda plan: [attrs.evolve(install, replaces="x") for install in plan.installs],  # type: ignore[misc]
    lambda plan: [attrs.asdict(install) for install in plan.installs],
    lambda plan: [attrs.astuple(install) for install in plan.installs],
    lambda plan: [_matched(install) for install in plan.installs],
    lambda plan: [install == evolve(install) for install in plan.installs],
    lambda plan: [dict(inspect.getmembers(install))["wanted_by"] for install in plan.installs],
]


@pytest.mark.parametrize("number", range(len(_ASKED)))
def test_reasons_are_the_same_whoever_asks_first(number: int) -> None:
    """Each way to look at a plan is the first one here, and finds what a plan with parsed reasons has."""
    problem = dense_problem(DenseShape(20, 8, requirements=3, roots=3), "easy", satisfiable=True, seed=1)
    plan, parsed = resolve(problem.request()), _read_at_once(problem.request())
    assert any(map(_is_unread, plan.installs))
    assert _ASKED[number](plan) == _ASKED[number](parsed)


def test_reading_a_reason_parses_it_once() -> None:
    """The second look finds the tuple of the first one; the field is as frozen as the others, and may be empty."""
    install = resolve(request_for(_catalog(), "app")).installs[1]
    assert weakref.ref(install)() is install
    assert _is_unread(install)
    assert install.wanted_by is install.wanted_by
    assert not _is_unread(install)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        setattr(install, "wanted_by", ())  # noqa: B010 - mypy knows that this is not done
    with pytest.raises(AttributeError, match="wanted_by"):
        Install.__new__(Install).wanted_by  # noqa: B018
    assert repr(Install.__new__(Install)) == "Install(candidate=NOTHING, replaces=NOTHING, wanted_by=NOTHING)"


def test_a_class_below_an_install_has_its_reasons() -> None:
    """Programs may add fields with attrs, whose constructor and copies write and read the field in their own way."""
    install = resolve(request_for(_catalog(), "app")).installs[1]
    install_class: Any = _NotedInstall  # mypy knows no fields of a record that attrs extends
    noted = install_class(install.candidate, install.replaces, install.wanted_by, "new")
    assert noted.wanted_by == install.wanted_by
    assert attrs.evolve(noted, wanted_by=()).wanted_by == ()
    assert pickle.loads(pickle.dumps(noted)) == noted  # noqa: S301 - what it has written itself
    assert noted.to_dict() == install.to_dict()


@pytest.mark.parametrize("given", [(), [], [WantedBy("shop")], None])
def test_what_a_program_gives_stays(given: Any) -> None:
    """Plans that are built by hand hold what they were given, lists as well, which nothing has ever refused."""
    assert Install(resolve(request_for(_catalog(), "app")).installs[0].candidate, "", given).wanted_by is given


def test_reasons_outlive_the_files_of_their_catalog(tmp_path: Path) -> None:
    """A plan from an index file is read after the files are gone: it has the texts."""
    problem = dense_problem(DenseShape(20, 8, requirements=3, roots=3), "easy", satisfiable=True, seed=1)
    expected = _reasons(_read_at_once(problem.request()))
    path = tmp_path / "catalog.jsonl"
    write_blobs(path, problem.blobs())
    file = write_index(path)
    request = evolve(problem.request(), sources=[Source("synthetic", "olm", 0, load(path, index=file))])
    plan = resolve(request)
    assert any(map(_is_unread, plan.installs))
    file.write_bytes(b"something else")
    file.unlink()
    path.unlink()
    assert _reasons(plan) == expected


def test_a_limit_of_the_reader_does_not_end_the_reading() -> None:
    """A range with wildcards looks at the limits while it is parsed; the reader only reads a value."""
    install = resolve(request_for(_catalog(), "app")).installs[-1]
    cancelled = type("Cancelled", (), {"is_set": lambda _: True})()
    with limited(cancel=cancelled):
        assert [str(reason) for reason in install.wanted_by] == [
            "app.v1.0.0, which requires package cache in 1.x || 2.x"
        ]


def test_threads_read_equal_reasons() -> None:
    """Plans are shared between threads, and the reasons of a bundle are read by several of them at first."""
    problem = dense_problem(DenseShape(20, 8, requirements=3, roots=3), "easy", satisfiable=True, seed=2)
    expected = _reasons(_read_at_once(problem.request()))
    with ThreadPoolExecutor(4) as pool:
        for _ in range(5):
            plan = resolve(problem.request())
            readings = [pool.submit(_reasons, plan) for _ in range(4)]
            assert all(reading.result() == expected for reading in readings)


def test_an_install_with_unread_reasons_keeps_no_catalog_alive() -> None:
    """A service that keeps what is installed, and not the plan, must not keep each version of its catalogs."""
    catalog = _catalog()
    index = weakref.ref(index_of(catalog))
    installs = resolve(request_for(catalog, "app")).installs
    del catalog
    gc.collect()
    assert index() is None
    assert [len(install.wanted_by) for install in installs] == [1, 2, 1]


def test_a_bundle_whose_requirements_do_not_parse_gives_no_reasons(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only an index file that was made to lie has bits for such requirements; one wrong range spoils all."""
    unparsed_requirements = UnparsedRequirements([("db", ">=1.0.0"), ("cache", "no range")])
    assert unparsed_requirements.predicates == ()
    assert UnparsedRequirements([("db", ">=1.0.0")]).predicates[0].package == "db"
    catalog = _catalog()
    unparsed = index_of(catalog).unparsed
    monkeypatch.setattr(
        index_of(catalog), "unparsed", lambda slots: dict.fromkeys(unparsed(slots), unparsed_requirements)
    )
    plan = resolve(request_for(catalog, "app"))
    assert [list(map(str, install.wanted_by)) for install in plan.installs] == [["subscription app"], [], []]


def test_requirements_that_cannot_wait_are_parsed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The index leaves out what it does not know to be plain, and the plan then parses it as it is made."""
    expected = resolve(request_for(_catalog(), "app")).to_dict()
    catalog = _catalog()
    monkeypatch.setattr(index_of(catalog), "unparsed", lambda slots: {})
    plan = resolve(request_for(catalog, "app"))
    assert plan.to_dict() == expected


def test_texts_are_those_of_plain_requirements() -> None:
    """A list is read once for all plans. It is left out if it was parsed before: its requirements are there."""
    index, parsed = index_of(_catalog()), index_of(_catalog())
    slots = range(len(index))
    texts = index.unparsed(slots)
    assert len(texts) == len(slots)
    assert all(index.unparsed([slot])[slot] is requirements for slot, requirements in texts.items())
    for slot, requirements in texts.items():
        requires = parsed.requires(slot)
        assert not isinstance(requires, Fault)
        assert [requirement.predicate for requirement in requires] == list(requirements.predicates)
    assert [slot for slot, requirements in parsed.unparsed(slots).items() if requirements.predicates] == []


def test_catalogs_beside_each_other() -> None:
    """Candidates of the second catalog are numbered behind the slots of the first, and its own slots from 0."""
    first = catalog_of(package("web").channel("stable", "1.0.0").requires("cache", ">=1.0.0"))
    second = _catalog()
    sources = [Source("first", "olm", 1, first), Source("second", "olm", 0, second)]
    wishes = [Subscription(name, "olm", name) for name in ("web", "app")]
    plan = resolve(Request(["olm"], sources, wishes))
    assert any(map(_is_unread, plan.installs))
    assert {install.name: list(map(str, install.wanted_by)) for install in plan.installs} == {
        "web.v1.0.0": ["subscription web"],
        "app.v1.0.0": ["subscription app"],
        "cache.v1.5.0": [
            "web.v1.0.0, which requires package cache in >=1.0.0",
            "app.v1.0.0, which requires package cache in 1.x || 2.x",
        ],
        "db.v1.5.0": [
            "app.v1.0.0, which requires package db in >=1.0.0",
            "cache.v1.5.0, which requires package db in <2.0.0",
        ],
    }
