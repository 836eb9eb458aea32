"""Two answers compared: what each package gains, loses or changes, as text and as data."""

from __future__ import annotations

import pytest

from olmsolve import Candidate, Request, Resolution, Unsatisfiable, evolve, resolve
from olmsolve.classic import PlanChange, PlanDiff
from olmsolve.testing import catalog_of, package, request_for

OLD = Candidate("db.v1.0.0", "db", "stable", "olm/catalog", "1.0.0")
NEW = Candidate("db.v2.0.0", "db", "stable", "olm/catalog", "2.0.0")
GAINS, LOSES, CHANGES = PlanChange("web", None, NEW), PlanChange("kv", OLD, None), PlanChange("db", OLD, NEW)


def _request(*wishes: str) -> Request:
    return request_for(catalog_of(package("db").channel("stable", "1.0.0")), *wishes)


def _plan() -> Resolution:
    return resolve(_request("db"))


def _failure() -> Unsatisfiable:
    with pytest.raises(Unsatisfiable) as failed:
        resolve(_request("gone"))
    return failed.value


def test_changes_are_gains_losses_and_replacements() -> None:
    """In words and as data: the side without a bundle is null."""
    plan = _plan()
    diff = PlanDiff(plan, plan, (GAINS, LOSES, CHANGES), ((NEW, ("any of (a; b)",)),))
    assert (diff.gained, diff.lost, diff.changed) == ((NEW,), (OLD,), (CHANGES,))
    assert diff
    assert str(diff).splitlines() == [f"web: gains {NEW}", f"kv: loses {OLD}", f"db: {OLD} becomes {NEW}"]
    document = diff.to_dict()
    assert document["changes"] == [
        {"package": "web", "before": None, "after": NEW.to_dict()},
        {"package": "kv", "before": OLD.to_dict(), "after": None},
        {"package": "db", "before": OLD.to_dict(), "after": NEW.to_dict()},
    ]
    assert document["differing"] == [{"candidate": NEW.to_dict(), "constraints": ["any of (a; b)"]}]
    assert (document["planBefore"], document["planAfter"]) == (True, True)


def test_versions_are_named_where_nothing_else_differs() -> None:
    """A catalog may change the version of a bundle and keep its name."""
    change = PlanChange("db", OLD, evolve(OLD, version=""))
    assert change.replacement == f"{OLD} in version 1.0.0 becomes {OLD} without a version"
    assert PlanChange("db", evolve(OLD, version="0.9.0"), OLD).replacement.endswith(" in version 1.0.0")


def test_a_plan_and_a_failure_differ_without_changes() -> None:
    """Where nothing is installed, the packages may be the same although there is no plan any more."""
    plan, failed = _plan(), _failure()
    assert (str(PlanDiff(plan, plan, ())), bool(PlanDiff(plan, plan, ()))) == ("nothing changes", False)
    assert (str(PlanDiff(plan, failed, ())), bool(PlanDiff(plan, failed, ()))) == ("after: there is no plan", True)
    assert (str(PlanDiff(failed, plan, ())), bool(PlanDiff(failed, plan, ()))) == ("before: there is no plan", True)
    neither = PlanDiff(failed, failed, ())
    assert (str(neither).count("no plan"), bool(neither)) == (2, False)
    assert (neither.to_dict()["planBefore"], neither.to_dict()["planAfter"]) == (False, False)
