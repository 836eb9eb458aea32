"""``olmsolve catalog`` and ``olmsolve template``: from files to files, with one clear refusal for what cannot be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from olmsolve import load
from olmsolve.catalog import Catalog
from tests.cli.commands import Run, runner

ONE = """\
---
schema: olm.package
name: p
defaultChannel: stable
---
schema: olm.channel
package: p
name: stable
entries:
- name: p.v1.0.0
- name: p.v1.1.0
  replaces: p.v1.0.0
"""


def bundle(name: str) -> dict[str, Any]:
    package, _, version = name.partition(".v")
    properties = [{"type": "olm.package", "value": {"packageName": package, "version": version}}]
    image = f"quay.io/example/{package}:v{version}"
    return {"schema": "olm.bundle", "package": package, "name": name, "image": image, "properties": properties}


def blob(name: str) -> str:
    return json.dumps(bundle(name)) + "\n"


@pytest.fixture
def olmsolve(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command line in this process, beside two catalogs and a bundle."""
    monkeypatch.chdir(tmp_path)
    bundles = "".join("---\n" + blob(f"p.v1.{minor}.0") for minor in (0, 1))
    Path("one.yaml").write_text(ONE + bundles)
    other = [
        {"schema": "olm.package", "name": "q", "defaultChannel": "stable"},
        {"schema": "olm.channel", "package": "q", "name": "stable", "entries": [{"name": "q.v1.0.0"}]},
        bundle("q.v1.0.0"),
    ]
    Path("two.json").write_text("\n".join(map(json.dumps, other)))
    Path("new.json").write_text(blob("p.v1.2.0"))
    return runner(capsys)


def made(olmsolve: Run, *arguments: object) -> Catalog:
    """The catalog that a command prints, which is valid."""
    form = () if "-o" in arguments else ("-o", "json")
    outcome = olmsolve("catalog", *arguments, *form)
    assert (outcome.code, outcome.err) == (0, "")
    Path("made.json").write_text(outcome.out)
    assert olmsolve("validate", "made.json", "--level", "error").code == 0
    return load("made.json")


def test_merging_and_cutting_is_the_way_back(olmsolve: Run) -> None:
    """Merging two catalogs and keeping one of them gives it back, in any form and wherever it is written."""
    assert set(made(olmsolve, "merge", "one.yaml", "two.json").packages) == {"p", "q"}
    assert olmsolve("catalog", "merge", "one.yaml", "two.json", "--split", "all").code == 0
    assert {str(path) for path in Path("all").rglob("*.yaml")} == {"all/p/catalog.yaml", "all/q/catalog.yaml"}
    assert olmsolve("catalog", "subset", "all", "--keep", "q", "--to", "q.json").out == ""
    assert load("q.json").packages == load("two.json").packages
    assert made(olmsolve, "subset", "all", "--keep", "p", "-o", "jsonl") == load("one.yaml")


@pytest.mark.parametrize(
    ("keep", "names"),
    [
        ("p", ["p.v1.0.0", "p.v1.1.0"]),
        ("p@stable", ["p.v1.0.0", "p.v1.1.0"]),
        ("p=>=1.1.0", ["p.v1.1.0"]),
        ("p@stable==1.0.0", ["p.v1.0.0"]),
    ],
)
def test_what_to_keep(olmsolve: Run, keep: str, names: list[str]) -> None:
    """The separators do not get into each other's way: ranges begin with equals signs too."""
    assert sorted(made(olmsolve, "subset", "one.yaml", "--keep", keep).packages["p"].bundles) == names


def test_the_heads_of_every_package(olmsolve: Run) -> None:
    """For a mirror: what people install today."""
    assert olmsolve("catalog", "merge", "one.yaml", "two.json", "--to", "all.json").code == 0
    heads = made(olmsolve, "subset", "all.json", "--keep", "*", "--heads-only")
    assert [sorted(package.bundles) for package in heads] == [["p.v1.1.0"], ["q.v1.0.0"]]


