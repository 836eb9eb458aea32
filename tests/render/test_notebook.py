"""Values in notebooks, on rich consoles and in debuggers."""

from __future__ import annotations

import html
import io
import re
from typing import Any

import pytest

import olmsolve
from olmsolve.testing import catalog_of, package, request_for

REQUEST = olmsolve.read_request("olmsolve/examples/install.yaml")


@pytest.fixture(scope="module")
def values() -> dict[str, Any]:
    """One value of each kind that notebooks show."""
    plan = olmsolve.resolve(REQUEST)
    broken = olmsolve.evolve(REQUEST, house_rules=[olmsolve.Never("courier", name="none & <b>")])
    with pytest.raises(olmsolve.Unsatisfiable) as failure:
        olmsolve.resolve(broken)
    orchard = olmsolve.load("olmsolve/examples/catalogs/orchard")
    source = olmsolve.Source("orchard", "olm", 0, orchard)
    return {
        "plan": plan,
        "explanation": olmsolve.explanation(failure.value),
        "diff": olmsolve.diff(REQUEST, broken),
        "why": olmsolve.why(plan, "keyring"),
        "why not": olmsolve.why_not(plan, "keyring", version="1.0.1"),
        "audit": olmsolve.audit([source]),
        "graph": orchard.packages["storefront"],
        "failure": failure.value,
    }


@pytest.mark.parametrize("name", ["plan", "explanation", "graph", "audit", "diff", "why"])
def test_a_page_stands_in_a_frame(values: dict[str, Any], name: str) -> None:
    """The page is whole, with its own styles, and its text ends in no attribute."""
    shown = values[name]._repr_html_()
    frame = r'<iframe sandbox="allow-scripts" srcdoc="([^"]*)" height="\d+" style="[^"]*"></iframe>'
    match = re.fullmatch(frame, shown)
    assert match is not None
    page = html.unescape(match[1])
    assert page.startswith("<!DOCTYPE html>")
    assert "<svg" in page or "<ul" in page or name == "audit"
    if name == "plan":
        assert page == olmsolve.plan_html(values[name])


@pytest.mark.parametrize("name", ["why not", "failure"])
def test_a_value_without_a_page_shows_its_text(values: dict[str, Any], name: str) -> None:
    """Names of rules are text, whatever they hold."""
    shown = values[name]._repr_html_()
    assert shown.startswith('<pre style="white-space: pre-wrap">')
    assert "<b>" not in shown.removeprefix("<pre")


def test_values_that_nothing_draws_are_left_to_ipython(values: dict[str, Any]) -> None:
    """None is "no picture" to IPython, which then prints the value."""
    assert values["plan"].installs[0]._repr_html_() is None


def test_rich_prints_the_text_for_people(values: dict[str, Any]) -> None:
    """Brackets of a text are no markup of rich; a value without a text prints its fields."""
    console = pytest.importorskip("rich.console", reason="rich is not installed")
    for name, text in (("plan", olmsolve.plan_text), ("explanation", olmsolve.explanation_text)):
        out = io.StringIO()
        console.Console(file=out, width=200).print(values[name])
        assert out.getvalue().split() == text(values[name]).split()
    out = io.StringIO()
    console.Console(file=out, width=200).print(values["plan"].installs[0].candidate)
    assert "Candidate(" in out.getvalue()


def test_the_repr_of_a_plan_is_short() -> None:
    """Below 300 characters, however many bundles there are and however long their names are."""
    assert repr(olmsolve.resolve(REQUEST)) == (
        "<Resolution: storefront.v2.1.0, ledgerdb.v5.3.0, courier.v4.1.0, ember.v1.2.0 and 1 more; documented>"
    )
    names = [f"{'very-' * 12}long-name-{number}" for number in range(30)]
    catalog = catalog_of(*(package(name).channel("stable", "1.0.0") for name in names))
    assert len(repr(olmsolve.resolve(request_for(catalog, *names)))) < 300
    nothing = olmsolve.resolve(request_for(catalog, installed=[f"{names[0]}.v1.0.0"]))
    assert repr(nothing) == "<Resolution: nothing to install; 1 kept; documented>"


