"""Templates as ``opm`` (operator-registry 1.73.0) renders them: what it refuses, and the bytes that it prints."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from olmsolve.authoring import templates
from olmsolve.cli import main
from olmsolve.errors import CatalogError

NO_IMAGES = templates.bundles_by_image([])


def basic(*entries: Any) -> templates.Rendered:
    """Render a basic template of *entries*."""
    return templates.render_template({"schema": "olm.template.basic", "entries": list(entries)}, NO_IMAGES)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"schema": "olm.package", "name": None}, r"entries\[0\].name: must be a string, not null"),
        ({"schema": "olm.package", "name": []}, r"entries\[0\].name: must be a string, not a list"),
        ({"schema": "olm.x", "package": None}, r"entries\[0\].package: must be a string, not null"),
        ({"schema": "olm.package", "Name": "p", "name": "p"}, "differ only in case"),
        ({"schema": "olm.package", "name": "p", "icon": {"base64data": "!"}}, "not base64"),
        ({"schema": "olm.channel", "entries": [{"skips": "a"}]}, r"entries\[0\].skips: must be a list"),
        ({"schema": "olm.bundle", "image": "i", "relatedImages": "a"}, "relatedImages: must be a list, not a string"),
        ({"schema": None}, "schema must be a string that is not empty"),
    ],
)
def test_entries_that_opm_cannot_decode(entry: dict[str, Any], message: str) -> None:
    """The image build would end there; what looks rendered here must not fail then."""
    with pytest.raises(CatalogError, match=message):
        basic(entry)


TEMPLATE = """\
schema: olm.template.basic
entries:
- schema: olm.channel
  package: q
  name: z
  entries: [{name: q.v1, skipRange: <1.0.0, replaces: "", skips: [a], x: 1}]
  properties: [{type: t, value: {b: 1.0, a: 123456789012345678}}]
- schema: olm.x
  package: q
  b: 1
  a: <b>
- schema: olm.package
  Name: q
  icon: {mediatype: image/png, base64data: aGk=}
  description: "a & b"
- schema: olm.deprecations
  package: q
  entries: [{message: m, reference: {schema: olm.package}}]
- schema: olm.channel
  name: lost
- schema: olm.x
- schema: olm.y
  package: a
"""
# Printed by opm alpha render-template.
PRINTED = """\
{
    "package": "a",
    "schema": "olm.y"
}
{
    "schema": "olm.package",
    "name": "q",
    "defaultChannel": "",
    "icon": {
        "base64data": "aGk=",
        "mediatype": "image/png"
    },
    "description": "a & b"
}
{
    "schema": "olm.channel",
    "name": "z",
    "package": "q",
    "entries": [
        {
            "name": "q.v1",
            "skips": [
                "a"
            ],
            "skipRange": "<1.0.0"
        }
    ],
    "properties": [
        {
            "type": "t",
            "value": {
                "a": 123456789012345680,
                "b": 1
            }
        }
    ]
}
{
    "a": "<b>",
    "b": 1,
    "package": "q",
    "schema": "olm.x"
}
{
    "schema": "olm.deprecations",
    "package": "q",
    "entries": [
        {
            "reference": {
                "schema": "olm.package"
            },
            "message": "m"
        }
    ]
}
{
    "schema": "olm.x"
}
"""


def test_printed_bytes_are_those_of_opm(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Fields that opm does not know are lost, others come in its order, and what names no package is left out."""
    (tmp_path / "template.yaml").write_text(TEMPLATE)
    assert main(["template", str(tmp_path / "template.yaml")]) == 0
    printed, complaints = capfd.readouterr()
    assert printed == PRINTED
    assert "left out, as by opm: blobs that name no package (1 of olm.channel)" in complaints


def bundle(version: str, release: str = "") -> dict[str, Any]:
    """Return a bundle of the package p, with its image."""
    own = {"packageName": "p", "version": version} | ({"release": release} if release else {})
    name = f"p-v{version}-{release}" if release else f"p.v{version}"
    return {
        "schema": "olm.bundle",
        "name": name,
        "package": "p",
        "image": f"q.io/p:v{version.replace('+', '-')}{release}",
        "properties": [{"type": "olm.package", "value": own}],
    }


