"""What commands say of arguments that are missing, contradict each other or are given by half.

A message names what was given, and options that the command has: a reader looks for what it names on the line that was
typed, or adds it.
"""

from __future__ import annotations

import itertools
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

import olmsolve
from olmsolve.cli import COMMANDS, parser_of
from tests.cli.commands import Run, runner

WISHES: Final = ["--catalog", "orchard=catalogs/orchard", "--catalog", "commons=catalogs/commons"]
STOREFRONT: Final = [*WISHES, "--subscribe", "storefront"]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the bundled example."""
    folder = tmp_path_factory.mktemp("example") / "shop"
    shutil.copytree(Path(olmsolve.__file__).parent / "examples", folder)
    return folder


@pytest.fixture
def example(shop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line, in the folder of the bundled example."""
    monkeypatch.chdir(shop)
    return runner(capsys)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["path", "-", "--subscribe", "storefront"], "the request document - and --subscribe exclude each other"),
        (
            ["path", *WISHES, "--installed", "storefront.v1.4.1", "storefront"],
            "the request document storefront and --installed exclude each other",
        ),
        (
            ["why-not", *STOREFRONT, "keyring", "1.0.1"],
            "the request document keyring and --subscribe exclude each other",
        ),
        (
            ["resolve", "--cluster", "cluster.yaml", "--installed", "a", "--subscribe", "b"],
            "--cluster and --subscribe and --installed exclude each other",
        ),
        (["resolve", "--subscribe", "storefront"], "--subscribe without --catalog, which has the bundles"),
        (["resolve", *WISHES], "--catalog alone is not a question: a request document is needed, or --subscribe"),
        # Reported as "--catalog alone", although it was not alone.
        (
            ["resolve", *WISHES, "--extension", "lamp"],
            "--extension chooses from a request document or from the objects of --cluster: neither is given",
        ),
        (["plan"], "error: a cluster's objects are needed: --cluster FILE"),
        (["simulate", *WISHES], "error: a cluster's objects are needed: --cluster FILE"),
        (
            ["path", *WISHES, "--installed", "storefront.v1.4.1"],
            "--installed without --subscribe: a path follows the updates of the subscription that owns it",
        ),
        (["path", "install.yaml", "--olm", "v1"], "--olm goes with a catalog and a package"),
        (["path", "install.yaml", "--olm", "v1", "--channel", "x"], "--channel and --olm go with a catalog and a"),
        (
            ["path", "catalogs/orchard", "storefront", "--subscribe", "x"],
            "the catalog catalogs/orchard and the package storefront were given together with --subscribe",
        ),
        (["path", "catalogs/orchard", "storefront"], "PACKAGE without --from, which says what is installed"),
        (
            ["diff", "install.yaml"],
            "nothing to compare with: give another request or dump, --then-catalog, --change",
        ),
        (
            ["diff", "install.yaml", "--compare-semantics", "--then-catalog", "a=b"],
            "--compare-semantics compares one request or dump, and --then-catalog makes another",
        ),
        (
            ["diff", "install.yaml", "--against", "upgrade.yaml"],
            "unknown option --against (did you mean --then-catalog?)",
        ),
        (["graph", "catalogs/orchard", "--channel", "2.x"], "error: unknown option --channel\n"),
        (["why", "install.yaml"], "BUNDLE is missing after the request document install.yaml"),
        (["why-not", "install.yaml"], "PACKAGE is missing after the request document install.yaml"),
        (
            ["why", "--cluster", "cluster.yaml", "ember.v1.2.0"],
            "required: BUNDLE (--cluster takes all that follows it: cluster.yaml ember.v1.2.0)",
        ),
        (["fuzz", "--replay", "a.yaml", "--requests", "b"], "--replay FILE checks one document, without --requests\n"),
        (
            ["resolve", "install.yaml", "--together", "--core"],
            "--together gives one failure for all namespaces: --core cannot show it",
        ),
        (
            ["catalog", "add", "catalogs/orchard", "--bundle", "a", "--bundle", "b", "--channel", "c", "--skips", "d"],
            "--skips is for one bundle: several bundles have the edges that their own manifests state",
        ),
        (
            ["resolve", *STOREFRONT, "--global-namespace", "olm"],
            "--global-namespace cannot matter: it is about a cluster's objects, and a request has none",
        ),
        (["resolve", *STOREFRONT, "--subscribe", "storefront"], "olmsolve: --subscribe: 'storefront' is given 2 times"),
        (["path", *STOREFRONT, "--to", "x", "--installed", "nothing.v1"], "--installed nothing.v1: no catalog has"),
        (
            ["resolve", *WISHES, "--subscribe", "storefront:1.x"],
            "--subscribe storefront:1.x: not of the form PACKAGE[@CHANNEL][=STARTING] (for example storefront@1.x)",
        ),
        (["resolve", "install.yaml", "--namespace", "shop"], "a request document is a question by itself"),
        (
            ["resolve", "catalogs/orchard"],
            "catalogs/orchard: a catalog, not a request or objects of a cluster",
        ),
        (
            ["resolve", "catalogs/orchard"],
            "(--catalog catalogs/orchard --subscribe PACKAGE asks for one of its packages)",
        ),
        (
            ["resolve", "catalogs/orchard", "storefront"],
            "unexpected argument storefront (--catalog catalogs/orchard --subscribe storefront asks for a package)",
        ),
        (
            ["catalog", "list", "catalogs/orchard"],
            "'catalogs/orchard' is not one of these; name what to list before the catalog",
        ),
        (["catalog", "list", "bundels", "catalogs/orchard"], "invalid choice: 'bundels' (did you mean bundles?)"),
        (["resolve", ""], "the name of a file is empty; is a variable of the shell unset?"),
        (["explain", "--cluster", ""], "the name of a file is empty; is a variable of the shell unset?"),
        (["resolve", "--catalog", "", "--subscribe", "a"], "--catalog: is empty (is a variable of the shell unset?)"),
        (["audit", ""], "CATALOG: is empty (is a variable of the shell unset?)"),
        (["catalog"], "olmsolve catalog: error: an action is missing:\n  list "),
        (["reduce", "install.yaml", "--cluster", "upgrade.yaml"], "one question is needed, not 2"),
        (["reduce", "install.yaml", "--cluster", "upgrade.yaml"], "(give one document)"),
        (
            ["resolve", "install.yaml", "--backend", "cadcal153"],
            "'cadcal153': unknown; did you mean cadical153 or cadical103?",
        ),
    ],
    ids=lambda value: " ".join(value[:1]) if isinstance(value, list) else "",
)
def test_a_message_names_what_was_given(example: Run, arguments: list[str], message: str) -> None:
    """Each of these named options that were not given, or that do not exist, or said nothing."""
    outcome = example(*arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert message in outcome.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["path", "catalogs/orchard", "storefrnt", "--from", "storefront.v1.4.1"], "storefront"),
        (["path", "catalogs/orchard", "storefront", "--from", "storefront.v1.4.l"], "storefront.v1.4.1"),
        (["path", "upgrade.yaml", "--to", "storefront.v2.1.O"], None),
        (["migrate", "catalogs/orchard", "storefrnt"], "storefront"),
        (["migrate", "catalogs/commons", "ledgerdb", "--channel", "stble"], "stable"),
        (["catalog", "v1", "catalogs/orchard", "--package", "storefrnt"], "storefront"),
        (["graph", "catalogs/orchard", "--package", "storefrnt", "-o", "html"], "storefront"),
        (["catalog", "list", "bundles", "catalogs/orchard", "--package", "storefrnt"], "storefront"),
        (["catalog", "subset", "catalogs/orchard", "--keep", "Storefront"], "storefront"),
        (["catalog", "remove", "catalogs/orchard", "--package", "storefront", "--bundle", "storefront.2.1.0"], None),
        (
            [
                *("catalog", "edge", "catalogs/orchard", "--package", "storefront"),
                *("--channel", "2.x", "--bundle", "storefront.v2.1.O", "--replaces", "a"),
            ],
            "storefront.v2.1.0",
        ),
        (["why", "install.yaml", "kerying"], "keyring.v1.0.2"),
        (["why", "install.yaml", "keyring.v1.0.3"], "keyring.v1.0.2"),
        (["groups", "--cluster", "cluster.yaml", "--namespace", "warehose"], "warehouse"),
        (["simulate", "--cluster", "cluster.yaml", "--failing", "shp/x"], "shop/x"),
    ],
)
def test_a_misspelt_name_of_the_input_is_asked_about(example: Run, arguments: list[str], message: str | None) -> None:
    """Whatever the name is of: a package, a bundle, a namespace."""
    outcome = example(*arguments)
    text = outcome.err + outcome.out
    assert "did you mean " in text
    assert message is None or f"did you mean {message}" in text


