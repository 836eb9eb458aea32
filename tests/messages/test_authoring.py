"""Messages about work on catalogs that no other test produces."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from olmsolve import cel
from olmsolve.authoring import changed_files, listing, second_opinions, templates, write_changes
from olmsolve.authoring.checks import validate
from olmsolve.authoring.compose import deprecate, merge_catalogs, remove_from_catalog
from olmsolve.authoring.in_place import UnclearTextError, parse_document, patched
from olmsolve.catalog import Bundle, Catalog, Channel, ChannelEntry, Package
from olmsolve.catalog.fbc import from_blobs, load
from olmsolve.errors import CatalogError
from olmsolve.testing import catalog_of, package

SHOP = catalog_of(package("shop").channel("stable", "1.0.0 < 1.1.0").channel("beta", "2.0.0"))
TEXT = """schema: olm.package
name: shop
defaultChannel: stable
---
schema: olm.channel
package: shop
name: stable
entries:
  - name: shop.v1.0.0
---
schema: olm.bundle
package: shop
name: shop.v1.0.0
image: quay.example.com/shop:1.0.0
properties:
  - type: olm.package
    value: {packageName: shop, version: 1.0.0}
"""


def refused(call: Callable[[], object]) -> str:
    """Return the text of the error that *call* raises."""
    with pytest.raises(CatalogError) as caught:
        call()
    return str(caught.value)


def test_a_list_of_no_such_channel() -> None:
    """One that is spelled alike is asked about."""
    assert refused(lambda: listing(SHOP, "bundles", "shop", "stabel")).endswith(
        "channel stabel: the package has no such channel (did you mean stable?)"
    )
    assert refused(lambda: listing(SHOP, "bundles", "shop", "nightly")).endswith(
        "channel nightly: the package has no such channel"
    )


def test_what_cannot_be_removed() -> None:
    """A name is told from what it does not belong to."""
    assert "it is not in channel beta" in refused(
        lambda: remove_from_catalog(SHOP, "shop", channels=["beta"], bundles=["shop.v1.0.0"])
    )
    assert "are all that the package has: remove the package" in refused(
        lambda: remove_from_catalog(SHOP, "shop", channels=["stable", "beta"])
    )


def test_a_merge_of_catalogs_that_were_made_in_a_program() -> None:
    """They have no file and no line."""

    def made(default: str) -> Catalog:
        channels = {default: Channel("shop", default, (ChannelEntry("shop.v1"),))}
        shop = Package("shop", default, channels, {"shop.v1": Bundle("shop", "shop.v1", ())})
        return Catalog({"shop": shop})

    assert "the default channel is 'beta', but 'stable' in the catalog before" in refused(
        lambda: merge_catalogs(made("stable"), made("beta"))
    )


def test_a_deprecation_with_a_name(tmp_path: Path) -> None:
    """A package has one name, which is that of the document."""
    reference = "{schema: olm.package, name: shop}"
    blob = f"---\nschema: olm.deprecations\npackage: shop\nentries:\n  - {{reference: {reference}, message: m}}\n"
    (tmp_path / "catalog.yaml").write_text(TEXT + blob)
    findings = [finding for finding in validate(tmp_path) if finding.code == "deprecation-package-name"]
    assert [(finding.message, finding.hint) for finding in findings] == [
        ("the name 'shop', where a package is deprecated", "leave the name out")
    ]


def test_requirements_that_nothing_meets() -> None:
    """Each reason says what is there instead."""
    rule = {"cel": {"rule": 'properties.exists(p, p.type == "gold")'}}
    catalog = catalog_of(
        package("shop")
        .channel("stable", "1.0.0")
        .constrained(rule)
        .requires("ledger", "<1.5.0")
        .requires("bare", ">=1.0.0"),
        package("ledger").channel("stable", "1.0.0 < 2.0.0"),
    )
    bare: list[dict[str, Any]] = [
        {"schema": "olm.package", "name": "bare", "defaultChannel": "stable"},
        {"schema": "olm.channel", "package": "bare", "name": "stable", "entries": [{"name": "bare.v1"}]},
        {"schema": "olm.bundle", "package": "bare", "name": "bare.v1", "image": "x", "properties": []},
    ]
    messages = {finding.message for finding in validate(merge_catalogs(catalog, from_blobs(bare)))}
    assert any("no bundle that can be installed has properties that satisfy" in message for message in messages), (
        messages
    )
    assert any("is in >=1.0.0: it has no versions" in message for message in messages), messages


def test_second_opinions_that_differ() -> None:
    """The kinds of difference that are known stand in the documentation; here one says no where OLM says yes."""
    for known in cel.RULE_DIFFERENCES:
        rule, properties = known.example[0], json.loads(known.example[1])
        if cel.compile(rule).matches(properties):
            break
    shop = package("shop").channel("stable", "1.0.0").constrained({"cel": {"rule": rule}})
    for property_ in properties:
        shop = shop.having(property_["type"], property_["value"])
    texts = [finding.message for finding in second_opinions(catalog_of(shop), seconds=60).findings]
    assert [text for text in texts if "does not match a bundle for cel-python, and the opposite for OLM" in text]


def test_files_that_cannot_be_changed(tmp_path: Path) -> None:
    """The error says why, and how the new catalog can be had all the same."""
    file = tmp_path / "catalog.yaml"
    file.write_text(TEXT)
    before = load(tmp_path)
    after = deprecate(before, "shop", bundle="shop.v1.0.0", message="old")
    missing = tmp_path / "elsewhere"
    assert refused(lambda: changed_files(before, after, missing)).startswith(
        f"{missing}: there are no files to change; "
    )
    file.write_bytes(b"\xff")
    assert "only plain files of text can be changed in place" in refused(lambda: changed_files(before, after, tmp_path))


def test_a_file_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was written before it gets its old text back."""
    file = tmp_path / "catalog.yaml"
    file.write_text(TEXT)
    before = load(tmp_path)
    changes = changed_files(before, deprecate(before, "shop", bundle="shop.v1.0.0", message="old"), tmp_path)

    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("olmsolve.authoring.file_changes._put", full)
    assert refused(lambda: write_changes(changes)) == f"{file}: cannot be written: No space left on device"
    assert file.read_text() == TEXT


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it is empty"),
        ("# nothing\n", "it is empty"),
        ("a: [", "it is not plain YAML: "),
        ("? [a]\n: b\n", "a key is not plain text"),
        ("a: " + "[" * 5000 + "]" * 5000, "it is nested too deeply"),
    ],
    ids=["nothing", "comment", "open", "key", "deep"],
)
def test_texts_that_cannot_be_patched(text: str, reason: str) -> None:
    """What is not understood in all its parts is left alone."""
    with pytest.raises(UnclearTextError) as caught:
        parse_document(text)
    assert str(caught.value).startswith(reason)