def substituted(*pairs: tuple[dict[str, Any], str]) -> templates.Rendered:
    """Render substitutes in a catalog of 1.0.0 and 1.1.0."""
    template = {
        "schema": "olm.template.substitutes",
        "entries": [
            {"schema": "olm.package", "name": "p", "defaultChannel": "s"},
            {
                "schema": "olm.channel",
                "name": "s",
                "package": "p",
                "entries": [{"name": "p.v1.1.0", "replaces": "p.v1.0.0"}, {"name": "p.v1.0.0"}],
            },
            bundle("1.0.0"),
            bundle("1.1.0"),
        ],
        "substitutions": [{"name": blob["image"], "base": base} for blob, base in pairs],
    }
    return templates.render_template(template, templates.bundles_by_image(blob for blob, _ in pairs))


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([(bundle("1.1.1"), "p.v1.1.0"), (bundle("1.1.2"), "p.v1.1.0")], "cannot reuse the same substitution base"),
        ([(bundle("0.9.0"), "p.v1.1.0")], "the version of the base is not below the version of the substitute"),
        ([(bundle("1.1.0+a"), "p.v1.1.0")], "the version of the base is not below the version of the substitute"),
        ([(bundle("1.1.1"), "p.v9.0.0")], "the base is not a bundle of the entries"),
    ],
)
def test_substitutes_that_opm_refuses(pairs: list[tuple[dict[str, Any], str]], message: str) -> None:
    """A base has one substitute, which is later; build metadata does not make it later."""
    with pytest.raises(CatalogError, match=message):
        substituted(*pairs)


def test_a_substitute_of_a_substitute() -> None:
    """Its base is a bundle by then; and a release is later than none."""
    rendered = substituted((bundle("1.1.0", "1"), "p.v1.1.0"), (bundle("1.1.1"), "p-v1.1.0-1"))
    assert rendered.channels[0]["entries"][-1] == {
        "name": "p.v1.1.1",
        "replaces": "p.v1.0.0",
        "skips": ["p.v1.1.0", "p-v1.1.0-1"],
    }


CATALOG = """\
{"schema": "olm.channel", "package": "p", "name": "s", "entries": [{"name": "b"}], "z": 1.0}
{"schema": "olm.package", "name": "p", "defaultChannel": "s"}
{"schema": "olm.bundle", "name": "b", "package": "p", "image": "q.io/x:1", "properties": [{"type": "t", "value": 2.0}]}
"""


@pytest.mark.parametrize(
    ("options", "schema", "bundle_fields", "rest"),
    [
        ([], "olm.template.basic", ["schema", "image"], ["schema", "entries"]),
        (
            ["--substitutes"],
            "olm.template.substitutes",
            ["image", "name", "package", "properties", "schema"],
            ["schema", "entries", "substitutions"],
        ),
    ],
)
def test_catalogs_become_templates_as_by_opm(
    options: list[str],
    schema: str,
    bundle_fields: list[str],
    rest: list[str],
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Fields that opm does not know stay here; all come in the order of the alphabet, and 1.0 is 1."""
    (tmp_path / "catalog.json").write_text(CATALOG)
    assert main(["catalog", "convert-template", str(tmp_path / "catalog.json"), *options]) == 0
    printed = capfd.readouterr().out
    template = json.loads(printed)
    assert (template["schema"], list(template)) == (schema, rest)
    assert [list(entry) for entry in template["entries"]] == [
        ["entries", "name", "package", "schema", "z"],
        ["defaultChannel", "name", "schema"],
        bundle_fields,
    ]
    assert '"z": 1\n' in printed


def test_images_of_bundles_by_a_template(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """As with opm, a folder of bundles needs no image for each; actions are fields, and trim blanks."""
    assert main(["demo", "--write", str(tmp_path / "demo")]) == 0
    folder = str(tmp_path / "demo" / "authoring" / "bundles" / "keyring-1.1.0")
    capfd.readouterr()
    assert (
        main(["render", folder, "--alpha-image-ref-template", "q.io/{{ .Package }}  {{- .Name }}:v{{.Version}}"]) == 0
    )
    blob = json.loads(capfd.readouterr().out)
    assert blob["image"] == "q.io/keyringkeyring.v1.1.0:v1.1.0"
    assert blob["image"] in [image["image"] for image in blob["relatedImages"]]
    modes = next(property_["value"] for property_ in blob["properties"] if property_["type"] == "olm.csv.metadata")[
        "installModes"
    ]
    assert {tuple(mode) for mode in modes} == {("type", "supported")}
    with pytest.raises(SystemExit):
        main(["render", folder, "--alpha-image-ref-template", "{{ .Image }}"])
    assert "takes {{.Package}}, {{.Name}} and {{.Version}}" in " ".join(capfd.readouterr().err.split())


def test_migrate_levels_have_the_names_of_opm(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Who comes from opm knows ``none`` and ``bundle-object-to-csv-metadata``."""
    assert main(["demo", "--write", str(tmp_path / "demo")]) == 0
    folder = f"{tmp_path / 'demo' / 'authoring' / 'bundles' / 'keyring-1.1.0'}=q.io/k:1"

    def printed(*options: str) -> str:
        capfd.readouterr()
        assert main(["render", folder, *options]) == 0
        return capfd.readouterr().out

    assert printed("--migrate-level", "none") == printed("--bundle-objects")
    assert printed("--migrate-level", "bundle-object-to-csv-metadata") == printed()
    with pytest.raises(SystemExit):
        main(["render", folder, "--bundle-objects", "--migrate-level", "bundle-object-to-csv-metadata"])
