"""Catalog templates: what the recorded renderings do not show."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from olmsolve.authoring import templates
from olmsolve.catalog import Catalog
from olmsolve.catalog.update_graph import channel_order
from olmsolve.errors import CatalogError, OlmsolveError


def bundle(version: str, *properties: dict[str, Any], package: str = "p") -> dict[str, Any]:
    own = {"type": "olm.package", "value": {"packageName": package, "version": version}}
    return {
        "schema": "olm.bundle",
        "name": f"{package}.v{version}",
        "package": package,
        "image": f"registry.example/{package}:v{version}",
        "properties": [own, *properties],
    }


def listed(versions: Iterable[str]) -> dict[str, Any]:
    return {"bundles": [{"image": f"registry.example/p:v{version}"} for version in versions]}


def rendered(versions: Sequence[str], **fields: Any) -> templates.Rendered:
    """An ``olm.semver`` of the stable *versions*."""
    template = {"schema": "olm.semver", "stable": listed(versions), **fields}
    return templates.render_semver(template, templates.bundles_by_image(map(bundle, versions)))


def csv(**spec: Any) -> dict[str, Any]:
    text = json.dumps({"kind": "ClusterServiceVersion", "spec": spec})
    return {"type": "olm.bundle.object", "value": {"data": base64.b64encode(text.encode()).decode()}}


VERSIONS = st.lists(st.builds("{}.{}.{}".format, *[st.integers(0, 3)] * 3), min_size=1, max_size=12, unique=True)


@given(VERSIONS, st.booleans())
def test_major_channels_lead_from_everything_to_the_newest(versions: list[str], minor: bool) -> None:
    """Every bundle in a major channel is on its chain or skipped by the head, so updates reach the head from all."""
    catalog = rendered(versions, generateMajorChannels=True, generateMinorChannels=minor).catalog()
    package = catalog.packages["p"]
    assert set(package.bundles) == {f"p.v{version}" for version in versions}
    for name, channel in package.channels.items():
        if "." in name:
            continue
        order = channel_order(channel.entries)
        assert not order.fault
        head = channel.entries[-1]
        assert order.heads == (head.name,)
        assert {entry.name for entry in channel.entries} == {head.name, *filter(None, [head.replaces]), *head.skips}


@given(VERSIONS, st.randoms(use_true_random=False))
def test_channels_do_not_depend_on_the_order_of_the_list(versions: list[str], random: Any) -> None:
    """Authors append; only the order of the bundles follows the list."""
    shuffled = versions.copy()
    random.shuffle(shuffled)
    one, other = rendered(versions), rendered(shuffled)
    assert (one.packages, one.channels) == (other.packages, other.channels)
    assert [item["name"] for item in other.bundles] == [f"p.v{version}" for version in shuffled]


def test_skips_are_ordered_as_text() -> None:
    """As upstream has them: a catalog that is rendered again must not change."""
    (channel,) = rendered(["1.0.2", "1.0.10", "1.0.11"]).channels
    assert channel["entries"][-1]["skips"] == ["p.v1.0.10", "p.v1.0.2"]


def test_a_lone_first_prerelease_gives_no_default_channel() -> None:
    """Upstream takes only what is above 0.0.0 of the lowest stability; validation then finds the gap."""
    template = {"schema": "olm.semver", "candidate": listed(["0.0.0-alpha"])}
    result = templates.render_semver(template, templates.bundles_by_image([bundle("0.0.0-alpha")]))
    assert result.packages[0]["defaultChannel"] == ""


def test_the_package_looks_like_the_head_of_its_default_channel() -> None:
    """Candidates that are ahead of it must not speak for the package."""
    bundles = [
        bundle("1.0.0", csv(description="stable", icon=[{"base64data": "aQ==", "mediatype": "image/png"}])),
        bundle("2.0.0", csv(description="candidate")),
    ]
    template = {"schema": "olm.semver", "candidate": listed(["2.0.0"]), "stable": listed(["1.0.0"])}
    (package,) = templates.render_semver(template, templates.bundles_by_image(bundles)).packages
    assert package["description"] == "stable"
    assert package["icon"] == {"base64data": "aQ==", "mediatype": "image/png"}


@pytest.mark.parametrize("data", ["!", "e30=", base64.b64encode(b"[" * 100_000).decode(), None, 1])
def test_objects_that_cannot_be_read_show_nothing(data: Any) -> None:
    """A broken manifest is for validation to report; it must not stop the rendering."""
    broken = {"type": "olm.bundle.object", "value": {"data": data}}
    template = {"schema": "olm.semver", "stable": listed(["1.0.0"])}
    (package,) = templates.render_semver(template, templates.bundles_by_image([bundle("1.0.0", broken)])).packages
    assert set(package) == {"schema", "name", "defaultChannel"}


def test_two_references_to_one_bundle_give_it_once() -> None:
    """A tag and a digest of one image: the catalog would be refused for a bundle that it holds twice."""
    template = {
        "schema": "olm.semver",
        "candidate": {"bundles": [{"image": "by-tag"}]},
        "stable": {"bundles": [{"image": "by-digest"}]},
    }
    result = templates.render_semver(template, lambda image: [bundle("1.0.0")])
    assert len(result.bundles) == 1
    assert isinstance(result.catalog(), Catalog)


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ({"schema": "olm.semver", "stable": []}, "stable must be an object, not a list"),
        ({"schema": "olm.semver", "stable": {"bundles": [1]}}, r"stable.bundles\[0\] must be an object"),
        ({"schema": "olm.semver", "stable": {"bundles": [{"image": 1}]}}, r"bundles\[0\].image must be a string"),
        ({"schema": "olm.semver", "generateMajorChannels": "yes"}, "generateMajorChannels must be a boolean"),
        ({"schema": "olm.semver", "stable": {"bundle": []}}, 'unknown field "bundle"'),
        ({"schema": "olm.semver", "defaultChannelTypePreference": "x"}, 'DefaultChannelTypePreference: "x"'),
        ({"schema": "olm.template.basic", "entries": [1]}, r"entries\[0\] must be an object, not the number 1"),
        ({"schema": "olm.template.basic", "entries": [{}]}, r"entries\[0\].schema .* it is missing"),
        ({"schema": "olm.template.composite"}, "must be olm.semver, olm.template.basic or olm.template.substitutes"),
        ({}, "must be olm.semver, olm.template.basic or olm.template.substitutes"),
    ],
)
def test_refusals_say_where(template: dict[str, Any], message: str) -> None:
    """One clear error, with the path of the field."""
    with pytest.raises(CatalogError, match=message):
        templates.render_template(template, templates.bundles_by_image([]))


_OWN = {"type": "olm.package", "value": {"packageName": "etcd", "version": "1.0.0"}}


@pytest.mark.parametrize(
    ("bundles", "message"),
    [
        ([], "resulted in 0 bundles, expected 1"),
        ([{"name": "a"}, {"name": "b"}], "resulted in 2 bundles, expected 1"),
        ([{"name": "a", "properties": {"type": "x"}}], 'parse properties for bundle "a": not a list'),
        ([{"name": "a", "properties": [1]}], 'parse properties for bundle "a": not an object'),
        ([{"name": "a"}], 'bundle "a" has multiple "olm.package" properties, expected exactly 1'),
        ([{"name": "a", "properties": [_OWN, _OWN]}], 'bundle "a" has multiple "olm.package" properties'),
        (
            [{"name": "a", "properties": [{"type": "olm.package", "value": 1}]}],
            "an olm.package without name and version",
        ),
        ([{"name": "a", "properties": [{"type": "olm.package", "value": {"version": 1}}]}], "without name and version"),
    ],
)
def test_a_bundle_that_a_version_cannot_be_read_from(bundles: list[dict[str, Any]], message: str) -> None:
    """The template orders bundles by their versions, so each needs exactly one; the message names the bundle."""
    template = {"schema": "olm.semver", "stable": {"bundles": [{"image": "x"}]}}
    with pytest.raises(CatalogError, match=message):
        templates.render_template(template, lambda image: [{"schema": "olm.bundle", **bundle} for bundle in bundles])


@pytest.mark.parametrize(
    ("names", "packages", "message"),
    [
        (("a", "a"), ("etcd", "etcd"), 'duplicate bundle name "a"'),
        (("a", "b"), ("etcd", "other"), 'bundle "other" does not belong to this package: "etcd"'),
    ],
)
def test_bundles_that_do_not_stand_together(names: tuple[str, str], packages: tuple[str, str], message: str) -> None:
    """All bundles of a template are versions of one package, each under a name of its own."""
    by_image = {
        image: [
            {
                "schema": "olm.bundle",
                "name": name,
                "package": package,
                "properties": [{"type": "olm.package", "value": {"packageName": package, "version": f"1.{image}.0"}}],
            }
        ]
        for image, name, package in zip("01", names, packages, strict=True)
    }
    template = {"schema": "olm.semver", "stable": {"bundles": [{"image": image} for image in by_image]}}
    with pytest.raises(CatalogError, match=message):
        templates.render_template(template, by_image.__getitem__)


@pytest.mark.parametrize(
    "text",
    [
        "schema: olm.semver\nstable:\n  bundles: []\nstable: {}\n",
        "schema: olm.semver\nstable:\n  bundles:\n  - image: a\n    image: b\n",
        '{"schema": "olm.semver", "stable": {"bundles": [], "bundles": []}}',
        "? [a]\n: 1\nschema: olm.semver\n? schema\n: 2\n",
        # Merges set keys too, even the same one from two mappings; two empty ones set nothing.
        "schema: olm.semver\nstable: {bundles: [{<<: [{image: a}, {image: a}]}]}\n",
        "schema: olm.semver\nstable: {bundles: [{<<: {image: a}, image: b}]}\n",
        "schema: olm.semver\nstable: {bundles: [{<<: {image: a}, <<: {image: b}}]}\n",
        "schema: olm.semver\nstable: {bundles: [{&a image: b, *a : c}]}\n",
    ],
)
def test_a_key_that_stands_twice_is_refused(text: str) -> None:
    """The second list of a stability would silently take the place of the first."""
    with pytest.raises(CatalogError, match="render: unable to read file: "):
        templates.render_semver(io.StringIO(text), templates.bundles_by_image([]))


def test_merges_that_set_each_key_once_are_read() -> None:
    """As recorded: two merge keys are no key twice, and keys in another case are others."""
    text = (
        "schema: olm.semver\nstable: {bundles: [{<<: {}, <<: {image: by-tag}}, {<<: [{image: a}, {imagE: by-tag}]}]}\n"
    )
    images: list[str] = []

    def renderer(image: str) -> list[dict[str, Any]]:
        images.append(image)
        return [bundle("1.0.0" if image == "a" else "2.0.0")]

    result = templates.render_semver(io.StringIO(text), renderer)
    assert (images, len(result.bundles)) == (["by-tag", "a"], 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("schema: olm.semver\nstable: {}\nStable: x\n", "stable must be an object, not a string"),
        ("schema: olm.semver\nstable: {bundles: [], BUNDLES: 1e21}\n", "stable.bundles must be a list"),
        ("schema: olm.template.basic\nEntries: x\nentries: []\n", "entries must be a list"),
        ("schema: olm.template.substitutes\nEntries: x\nentries: []\n", "entries must be a list"),
        ("schema: olm.template.basic\nSchema: 1\n", "must be olm.semver, olm.template.basic"),
    ],
)
def test_every_spelling_of_a_field_has_its_type(text: str, message: str) -> None:
    """As recorded: Go's decoder looks at each of them, also where a later one takes its place."""
    with pytest.raises(CatalogError, match=message):
        templates.render_template(io.StringIO(text), templates.bundles_by_image([]))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("schema: olm.template.basic\nentries: [{schema: a}]\nEntries: [{schema: b}]\n", ["a"]),
        ("schema: olm.template.basic\nEntries: [{schema: a}]\nentries: null\n", []),
        ("schema: olm.template.basic\nentries: [{schema: a}]\nSchema: olm.semver\n", ["a"]),
        ("schema: olm.template.basic\nentries: [{schema: a}]\nschemA: null\n", ["a"]),
        ('{"entries": [{"schema": "a"}], "Entries": [{"schema": "b"}], "schema": "olm.template.basic"}', ["b"]),
        ('{"entries": [{"schema": "a"}], "schema": "olm.template.basic", "SCHEMA": null}', ["a"]),
    ],
)
def test_the_last_spelling_of_a_field_counts(text: str, expected: list[str]) -> None:
    """As recorded: Go sorts the keys of YAML, and takes those of JSON in their order; a null leaves a text."""
    result = templates.render_template(io.StringIO(text), templates.bundles_by_image([]))
    assert [blob["schema"] for blob in result] == expected