def test_a_benchmark_shows_its_bars() -> None:
    """The page of the command, with a bar for each phase."""
    from olmsolve.testing.timing import BackendCounts, BenchReport, PhaseTimes, RequestTimes

    phase, counts = PhaseTimes("first", "deciding", 3, (0.1,)), BackendCounts("deciding", 3, 0, 0, 0)
    request = RequestTimes("etcd", "plan", {"deciding": 0.001})
    report = BenchReport("1.0.0", "3.12", "documented", (), (0.1,), (phase,), (counts,), (request,))
    page = html.unescape(report._repr_html_() or "")
    assert page.startswith("<iframe")
    assert "<rect" in page


def test_a_comparison_draws_both_sides(values: dict[str, Any]) -> None:
    """The packages that differ in a table; a plan as its own picture, and a failure as its reasons."""
    page = html.unescape(values["diff"]._repr_html_() or "")
    assert "<h2>Before</h2>" in page
    assert "<h2>After</h2>" in page
    assert page.count("<svg") == 1, "the second request has no plan"
    assert "There is no plan:" in page
    assert "none &amp; &lt;b&gt;" in page, "names of rules are text"
    both = olmsolve.diff(REQUEST, olmsolve.evolve(REQUEST, subscriptions=REQUEST.subscriptions[:1]))
    nothing = html.unescape(olmsolve.diff(REQUEST, REQUEST)._repr_html_() or "")
    assert nothing.count("<svg") == 2
    assert "Before" in (both._repr_html_() or "")


def test_why_is_a_chain(values: dict[str, Any]) -> None:
    """From the subscription to the bundle, a box each; and what looked better is told below."""
    page = html.unescape(values["why"]._repr_html_() or "")
    boxes = re.findall(r'<g class="node (\w+)"', page)
    assert boxes[0] == "wish"
    assert boxes[-1] == "new"
    assert page.index("subscription shop selects storefront") < page.index("which selects keyring")
    assert len(boxes) == len(values["why"].chain) + 1
    assert page.count("<path") == len(boxes) - 1


def test_pages_of_answers_say_everything() -> None:
    """Plans without a bundle and bundles without a line; constraints that are read in two ways; what looked better."""
    both = {"all": {"constraints": [{"package": {"packageName": name, "versionRange": ">=1.0.0"}} for name in "ab"]}}
    catalog = catalog_of(
        package("shop").channel("stable", "1.0.0 < 2.0.0").constrained(both, at="2.0.0"),
        package("a").channel("stable", "1.0.0"),
        package("b").channel("stable", "1.0.0"),
        package("old").channel("beta", "2.0.0").channel("stable", "1.0.0"),
    )
    twice = html.unescape(olmsolve.compare_semantics(request_for(catalog, "shop"))._repr_html_() or "")
    assert "has constraints that the two read differently" in twice
    assert "<code>shop.v1.0.0</code>" in twice, "a bundle that nothing connects is listed"
    nothing = request_for(catalog, installed=["shop.v1.0.0"])
    assert "Nothing to install." in html.unescape(olmsolve.diff(nothing, nothing)._repr_html_() or "")
    plan = olmsolve.resolve(request_for(catalog, "old@stable", "shop", "a"))
    also = html.unescape(olmsolve.why(plan, "a")._repr_html_() or "")
    assert "<h2>Also for</h2>" in also
    rule = olmsolve.AtLeastOne("b", name="some b")
    ruled = olmsolve.resolve(olmsolve.evolve(request_for(catalog, "old"), house_rules=[rule]))
    assert ">house rule<" in html.unescape(olmsolve.why(ruled, "b")._repr_html_() or "")
    impossible = catalog_of(
        package("app").channel("stable", "1.0.0 < 2.0.0").requires("missing", ">=1.0.0", at="2.0.0"),
    )
    better = olmsolve.why(olmsolve.resolve(request_for(impossible, "app")), "app")
    assert "<h2>What looked better</h2>" in html.unescape(better._repr_html_() or "")
