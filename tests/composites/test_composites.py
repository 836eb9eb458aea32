"""Composite catalogs: what others maintain becomes one catalog, valid or refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

import olmsolve
from olmsolve import authoring
from olmsolve.errors import CatalogError
from tests.cli.commands import Run, runner


def blobs(package: str, *versions: str) -> list[dict[str, Any]]:
    """A package with one channel, of these versions."""
    names = [f"{package}.v{version}" for version in versions]
    edges = [
        {"name": name, **({"replaces": below} if below else {})}
        for below, name in zip(["", *names], names, strict=False)
    ]
    return [
        {"schema": "olm.package", "name": package, "defaultChannel": "stable"},
        {"schema": "olm.channel", "package": package, "name": "stable", "entries": edges},
        *(
            {
                "schema": "olm.bundle",
                "package": package,
                "name": f"{package}.v{version}",
                "image": f"x.example/{package}:{version}",
                "properties": [{"type": "olm.package", "value": {"packageName": package, "version": version}}],
            }
            for version in versions
        ),
    ]


def write_blobs(path: Path, *catalogs: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(json.dumps(blob) for catalog in catalogs for blob in catalog))
    return path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(capsys)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """The catalog of references of the documentation, with two files in place of images."""
    write_blobs(tmp_path / "parts" / "etcd.json", blobs("etcd", "1.0.0", "1.1.0"))
    write_blobs(tmp_path / "parts" / "vault.json", blobs("vault", "0.1.0"))
    text = {
        "name": "orchard",
        "repo": "quay.io/orchard/catalog",
        "tag": "v1",
        "references": [
            {"name": "etcd-operator", "image": "parts/etcd.json"},
            {"name": "vault-operator", "image": "parts/vault.json"},
        ],
    }
    (tmp_path / "catalog.yaml").write_text(yaml.safe_dump(text))
    return tmp_path / "catalog.yaml"


def test_a_catalog_of_references(config: Path, tmp_path: Path, run: Run) -> None:
    """One command does what the documentation's script does, but for the image."""
    [composite] = authoring.composites.composites(config)
    assert (composite.name, composite.image) == ("orchard", "quay.io/orchard/catalog:v1")
    assert list(composite.files) == ["etcd-operator/index.yaml", "vault-operator/index.yaml"]
    assert run("composite", config, "--split", tmp_path / "orchard").code == 0
    built = olmsolve.load(tmp_path / "orchard")
    assert (
        built
        == composite.catalog()
        == authoring.merge_catalogs(*map(olmsolve.load, sorted((tmp_path / "parts").iterdir())))
    )
    assert (tmp_path / "orchard" / "etcd-operator" / "index.yaml").read_text().startswith("---\n")
    answer = run("composite", config, "--split", tmp_path / "orchard")
    assert answer.code == 2
    assert "give a new or empty folder" in answer.err
    lines = run("composite", config, "-o", "jsonl").out.splitlines()
    assert [json.loads(line).get("name") for line in lines][:2] == ["etcd", "stable"]


def test_what_changes_against_the_last_one(config: Path, tmp_path: Path, run: Run) -> None:
    """Before a catalog is published, its maintainer sees what the parts of others change."""
    old = write_blobs(tmp_path / "old.json", blobs("etcd", "1.0.0", "1.1.0"), blobs("vault", "0.1.0"))
    answer = run("composite", config, "--against", old, "--exit-code")
    assert (answer.code, answer.out.strip()) == (0, run("catalog", "diff", old, old).out.strip())
    new = write_blobs(tmp_path / "new.json", blobs("etcd", "1.0.0", "1.1.0", "1.2.0"))
    answer = run("composite", config, "--against", old, "--exit-code", "--reference", f"etcd-operator={new}")
    assert answer.code == 1
    assert "+ bundle etcd.v1.2.0" in answer.out
    difference = run("composite", config, "--against", old, "-o", "json", "--reference", f"etcd-operator={new}")
    assert json.loads(difference.out)["schema"] == "olmsolve.catalog.diff"


def test_an_invalid_part(config: Path, tmp_path: Path, run: Run) -> None:
    """A catalog with an error is not published: it is neither printed nor written."""
    part = blobs("vault", "0.1.0")
    part[1]["entries"].append({"name": "vault.v9"})
    write_blobs(tmp_path / "parts" / "vault.json", part)
    answer = run("composite", config, "--split", tmp_path / "orchard")
    assert answer.code == 1
    assert "vault" in answer.out
    assert answer.out.splitlines()[-1].startswith("Not valid: ")
    assert not (tmp_path / "orchard").exists()


