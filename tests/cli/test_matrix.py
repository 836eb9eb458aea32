"""The matrix of commands: every verb answers every kind of situation, or refuses it with what to use instead.

docs/commands.md shows the matrix, and which command takes which option. UPDATE_SNAPSHOTS=1 writes the tables anew.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
import yaml

import olmsolve as library
from olmsolve.cli import COMMANDS
from olmsolve.cli.table import declare
from olmsolve.render import json_schemas
from tests.cli.commands import Outcome, Run
from tests.cli.small_cluster import CONTENTS, blobs, catalog_source, cluster_catalog, extension, namespace, write
from tests.yaml_files import yaml_text

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/commands.md"
EXAMPLES = Path(library.__file__).parent / "examples"

VERBS: Final = (
    "resolve",
    "explain",
    "why",
    "why-not",
    "diff",
    "path",
    "plan",
    "simulate",
    "blocking",
    "groups",
    "metrics",
    "migrate",
    "certify",
    "reduce",
    "verify",
    "cnf",
)
SITUATIONS: Final = {
    "document": "request document for classic OLM",
    "v1": "request document for OLM v1",
    "dump": "cluster's objects, both generations",
    "flags": "`--catalog` and `--subscribe`",
}

# The further arguments of a verb.
MORE: Final = {
    "why": ("etcd.v2",),
    "why-not": ("etcd", "--version", "3.0.0"),
    "diff": ("--compare-semantics",),
    "blocking": ("--openshift", "4.18.3"),
}
_OBJECTS = "{verb} needs a cluster's objects, and a request has none"
_V1 = "{what} are for subscriptions: OLM v1 resolves without a search"
_ONE_QUESTION = ("certify", "verify", "cnf")
REFUSED: Final = {
    **{(verb, kind): _OBJECTS for verb in ("plan", "simulate") for kind in ("document", "flags")},
    **{(verb, kind): _OBJECTS for verb in ("groups", "metrics") for kind in ("document", "v1", "flags")},
    **{(verb, "v1"): _V1.format(what="clauses" if verb == "cnf" else "certificates") for verb in _ONE_QUESTION},
    **{(verb, "dump"): "one question is needed, not 2: shop, etcd" for verb in (*_ONE_QUESTION, "reduce")},
}
"""The cells without an answer, and the beginning of the sentence that stands there."""
EACH: Final = tuple(
    verb for verb in VERBS if (verb, "dump") not in REFUSED and verb not in ("blocking", "groups", "metrics")
)
"""The verbs that answer each question of a dump; the three others make one report of the objects."""
INSTEAD: Final = {
    "plan": "--cluster FILE gives objects",
    "simulate": "--cluster FILE gives objects",
    "groups": "--cluster FILE gives objects",
    "metrics": "--cluster FILE gives objects",
    "certify": "--namespace or --extension chooses one",
    "verify": "--namespace or --extension chooses one",
    "cnf": "--namespace or --extension chooses one",
    "reduce": "--namespace or --extension chooses one",
}
INSTEAD_V1: Final = "olmsolve why says why OLM v1 takes its bundle"


def _instead(verb: str, refusal: str) -> str:
    """The hint that comes with the *refusal* of *verb*."""
    return INSTEAD_V1 if refusal.endswith("OLM v1 resolves without a search") else INSTEAD[verb]


@pytest.fixture(autouse=True)
def _small_cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working directory with the four situations, each about the operator etcd in version 1, and a certificate."""
    monkeypatch.chdir(tmp_path)
    write(*namespace(), catalog_source(), extension(), cluster_catalog())
    installed = {"name": "etcd.v1", "version": "1.0.0", "subscription": "etcd"}
    document = {
        "name": "classic",
        "namespaces": ["shop"],
        "catalogs": [{"name": "cat", "namespace": "shop", "blobs": blobs()}],
        "subscriptions": [{"name": "etcd", "package": "etcd", "channel": "stable"}],
        "installed": [installed],
    }
    Path("document.yaml").write_text(yaml_text(document), "utf-8")
    v1 = {
        "name": "v1",
        "catalogs": [{"name": "main", "blobs": blobs()}],
        "extension": {"packageName": "etcd"},
        "installed": {"name": "etcd.v1", "version": "1.0.0"},
    }
    Path("v1.yaml").write_text(yaml_text(v1), "utf-8")


def arguments(verb: str, situation: str) -> tuple[str, ...]:
    """The arguments that ask *verb* about *situation*."""
    given: dict[str, tuple[str, ...]] = {
        "document": ("document.yaml",),
        "v1": ("v1.yaml",),
        "dump": ("--cluster", "dump.yaml", *CONTENTS),
        "flags": ("--catalog", "cat=catalog.json", "--subscribe", "etcd@stable", "--installed", "etcd.v1"),
    }
    more = MORE.get(verb, ())
    if verb == "verify":
        return (verb, "certificate.json", *given[situation])
    if verb in ("groups", "metrics") and situation == "dump":
        return (verb, "--cluster", "dump.yaml")
    return (verb, *given[situation], *more)


