"""Templates over a registry, judged by the ``opm`` that ``OLMSOLVE_OPM`` names: the same bytes, or both refuse."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from olmsolve.cli import main
from tests.fuzz.odd_bundles import odd_bundle
from tests.images.building import BuiltImage, tar
from tests.images.registries import debian_registry, push
from tests.opm import OPM
from tests.opm_bundles import FORMS, answer
from tests.scale import scaled

pytestmark = pytest.mark.skipif(
    not (OPM and shutil.which("docker-registry")), reason="no opm named by OLMSOLVE_OPM, or no docker-registry"
)
VERSIONS = ("1.0.0", "1.1.0", "1.1.1", "2.0.0", "1.1.1+r1", "1.1.2")
PREFIX = "operators.operatorframework.io.bundle"


def bundle_image(version: str) -> BuiltImage:
    """Return the image of a bundle with every field of a ClusterServiceVersion that catalogs keep."""
    csv: dict[str, Any] = {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "ClusterServiceVersion",
        "metadata": {"name": f"p.v{version}", "annotations": {"z": "<a>", "a": "b & c"}, "labels": {"l": "x"}},
        "spec": {
            "displayName": f"P {version}",
            "version": version,
            "description": "long\ntext — é",
            "icon": [{"base64data": "aGk=", "mediatype": "image/png"}],
            "keywords": ["k", "b"],
            "maintainers": [{"email": "e", "name": "nn"}],
            "links": [{"url": "u", "name": "nn"}],
            "provider": {"url": "https://x", "name": "pr"},
            "installModes": [{"supported": True, "type": "OwnNamespace"}, {"type": "MultiNamespace"}],
            "customresourcedefinitions": {"owned": [{"kind": "K", "version": "v1", "name": "ks.g.com"}]},
            "install": {"strategy": "deployment", "spec": {"deployments": []}},
        },
    }
    names = {
        "versions": [{"name": "v1", "served": True, "storage": True}],
        "names": {"kind": "K", "plural": "ks"},
        "group": "g.com",
        "scope": "Namespaced",
    }
    crd = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "ks.g.com"},
        "spec": names,
    }
    labels = {
        f"{PREFIX}.mediatype.v1": "registry+v1",
        f"{PREFIX}.manifests.v1": "manifests/",
        f"{PREFIX}.metadata.v1": "metadata/",
        f"{PREFIX}.package.v1": "p",
        f"{PREFIX}.channels.v1": "stable",
    }
    files = {"manifests/csv.yaml": csv, "manifests/crd.yaml": crd, "metadata/annotations.yaml": {"annotations": labels}}
    return BuiltImage(tar({name: yaml.dump(file).encode() for name, file in files.items()}), labels=labels)


@pytest.fixture
def images(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """The references of the images by their versions."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("OLMSOLVE_IMAGE_CACHE", str(tmp_path / "cache"))
    with debian_registry(tmp_path) as host:
        references = {version: f"{host}/o/p:v{version.replace('+', '-')}" for version in VERSIONS}
        for version, reference in references.items():
            push(host, "o/p", reference.rpartition(":")[2], bundle_image(version))
        yield references