def test_a_package_of_two_parts(config: Path, tmp_path: Path, run: Run) -> None:
    """A package belongs to one part, as the documentation says, and the error names both."""
    write_blobs(tmp_path / "parts" / "vault.json", blobs("etcd", "2.0.0"))
    answer = run("composite", config)
    assert answer.code == 2
    assert "etcd-operator/index.yaml and vault-operator/index.yaml both have this package" in answer.err


BUNDLES = blobs("parcels", "1.0.0", "1.0.1")[2:]


@pytest.fixture
def contributed(tmp_path: Path) -> dict[str, Path]:
    """Two catalogs, and contributions of three kinds to them."""
    destination = {"baseImage": "quay.io/operator-framework/opm:latest", "workingDir": "work"}
    builders = ["olm.builder.semver", "olm.builder.raw", "olm.builder.basic"]
    catalogs = {
        "schema": "olm.composite.catalogs",
        "catalogs": [
            {"name": "one", "destination": destination, "builders": builders},
            {"name": "two", "destination": destination, "builders": ["olm.builder.raw", "olm.builder.custom"]},
        ],
    }

    def component(name: str, path: str, builder: str, source: str) -> dict[str, Any]:
        template = {"schema": f"olm.builder.{builder}", "config": {"input": source, "output": "catalog.yaml"}}
        return {"name": name, "destination": {"path": path}, "strategy": {"name": builder, "template": template}}

    contributions = {
        "schema": "olm.composite",
        "components": [
            component("one", "parcels", "semver", "in/semver.yaml"),
            component("one", "etcd", "raw", "in/raw.json"),
            component("two", "vault", "raw", "in/vault.json"),
            component("one", "crates", "basic", "in/basic.yaml"),
        ],
    }
    write_blobs(tmp_path / "in" / "raw.json", blobs("etcd", "1.0.0"))
    write_blobs(tmp_path / "in" / "vault.json", blobs("vault", "1.0.0"))
    write_blobs(tmp_path / "bundles.json", BUNDLES, blobs("crates", "3.0.0")[2:])
    semver = {"schema": "olm.semver", "generateMajorChannels": True}
    semver["stable"] = {"bundles": [{"image": bundle["image"]} for bundle in BUNDLES]}
    (tmp_path / "in" / "semver.yaml").write_text(yaml.safe_dump(semver))
    entries = [*blobs("crates", "3.0.0")[:2], {"schema": "olm.bundle", "image": "x.example/crates:3.0.0"}]
    (tmp_path / "in" / "basic.yaml").write_text(yaml.safe_dump({"schema": "olm.template.basic", "entries": entries}))
    paths = {"catalogs": tmp_path / "catalogs.yaml", "contributions": tmp_path / "contributions.yaml"}
    for name, value in (("catalogs", catalogs), ("contributions", contributions)):
        paths[name].write_text(yaml.safe_dump(value))
    return paths


def test_catalogs_and_contributions(contributed: dict[str, Path], tmp_path: Path, run: Run) -> None:
    """Each catalog gets what is contributed to it, from templates of each kind."""
    arguments = [contributed["catalogs"], contributed["contributions"], "--catalog", tmp_path / "bundles.json"]
    assert run("composite", *arguments, "--name", "one", "--split", tmp_path / "one").code == 0
    assert run("composite", *arguments, "--name", "two", "--split", tmp_path / "two").code == 0
    files = sorted(
        str(path.relative_to(tmp_path)) for name in ("one", "two") for path in (tmp_path / name).rglob("*.*")
    )
    assert files == [
        "one/crates/catalog.yaml",
        "one/etcd/catalog.yaml",
        "one/parcels/catalog.yaml",
        "two/vault/catalog.yaml",
    ]
    one = olmsolve.load(tmp_path / "one")
    assert list(one.packages["parcels"].channels) == ["stable-v1"]
    assert list(one.packages["crates"].bundles) == ["crates.v3.0.0"]
    answer = run("composite", *arguments)
    assert answer.code == 2
    assert "--name must say which catalog is meant; there are: one, two" in answer.err