def test_keys_are_compared_inside_one_mapping() -> None:
    """Nearly every template has several images."""
    text = "schema: olm.semver\nstable:\n  bundles:\n  - image: a\n  - &x\n    image: b\nfast: *x\n"
    with pytest.raises(CatalogError, match='unknown field "image"'):
        templates.render_semver(io.StringIO(text), templates.bundles_by_image([]))


@pytest.mark.parametrize(
    ("text", "reason"),
    [("{", "not valid"), ("a: [", "not valid YAML"), ("- 1", "a list"), ("\0", "binary"), ("[" * 999, "")],
)
def test_what_is_no_document_is_refused(text: str, reason: str) -> None:
    """Each with the words that opm puts before it."""
    with pytest.raises(CatalogError, match=rf"render: unable to read file: .*{reason}"):
        templates.render_semver(io.StringIO(text), templates.bundles_by_image([]))
    with pytest.raises(CatalogError, match=rf"decoding template schema: .*{reason}"):
        templates.render_basic(io.StringIO(text), templates.bundles_by_image([]))


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """Templates fail like every other input that cannot be read."""
    with pytest.raises(CatalogError, match=r"none\.yaml"):
        templates.render_template(tmp_path / "none.yaml", templates.bundles_by_image([]))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["", "olm.semver", "olm.package", "1.0.0", "x"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["schema", "image", "bundles", "name", "type", "value"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(
    st.fixed_dictionaries(
        {"schema": st.sampled_from(["olm.semver", "olm.template.basic"])},
        optional={"entries": JSON, "stable": JSON, "fast": JSON, "generateMajorChannels": JSON},
    ),
    st.lists(st.fixed_dictionaries({"schema": st.just("olm.bundle")}, optional={"name": JSON, "properties": JSON})),
)
def test_any_json_is_rendered_or_refused(template: dict[str, Any], blobs: list[dict[str, Any]]) -> None:
    """Templates and bundles come from strangers."""
    try:
        result = templates.render_template(template, lambda image: blobs)
    except OlmsolveError:
        return
    assert isinstance(result, templates.Rendered)


def test_bundles_are_read_from_a_folder(tmp_path: Path) -> None:
    """References are paths below the folder, to a file or to a folder."""
    (tmp_path / "one.yaml").write_text(json.dumps(bundle("1.0.0")), "utf-8")
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "bundle.json").write_text(json.dumps({**bundle("1.1.0"), "relatedImages": []}), "utf-8")
    (tmp_path / "template.yaml").write_text(
        "schema: olm.semver\nstable:\n  bundles:\n  - image: one.yaml\n  - image: two\n", "utf-8"
    )
    result = templates.render_template(tmp_path / "template.yaml", templates.bundles_in_folder(tmp_path))
    # An empty list of related images is lost, as in opm.
    assert list(result.bundles) == [bundle("1.0.0"), bundle("1.1.0")]
    assert [channel["name"] for channel in result.channels] == ["stable-v1.0", "stable-v1.1"]


@pytest.mark.parametrize("image", ["../secret.json", "link.json", "", "none", "a\0b", "/"])
def test_references_do_not_leave_the_folder(tmp_path: Path, image: str) -> None:
    """A template must not make a build read what is beside the folder."""
    (tmp_path / "secret.json").write_text(json.dumps(bundle("1.0.0")), "utf-8")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "link.json").symlink_to(tmp_path / "secret.json")
    with pytest.raises(CatalogError, match=r"not in this folder|no bundle"):
        templates.bundles_in_folder(folder)(image)


def test_what_is_rendered_does_not_change_with_its_source() -> None:
    """Blobs are copied, so that a renderer can hand out the same ones again."""
    known = bundle("1.0.0")
    result = templates.render_semver({"schema": "olm.semver", "stable": listed(["1.0.0"])}, lambda image: [known])
    known["name"] = "changed"
    assert result.bundles[0]["name"] == "p.v1.0.0"
