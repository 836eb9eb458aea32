"""Scenarios of authors as files: what a catalog's files are before, the commands, and what has changed after.

A line that begins with ``#`` says why a scenario is there, and starts it with the files of the base that the first line
of the file names. After it come::

    == NAME                     the content of a further file, up to the next line of this notation
    == bundle VERSION           VERSION.json, the blob of a bundle
    == folder VERSION FIELD=VALUE ...     the folder VERSION of a bundle, with edges in its ClusterServiceVersion
    $ olmsolve ...              a command, and what is expected of it:
    exit N                      its exit code, 0 if nothing is said
    ! TEXT                      a part of what it says on standard error
    > LINE                      a line of what it prints
    @ NAME                      a file that changes, followed by the lines that go (-) and come (+), and no others

``<bundle p.v1.0.0>`` stands for the lines of a bundle's document.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import attrs
import yaml

_BUNDLE: Final = re.compile(r"^([+-]?)<bundle (\w+)\.v(.+)>$")
STABLE: Final = ("1.0.0", "1.1.0", "1.2.0")
CANDIDATE: Final = ("1.1.0", "1.2.0", "1.3.0")


@attrs.define
class Command:
    """A command line with what is expected of it; *changes* are the lines of each changed file, with + and -."""

    arguments: str
    code: int = 0
    complaints: list[str] = attrs.field(factory=list)
    printed: list[str] = attrs.field(factory=list)
    changes: dict[str, list[str]] = attrs.field(factory=dict)


@attrs.define
class Scenario:
    """Files, by name, and the commands that run on them in turn."""

    why: str
    files: dict[str, str]
    commands: list[Command] = attrs.field(factory=list)


def bundle_lines(package: str, version: str) -> list[str]:
    """The document of a bundle in YAML, with the separator before it."""
    return [
        "---",
        "schema: olm.bundle",
        f"package: {package}",
        f"name: {package}.v{version}",
        f"image: quay.io/example/{package}:v{version}",
        "properties:",
        "- type: olm.package",
        "  value:",
        f"    packageName: {package}",
        f"    version: {version}",
    ]


def blob(version: str, package: str = "p") -> dict[str, Any]:
    """The blob of a bundle."""
    bundle: dict[str, Any] = yaml.safe_load("\n".join(bundle_lines(package, version)[1:]))
    return bundle


def expanded(lines: list[str]) -> list[str]:
    """*lines* with the documents of bundles for what stands for them."""
    all_lines: list[str] = []
    for line in lines:
        match = _BUNDLE.fullmatch(line)
        all_lines += (
            [f"{match[1]}{bundle_line}" for bundle_line in bundle_lines(match[2], match[3])] if match else [line]
        )
    return all_lines


def base(name: str) -> dict[str, str]:
    """The files of the catalog ``catalog`` in one of the forms in which authors keep catalogs."""
    folder = Path(__file__).parent / "bases"
    whole = "\n".join(expanded((folder / "catalog.yaml").read_text().splitlines())) + "\n"
    if name == "yaml":
        return {"catalog/p/catalog.yaml": whole}
    blobs = list(yaml.safe_load_all(whole))
    if name == "json":
        return {"catalog/p/catalog.json": "".join(json.dumps(blob, indent=4) + "\n" for blob in blobs)}
    if name == "jsonl":
        return {"catalog/p/catalog.jsonl": "".join(json.dumps(blob, separators=(",", ":")) + "\n" for blob in blobs)}
    if name == "parts":
        documents = re.split("(?m)^---\n", whole)[1:]
        files = {"catalog/p/package.yaml": documents[0], "catalog/p/channels.yaml": "---\n".join(documents[1:3])}
        names = [f"catalog/p/bundles/v{blob['name'].partition('.v')[2]}.yaml" for blob in blobs[3:]]
        return files | dict(zip(names, documents[3:], strict=True))
    return {}


def bundle_folder(version: str, edges: dict[str, str]) -> dict[str, str]:
    """The files of a bundle's folder; *edges* are those in its ClusterServiceVersion."""
    spec: dict[str, Any] = {"version": version, "installModes": [{"type": "AllNamespaces", "supported": True}]}
    metadata: dict[str, Any] = {"name": f"p.v{version}"}
    if "replaces" in edges:
        spec["replaces"] = edges["replaces"]
    if "skips" in edges:
        spec["skips"] = edges["skips"].split(",")
    if "skipRange" in edges:
        metadata["annotations"] = {"olm.skipRange": edges["skipRange"]}
    csv = {"apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion"}
    annotations = {"annotations": {"operators.operatorframework.io.bundle.package.v1": "p"}}
    return {
        f"{version}/metadata/annotations.yaml": json.dumps(annotations),
        f"{version}/manifests/csv.json": json.dumps({**csv, "metadata": metadata, "spec": spec}),
    }


def scenarios(path: Path) -> Iterator[Scenario]:
    """The scenarios of a file."""
    first, *lines = path.read_text("utf-8").splitlines()
    scenario: Scenario | None = None
    content: list[str] | None = None
    name = ""
    for line in [*lines, "# "]:
        starts = line[:2] in ("# ", "==", "$ ")
        if content is not None and scenario is not None and starts:
            scenario.files[name] = "\n".join(expanded(content)).strip("\n") + "\n"
            content = None
        if content is not None:
            content.append(line)
        elif line.startswith("# "):
            if scenario is not None:
                yield scenario
            scenario = Scenario(line[2:], base(first.removeprefix("base ")))
        elif scenario is not None and line.startswith("== bundle "):
            scenario.files[f"{line.split()[2]}.json"] = json.dumps(blob(line.split()[2]))
        elif scenario is not None and line.startswith("== folder "):
            version, *fields = line.split()[2:]
            scenario.files |= bundle_folder(version, dict(field.split("=", 1) for field in fields))
        elif line.startswith("== "):
            name, content = line[3:], []
        elif scenario is not None:
            _expect(scenario, line)


def _expect(scenario: Scenario, line: str) -> None:
    """Take a *line* about a command."""
    if line.startswith("$ olmsolve "):
        scenario.commands.append(Command(line.removeprefix("$ olmsolve ")))
    elif line.startswith("exit "):
        scenario.commands[-1].code = int(line.split()[1])
    elif line.startswith("! "):
        scenario.commands[-1].complaints.append(line[2:])
    elif line.startswith("> "):
        scenario.commands[-1].printed.append(line[2:])
    elif line.startswith("@ "):
        scenario.commands[-1].changes[line[2:]] = []
    elif line[:1] in ("+", "-"):
        changes = scenario.commands[-1].changes
        changes[list(changes)[-1]] += expanded([line])
    else:
        assert not line, line
