"""What a page says of itself: which cluster, which catalogs, and which version made it; and how it names facts."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Final

import pytest

from olmsolve import __version__
from tests.cli.commands import Run
from tests.scenarios.agreement.stuck import STUCK

_COMMONS: Final = "olmsolve/examples/catalogs/commons"
_COURIER: Final = f"{_COMMONS}/courier.yaml"
_BOTH: Final = f"--catalog olm/commons={_COMMONS} --catalog olm/orchard=olmsolve/examples/catalogs/orchard"
_CLUSTER: Final = "olmsolve/examples/cluster.yaml"
_TIME: Final = r"\d{4}-\d\d-\d\d \d\d:\d\d UTC"
_DIGEST: Final = "sha256:[0-9a-f]{12}"


def _about(page: str) -> str:
    match = re.search(r'<ul class="about">(.*?)</ul>', page)
    assert match is not None
    return " · ".join(re.findall("<li>([^<]*)</li>", match[1]))


@pytest.mark.parametrize("verb", ["plan", "simulate", "explain", "resolve"])
def test_a_page_says_what_it_was_made_of(olmsolve: Run, tmp_path: Path, verb: str) -> None:
    """A page is sent around, and read days later beside another one."""
    arguments = STUCK["the operator is not upgradeable"]().arguments(tmp_path)
    chosen = ("--namespace", "ns") if verb in ("explain", "resolve") else ()
    about = _about(olmsolve(verb, *arguments, *chosen, "-o", "html").out)
    catalog = arguments[3]
    assert re.fullmatch(
        rf"cluster {re.escape(arguments[1])} \({_TIME}\) · catalog {re.escape(catalog)} \({_DIGEST}, {_TIME}\) · "
        rf"made {_TIME} · olmsolve {re.escape(__version__)}",
        about,
    )


@pytest.mark.parametrize("document", ["install", "unsatisfiable"])
@pytest.mark.parametrize("verb", ["resolve", "explain"])
def test_the_catalogs_of_a_document_are_named(olmsolve: Run, document: str, verb: str) -> None:
    """A document names paths; what they contained is told by the digests."""
    about = _about(olmsolve(verb, f"olmsolve/examples/{document}.yaml", "-o", "html").out)
    request, orchard, commons, *_ = about.split(" · ")
    assert request.startswith(f"request olmsolve/examples/{document}.yaml (")
    for name, part in (("orchard", orchard), ("commons", commons)):
        assert re.fullmatch(rf"catalog olm/{name}=olmsolve/examples/catalogs/{name} \({_DIGEST}, {_TIME}\)", part), part


def test_catalogs_that_a_dump_names_are_told(olmsolve: Run) -> None:
    """An annotation of a CatalogSource says where its content is, and no option has to."""
    chosen = ("--namespace", "shop", "-o", "html")
    about = _about(olmsolve("explain", "--cluster", "olmsolve/examples/conflict.yaml", *chosen).out)
    assert re.search(rf"catalog olm/orchard=\S*/catalogs/orchard \({_DIGEST}", about)
    assert re.search(rf"catalog olm/commons=\S*/catalogs/commons \({_DIGEST}", about)


def test_a_page_without_a_document_says_what_was_wished(olmsolve: Run) -> None:
    """With the catalog as it was given: a priority is no part of its path."""
    wish = ("--subscribe", "keyring", "--catalog", "commons=olmsolve/examples/catalogs/commons:10")
    about = _about(olmsolve("resolve", *wish, "-o", "html").out)
    assert about.startswith("request for keyring · catalog commons=olmsolve/examples/catalogs/commons (sha256:")


@pytest.mark.parametrize(
    "command",
    [
        f"graph {_COMMONS} --package keyring",
        f"bench {_COMMONS} --processes 1 --passes 1",
        f"journey --cluster {_CLUSTER} --openshift 4.18 --to 4.19 {_BOTH}",
        f"impact --clusters {_CLUSTER} {_BOTH} --before olm/commons={_COURIER}",
    ],
    ids=lambda command: command.split()[0],
)
def test_pages_of_other_commands_say_it_too(olmsolve: Run, command: str) -> None:
    """Whoever finds the page in a ticket wants to know which content it shows."""
    about = _about(olmsolve(*command.split(), "-o", "html").out)
    assert re.search(rf"catalog (olm/commons=)?{_COMMONS} \({_DIGEST}, {_TIME}\)", about), about
    assert re.search(rf"made {_TIME} · olmsolve ", about)
    if command.startswith("impact"):
        assert f"before olm/commons={_COURIER} (sha256:" in about


def test_a_change_is_named(olmsolve: Run) -> None:
    """The impact of manifests is no impact of catalogs."""
    change = f"{_BOTH} --change olmsolve/examples/channel.yaml"
    about = _about(olmsolve("impact", "--clusters", _CLUSTER, *change.split(), "-o", "html").out)
    assert "change olmsolve/examples/channel.yaml (" in about


def test_a_page_can_be_made_again(olmsolve: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """SOURCE_DATE_EPOCH is now, and no file is later: a fresh checkout gives the same bytes."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    about = _about(olmsolve("resolve", "olmsolve/examples/install.yaml", "-o", "html").out)
    assert "request olmsolve/examples/install.yaml (2001-09-09 01:46 UTC)" in about
    assert "made 2001-09-09 01:46 UTC" in about


@pytest.mark.parametrize("given", ["today", "1e9", "9" * 30])
def test_a_date_that_is_none_is_refused(olmsolve: Run, monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    """A page with today's date in its place would not be the one that was asked for."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", given)
    outcome = olmsolve("graph", _COMMONS, "-o", "html")
    assert outcome.code == 2
    assert "SOURCE_DATE_EPOCH: must be seconds since 1970 (example: 1767225600)" in outcome.err


def test_an_image_has_no_date(olmsolve: Run, tmp_path: Path) -> None:
    """Nothing on this machine says when it was made."""
    from argparse import Namespace

    from olmsolve.cli.pages import about_page

    options = Namespace(cluster=["live:east"], catalogs=["olm/a=registry.example.com/a:v1"], clusters=str(tmp_path))
    live, folder, catalog, made_at = about_page(options)
    assert made_at.startswith("made ")
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


def test_the_page_of_a_cluster_begins_with_what_would_help(olmsolve: Run, tmp_path: Path) -> None:
    """The ways out are those of the text, by harm, with risks and commands; OLM's own messages fill a phone."""
    arguments = STUCK["nobody owns the operator"]().arguments(tmp_path)
    page = olmsolve("explain", *arguments, "--namespace", "ns", "-o", "html").out
    headings = [html.unescape(heading) for heading in re.findall(r"<h2>([^<]*)</h2>", page)]
    assert headings == ["Ways out, the least harm first", "The cluster's objects say", "Conflict"]
    assert '<span class="whole">--subresource</span>' in page  # no line of a phone ends behind one of its hyphens
    text = re.sub(r"</?span[^>]*>", "", page)
    assert "kubectl patch subscription.operators.coreos.com e --namespace ns --subresource status" in text
    assert "risk: the operator is updated from then on, as the subscription says" in page
