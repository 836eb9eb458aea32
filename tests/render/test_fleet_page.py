"""The impact on a fleet as a page: what it says, that names cannot get out of it, and that it works in a browser."""

from __future__ import annotations

import re
from typing import Any

import pytest

from olmsolve.lifecycle.impact import (
    ClusterClass,
    ClusterImpact,
    HeldBackImpact,
    ImpactFailure,
    ImpactReport,
    OperatorImpact,
    Rollout,
    RolloutStep,
    StrandedOperator,
    UnreadableCluster,
)
from olmsolve.render import impact_html
from tests.browser import Browser
from tests.render.pages import parsed
from tests.scale import LONG
from tests.simulation.small_clusters import Version, catalog

HOSTILE = "</script><script>alert(1)</script>\"'&<b onclick=x>"
FAILURE = ImpactFailure("namespaceUnresolved", "shop", "namespace shop cannot be resolved", ("a fact",), ("a way",))


def update(number: int, **more: Any) -> OperatorImpact:
    name = f"package-{number}"
    bundles = (f"{name}.v1.0.0", f"{name}.v1.1.0", f"{name}.v2.0.0")
    return OperatorImpact("shop", name, name, *bundles, bundles[1:], **more)


def report(clusters: int, classes: int) -> ImpactReport:
    """A report on so many *clusters* in so many *classes*: every tenth fails, every fourth is unchanged."""
    cluster_classes = []
    for number in range(classes):
        names = tuple(
            f"dumps/region-{number % 7}/cluster-{cluster:05}.yaml" for cluster in range(number, clusters, classes)
        )
        impact = ClusterImpact(
            operators=()
            if number % 4 == 3
            else tuple(update(position) for position in (number % 30, 30 + number % 11)),
            failures=(FAILURE,) if number % 10 == 0 else (),
            held_back=(HeldBackImpact("shop", "cache", "cache.v1", "cache.v2", "it waits"),),
        )
        cluster_classes.append(ClusterClass(f"{number:064x}", len(names), names, impact))
    return ImpactReport(tuple(cluster_classes), parts=classes)


SMALL = ImpactReport(
    (
        ClusterClass("a", 3, ("one", "two"), ClusterImpact(operators=(update(1, is_major=True),), failures=(FAILURE,))),
        ClusterClass("b", 1, ("three",), ClusterImpact(stranded=(StrandedOperator("shop", "queue", "queue.v1"),))),
        ClusterClass(
            "c",
            1,
            ("four",),
            ClusterImpact(rollouts=(Rollout((RolloutStep("lab", ("a.v2",)),), ("a reason",)), Rollout((), ("no",)))),
        ),
        ClusterClass("d", 5, ("five",), ClusterImpact()),
    ),
    (UnreadableCluster("six", "six: cut off"),),
    2,
    4,
)


def states(page: str) -> list[list[str]]:
    return [at["data-state"].split() for tag, at in parsed(page).elements if tag == "details" and "data-state" in at]


def test_every_class_has_its_states_and_its_clusters() -> None:
    """What people filter by follows from the impact, and the names of all clusters can be found."""
    page = impact_html(SMALL)
    assert states(page) == [["new-failures", "major", "updates"], ["stranded"], ["unordered"], ["nothing"]]
    text = parsed(page).text
    assert "10 clusters in 4 classes, made of 4 parts; 4 are affected; 3 newly fail; 1 has a stranded operator" in text
    for fact in (
        "because a fact",
        "way out: a way",
        "one, two and 1 more",
        "and 1 that the report does not name",
        "lab gets a.v2",
        "the updates of namespaces that share APIs",
        "2 clusters cannot be read",
        "six: cut off",
        "and 1 more cluster",
    ):
        assert fact in text, fact


