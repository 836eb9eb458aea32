"""What authors run beside edits: renders, templates, reports for continuous integration; and writes that fail."""

from __future__ import annotations

import base64
import json
import pickle
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import pytest

from olmsolve.authoring import (
    EntryEdges,
    FileChange,
    changed_files,
    merge_catalogs,
    stated_edges,
    templates,
    write_changes,
)
from olmsolve.catalog.fbc import from_blobs, migrated
from olmsolve.errors import CatalogError, CatalogErrors
from tests.authoring.notation import base, blob, bundle_folder
from tests.cli.commands import Run, runner

Blob = dict[str, Any]


@pytest.fixture
def olmsolve(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command line in this process, beside the catalog of an author and two folders of bundles."""
    monkeypatch.chdir(tmp_path)
    for name, text in {**base("yaml"), **bundle_folder("2.0.0", {}), **bundle_folder("2.1.0", {})}.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)
    return runner(capsys)


def test_an_error_gives_all_files_their_old_text_back(tmp_path: Path) -> None:
    """A catalog that is half edited is valid for nobody."""
    first = tmp_path / "a.yaml"
    first.write_text("a")
    (tmp_path / "file").write_text("")
    changes = [FileChange(str(first), "a", "b"), FileChange(str(tmp_path / "file/new.yaml"), None, "c")]
    with pytest.raises(CatalogError, match=r"file/new\.yaml: cannot be"):
        write_changes(changes)
    assert first.read_text() == "a"
    with pytest.raises(CatalogError, match="has changed meanwhile"):
        write_changes([FileChange(str(first), "z", "b")])
    write_changes([FileChange(str(first), "a", None), FileChange(str(tmp_path / "new/b.yaml"), None, "c")])
    assert (first.exists(), (tmp_path / "new/b.yaml").read_text()) == (False, "c")


def test_a_new_file_is_written_through_no_link(tmp_path: Path) -> None:
    """The link has come between the diff and the file."""
    (tmp_path / "catalog").mkdir()
    link = tmp_path / "catalog" / "new.yaml"
    link.symlink_to(tmp_path / "outside.yaml")
    write_changes([FileChange(str(link), None, "a: 1\n")])
    assert (link.is_symlink(), link.read_text()) == (False, "a: 1\n")
    assert not (tmp_path / "outside.yaml").exists()


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("link", ["q.yaml", "q"])
def test_a_link_that_the_catalog_leaves_out(link: str, there: bool, olmsolve: Run, tmp_path: Path) -> None:
    """A link out of a catalog is refused when it is read, but not where ``.indexignore`` has its name."""
    catalog = tmp_path / "strange"
    catalog.mkdir()
    (tmp_path / "outside").mkdir()
    target = tmp_path / "outside" / "made.yaml" if link.endswith("yaml") else tmp_path / "outside"
    if link.endswith("yaml"):
        (catalog / "p.yaml").write_text(Path("catalog/p/catalog.yaml").read_text())
        if there:
            target.write_text("kept: true\n")
    else:
        (catalog / "p").mkdir()
        (catalog / "p" / "catalog.yaml").write_text(Path("catalog/p/catalog.yaml").read_text())
        if not there:
            target = tmp_path / "outside" / "folder"
    (catalog / ".indexignore").write_text("q*\n")
    (catalog / link).symlink_to(target)
    Path("bundle.json").write_text(json.dumps({**blob("2.0.0"), "package": "q", "name": "q.v1"}).replace('"p"', '"q"'))
    before = {path: path.read_bytes() for path in (tmp_path / "outside").rglob("*")}
    outcome = olmsolve(
        "catalog", "add", "strange", "--bundle", "bundle.json", "--channel", "stable", "--replaces", "", "--write"
    )
    assert outcome.code == 2
    assert "would be written outside of the catalog's folder" in " ".join(outcome.err.split())
    assert {path: path.read_bytes() for path in (tmp_path / "outside").rglob("*")} == before


@pytest.mark.parametrize("name", ["../../../outside", "p/q", "/q", "n" * 500, "a\0b"])
def test_a_bundle_whose_name_cannot_name_a_file(name: str, olmsolve: Run) -> None:
    """Where each bundle has a file of its own, such a bundle comes behind the last one."""
    catalog = Path("own")
    (catalog / "bundles").mkdir(parents=True)
    entries = [{"name": "p.v1.0.0"}, {"name": "p.v1.1.0", "replaces": "p.v1.0.0"}]
    (catalog / "package.json").write_text('{"schema": "olm.package", "name": "p", "defaultChannel": "stable"}')
    channel = {"schema": "olm.channel", "package": "p", "name": "stable", "entries": entries}
    (catalog / "channel.json").write_text(json.dumps(channel))
    for version in ("1.0.0", "1.1.0"):
        (catalog / "bundles" / f"p.v{version}.json").write_text(json.dumps(blob(version)))
    Path("bundle.json").write_text(json.dumps({**blob("2.0.0"), "name": name}))
    edit = ("catalog", "add", "own", "--bundle", "bundle.json", "--channel", "stable", "--replaces", "p.v1.1.0")
    files = {path for path in Path().rglob("*") if path.is_file()}
    outcome = olmsolve(*edit, "--write")
    assert outcome.code in (0, 2), outcome.err
    assert {path for path in Path().rglob("*") if path.is_file()} == files
    last = (catalog / "bundles" / "p.v1.1.0.json").read_text()
    assert (json.dumps(blob("1.1.0")) != last) == (outcome.code == 0)


def test_a_diff_is_one_that_git_takes() -> None:
    """A new file comes from nowhere, a deleted one goes there, and a line may lack its end."""
    assert FileChange("a", None, "x\n").diff() == "--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+x\n"
    assert FileChange("a", "x\u2028y\n", None).diff() == "--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\u2028y\n"
    assert FileChange("a", "x", "y\n").diff().splitlines()[3:] == ["-x", "\\ No newline at end of file", "+y"]


def test_a_catalog_on_a_server_has_no_files_to_change() -> None:
    """The message names the URL as it was written, and says why nothing can be written there."""
    catalog = from_blobs([blob("1.0.0")])
    with pytest.raises(CatalogError, match=r"^https://x\.example/all: the catalog is on a server"):
        changed_files(catalog, catalog, "https://x.example/all")


def test_git_takes_what_is_printed(olmsolve: Run) -> None:
    """Line ends of Windows, tabs and odd spaces stand in a diff as in the file, or it could not be applied."""
    path = Path("catalog/p/catalog.yaml")
    text = path.read_text().replace("has a fault", "has a\tfault\u00a0").replace("\n", "\r\n")
    path.write_bytes(text.encode())
    edit = ("catalog", "edge", "catalog", "--package", "p", "--channel", "stable", "--bundle", "p.v1.1.0")
    diff = olmsolve(*edit, "--skip-range", "<1.1.0").out
    removed = [line[1:] for line in diff.split("\n") if line.startswith(("-  ", " "))]
    assert removed
    assert set(removed) <= set(text.split("\n"))
    assert "  # 1.0.x has a\tfault\u00a0 in its storage\r" in removed


def test_folders_of_bundles_with_their_images(olmsolve: Run) -> None:
    """A blob without an image could never be pulled; with its manifests it need not be."""
    outcome = olmsolve("render", "2.0.0=quay.io/p/p:2.0.0", "2.1.0=quay.io/p/p:2.1.0", "-o", "jsonl")
    assert [json.loads(line)["image"] for line in outcome.out.splitlines()] == [
        "quay.io/p/p:2.0.0",
        "quay.io/p/p:2.1.0",
    ]
    outcome = olmsolve("render", "2.0.0", "2.1.0=quay.io/p/p:2.1.0")
    assert (outcome.code, outcome.out) == (2, "")
    assert "does not know its image: give it (2.0.0=IMAGE)" in outcome.err
    assert olmsolve("render", "2.0.0", "--bundle-objects").code == 0
    assert olmsolve("render", "2.0.0", "--migrate", "--bundle-objects").code == 2


def objects(*manifests: Blob) -> list[Blob]:
    data = [base64.b64encode(json.dumps(manifest).encode()).decode() for manifest in manifests]
    return [{"type": "olm.bundle.object", "value": {"data": encoded}} for encoded in data]


CSV: Blob = {
    "kind": "ClusterServiceVersion",
    "metadata": {"name": "p.v1.0.0", "annotations": {"olm.skipRange": "<1.0.0"}},
    "spec": {"displayName": "P", "replaces": "p.v0.9.0", "skips": ["p.v0.9.1"]},
}


def test_manifests_become_metadata() -> None:
    """As opm migrates: manifests that nothing else has stay, and so does metadata that is there."""
    old = blob("1.0.0")
    old["properties"] += objects(CSV, {"kind": "ConfigMap"})
    new = migrated(old)
    assert [property_["type"] for property_ in new["properties"]] == ["olm.package", "olm.csv.metadata"]
    value = new["properties"][1]["value"]
    assert (value["displayName"], value["annotations"]) == ("P", {"olm.skipRange": "<1.0.0"})
    assert migrated(new) == new
    assert migrated({**old, "image": ""}) == {**old, "image": ""}
    without = {**old, "properties": objects({"kind": "ConfigMap"})}
    assert migrated(without) == without


def test_a_catalog_is_migrated_by_the_command(olmsolve: Run) -> None:
    """What opm render --migrate does to a whole catalog."""
    old = blob("1.0.0")
    old["properties"] += objects(CSV)
    Path("old.json").write_text(json.dumps(old))
    (migrated,) = map(json.loads, olmsolve("render", "old.json", "--migrate", "-o", "jsonl").out.splitlines())
    assert [property_["type"] for property_ in migrated["properties"]] == ["olm.package", "olm.csv.metadata"]


def test_edges_that_bundles_state() -> None:
    """From the manifests all of them, from the metadata the annotation; wrong types are named."""

    def edges(*properties: Blob) -> EntryEdges:
        bundle_blob = blob("1.0.0")
        bundle_blob["properties"] += properties
        return stated_edges(from_blobs([bundle_blob]).packages["p"].bundles["p.v1.0.0"])

    assert edges(*objects({"kind": "ConfigMap"}, CSV)) == EntryEdges("p.v0.9.0", ("p.v0.9.1",), "<1.0.0")
    metadata = {"type": "olm.csv.metadata", "value": {"annotations": {"olm.skipRange": "<1.0.0"}}}
    assert edges(metadata) == EntryEdges(None, None, "<1.0.0")
    assert edges() == EntryEdges()
    with pytest.raises(CatalogError, match=r"spec.skips of its ClusterServiceVersion must be a list of texts"):
        edges(*objects({**CSV, "spec": {"skips": "p.v0.9.1"}}))
    with pytest.raises(CatalogError, match=r"spec.replaces of its ClusterServiceVersion must be text"):
        edges(*objects({**CSV, "spec": {"replaces": 1}}))


def channel(*entries: Blob) -> Blob:
    return {"schema": "olm.channel", "package": "p", "name": "stable", "entries": list(entries)}


def substituted(channel: Blob, *versions: str) -> list[Blob]:
    """The entries of *channel* with 9.0.0 in the place of 1.0.0."""
    package = {"schema": "olm.package", "name": "p", "defaultChannel": "stable"}
    substitution = {"name": "quay.io/example/p:v9.0.0", "base": "p.v1.0.0"}
    template = {
        "schema": "olm.template.substitutes",
        "entries": [package, channel, *map(blob, versions)],
        "substitutions": [substitution],
    }
    rendered = templates.render_template(template, templates.bundles_by_image([blob("9.0.0")]))
    entries: list[Blob] = rendered.channels[0]["entries"]
    return entries


def test_a_substitute_takes_the_place_of_its_base() -> None:
    """It has the edges of its base, which has none any more; others follow it, and skip its base."""
    old = channel(
        {"name": "p.v1.0.0", "replaces": "p.v0.9.0", "skipRange": "<1.0.0"},
        {"name": "p.v1.1.0", "replaces": "p.v1.0.0"},
    )
    assert substituted(old, "1.0.0", "1.1.0") == [
        {"name": "p.v1.0.0"},
        {"name": "p.v1.1.0", "replaces": "p.v9.0.0", "skips": ["p.v1.0.0"]},
        {"name": "p.v9.0.0", "replaces": "p.v0.9.0", "skipRange": "<1.0.0", "skips": ["p.v1.0.0"]},
    ]
    skipping = channel({"name": "p.v1.0.0"}, {"name": "p.v1.1.0", "skips": ["p.v1.0.0", "p.v0.1.0"]})
    assert substituted(skipping, "1.0.0", "1.1.0")[1] == {"name": "p.v1.1.0", "skips": ["p.v0.1.0", "p.v9.0.0"]}


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ({"substitutions": [{"name": "x"}]}, r"substitutions\[0\].base must be a string that is not empty"),
        ({"substitutions": [{"name": "x", "base": "x"}]}, "name and base are the same"),
        ({"substitutions": {}}, "substitutions must be a list, not an object"),
        ({"entries": [{"schema": "olm.package", "name": "p"}]}, "entries are not valid: package p"),
        ({"entries": ["x"]}, r"entries\[0\] must be an object"),
    ],
)
def test_substitutions_that_make_no_sense(template: Blob, message: str) -> None:
    """Each is one error that names the place."""
    with pytest.raises(CatalogError, match=message):
        templates.render_template({"schema": "olm.template.substitutes", **template}, templates.bundles_by_image([]))


def test_all_that_is_wrong_is_told_at_once() -> None:
    """Contradictions of a merge and missing images come one on a line; the error is also the first of them."""
    package = {"schema": "olm.package", "name": "p", "defaultChannel": "stable"}
    one = from_blobs([package, blob("1.0.0"), blob("1.1.0")])
    other = from_blobs([package, {**blob("1.0.0"), "image": "x/y"}, {**blob("1.1.0"), "image": "x/z"}])
    with pytest.raises(CatalogErrors) as caught:
        merge_catalogs(one, other)
    assert [error.bundle for error in caught.value.errors] == ["p.v1.0.0", "p.v1.1.0"]
    assert (caught.value.bundle, str(caught.value).count("\n")) == ("p.v1.0.0", 1)
    assert pickle.loads(pickle.dumps(caught.value)) == caught.value  # noqa: S301
    images = [{"image": f"quay.io/{name}"} for name in "aba"]
    with pytest.raises(CatalogErrors, match=r'"quay\.io/a"\nno bundle with the image "quay\.io/b"$'):
        templates.render_template(
            {"schema": "olm.semver", "generateMajorChannels": True, "stable": {"bundles": images}},
            templates.bundles_by_image([]),
        )


def test_a_template_of_a_catalog_and_back(olmsolve: Run) -> None:
    """Bundles are named by their images; one without cannot be named."""
    assert olmsolve("catalog", "convert-template", "catalog", "--to", "basic.yaml").code == 0
    outcome = olmsolve("template", "basic.yaml", "--catalog", "catalog", "--to", "made.yaml")
    assert (outcome.code, outcome.err) == (0, "")
    assert olmsolve("catalog", "diff", "catalog", "made.yaml", "--exit-code").code == 0
    Path("nameless.json").write_text(json.dumps({**blob("1.0.0"), "image": ""}))
    assert "p.v1.0.0: the bundle has no image" in olmsolve("catalog", "convert-template", "nameless.json").err


def test_blobs_with_names_of_fields_in_capitals_are_templated_and_belong_to_their_package(olmsolve: Run) -> None:
    """As opm reads them: one whose schema is written SCHEMA ended convert-template with a fault of our own."""
    catalog = [
        {"schema": "olm.package", "name": "p", "defaultChannel": "stable"},
        {"schema": "olm.channel", "package": "p", "name": "stable", "entries": [{"name": "p.v1.0.0"}]},
        blob("1.0.0"),
        {"SCHEMA": "example.com/note", "Package": "p", "Name": "n"},
    ]
    Path("capitals.json").write_text("\n".join(map(json.dumps, catalog)))
    assert olmsolve("catalog", "convert-template", "capitals.json", "--to", "capitals.yaml").code == 0
    outcome = olmsolve("template", "capitals.yaml", "--catalog", "capitals.json", "--to", "made.yaml")
    assert (outcome.code, outcome.err) == (0, "")
    assert olmsolve("catalog", "diff", "capitals.json", "made.yaml", "--exit-code").code == 0
    assert '\n-{"SCHEMA": "example.com/note"' in olmsolve("catalog", "remove", "capitals.json", "--package", "p").out


def test_templates_are_drawn(olmsolve: Run) -> None:
    """As the catalog that they stand for."""
    olmsolve("catalog", "convert-template", "catalog", "--to", "basic.yaml")
    for form, beginning in (("mermaid", "graph LR"), ("dot", "digraph"), ("html", "<!DOCTYPE html>")):
        outcome = olmsolve("template", "basic.yaml", "--catalog", "catalog", "-o", form)
        assert outcome.out.startswith(beginning), outcome.err
        drawn = olmsolve("graph", "catalog", *(["--no-audit"] if form == "html" else []), "-o", form).out
        # A page says which files it is made of, and these are others.
        about = re.compile(r'<ul class="about">.*?</ul>')
        assert about.sub("", outcome.out) == about.sub("", drawn)
    assert olmsolve("template", "basic.yaml", "--catalog", "catalog", "-o", "dot", "--split", "x").code == 2


RANGE = """\
schema: olm.channel
package: q
name: stable
entries:
- name: q.v1.0.0
  skipRange: ">=1.0.0 <1.0.0"
"""


def test_reports_of_every_check(olmsolve: Run) -> None:
    """Validation, lints and audits have the same forms, and rules in SARIF say what they report."""
    Path("lint.yaml").write_text(RANGE)
    for command, code in (
        (("validate", "catalog", "lint.yaml"), "package-unknown"),
        (("lint", "lint.yaml"), "empty-range"),
        (("audit", "--catalog", "main=lint.yaml"), "EmptyChannel"),
    ):
        (run,) = json.loads(olmsolve(*command, "-o", "sarif").out)["runs"]
        texts = {rule["id"]: rule["shortDescription"]["text"] for rule in run["tool"]["driver"]["rules"]}
        assert texts[code].endswith("."), command
        assert {result["ruleId"] for result in run["results"]} == set(texts)
        assert f"title={code}::" in olmsolve(*command, "-o", "github").out
        assert "file=lint.yaml,line=" in olmsolve(*command, "-o", "github").out
        suites = Xml.fromstring(olmsolve(*command, "-o", "junit").out)  # noqa: S314
        assert len(suites.findall("testsuite")) == (2 if command[0] == "validate" else 1)
    data = json.loads(olmsolve("validate", "catalog", "lint.yaml", "-o", "json").out)
    assert (data["valid"], "package-unknown" in {finding["code"] for finding in data["findings"]}) == (False, True)


NEEDED = """\
{"schema": "olm.package", "name": "lamp", "defaultChannel": "s"}
{"schema": "olm.channel", "package": "lamp", "name": "s",
 "entries": [{"name": "lamp.v1"}, {"name": "lamp.v2", "replaces": "lamp.v1"}]}
{"schema": "olm.bundle", "package": "lamp", "name": "lamp.v1", "image": "q.io/lamp:1",\
 "properties": [{"type": "olm.package", "value": {"packageName": "lamp", "version": "1.0.0"}}]}
{"schema": "olm.bundle", "package": "lamp", "name": "lamp.v2", "image": "q.io/lamp:2",\
 "properties": [{"type": "olm.package", "value": {"packageName": "lamp", "version": "2.0.0"}}]}
{"schema": "olm.package", "name": "shade", "defaultChannel": "s"}
{"schema": "olm.channel", "package": "shade", "name": "s", "entries": [{"name": "shade.v1"}]}
{"schema": "olm.bundle", "package": "shade", "name": "shade.v1", "image": "q.io/shade:1",\
 "properties": [{"type": "olm.package", "value": {"packageName": "shade", "version": "1.0.0"}},\
 {"type": "olm.package.required", "value": {"packageName": "lamp", "versionRange": "WANTED"}},\
 {"type": "olm.package.required", "value": {"packageName": "elsewhere", "versionRange": "1.0.0"}}]}
"""


@pytest.mark.parametrize(("wanted", "is_warned"), [("2.0.0", True), (">=1.0.0", False)])
@pytest.mark.parametrize("form", [(), ("-o", "jsonl")])
def test_whoever_requires_a_removed_bundle_is_named(
    olmsolve: Run, tmp_path: Path, wanted: str, is_warned: bool, form: tuple[str, ...]
) -> None:
    """A package that nobody touches can no longer be installed; what nothing met before is no news."""
    file = tmp_path / "needed.json"
    file.write_text(NEEDED.replace("WANTED", wanted), "utf-8")
    removed = olmsolve("catalog", "remove", file, "--package", "lamp", "--bundle", "lamp.v2", *form)
    assert removed.code == 0
    assert (
        "bundle shade.v1, properties[1] (olm.package.required): warning: no bundle of package lamp" in removed.err
    ) is (is_warned)
    assert "elsewhere" not in removed.err
    gone = olmsolve("catalog", "remove", file, "--package", "lamp", *form)
    assert "bundle shade.v1, properties[1] (olm.package.required): warning: the catalog has no package lamp" in gone.err


def test_a_review_names_whoever_requires_a_removed_bundle(olmsolve: Run, tmp_path: Path) -> None:
    """On standard error, beside each form of the difference: the package itself has not changed."""
    old, new = tmp_path / "needed.json", tmp_path / "new.json"
    old.write_text(NEEDED.replace("WANTED", "2.0.0"), "utf-8")
    assert olmsolve("catalog", "remove", old, "--package", "lamp", "--bundle", "lamp.v2", "--to", new).code == 0
    for form in ("text", "markdown", "json"):
        reviewed = olmsolve("catalog", "diff", old, new, "-o", form)
        assert reviewed.code == 0
        assert reviewed.err.count("bundle shade.v1") == 1
        assert "warning: no bundle of package lamp that can be installed is in 2.0.0" in reviewed.err
    assert olmsolve("catalog", "diff", old, old).err == ""