@pytest.mark.parametrize(
    ("text", "old", "new", "reason"),
    [
        ("a: 1\n", {"b": 1}, {"b": 2}, "its fields are not written as they are read"),
        ("a: [1, 2]\n", {"a": [1]}, {"a": [3]}, "its elements are not written as they are read"),
        ("a:\n- # one\n  1\n- 2\n", {"a": [1, 2]}, {"a": [2]}, "there is a comment between a dash and its element"),
        (
            "a:\n- b: 1\n  c: 2\n  name: n\n",
            {"a": [{"b": 1, "c": 2, "name": "n"}]},
            {"a": [{"name": "n"}]},
            "the fields after a dash would be removed",
        ),
    ],
    ids=["fields", "elements", "comment", "dash"],
)
def test_changes_that_need_more_than_the_known_moves(text: str, old: Any, new: Any, reason: str) -> None:
    """A patch that is not clear is refused, and not tried."""
    with pytest.raises(UnclearTextError) as caught:
        patched(text, old, new, is_json=False)
    assert str(caught.value).startswith(reason)


def test_a_substitute_without_a_bundle() -> None:
    """The error names the part of the template."""
    substitutions = [{"name": "x", "base": "shop.v1"}]
    template = {"schema": "olm.template.substitutes", "entries": [], "substitutions": substitutions}
    assert "substitution of shop.v1 by x: the image has no bundle" in refused(
        lambda: templates.render_template(template, lambda _: [])
    )


def test_templates_of_another_schema() -> None:
    """Who calls the function of one schema may have read a template of another."""
    other = {"schema": "olm.other"}
    nothing = templates.bundles_by_image([])
    for render, message in (
        (
            templates.render_substitutes,
            'template has unknown schema ("olm.other"), should be "olm.template.substitutes"',
        ),
        (templates.render_semver, 'readFile: input file has unknown schema, should be "olm.semver"'),
    ):
        assert message in refused(partial(render, other, nothing))


def test_a_template_without_a_document(tmp_path: Path) -> None:
    """opm says the same of an empty file."""
    (tmp_path / "empty.yaml").write_bytes(b"")
    render = partial(templates.render_substitutes, tmp_path / "empty.yaml", templates.bundles_by_image([]))
    assert refused(render).endswith("render: unable to parse template: decoding template schema: EOF")


def test_a_template_that_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A template is written by hand."""
    monkeypatch.setattr("olmsolve.authoring.templates.reading.DOCUMENT", 9)
    (tmp_path / "large.yaml").write_text("schema: olm.semver\n")
    render = partial(templates.render_semver, tmp_path / "large.yaml", templates.bundles_by_image([]))
    assert "a template of more than 9 characters" in refused(render)


def test_a_bundle_whose_name_is_no_text() -> None:
    """A renderer of a program returns whatever it likes."""
    template = {"schema": "olm.semver", "generateMajorChannels": True, "stable": {"bundles": [{"image": "x"}]}}
    odd = {"schema": "olm.bundle", "name": 5, "package": "shop", "image": "x"}
    assert refused(lambda: templates.render_semver(template, lambda _: [odd])) == (
        'image "x": name of the bundle must be a string'
    )
