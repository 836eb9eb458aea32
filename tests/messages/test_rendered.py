"""Sentences of texts and pages that no other test produces."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Final

import pytest

import olmsolve
from olmsolve import Candidate, Install, Resolution, WantedBy, evolve, render
from olmsolve.answers.explain import AddCatalog, LetOwn
from olmsolve.catalog import Source
from olmsolve.classic import PlanDiff
from olmsolve.cluster import GroupWithoutTargets
from olmsolve.lifecycle.impact import ReachedClusters
from olmsolve.lifecycle.simulation import Ending
from olmsolve.render import (
    commands,
    held_back,
    impact,
    nothing_found,
    questions,
    simulations,
    situation_items,
)
from olmsolve.render.html import fleet_page
from olmsolve.render.plan_picture import PlanPicture, plan_picture
from olmsolve.testing import catalog_of, package, request_for
from olmsolve.v1 import ExtensionDiff, ExtensionDifference, PlanError
from tests.cli.small_cluster import blobs, cluster_catalog, extension

SHOP: Final = catalog_of(package("shop").channel("stable", "1.0.0 < 1.1.0"))


def stub(**fields: Any) -> Any:
    """Return a value with these *fields*, for a function that reads no others."""
    return SimpleNamespace(**fields)


def path(**fields: Any) -> dict[str, Any]:
    """Return the document of a path that does not reach its end."""
    return {"installed": "shop.v1", "steps": ["shop.v2"], "to": "shop.v3", "reached": False, **fields}


def planned(**fields: Any) -> dict[str, Any]:
    """Return the document of an extension in a plan."""
    empty: dict[str, Any] = {"requirements": [], "passedOver": [], "heldBack": [], "further": False}
    names = {"extension": "shop", "installed": "", "bundle": "shop.v2", "catalog": "", "refusal": ""}
    return {**empty, **names, **fields}


def blocked_impact() -> Any:
    """Return the impact on a cluster of which an operator blocks the update."""
    names = (
        "failures",
        "mended",
        "changes",
        "stranded",
        "orphaned",
        "waiting",
        "rollouts",
        "lasting",
        "operators",
        "held_back",
    )
    blocking = [stub(way="subscription shop gets shop.v2", text="shop.v1 works up to OpenShift 4.18")]
    return stub(**dict.fromkeys(names, ()), blocking=blocking, gates=set())


TEXTS: Final[dict[str, Callable[[], str]]] = {
    "These updates go in a circle, and never reach shop.v3.": lambda: render.path_text(path(circular=True)),
    "It was not resolved: its revision is rolling out.": lambda: render.extension_text(
        {
            "bundle": "shop.v1",
            "installed": "shop.v1",
            "version": "1.0.0",
            "release": None,
            "catalog": "",
            "channels": [],
            "kept": "its revision is rolling out",
            "unknown": [],
            "warnings": [],
            "explanation": {"catalogs": []},
        }
    ),
    "0 extensions: nothing to do": lambda: render.extension_plan_text({"planned": [], "failed": []}),
    "shop: shop.v2 (from no catalog) would be installed": lambda: render.extension_plan_text(
        {
            "planned": [planned(refusal="no install mode", passedOver=[{"text": "shop.v3: refused"}])],
            "failed": [],
        }
    ),
    "Round 1\n  shop: new > shop.v1 (from no catalog)": lambda: render.extension_simulation_text(
        {
            "rounds": [
                {"number": 1, "updates": [{"extension": "shop", "before": "", "bundle": "shop.v1", "catalog": ""}]}
            ],
            "resting": [{"extension": "shop", "bundle": "shop.v1", "catalog": "", "heldBack": []}],
            "failed": [],
        }
    ),
    "  the same: till": lambda: render.extension_diff_text(
        ExtensionDiff((ExtensionDifference("shop", None, None),), ("till",))
    ),
    "There are no bundles.": lambda: render.catalog_list_text([], "bundles"),
    "No metrics.": lambda: render.metrics_text([]),
    "sat cannot be used: the module sat is missing": lambda: render.backends_text(
        [stub(name="sat", missing="the module sat is missing")]
    ),
    "No way out was found before the search for one was cut off.": lambda: nothing_found(stub(exhausted=True)),
    "  ... and 1 more; the JSON form has all": lambda: held_back.hindrances_text(
        [GroupWithoutTargets("ns", "og", "no target")] * (held_back._HINDRANCES + 1)
    ),
    "- ... and 1 more; the JSON form has all": lambda: held_back.hindrances_markdown(
        [GroupWithoutTargets("ns", "og", "no target")] * (held_back._HINDRANCES + 1)
    ),
    "The cluster's objects say:": lambda: held_back.hindrances_text([GroupWithoutTargets("ns", "og", "no target")]),
    "Not at rest after 2 steps, the limit.": lambda: simulations.ending_text(
        stub(steps=(1, 2), ended=Ending.LIMIT, left=())
    ),
    "At rest: nothing changes; this is left:": lambda: simulations.ending_text(
        stub(steps=(), ended=Ending.REST, left=(1,))
    ),
    "all namespaces": lambda: simulations._targets(("",)),
    "CRD shops.example.com: v1 > no version": lambda: simulations._crd_text(
        stub(name="shops.example.com", before=("v1",), after=())
    ).replace(simulations.ARROW, " > "),
    "operator group og for no namespace": lambda: situation_items._served(
        stub(groups=[stub(name="og", namespaces=())])
    ),
    "ClusterServiceVersion ns/shop is applied to no cluster: none has the namespace ns": lambda: "\n".join(
        impact.reached_lines(
            stub(
                reached=[ReachedClusters("ClusterServiceVersion", "ns", "shop", 0)],
                skipped=(),
                charts=(),
                clusters=2,
            )
        )
    ),
    "freed where subscription shop gets shop.v2": lambda: "\n".join(
        part for line in impact.impact_lines(blocked_impact()) for part in line.details
    ),
    "('house rule',)": lambda: str(picture_of_a_rule().nodes[0].details),
    "shop.v1 is left out": lambda: questions._pair("shop.v1", None),
    "# IMAGE is the image of the catalog": lambda: "\n".join(
        commands.change_commands(AddCatalog(Source("new", "olm", 0, SHOP)), "ns")
    ),
    "# add source, sourceNamespace and channel to the subscription before it is created": lambda: "\n".join(
        commands.change_commands(LetOwn("shop.v1", "shop", "shop", new=True), "ns")
    ),
}


@pytest.mark.parametrize("words", TEXTS)
def test_texts(words: str) -> None:
    """Each is what people read in a case that is rare."""
    assert words in TEXTS[words]()


def candidate(name: str) -> Candidate:
    """Return a candidate of the package shop."""
    return Candidate(name, "shop", "stable", "olm/cat", "1.0.0")


PLAN: Final = Resolution(
    (Install(candidate("shop.v2"), "", (WantedBy(house_rule="a shop"),)),), (), (), (), "documented"
)
NEEDED: Final = Install(candidate("till.v1"), "", (WantedBy(bundle="shop.v2"),))


def picture_of_a_rule() -> PlanPicture:
    """Return the picture of a plan for a house rule."""
    return plan_picture(Resolution((*PLAN.installs, NEEDED), (), (), (), "documented"))


def test_plans_on_pages() -> None:
    """A page says which semantics it follows, what a house rule wants, and what the objects of the cluster say."""
    page = render.plan_html(
        evolve(PLAN, differing=(candidate("shop.v2"),)),
        hindrances=[GroupWithoutTargets("ns", "og", "no target")],
    )
    assert "This plan follows documented semantics; under controller semantics, all, any or not" in page
    assert "house rule" in page
    assert "The cluster's objects say:" in page


def test_comparisons_of_semantics() -> None:
    """A bundle whose constraints mean something else is named, also where the plans are one."""
    answer = PlanDiff(PLAN, PLAN, (), ((candidate("shop.v2"), ("not shop",)),))
    assert questions.plan_diff_text(answer).endswith(
        "shop.v2 (stable, olm/cat) has constraints that the two read differently: not\n  shop"
    )
    assert questions.plan_diff_markdown(answer).splitlines() == [
        *("Nothing changes on the cluster.", ""),
        "shop.v2 (stable, olm/cat) has constraints that the two read differently: not shop",
    ]


def test_several_conflicts_on_a_page() -> None:
    """The title says how many there are, and a search that ended early is no proof."""
    request = request_for(SHOP, "till", "door")
    with pytest.raises(olmsolve.Unsatisfiable) as caught:
        olmsolve.resolve(request)
    explanation = olmsolve.explanation(caught.value)
    assert "<title>No plan: 2 conflicts</title>" in render.explanation_html(explanation)
    assert "There may be more: the search for changes ended before it had tried all." in render.explanation_html(
        evolve(explanation, exhausted=True)
    )


PASSED: Any = ("shop.v2",)


def test_extensions_on_the_page_of_a_plan() -> None:
    """Extensions that collide are planned each by itself; what OLM v1 refuses, and needs besides, is told."""
    needs = [{"type": "olm.package.required", "value": {"packageName": "till", "versionRange": ">=1.0.0"}}]
    catalog = [*blobs("shop", 1, v1=needs), *blobs("till", 1)]
    contents = {"main": olmsolve.fbc.from_blobs(catalog), "down": olmsolve.fbc.from_blobs([])}
    objects = [extension("shop", installed=0), cluster_catalog()]
    down = {**cluster_catalog("down"), "status": {"conditions": [{"type": "Serving", "status": "False"}]}}
    broken = olmsolve.plan(olmsolve.read_situation({"kind": "List", "items": [*objects, down]}, catalogs=contents))
    assert "not serving" in render.situation_plan_html(broken)
    plan = olmsolve.plan(
        olmsolve.read_situation({"kind": "List", "items": objects}, catalogs={"main": contents["main"]})
    )
    assert "Also needed, but not installed by OLM v1" in render.situation_plan_html(plan)
    assert plan.extensions is not None
    [planned] = [extension for extension in plan.extensions.planned if not extension.further]
    item = situation_items.extension_item(evolve(planned, refusal="no install mode", passed_over=PASSED))
    assert item.story[0] == "OLM v1 itself refuses it: no install mode"
    assert "passed over: shop.v2" in item.story
    collided = render.situation_plan_html(evolve(plan, collision=PlanError(())))
    assert "Each planned separately, because the extension" in collided


def test_extensions_at_rest_on_a_page() -> None:
    """A simulation of extensions alone has no steps of namespaces."""
    objects = [extension("shop", installed=1), cluster_catalog()]
    content = olmsolve.fbc.from_blobs(blobs("shop", 1))
    simulation = olmsolve.simulate(
        olmsolve.read_situation({"kind": "List", "items": objects}, catalogs={"main": content})
    )
    assert "<title>Extensions at rest</title>" in render.simulation_html(simulation)


def test_a_class_of_clusters_with_very_many_findings() -> None:
    """Nobody reads thousands of lines on a page."""
    held_back = [stub(owner="", text="x", namespace="", newer="")] * (fleet_page._MOST_LINES + 1)
    empty: dict[str, Any] = dict.fromkeys(
        ("failures", "mended", "changes", "stranded", "orphaned", "waiting", "rollouts", "lasting", "operators"), ()
    )
    impact = stub(**empty, held_back=held_back, blocking=[stub(way="", text="b")], gates=set())
    assert "and 2 more lines" in str(fleet_page._class(stub(count=1, names=("a",), impact=impact)))