def changed(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


FAULTS = [
    ("catalogs", "workingDir: work", "workingDir: ''", r"catalogs\[0\].destination.workingDir: must be a string"),
    (
        "catalogs",
        "builder.semver",
        "builder.semvre",
        r"catalogs\[0\].builders: there is no builder 'olm.builder.semvre'",
    ),
    ("catalogs", "name: two", "name: one", r"catalogs\[1\].name: two catalogs have this name"),
    ("catalogs", "builders:", "builder:", r"catalogs\[0\].builder: there is no such field"),
    ("catalogs", "schema: olm.composite.catalogs", "schema: x", "is not a composite catalog"),
    ("contributions", "schema: olm.composite", "schema: x", "schema: must be olm.composite"),
    ("contributions", "name: two", "name: three", r"components\[2\].name: there is no catalog 'three'"),
    ("contributions", "path: etcd", "path: ../etcd", "destination.path: must be a path inside of the catalog"),
    (
        "contributions",
        "path: etcd",
        "path: parcels",
        r"components\[1\].+output: two components write parcels/catalog.yaml",
    ),
    ("contributions", "input: in/raw.json", "input: in/none.json", "in/none.json: cannot be read: No such file"),
    ("contributions", "input: in/raw.json", "inptu: in/raw.json", "config.inptu: there is no such field"),
    ("catalogs", "schema: olm", "schema: x\n---\nschema: olm", "catalogs.yaml: 2 documents, where one is needed"),
    (
        "catalogs",
        "builders:\n  - olm.builder.semver\n",
        "builders:\n  - 1\n",
        r"catalogs\[0\].builders: must be a list of strings",
    ),
    (
        "catalogs",
        "olm.builder.basic",
        "olm.builder.custom",
        "the catalog one does not accept olm.builder.basic, only olm.builder.semver, ",
    ),
    ("contributions", "components:\n", "components:\n- etcd\n", r"components\[0\]: must be an object, not a string"),
    (
        "contributions",
        "destination:\n    path: etcd\n",
        "destination: etcd\n",
        r"components\[1\].destination: must be an object, not a string",
    ),
]


@pytest.mark.parametrize(("file", "old", "new", "message"), FAULTS)
def test_faults_are_named_by_their_paths(
    contributed: dict[str, Path], file: str, old: str, new: str, message: str, tmp_path: Path
) -> None:
    """Contributions come from many people, and each has to find what is wrong with their own."""
    changed(contributed[file], old, new)
    renderer = authoring.templates.bundles_by_image(olmsolve.load(tmp_path / "bundles.json"))
    with pytest.raises(CatalogError, match=message):
        authoring.composites.composites(contributed["catalogs"], contributed["contributions"], renderer=renderer)


def test_no_contributions_are_a_fault(contributed: dict[str, Path]) -> None:
    """An empty list was meant to have something in it."""
    contributed["contributions"].write_text("{schema: olm.composite, components: []}")
    with pytest.raises(CatalogError, match="components: must be a list of objects that is not empty"):
        authoring.composites.composites(contributed["catalogs"], contributed["contributions"])


def test_no_command_is_run(contributed: dict[str, Path], tmp_path: Path) -> None:
    """A contribution of a stranger must not run a program of theirs."""
    text = yaml.safe_load(contributed["contributions"].read_text())
    ran = tmp_path / "ran"
    config = {"command": "touch", "args": [str(ran)], "output": "catalog.yaml"}
    text["components"] = [text["components"][2]]
    text["components"][0]["strategy"]["template"] = {"schema": "olm.builder.custom", "config": config}
    contributed["contributions"].write_text(yaml.safe_dump(text))
    with pytest.raises(CatalogError, match="runs a command, and olmsolve runs none"):
        authoring.composites.composites(contributed["catalogs"], contributed["contributions"])
    assert not ran.exists()


REFERENCE_FAULTS = [
    ("name: etcd-operator", "name: ../x", r"references\[0\].name: must be a path inside"),
    ("name: etcd-operator", "name: vault-operator", r"references\[1\].name: two references have this name"),
    ("name: orchard", "name: ''", "name: must be a string that is not empty"),
    ("image: parts/etcd.json", "image: 1", r"references\[0\].image: must be a string, not"),
    ("tag: v1", "tags: v1", "tags: there is no such field; the fields are name, repo, tag, references"),
]


@pytest.mark.parametrize(("old", "new", "message"), REFERENCE_FAULTS)
def test_faults_of_references(config: Path, old: str, new: str, message: str) -> None:
    """A mistake is named by file and field."""
    changed(config, old, new)
    with pytest.raises(CatalogError, match=message) as caught:
        authoring.composites.composites(config)
    assert caught.value.origin.startswith(str(config))


def test_options_that_do_not_fit(config: Path, contributed: dict[str, Path], run: Run) -> None:
    """An option without effect is a misunderstanding, and said to be one."""
    for arguments, message in (
        ([config, "--reference", "x"], "not of the form NAME=PATH"),
        ([config, "--reference", "x=y"], "no reference is called x"),
        ([config, "--exit-code"], "--exit-code is for --against"),
        ([config, "--against", config, "-o", "jsonl"], "prints text, markdown, json or yaml"),
        ([config, "-o", "markdown"], "--against has differences, which can be markdown"),
        ([config, contributed["contributions"]], "takes no contributions"),
        ([contributed["catalogs"]], "the contributions to these catalogs are missing"),
        (
            [*contributed.values(), "--reference", f"x={config}"],
            "has no references: catalogs with contributions have none",
        ),
        ([config, "--split", "/proc/composite"], "/proc/composite: cannot be written: "),
    ):
        answer = run("composite", *arguments)
        assert answer.code == 2
        assert message in answer.err