def random_template(images: dict[str, str], chance: random.Random) -> dict[str, Any]:
    """Return a template of any schema over *images*."""
    chosen = chance.sample([version for version in VERSIONS if "+" not in version], chance.randint(1, 4))
    kind = chance.random()
    if kind < 0.4:
        groups: dict[str, Any] = {
            stability: {"bundles": [{"image": images[version]} for version in chosen if chance.random() < 0.7]}
            for stability in ("candidate", "fast", "stable")
        }
        kinds = {"generateMajorChannels": chance.random() < 0.5, "generateMinorChannels": chance.random() < 0.5}
        spelling = chance.random()
        if spelling < 0.15:
            groups["Stable"] = groups.pop("stable")
        elif spelling < 0.3:
            # Both spellings fill one field.
            groups["Stable"] = {"Bundles": groups["fast"]["bundles"]}
            groups["stable"] = chance.choice((groups["stable"], {}, {"bundles": None}))
        return {"schema": "olm.semver", **kinds, **groups}
    ordered = sorted(chosen)
    channel = [
        {"name": f"p.v{version}"}
        | ({"replaces": f"p.v{ordered[number - 1]}"} if number else {})
        | chance.choice(({}, {"skipRange": f"<{version}"}, {"skips": ["p.v0.1.0"]}))
        for number, version in enumerate(ordered)
    ]
    entries: list[Any] = [
        {"schema": "olm.package", "name": chance.choice(("p", "p", "p", None)), "defaultChannel": "s"},
        {"schema": "olm.channel", "package": "p", "name": "s", "entries": channel},
    ]
    extras = (
        {"schema": "olm.x", "package": "p", "b": 1.5, "a": {"z": 1.0, "y": "<>"}},
        {"schema": "olm.y", "v": 10**17 + 1},
    )
    entries += chance.sample(extras, chance.randint(0, 2))
    if kind < 0.7:
        entries += [{"schema": "olm.bundle", "image": images[version]} for version in chosen]
        chance.shuffle(entries)
        return {"schema": "olm.template.basic", "entries": entries}
    own = [{"type": "t", "value": {"b": 1.0, "a": 2}}]
    entries += [
        {
            "schema": "olm.bundle",
            "name": f"p.v{version}",
            "package": "p",
            "image": f"q.io/p:{version}",
            "properties": [{"type": "olm.package", "value": {"version": version, "packageName": "p"}}, *own],
        }
        for version in chosen
    ]
    substitutions = [
        {"name": images[chance.choice(VERSIONS)], "base": f"p.v{chance.choice(VERSIONS)}"}
        for _ in range(chance.randint(0, 2))
    ]
    return {"schema": "olm.template.substitutes", "entries": entries, "substitutions": substitutions}


def test_both_print_the_same_bytes(images: dict[str, str], tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Over all schemas, with manifests whole and without, as JSON and as YAML."""
    differing, printed_by_both = [], 0
    for seed in range(scaled(400, 20)):
        template = random_template(images, random.Random(seed))
        file = tmp_path / "template.json"
        file.write_text(json.dumps(template))
        level = ("none", "bundle-object-to-csv-metadata")[seed % 2]
        form = ("json", "yaml")[seed % 3 % 2]
        command = [OPM, "alpha", "render-template", "--use-http", str(file), "--migrate-level", level, "-o", form]
        theirs = subprocess.run(command, capture_output=True, text=True, timeout=60)
        capfd.readouterr()
        code = main(["template", str(file), "--pull", "--migrate-level", level, "-o", f"opm-{form}"])
        ours = capfd.readouterr()
        if (theirs.returncode == 0) != (code == 0) or (code == 0 and ours.out != theirs.stdout):
            differing.append((template, theirs.stderr.partition("\n")[0], ours.err))
        printed_by_both += code == 0
    assert not differing
    assert printed_by_both > scaled(400, 20) / 3


def odd_image(seed: int) -> BuiltImage:
    """Return the image of the odd bundle of *seed*, whose annotations are its labels too, as ``opm`` builds it."""
    files = odd_bundle(seed)
    labels = {f"{PREFIX}.package.v1": "p", f"{PREFIX}.mediatype.v1": "registry+v1", f"{PREFIX}.channels.v1": "stable"}
    labels |= {f"{PREFIX}.{name}.v1": f"{name}/" for name in ("manifests", "metadata")}
    inside = {name: text.encode() for name, text in files.items() if "/" in name}
    return BuiltImage(tar(inside), labels=labels)


def test_images_of_bundles_give_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The odd bundles as images in a registry; where only we refuse, the tests of their folders say why."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("OLMSOLVE_IMAGE_CACHE", str(tmp_path / "cache"))
    differing, alike = [], 0
    with debian_registry(tmp_path) as host:
        for seed in range(scaled(120, 15)):
            push(host, "o/odd", f"v{seed}", odd_image(seed))
            reference = f"{host}/o/odd:v{seed}"
            level, form = FORMS[("whole", "metadata", "yaml")[seed % 3]]
            theirs = answer(reference, level, form, "--use-http")
            capfd.readouterr()
            code = main(["render", f"docker://{reference}", "--migrate-level", level, "-o", f"opm-{form}"])
            ours = capfd.readouterr().out
            alike += code == 0 and ours == theirs.get("text")
            if code == 0 and ours != theirs.get("text"):
                differing.append((seed, theirs, ours))
    assert not differing
    # About half of the odd bundles are valid.
    assert alike >= scaled(60, 15)
