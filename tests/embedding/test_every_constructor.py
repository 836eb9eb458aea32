"""Every public value that programs make refuses what is wrong, in one error of ours that names the field."""

from __future__ import annotations

import copy
import inspect
import pickle
from collections.abc import Iterator
from typing import Any, Final

import attrs
import pytest

import olmsolve
from olmsolve import v1
from olmsolve._public import PUBLIC
from olmsolve.catalog import Blob, Deprecation, Origin, UnreadableSource
from olmsolve.eligibility import CandidateFacts, Remedy
from olmsolve.errors import OlmsolveError, RequestError
from olmsolve.predicates import GVK, AllOf, AnyOf, HasLabel, InPackage, NoneOf, ProvidesGVK, Satisfies
from olmsolve.semver import BlangRange
from olmsolve.solver import AtMost, Dependency, Incompatible, Mandatory, Variables, solve
from olmsolve.testing import FleetShape, Vocabulary, catalog_of, package

CATALOG: Final = catalog_of(package("a").channel("stable", "1.0.0"))
A: Final = CATALOG.packages["a"]


def _wrong(value: object) -> Any:
    return value


API: Final = GVK("shop.example.com", "v1", "Till")
LABEL: Final = HasLabel("tested")
BUNDLES: Final = olmsolve.Bundles("a")


INPUTS: Final[dict[type, dict[str, Any]]] = {
    olmsolve.Catalog: {"packages": dict(CATALOG.packages)},
    olmsolve.Package: {"name": "a", "default_channel": "stable", "channels": A.channels, "bundles": A.bundles},
    olmsolve.Channel: {"package": "a", "name": "stable", "entries": [olmsolve.ChannelEntry("a.v1")]},
    olmsolve.ChannelEntry: {"name": "a.v1"},
    olmsolve.Bundle: {"package": "a", "name": "a.v1"},
    olmsolve.Property: {"type": "size", "value": 1},
    olmsolve.Source: {"name": "s", "namespace": "olm", "priority": 0, "catalog": CATALOG},
    UnreadableSource: {"name": "s", "namespace": "olm", "priority": 0, "error": "gone"},
    olmsolve.Request: {"namespaces": ["shop"], "sources": [], "subscriptions": []},
    olmsolve.Subscription: {"name": "w", "namespace": "shop", "package": "a"},
    olmsolve.Installed: {"name": "a.v1"},
    olmsolve.Policy: {},
    olmsolve.Never: {"name": "none", "bundles": BUNDLES},
    olmsolve.AtLeastOne: {"name": "one", "bundles": BUNDLES},
    olmsolve.Prefer: {"name": "few", "bundles": BUNDLES},
    olmsolve.TotalAtMost: {"name": "gpus", "bundles": BUNDLES, "limit": 3, "of": "gpu"},
    olmsolve.Bundles: {"package": "a"},
    olmsolve.WorksOnKubernetes: {"cluster_version": "1.31.0"},
    olmsolve.WorksOnOpenShift: {"cluster_version": "4.18.0"},
    olmsolve.Keep: {"package": "a"},
    olmsolve.EntryEdges: {},
    olmsolve.Version: {"major": 1, "minor": 0, "patch": 0},
    Blob: {"schema": "shop", "value": {}},
    Deprecation: {"schema": "olm.channel", "name": "stable", "message": "old"},
    Origin: {"file": "catalog.yaml"},
    AllOf: {"parts": [LABEL]},
    AnyOf: {"parts": [LABEL]},
    NoneOf: {"parts": [LABEL]},
    HasLabel: {"label": "tested"},
    InPackage: {"package": "a", "versions": BlangRange.parse("<2.0.0")},
    ProvidesGVK: {"gvk": API},
    Satisfies: {"rule": olmsolve.cel.compile("true")},
    v1.ExtensionRequest: {"extension": v1.Extension("a"), "catalogs": [v1.ClusterCatalog("c", CATALOG)]},
    v1.Extension: {"package": "a"},
    v1.ClusterCatalog: {"name": "c"},
    v1.InstalledBundle: {"name": "a.v1", "version": "1.0.0"},
    v1.LabelSelector: {},
    v1.LabelRequirement: {"key": "tier", "operator": "Exists"},
    v1.InstallSettings: {},
    v1.FeatureGates: {},
    CandidateFacts: {"name": "a.v1", "package": "a"},
    Remedy: {"text": "update the cluster"},
    FleetShape: {"clusters": 1},
    Vocabulary: {"packages": {"a": ("1.0.0",)}},
}
"""The values that programs make, each with the least that its constructor needs."""

