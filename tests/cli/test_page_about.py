"""What a page says of itself: which cluster, which catalogs, and which version made it; and how it names facts."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

from olmsolve._version import __version__
from tests.cli.commands import Run
from tests.scenarios.agreement.stuck import STUCK


def _about(page: str) -> str:
    found = re.search(r'<p class="about">([^<]*)</p>', page)
    assert found is not None
    return found[1]


@pytest.mark.parametrize("verb", ["plan", "simulate", "explain", "resolve"])
def test_a_page_says_what_it_was_made_of(olmsolve: Run, tmp_path: Path, verb: str) -> None:
    """A page is sent around, and read days later beside another one."""
    arguments = STUCK["the operator is not upgradeable"]().arguments(tmp_path)
    chosen = ("--namespace", "ns") if verb in ("explain", "resolve") else ()
    said = _about(olmsolve(verb, *arguments, *chosen, "-o", "html").out)
    time = r"\d{4}-\d\d-\d\d \d\d:\d\d UTC"
    catalog = arguments[3]
    assert re.fullmatch(
        rf"cluster {re.escape(arguments[1])} \({time}\) · "
        rf"catalog {re.escape(catalog)} \(sha256:[0-9a-f]{{12}}, {time}\) · olmsolve {re.escape(__version__)}",
        said,
    )


def test_a_document_is_named_as_well(olmsolve: Run) -> None:
    """Its catalogs stand in it."""
    said = _about(olmsolve("resolve", "olmsolve/examples/install.yaml", "-o", "html").out)
    assert said.startswith("request olmsolve/examples/install.yaml (")


def test_an_image_has_no_date(olmsolve: Run, tmp_path: Path) -> None:
    """Nothing on this machine says when it was made."""
    from argparse import Namespace

    from olmsolve.cli.page_about import about_page

    options = Namespace(cluster=["live:east"], catalogs=["olm/a=registry.example.com/a:v1"], clusters=str(tmp_path))
    live, folder, catalog = about_page(options)
    assert (live, catalog) == ("cluster live:east", "catalog olm/a=registry.example.com/a:v1")
    assert folder.startswith(f"clusters {tmp_path} (")


def test_facts_of_a_cluster_name_their_objects(olmsolve: Run, tmp_path: Path) -> None:
    """``subscriptions[0]`` is the position in a request that nobody has written."""
    arguments = STUCK["nobody owns the operator"]().arguments(tmp_path)
    page = olmsolve("explain", *arguments, "--namespace", "ns", "-o", "html").out
    assert "subscriptions[" not in page
    assert "installed[" not in page
    assert re.search(rf"{re.escape(arguments[1])}[^<]*, Subscription e<", page)
    assert re.search(rf"{re.escape(arguments[1])}[^<]*, ClusterServiceVersion e.v1.0.0<", page)


def test_the_page_of_a_cluster_begins_with_its_objects(olmsolve: Run, tmp_path: Path) -> None:
    """And its ways out are those of the text: by harm, with risks and commands."""
    arguments = STUCK["nobody owns the operator"]().arguments(tmp_path)
    page = olmsolve("explain", *arguments, "--namespace", "ns", "-o", "html").out
    headings = [html.unescape(each) for each in re.findall(r"<h2>([^<]*)</h2>", page)]
    assert headings == ["The cluster's objects say", "Ways out, the least harm first", "Conflict"]
    assert "kubectl patch subscription.operators.coreos.com e --namespace ns --subresource status" in page
    assert "risk: the operator is updated from then on, as the subscription says" in page