@pytest.mark.parametrize("keep", ["", "@stable", "p@", "p@a,,b", "=1.0.0"])
def test_malformed_wishes_are_arguments_that_do_not_parse(olmsolve: Run, keep: str) -> None:
    """They end with the usage, as all other arguments do."""
    outcome = olmsolve("catalog", "subset", "one.yaml", "--keep", keep)
    assert (outcome.code, outcome.out) == (2, "")
    assert "argument --keep: not of the form" in outcome.err


def test_a_release(olmsolve: Run) -> None:
    """Add to one channel, promote to the next, make that the default, deprecate the old: four commands."""
    added = ("add", "one.yaml", "--bundle", "new.json", "--channel", "fast", "-o", "json", "--to", "a.json")
    assert olmsolve("catalog", *added).code == 0
    replacing = ("--channel", "stable", "--replaces", "p.v1.1.0", "--skips", "p.v1.1.1", "--skip-range", "<1.2.0")
    catalog = made(olmsolve, "add", "one.yaml", "--bundle", "new.json", *replacing)
    head = catalog.packages["p"].channels["stable"].entries[-1]
    assert (head.name, head.replaces, head.skips, head.skip_range) == ("p.v1.2.0", "p.v1.1.0", ("p.v1.1.1",), "<1.2.0")
    promoted = made(olmsolve, "promote", "a.json", "--package", "p", "--from", "stable", "--into", "slow")
    assert len(promoted.packages["p"].channels["slow"].entries) == 2
    default = made(olmsolve, "set-default", "a.json", "--package", "p", "--channel", "fast")
    assert default.packages["p"].default_channel == "fast"
    old = ("--bundle", "p.v1.0.0", "--message", "too old")
    deprecated = made(olmsolve, "deprecate", "one.yaml", "--package", "p", *old)
    assert [deprecation.message for deprecation in deprecated.packages["p"].deprecations] == ["too old"]


def test_a_bundle_from_its_folder(olmsolve: Run) -> None:
    """A folder as authors keep it has no image reference, so ``--image`` gives it."""
    folder("bundle", "1.2.0")
    named = ("--image", "quay.io/example/p:v1.2.0", "--channel", "stable", "--replaces", "p.v1.1.0")
    catalog = made(olmsolve, "add", "one.yaml", "--bundle", "bundle", *named)
    assert catalog.packages["p"].bundles["p.v1.2.0"].image == "quay.io/example/p:v1.2.0"


def folder(path: str, version: str) -> None:
    """The folder of a bundle."""
    for name, text in {
        "metadata/annotations.yaml": "annotations:\n  operators.operatorframework.io.bundle.package.v1: p\n",
        "manifests/csv.yaml": "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\n"
        f"metadata:\n  name: p.v{version}\nspec:\n  version: {version}\n",
    }.items():
        file = Path(path) / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def test_what_would_break_is_refused_in_one_line(olmsolve: Run) -> None:
    """The line names the place; standard output stays empty, so that no pipe takes it for a catalog."""
    outcome = olmsolve("catalog", "add", "one.yaml", "--bundle", "new.json", "--channel", "stable")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("olmsolve: one.yaml:6, package p, channel stable: this would make the catalog inv")
    outcome = olmsolve("catalog", "add", "one.yaml", "--bundle", "two.json", "--channel", "stable")
    assert outcome.code == 0
    outcome = olmsolve("catalog", "add", "one.yaml", "--bundle", "one.yaml", "--channel", "stable")
    assert outcome.err == "olmsolve: one.yaml: there must be one bundle here, not 2\n"


@pytest.mark.parametrize(
    ("entries", "fault"),
    [(1, "entries must be a list, not the number 1"), ([[]], "entries[0] must be an object, not a list")],
)
def test_deprecations_that_are_no_list_are_refused_in_one_line(olmsolve: Run, entries: Any, fault: str) -> None:
    """Commands that write what they have read look at fields before these are judged: it ended in a TypeError."""
    strange = {"schema": "olm.deprecations", "package": "p", "entries": entries}
    Path("strange.yaml").write_text(f"{ONE}---\n{json.dumps(strange)}\n")
    outcome = olmsolve("catalog", "merge", "strange.yaml")
    assert (outcome.code, outcome.out, outcome.err) == (2, "", f"olmsolve: strange.yaml:14, package p: {fault}\n")