_MADE_BY_US: Final = """
Agreement AuditReport BenchReport BlangRange Branch Broken Candidate CannotStayBeside CatalogDiff CatalogsUnreadable
Choice ClusterState ClusterUpdate Core Deprecated Difference Every Exclusion Explanation ExtensionDiff
ExtensionExplanation ExtensionPath ExtensionResolution ExtensionSimulation ExtensionWhy ExtensionWhyNot FailedExtension
Finding FirstOf Fix FuzzReport HeldBack HeldBackBundle HeldBackOperator Hindrance HouseRule ImpactReport Install Journey
Listed MastermindsRange Migrations MustStay NamespacePlan NotEligible OnePerAPI OnePerPackage Permission
PermissionRequests Plan PlanDiff PolicyRule Project Published Reason Requirement Requires Resolution RestingExtension
Rule RuleDemands RuleForbids RuleKeepsApart RuleLimits Simulation Situation SituationPlan SubscriptionWants
UnknownCatalog UnknownChannel UnknownPackage UnknownStartingCSV UpgradePath Verdict WantedBy Why WhyNot
"""
"""The classes whose values olmsolve makes: answers, what it reads of objects, and parts of compiled formulas."""

_CHECKED_BY_OTHERS: Final = """
AtMost Backend Dependency Exclusive Formula Incompatible Mandatory Prohibited Variables
"""
"""Constraints of the solver, which their problem checks (below), and backends, which their registry checks."""

MAY_BE_EMPTY: Final = {
    (olmsolve.ChannelEntry, "name"),
    (v1.ClusterCatalog, "name"),
    (olmsolve.Package, "default_channel"),
    (olmsolve.Source, "namespace"),
    (UnreadableSource, "namespace"),
    (UnreadableSource, "error"),
    (Deprecation, "message"),
    (Origin, "file"),
    (v1.InstalledBundle, "version"),
    (v1.LabelRequirement, "key"),  # Kubernetes refuses these two in its own words, which answers repeat
    (v1.LabelRequirement, "operator"),
    (CandidateFacts, "name"),
    (CandidateFacts, "package"),
    (olmsolve.requests.Policy, "global_namespace"),  # OLM runs with an empty one, too
}

NAN: Final = float("nan")
WRONG: Final[dict[str, list[Any]]] = {
    "str": [None, 5, True, 1.5, NAN, b"x", ["x"], ("x",), {"x"}, object()],
    "int": [None, True, 1.5, NAN, "1", b"1", [1], object()],
    "bool": [None, 1, 0, NAN, "true", "", [True], object()],
    "float": [None, True, NAN, "1", -0.5, 1.5, [1]],
    "tuple": [None, 5, True, NAN, "x", b"x", [object()], [None], {5: 5}, object()],
    "Mapping": [None, 5, True, NAN, "x", b"x", ["x"], {5: 5}, object()],
    "other": [5, True, NAN, b"x", [5], {5: 5}, object()],
}


def _cases() -> Iterator[tuple[type, str, object]]:
    for cls, given in INPUTS.items():
        for field in attrs.fields(cls):
            type_ = str(field.type)
            if not field.init or field.alias.startswith("_") or type_ in ("Any", "typing.Any"):
                continue
            kind = next((kind for kind in WRONG if type_.startswith(kind)), "other")
            if (cls, field.alias) == (v1.ExtensionRequest, "checks"):
                continue
            for value in WRONG[kind]:
                if value is None and "None" in type_:
                    continue
                if field.alias in given or field.default is not attrs.NOTHING:
                    yield cls, field.alias, value


@pytest.mark.parametrize("cls", INPUTS, ids=lambda cls: cls.__name__)
def test_a_wrong_value_is_refused_at_once(cls: Any) -> None:
    """Whichever field it is of: None, another type, NaN, a bool for a number, a text for several, a dict for names."""
    instance = cls(**INPUTS[cls])
    for _, field, value in (case for case in _cases() if case[0] is cls):
        with pytest.raises(OlmsolveError) as refused:
            pytest.fail(f"{field} takes {cls(**{**INPUTS[cls], field: value})!r:.200}")
        if isinstance(refused.value, RequestError):
            named = refused.value.field.replace("feature_gates", "settings") if cls is v1.FeatureGates else ""
            assert field in (named or refused.value.field), (value, refused.value)
    assert instance == cls(**INPUTS[cls]) or cls.__eq__ is object.__eq__