def outcome_about(olmsolve: Run, verb: str, situation: str, *more: str) -> Outcome:
    if verb == "verify":
        outcome = olmsolve(*arguments("certify", situation), "--to", "certificate.json")
        if outcome.code == 2:
            Path("certificate.json").write_text("{}", "utf-8")
    return olmsolve(*arguments(verb, situation), *more)


@pytest.mark.parametrize("situation", SITUATIONS)
@pytest.mark.parametrize("verb", VERBS)
def test_every_cell_answers_or_says_what_to_use(olmsolve: Run, verb: str, situation: str) -> None:
    """Which command takes what should not have to be learned by trying."""
    outcome = outcome_about(olmsolve, verb, situation)
    refusal = REFUSED.get((verb, situation))
    if refusal is None:
        assert (outcome.code in (0, 1), outcome.err) == (True, "")
        assert outcome.out
        return
    assert (outcome.code, outcome.out) == (2, "")
    assert refusal.format(verb=verb) in outcome.err
    assert len(outcome.err.splitlines()) == 1
    assert _instead(verb, refusal) in outcome.err


@pytest.mark.parametrize(
    ("verb", "situation"),
    [
        (verb, situation)
        for verb in VERBS
        for situation in SITUATIONS
        if (verb, situation) not in REFUSED and verb not in ("certify", "cnf", "reduce")
    ],
)
def test_every_answer_is_data_as_well(olmsolve: Run, verb: str, situation: str) -> None:
    """Programs read JSON, whatever the question; YAML says the same."""
    outcome = outcome_about(olmsolve, verb, situation, "--output", "json")
    data = json.loads(outcome.out)
    assert "schema" in data or data["kind"] == "List"
    assert yaml.safe_load(outcome_about(olmsolve, verb, situation, "--output", "yaml").out) == data


@pytest.mark.parametrize("verb", EACH)
def test_a_mixed_dump_is_answered_for_both_generations(olmsolve: Run, verb: str) -> None:
    """An extension that is passed over without a word would be taken for one that nothing happens to."""
    out = outcome_about(olmsolve, verb, "dump").out
    assert "xtension" in out
    assert "shop" in out


@pytest.mark.parametrize("verb", EACH)
def test_one_broken_question_ends_no_other(olmsolve: Run, verb: str) -> None:
    """A cluster of hundreds of operators always has one that is broken."""
    broken = extension("broken", version="not a range")
    without_group = namespace("lab")[1:]
    write(*namespace(), *without_group, catalog_source(), extension(), broken, cluster_catalog())
    outcome = outcome_about(olmsolve, verb, "dump")
    assert outcome.code in (1, 2) or verb in ("why-not", "migrate")
    for name in ("shop", "etcd", "lab"):
        assert name in outcome.out


def options(verb: str) -> Iterator[str]:
    """The long options of *verb*."""
    parser = argparse.ArgumentParser()
    declare(COMMANDS[verb].module(), parser)
    for action in parser._actions:
        if action.help == argparse.SUPPRESS:
            continue
        long = [string for string in action.option_strings if string.startswith("--")]
        yield from long[:1]


def test_what_several_commands_take_means_the_same() -> None:
    """One name, one meaning: the same help text, wherever the option is."""
    texts: dict[str, set[str | None]] = {}
    for verb in VERBS:
        parser = argparse.ArgumentParser()
        declare(COMMANDS[verb].module(), parser)
        for action in parser._actions:
            for name in action.option_strings:
                if action.help != argparse.SUPPRESS:
                    texts.setdefault(name, set()).add(action.help)
    # Each command says what its own answer is, and names its own package, bundle or channel.
    own = {"--output", "-o", "--channel", "--version", "--from", "--to"}
    assert {name: help_texts for name, help_texts in texts.items() if len(help_texts) > 1 and name not in own} == {}