def test_a_graph_of_no_package_says_so(example: Run) -> None:
    """Its text is upstream's, an empty graph; whoever misspelt the package would look for the fault in the catalog."""
    outcome = example("graph", "catalogs/orchard", "--package", "storefrnt")
    assert outcome.code == 0
    assert outcome.err == "olmsolve: package storefrnt: the catalog has no such package (did you mean storefront?)\n"


def test_a_path_without_subscriptions_is_not_an_empty_line(example: Run) -> None:
    """What nothing updates is named, and the exit code says that no path gets there."""
    text = Path("install.yaml").read_text("utf-8")
    document = re.sub(r"(?s)subscriptions:.*?(?=^\S|\Z)", "subscriptions: []\n", text, count=1, flags=re.MULTILINE)
    Path("nothing.yaml").write_text(document, "utf-8")
    outcome = example("path", "nothing.yaml")
    assert (outcome.code, outcome.out) == (0, "There are no subscriptions.\n")
    Path("installed.yaml").write_text(f"{document}\ninstalled:\n- name: storefront.v1.4.1\n  version: 1.4.1\n", "utf-8")
    outcome = example("path", "installed.yaml")
    assert (outcome.code, outcome.out) == (1, "No subscription owns storefront.v1.4.1, so nothing updates it.\n")