@pytest.mark.parametrize("cls", INPUTS, ids=lambda cls: cls.__name__)
def test_a_name_that_is_needed_is_not_empty(cls: Any) -> None:
    """An empty name meets nothing, and says nothing in messages."""
    for field in attrs.fields(cls):
        if field.default is attrs.NOTHING and str(field.type) == "str" and field.init:
            if (cls, field.name) in MAY_BE_EMPTY:
                assert cls(**{**INPUTS[cls], field.name: ""})
                continue
            with pytest.raises(RequestError) as refused:
                cls(**{**INPUTS[cls], field.name: ""})
            assert field.name in refused.value.field or refused.value.field == "bundles"


@pytest.mark.parametrize("cls", INPUTS, ids=lambda cls: cls.__name__)
def test_a_text_of_a_class_of_its_own_is_a_text(cls: Any) -> None:
    """Enumerations of texts are given for names; copies and pickles are equal."""

    class Text(str):
        __slots__ = ()

    given = {field: Text(value) if type(value) is str else value for field, value in INPUTS[cls].items()}
    assert cls(**given) == cls(**INPUTS[cls]) or cls.__eq__ is object.__eq__
    value = cls(**INPUTS[cls])
    for twin in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value)), attrs.evolve(value)):  # noqa: S301
        assert twin == value or cls.__eq__ is object.__eq__


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda values: v1.ClusterCatalog("c", labels=values), "labels"),
        (lambda values: v1.LabelSelector(values), "match_labels"),
        (lambda values: v1.InstallSettings(config=values), "config"),
        (lambda values: olmsolve.Bundle("a", "a.v1", extra=values), "extra"),
        (lambda values: Blob("shop", values), "value"),
        (lambda values: Vocabulary(values), "packages"),
        (lambda values: olmsolve.Policy(feature_gates=values), "feature_gates"),
    ],
)
def test_what_is_given_can_be_changed_afterwards(make: Any, field: str) -> None:
    """The value keeps what it was given."""
    for one in ({"tier": "gold"}, {"tier": ("gold",)}, {"HelmChartSupport": True}):
        values: dict[str, Any] = dict(one)
        try:
            instance = make(values)
        except RequestError:
            continue
        values["tier"] = values["other"] = "silver"
        assert getattr(instance, field) == one
        return
    pytest.fail("nothing was accepted")


def test_every_public_class_is_tried_or_made_by_us() -> None:
    """A new class of values gets a line above."""
    classes = set()
    for door, subjects in PUBLIC.items():
        module: Any = __import__(door, fromlist=["x"])
        for name in " ".join(subjects.values()).split():
            value = getattr(module, name)
            if inspect.isclass(value) and attrs.has(value) and not issubclass(value, BaseException):
                classes.add(value)
    from olmsolve.cluster.objects import ClusterObject

    untried = {
        cls
        for cls in classes - set(INPUTS)
        if cls.__name__ not in (_MADE_BY_US + _CHECKED_BY_OTHERS).split()
        and not issubclass(cls, ClusterObject)
        and cls.__module__ not in ("olmsolve.cluster.objects.metadata", "olmsolve.cluster.objects.operators")
    }
    assert not untried


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        (["a"], "variables: must be a mapping of constraints by identifiers, not a list"),
        (
            {"a": Mandatory("a")},
            "variables['a']: must be several (StatedConstraint), not a Mandatory (put it in a list)",
        ),
        ({"a": ["b"]}, "variables['a'][0]: must be a StatedConstraint, not a str"),
        ({"a": [Dependency("a", _wrong("bc"))]}, "variables['a'][0].candidates: must be a tuple, not a str"),
        ({"a": [Dependency("a", _wrong(["b"]))], "b": []}, "variables['a'][0].candidates: must be a tuple, not a list"),
    ],
)
def test_a_problem_says_what_is_wrong_with_its_constraints(variables: Any, message: str) -> None:
    """The candidates "bc" were b and c."""
    with pytest.raises(RequestError) as refused:
        Variables(variables)
    assert str(refused.value) == message


@pytest.mark.parametrize("limit", [True, 1.0, "1", None])
def test_a_limit_is_a_whole_number(limit: Any) -> None:
    """True would be 1, and 1.5 a limit that no sum of whole numbers meets."""
    with pytest.raises(RequestError, match="limit: must be a whole number"):
        AtMost(limit, ("a",))


def test_a_problem_without_faults_is_solved() -> None:
    """What excludes an identifier need not be stated for it."""
    problem = Variables({"a": [Mandatory("a"), Incompatible("a", "z"), Dependency("a", ("b",))], "b": ()})
    assert getattr(solve(problem), "selected") == ("a", "b")  # noqa: B009