def test_output_is_a_form_and_to_a_file() -> None:
    """Whoever learnt -o and --to in one command knows them in all, those about catalogs included."""
    by_option: dict[str, dict[str, object]] = {}
    for name, command in COMMANDS.items():
        parser = argparse.ArgumentParser()
        declare(command.module(), parser)
        subparsers = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
        parsers = [parser, *(choice for action in subparsers for choice in action.choices.values())]
        for action in (action for parser in parsers for action in parser._actions):
            for option in action.option_strings:
                by_option.setdefault(option, {})[name] = "form" if action.choices else action.metavar
    assert set(by_option["-o"].values()) == set(by_option["--output"].values()) == {"form"}
    # The way of a path goes --from a bundle --to another, and a journey goes --to a version.
    assert set(by_option["--to"].values()) == {"FILE", by_option["--to"]["path"], by_option["--to"]["journey"]}
    assert {option for option, metavars in by_option.items() if "FILE" in metavars.values()} == {
        *("--to", "--symbols", "--save"),
        *("--cluster", "--change", "--after", "--house-rules", "--requests", "--replay", "--resume"),  # which are read
    }


def situations_table() -> Iterator[str]:
    """Yield the lines of the matrix, and below it the sentences of refusal."""
    sentences: list[str] = []
    yield f"| | {' | '.join(SITUATIONS.values())} |"
    yield f"|---|{'---|' * len(SITUATIONS)}"
    for verb in VERBS:
        cells = []
        for situation in SITUATIONS:
            refusal = REFUSED.get((verb, situation))
            if refusal is None:
                cells.append("yes")
                continue
            text = refusal.format(verb="it").partition(": shop")[0]
            text = f"{text[0].upper()}{text[1:]} ({_instead(verb, refusal)})"
            if text not in sentences:
                sentences.append(text)
            cells.append(f"no ({sentences.index(text) + 1})")
        yield f"| `{verb}` | {' | '.join(cells)} |"
    yield ""
    yield from (f"{number}. {text}." for number, text in enumerate(sentences, start=1))


def options_table() -> Iterator[str]:
    """Yield a line for each option, the most widely taken first: the commands that take it."""
    verbs_by_option: dict[str, list[str]] = {}
    for verb in VERBS:
        for option in options(verb):
            verbs_by_option.setdefault(option, []).append(verb)
    verbs_by_option.pop("--help")
    yield "| option | commands |"
    yield "|---|---|"
    for option, verbs in sorted(verbs_by_option.items(), key=lambda item: (-len(item[1]), item[0])):
        missing = [verb for verb in VERBS if verb not in verbs]
        if not missing:
            text = "all"
        elif len(missing) <= 4:
            text = f"all but {', '.join(f'`{verb}`' for verb in missing)}"
        else:
            text = ", ".join(f"`{verb}`" for verb in verbs)
        yield f"| `{option}` | {text} |"


def forms() -> dict[str, tuple[str, ...]]:
    """The forms of ``--output`` of each command, and of each action of a command."""
    by_command: dict[str, tuple[str, ...]] = {}
    for name, command in COMMANDS.items():
        parser = argparse.ArgumentParser()
        declare(command.module(), parser)
        parsers = {name: parser}
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                parsers.update({f"{name} {sub}": subparser for sub, subparser in action.choices.items()})
        for full_name, command_parser in parsers.items():
            for action in command_parser._actions:
                if "--output" in action.option_strings:
                    by_command[full_name] = tuple(action.choices or ())
    return by_command


_ANSWER: Final = {"text", "markdown", "json", "yaml"}
_REPORT: Final = {*_ANSWER, "junit", "sarif", "github"}
_CATALOG: Final = {"json", "jsonl", "yaml", "opm-json", "opm-yaml"}
_REPORTING: Final = ("validate", "lint", "audit")
_WRITING: Final = (
    *("render", "template", "catalog merge", "catalog subset", "catalog add", "catalog promote", "catalog edge"),
    *("catalog remove", "catalog set-default", "catalog deprecate", "catalog convert-template"),
)
_NEITHER: Final = {
    "reduce": "a request document",
    "certify": "a proof, which verify reads",
    "cnf": "clauses, which other solvers read",
    "graph": "a drawing",
    "composite": "a catalog in files",
    "catalog init": "a package, in OLM's own form",
}
"""The commands that write no answer for people: what they write has forms of its own."""


def test_the_same_forms_wherever_they_make_sense() -> None:
    """Whoever learnt ``-o yaml`` with one command types it with the next; ``validate`` and ``audit`` had none."""
    for name, has in forms().items():
        if name in _NEITHER:
            continue
        wanted = _REPORT if name in _REPORTING else _CATALOG if name in _WRITING else _ANSWER
        assert wanted <= set(has), name
    assert set(_NEITHER) <= set(forms())
    # A page is made of whatever has a shape: plans, ways, graphs, reports of many findings.
    pages = {name for name, has in forms().items() if "html" in has}
    assert pages == {
        *("resolve", "explain", "plan", "simulate", "impact", "journey", "audit", "graph", "template", "bench"),
    }