def test_names_cannot_get_out_of_the_page() -> None:
    """Strangers write catalogs, and dumps are called as it happened."""
    impact = ClusterImpact(
        operators=(OperatorImpact(HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE, (HOSTILE,)),),
        failures=(ImpactFailure(HOSTILE, HOSTILE, HOSTILE, (HOSTILE,), (HOSTILE,)),),
    )
    hostile_report = ImpactReport(
        (ClusterClass(HOSTILE, 9, (HOSTILE,), impact),), (UnreadableCluster("x", HOSTILE),), 1
    )
    old, new = (catalog(**{HOSTILE: [Version(number)]}) for number in ("1.0.0", "2.0.0"))
    parsed_page = parsed(impact_html(hostile_report, before={HOSTILE: old}, after={HOSTILE: new}))
    assert [tag for tag, _ in parsed_page.elements].count("script") == 1
    assert not [at for _, at in parsed_page.elements if any(name.startswith("on") for name in at)]


def test_the_packages_that_differ_are_drawn() -> None:
    """What has changed in the catalog stands below what it does, and everything else is left out."""
    same = [Version("1.0.0")]
    old = catalog(same=same, gone=same, grown=same)
    new = catalog(same=same, grown=[*same, Version("1.1.0", replaces="1.0.0")], added=same)
    page = parsed(impact_html(SMALL, before={"olm/main": old}, after={"olm/main": new}))
    assert [at["data-package"] for _, at in page.elements if "data-package" in at] == ["added", "gone", "grown"]
    drawn = {at["data-name"] for _, at in page.elements if "data-name" in at}
    assert drawn == {"added.v1.0.0", "grown.v1.0.0", "grown.v1.1.0"}
    assert "data-package" not in impact_html(SMALL, before={"olm/main": old}, after={"olm/main": old})


COUNTS = "[...document.querySelectorAll('.item')].filter((each) => !each.hidden).length"
WORK = f"""
  const search = document.getElementById("search");
  const results = [];
  const press = (key, target) => target.dispatchEvent(new KeyboardEvent("keydown", {{ key, bubbles: true }}));
  const note = (name) => results.push(`${{name}}=${{{COUNTS}}}`);
  note("all");
  document.querySelector("button[data-state=new-failures]").click();
  note("failing");
  const begun = performance.now();
  press("Escape", document.body);
  note("escaped");
  press("/", document.body);
  results.push(`focus=${{document.activeElement.id}}`);
  document.querySelector("button.find").click();
  note("found");
  results.push(`term=${{search.value}}`);
  press("ArrowDown", search);
  const first = document.activeElement;
  results.push(`first=${{first.tagName}}`);
  press("ArrowDown", first);
  results.push(`moved=${{document.activeElement !== first && document.activeElement.tagName}}`);
  press("ArrowUp", document.activeElement);
  results.push(`back=${{document.activeElement === first}}`);
  first.click();
  results.push(`open=${{first.parentElement.open}}`);
  results.push(`quick=${{performance.now() - begun < 10000}}`);
  results.push(`told=${{document.getElementById("shown").textContent}}`);
  document.body.dataset.results = results.join("|");
"""


def results(browser: Browser, page: str) -> dict[str, str]:
    (written,) = re.findall(r'data-results="([^"]*)"', browser.dumped(page, WORK))
    return dict(pair.split("=", 1) for pair in written.split("|"))


@pytest.mark.parametrize("clusters", [1_000, 10_000] if LONG else [1_000])
def test_it_works_by_keyboard_with_many_clusters(browser: Browser, clusters: int) -> None:
    """Filters, search and the way from class to class; a tenth of all clusters are classes of their own."""
    classes = clusters // 10
    page = impact_html(report(clusters, classes))
    assert len(page) < clusters * 400
    shown = results(browser, page)
    assert (shown["all"], shown["failing"], shown["escaped"]) == (str(classes), str(classes // 10), str(classes))
    assert shown["focus"] == "search"
    assert int(shown["found"]) < classes
    assert shown["term"].startswith("package-")
    assert (shown["first"], shown["moved"], shown["back"], shown["open"]) == ("SUMMARY", "SUMMARY", "true", "true")
    assert shown["quick"] == "true"
    assert f"of {classes:,} classes shown" in shown["told"]