def test_edges_and_differences(olmsolve: Run) -> None:
    """For people and for programs; only --exit-code makes a difference a failure."""
    outcome = olmsolve("catalog", "edges", "one.yaml")
    assert outcome.out == "p/stable: p.v1.0.0 -> p.v1.1.0 (replaces, taken by classic and v1)\n"
    (line,) = olmsolve("catalog", "edges", "one.yaml", "--output", "jsonl").out.splitlines()
    assert json.loads(line) == {
        "package": "p",
        "channel": "stable",
        "installed": "p.v1.0.0",
        "target": "p.v1.1.0",
        "kinds": ["replaces"],
        "classic": True,
        "v1": True,
    }
    add = ("--bundle", "new.json", "--channel", "stable", "--replaces", "p.v1.1.0", "--to", "new.yaml")
    assert olmsolve("catalog", "add", "one.yaml", *add).code == 0
    assert olmsolve("catalog", "diff", "one.yaml", "new.yaml").out.splitlines() == [
        "package p:",
        "  + entry p.v1.2.0 of channel stable: replaces p.v1.1.0",
        "  + bundle p.v1.2.0: quay.io/example/p:v1.2.0",
        "  > p.v1.1.0 in stable, OLM classic and OLM v1: -> p.v1.2.0 (was stays)",
    ]
    outcome = olmsolve("catalog", "diff", "one.yaml", "new.yaml", "--output", "json", "--exit-code")
    report = json.loads(outcome.out)
    assert (outcome.code, report["schema"], len(report["changes"])) == (1, "olmsolve.catalog.diff", 2)
    assert report["upgrades"][0] == {
        "package": "p",
        "channel": "stable",
        "generation": "classic",
        "installed": ["p.v1.1.0"],
        "before": None,
        "after": "p.v1.2.0",
        "isGone": False,
    }
    outcome = olmsolve("catalog", "diff", "one.yaml", "one.yaml", "--exit-code")
    assert (outcome.code, outcome.out) == (0, "The catalogs are the same.\n")


SEMVER = """\
schema: olm.semver
generateMajorChannels: true
stable:
  bundles:
  - image: quay.io/example/p:v1.1.0
  - image: folder
  - image: quay.io/example/p:v1.2.0
"""


def test_a_template_with_bundles_from_everywhere(olmsolve: Run) -> None:
    """A template finds its bundles in a catalog, in a folder of bundles, and at a path of their own."""
    Path("semver.yaml").write_text(SEMVER)
    folder("bundles/folder", "1.3.0")
    places = ("--catalog", "one.yaml", "--folder", "bundles", "--bundle", "quay.io/example/p:v1.2.0=new.json")
    outcome = olmsolve("template", "semver.yaml", *places, "-o", "json")
    assert (outcome.code, outcome.err) == (0, "")
    Path("made.json").write_text(outcome.out)
    catalog = load("made.json")
    assert sorted(catalog.packages["p"].bundles) == ["p.v1.1.0", "p.v1.2.0", "p.v1.3.0"]
    assert catalog.packages["p"].default_channel == "stable-v1"
    assert olmsolve("template", "semver.yaml", *places, "--to", "again.json").code == 0
    assert load("again.json") == catalog


def test_templates_that_cannot_be_rendered(olmsolve: Run) -> None:
    """The message names all images that no renderer finds, and a file that is not a template."""
    Path("semver.yaml").write_text(SEMVER)
    outcome = olmsolve("template", "semver.yaml")
    assert (outcome.code, outcome.out) == (2, "")
    images = ("quay.io/example/p:v1.1.0", "folder", "quay.io/example/p:v1.2.0")
    assert outcome.err == "olmsolve: " + "".join(f'no bundle with the image "{image}"\n' for image in images)
    outcome = olmsolve("template", "one.yaml")
    assert "the schema of a template must be olm.semver, olm.template.basic or olm.template.substitutes" in outcome.err
    outcome = olmsolve("template", "semver.yaml", "--bundle", "x")
    assert outcome.code == 2
    assert "argument --bundle: not of the form IMAGE=PATH: 'x'" in outcome.err