def forms_table() -> Iterator[str]:
    """Yield a line for each set of forms, with the commands that have it."""
    by_forms: dict[tuple[str, ...], list[str]] = {}
    for name, has in forms().items():
        by_forms.setdefault(has, []).append(name)
    yield "| forms | commands |"
    yield "|---|---|"
    for has, names in sorted(by_forms.items(), key=lambda item: (-len(item[1]), item[1])):
        yield f"| {', '.join(f'`{form}`' for form in has)} | {', '.join(f'`{name}`' for name in names)} |"


@pytest.mark.parametrize(
    ("name", "lines"),
    [("matrix", situations_table), ("options", options_table), ("forms", forms_table)],
    ids=["matrix", "options", "forms"],
)
def test_the_page_shows_the_tables(name: str, lines: object) -> None:
    """docs/commands.md is made from the parsers and from the cells that this module tests."""
    assert callable(lines)
    text = PAGE.read_text("utf-8")
    before, _, rest = text.partition(f"<!-- {name} -->\n")
    _, _, after = rest.partition(f"<!-- /{name} -->")
    expected = f"{before}<!-- {name} -->\n" + "\n".join(lines()) + f"\n<!-- /{name} -->{after}"
    if "UPDATE_SNAPSHOTS" in os.environ:
        PAGE.write_text(expected, "utf-8")
    assert PAGE.read_text("utf-8") == expected


def test_every_command_with_json_has_a_schema() -> None:
    """A new command that offers ``--output json`` needs one (render/json_schemas.py); catalogs have OLM's own form."""
    writing = set()
    for name in COMMANDS:
        parser = argparse.ArgumentParser()
        declare(COMMANDS[name].module(), parser)
        if any("--output" in action.option_strings and "json" in (action.choices or ()) for action in parser._actions):
            writing.add(name)
    described = {name.partition(" ")[0] for name in json_schemas.COMMANDS}
    assert writing - {"render", "template"} <= described <= set(COMMANDS)


# A value of each option that describes a situation or a policy.
_VALUES: Final = {
    "--catalog": "cat=catalog.json",
    "--cluster": "dump.yaml",
    "--subscribe": "etcd",
    "--installed": "etcd.v1",
    "--namespace": "shop",
    "--extension": "etcd",
    "--semantics": "controller",
    "--global-namespace": "olm",
    "--unreadable": "ignore",
    "--kubernetes": "1.31.2",
    "--openshift": "4.18.3",
    "--operator-groups": None,
    "--feature-gates": "SingleOwnNamespaceInstallSupport=true",
    "--house-rules": "rules.yaml",
    "--manifests": str(EXAMPLES / "authoring/bundles/keyring-1.1.0"),
    "--backend": "python",
    "--timeout": "60",
    "--output": "json",
}
_CHOSEN: Final = ("--namespace", "shop"), ("--extension", "etcd")


def _is_taken(olmsolve: Run, verb: str, option: str) -> bool:
    """Whether *verb* takes *option* in some situation, a dump of which one question is chosen among them."""
    value = _VALUES[option]
    given = [option] if value is None else [option, value]
    forms: list[list[str]] = [["document"], ["v1"], ["dump"], ["flags"], *(["dump", *chosen] for chosen in _CHOSEN)]
    if verb == "metrics":
        forms.append(["dump", "--simulated", *CONTENTS])
    for situation, *chosen in forms:
        words = [*arguments(verb, situation), *chosen]
        if option not in words:
            if option in ("--cluster", "--catalog", "--subscribe", "--installed"):
                continue  # it makes another situation
            words += given
        if verb == "diff" and option == "--semantics":
            words = ["diff", *["document.yaml"] * 2, *given]
        if verb == "verify":
            olmsolve("certify", *words[2:], "--to", "certificate.json")
        outcome = olmsolve(*words)
        Path("certificate.json").unlink(missing_ok=True)
        if outcome.code in (0, 1):
            return True
    return False


@pytest.mark.parametrize("verb", VERBS)
def test_every_listed_option_is_taken(olmsolve: Run, verb: str) -> None:
    """An option in a command's help matters to some situation; one that is always refused only misleads."""
    Path("rules.yaml").write_text("houseRules:\n- {name: rule, never: nothing}\n", "utf-8")
    listed = [option for option in options(verb) if option in _VALUES]
    assert [option for option in listed if not _is_taken(olmsolve, verb, option)] == []


def test_help_lists_no_option_that_is_always_refused(olmsolve: Run) -> None:
    """``groups -h`` listed a backend, catalogs and versions, and refused each; who types one still hears why."""
    listed = set(options("groups"))
    assert listed == {"--help", "--cluster", "--namespace", "--output", "--timeout"}
    assert "--openshift" not in olmsolve("groups", "-h").out
    assert "cannot matter" in olmsolve("groups", "--cluster", "dump.yaml", "--openshift", "4.18.3").err