VALUES: Final = {
    "FILE": "install.yaml",
    "BUNDLE": "storefront.v1.4.1",
    "[NAMESPACE/]NAME=PATH[:PRIORITY]": "orchard=catalogs/orchard",
    "NAME=PATH[:PRIORITY]": "spare=catalogs/commons",
    "NAME=PATH": "spare=catalogs/commons",
    "VERSION": "4.18.0",
    "N": "3",
    "SECONDS": "20",
    "BACKEND": "cadical153",
    "PACKAGE[@CHANNEL][=STARTING]": "storefront",
}
NEEDED: Final = {"blocking": ["--openshift", "4.18.0"], "impact": ["--clusters", "x"], "audit": WISHES[:2]}
# These work for seconds where nothing is wrong, or write.
LONG: Final = {"bench", "fuzz", "demo", "completion", "help", "index", "catalog", "audit", "impact"}


def half_given(name: str) -> Iterator[list[str]]:
    """Yield calls of the command *name* that lack something, or give too much: no, one or two of its options."""
    declared = parser_of(name).declared()
    options = [action for action in declared if action.option_strings and action.dest not in ("help", "timeout")]
    yield [name]
    for base in ([], ["nowhere.yaml"], ["nowhere.yaml", "x"]):
        for few in (*((option,) for option in options), *itertools.combinations(options[:5], 2)):
            yield [name, *base, *NEEDED.get(name, []), *(word for action in few for word in _typed(action))]


def _typed(option: Any) -> list[str]:
    if option.nargs == 0:
        return [option.option_strings[-1]]
    value = str(next(iter(option.choices))) if option.choices else VALUES.get(str(option.metavar), "x")
    return [option.option_strings[-1], value]


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - LONG))
def test_messages_name_options_of_the_command(example: Run, name: str) -> None:
    """For every command, without and with a document, and for single options and pairs: what is named exists."""
    known = set(parser_of(name).option_names())
    for arguments in half_given(name):
        outcome = example(*arguments)
        if outcome.code != 2:
            continue
        message = outcome.err.partition("error: ")[2] or outcome.err
        assert message.strip(), arguments
        # A hint may lead to another command, which it names.
        own = re.sub(r"olmsolve [a-z-]+ [^;)]*", "", message)
        named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", own))
        assert named <= known, (arguments, message)
        if "exclude each other" in message:
            assert named <= set(arguments), (arguments, message)


def test_a_graph_goes_where_it_is_seen(example: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Mermaid on a terminal is text that nobody meant to read; a file's suffix says what it is to hold."""
    outcome = example("graph", "catalogs/orchard", "--package", "storefront")
    assert outcome.err == ""
    for name, form in {"a.html": "html", "a.dot": "dot", "a.mmd": "mermaid", "a.txt": "mermaid"}.items():
        written = example("graph", "catalogs/orchard", "--package", "storefront", "--to", tmp_path / name)
        assert (written.code, written.out, written.err) == (0, "", "")
        printed = example("graph", "catalogs/orchard", "--package", "storefront", "--output", form).out
        assert (tmp_path / name).read_text("utf-8") == printed
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    shown = example("graph", "catalogs/orchard", "--package", "storefront")
    assert shown.out == outcome.out
    assert shown.err.startswith(
        "olmsolve: the drawing is Mermaid text on standard output; --to graph.html makes a page"
    )
    assert example("graph", "catalogs/orchard", "--output", "mermaid", "--package", "storefront").err == ""
