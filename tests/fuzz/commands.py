"""Every command under fuzzing: one of its files is mutated, the others are whole.

Whatever the file holds, a command ends with a documented code, says why on standard error where it is 2 or more, and
prints JSON without characters that terminals act on.
"""

from __future__ import annotations

import atexit
import contextlib
import io
import json
import re
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

import attrs
import yaml

import olmsolve
from olmsolve.cli import main
from tests.cli.small_cluster import blobs, catalog_source, cluster_catalog, extension, namespace
from tests.fuzz.documents import DocumentMutator, every_replaced

__all__ = ["CALLS", "COMMAND_TARGETS", "CommandTarget"]

_EXAMPLES: Final = Path(olmsolve.__file__).parent / "examples"
_VARYING: Final = re.compile(r"'.*'|\".*\"|\d+|/\S+", re.DOTALL)
_DOCUMENTED: Final = frozenset({0, 1, 2, 3})
_DANGEROUS: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")

_DEFINITION: Final[dict[str, Any]] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "things.example.com"},
    "spec": {
        "group": "example.com",
        "names": {"kind": "Thing", "plural": "things"},
        "scope": "Namespaced",
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {"type": "object", "properties": {"size": {"type": "integer", "minimum": 1}}}
                        },
                    }
                },
            }
        ],
    },
}
_V1_REQUEST: Final[dict[str, Any]] = {
    "name": "an extension",
    "catalogs": [{"name": "main", "file": "catalog.json"}],
    "extension": {
        "package": "etcd",
        "version": ">=1.0.0",
        "channels": ["stable"],
        "installed": {"name": "etcd.v1", "version": "1.0.0"},
    },
}
_TEMPLATE: Final[dict[str, Any]] = {
    "schema": "olm.semver",
    "generateMajorChannels": True,
    "stable": {"bundles": [{"image": "quay.example.com/etcd:1"}, {"image": "quay.example.com/etcd:2"}]},
}
_REQUIRING: Final = [
    {"type": "olm.constraint", "value": {"failureMessage": "no", "all": {"constraints": [
        {"package": {"packageName": "etcd", "versionRange": ">=1.0.0"}},
        {"not": {"constraints": [{"gvk": {"group": "g", "version": "v1", "kind": "K"}}]}},
        {"cel": {"rule": "properties.exists(p, p.type == 'olm.package')"}},
    ]}}},
    {"type": "olm.gvk", "value": {"group": "example.com", "version": "v1", "kind": "Thing"}},
]  # fmt: skip
_DEPRECATIONS: Final = {
    "schema": "olm.deprecations",
    "package": "etcd",
    "entries": [{"reference": {"schema": "olm.bundle", "name": "etcd.v1"}, "message": "old"}],
}
_PICTURE: Final = {"base64data": "PHN2Zy8+", "mediatype": "image/svg+xml"}
_METADATA: Final[dict[str, Any]] = {
    "annotations": {"olm.skipRange": "<2.0.0"},
    "crdDescriptions": {"owned": [{"name": "things.example.com", "version": "v1", "kind": "Thing"}]},
    "installModes": [{"type": "AllNamespaces", "supported": True}],
    "keywords": ["store"],
    "labels": {"tier": "gold"},
    "links": [{"name": "home", "url": "https://example.com"}],
    "maintainers": [{"name": "a", "email": "a@example.com"}],
    "minKubeVersion": "1.20.0",
    "provider": {"name": "example"},
}
_ASKED: Final[list[dict[str, Any]]] = [
    {"type": "olm.csv.metadata", "value": _METADATA},
    {"type": "olm.package.required", "value": {"packageName": "etcd", "versionRange": ">=1.0.0"}},
    {"type": "olm.gvk.required", "value": {"group": "example.com", "version": "v1", "kind": "Thing"}},
    {"type": "olm.maxOpenShiftVersion", "value": "4.18"},
    {"type": "olm.label", "value": {"label": "tier=gold"}},
]


def _example(name: str) -> list[Any]:
    """Return the example request *name*, with its catalogs found from anywhere."""
    text = (_EXAMPLES / name).read_text("utf-8")
    return [yaml.load(text.replace("catalogs/", f"{_EXAMPLES}/catalogs/"), yaml.CSafeLoader)]


def _catalog() -> list[Any]:
    """Return blobs in which every documented field of a catalog is written."""
    written = [*blobs(v1=_ASKED, v2=_REQUIRING), _DEPRECATIONS]
    written[0] |= {"description": "a store", "icon": _PICTURE, "properties": [{"type": "x", "value": {"y": [1]}}]}
    written[1] |= {"properties": [{"type": "olm.channel", "value": {"channelName": "stable", "priority": 1}}]}
    written[1]["entries"][1] |= {"skips": ["etcd.v0"], "skipRange": "<2.0.0"}
    written[2] |= {"relatedImages": [{"name": "etcd", "image": "quay.example.com/etcd:1"}]}
    return written


def _seeds() -> dict[str, tuple[list[Any], ...]]:
    """Return, for each file that is mutated, the documents of files to start from; the first is the whole file."""
    objects = [*namespace(), *namespace("lab", installed=0), catalog_source(), extension()]
    objects += [cluster_catalog(), _DEFINITION]
    return {
        "request.yaml": tuple(map(_example, ("install.yaml", "upgrade.yaml", "unsatisfiable.yaml"))),
        "extension.yaml": ([_V1_REQUEST],),
        "dump.yaml": ([{"apiVersion": "v1", "kind": "List", "items": objects}], objects),
        "catalog.json": (_catalog(),),
        "template.yaml": ([_TEMPLATE], [{"schema": "olm.template.basic", "entries": []}]),
        "crd.yaml": ([_DEFINITION],),
    }


_CLUSTER: Final = ("--cluster", "dump.yaml", "--catalog", "olm/cat=catalog.json", "--catalog", "main=catalog.json")
CALLS: Final[dict[str, tuple[str, ...]]] = {
    "resolve": ("request.yaml", "--output", "json"),
    "explain": ("request.yaml", "--output", "json"),
    "why": ("request.yaml", "storefront.v2.1.0", "--output", "json"),
    "why-not": ("request.yaml", "storefront", "--version", "3.0.0"),
    "diff": ("request.yaml", "--compare-semantics", "--output", "json"),
    "reduce": ("request.yaml", "--timeout", "0.5"),
    "certify": ("request.yaml",),
    "cnf": ("request.yaml",),
    "resolve an extension": ("extension.yaml", "--output", "json"),
    "explain an extension": ("extension.yaml",),
    "path": ("extension.yaml", "--output", "json"),
    "resolve a cluster": (*_CLUSTER, "--output", "json"),
    "explain a cluster": _CLUSTER,
    "plan": (*_CLUSTER, "--output", "yaml"),
    "simulate": (*_CLUSTER, "--output", "json"),
    "blocking": ("--openshift", "4.18.3", *_CLUSTER, "--output", "json"),
    "groups": ("--cluster", "dump.yaml", "--output", "json"),
    "metrics": (*_CLUSTER, "--simulated"),
    "migrate": (*_CLUSTER, "--output", "json"),
    "lint": ("catalog.json", "--output", "json"),
    "validate": ("catalog.json", "--output", "sarif"),
    "graph": ("catalog.json",),
    "render": ("catalog.json",),
    "validate and mend": ("catalog.json", "--fix"),
    "catalog merge": ("catalog.json",),
    "catalog subset": ("catalog.json", "--keep", "etcd@stable"),
    "catalog promote": ("catalog.json", "--package", "etcd", "--from", "stable", "--into", "fast"),
    "catalog set-default": ("catalog.json", "--package", "etcd", "--channel", "stable"),
    "catalog deprecate": ("catalog.json", "--package", "etcd", "--bundle", "etcd.v2", "--message", "old"),
    "catalog edge": (
        *("catalog.json", "--package", "etcd", "--channel", "stable", "--bundle", "etcd.v2"),
        *("--skip-range", "<1.5.0", "--output", "yaml"),
    ),
    "catalog edge in place": (
        *("catalog.json", "--package", "etcd", "--channel", "stable", "--bundle", "etcd.v2"),
        *("--skips", "etcd.v0", "--write"),
    ),
    "catalog remove": ("catalog.json", "--package", "etcd", "--bundle", "etcd.v2", "--reconnect"),
    "catalog add": ("catalog.json", "--bundle", "bundle.json", "--channel", "stable"),
    "catalog list": ("packages", "catalog.json", "--output", "json"),
    "catalog convert-template": ("catalog.json",),
    "catalog edges": ("catalog.json", "--output", "jsonl"),
    "catalog diff": ("catalog.json", "whole-catalog.json", "--output", "json"),
    "catalog diff the other way": ("whole-catalog.json", "catalog.json"),
    "impact": (
        *("--clusters", "dump.yaml", "--catalog", "olm/cat=catalog.json", "--before", "olm/cat=whole-catalog.json"),
        *("--output", "json"),
    ),
    "impact of a catalog": (
        *("--clusters", "dump.yaml", "--catalog", "olm/cat=catalog.json", "--before", "olm/cat=whole-catalog.json"),
        *("--output", "json"),
    ),
    "index": ("catalog.json", "--to", "catalog.index"),
    "audit": ("--catalog", "main=catalog.json", "--output", "json"),
    "migrate a catalog": ("catalog.json", "etcd"),
    "template": ("template.yaml",),
    "crd-check": ("crd.yaml", "whole-crd.yaml", "--output", "json"),
    "verify": ("certificate.json", "request.yaml"),
}
"""A call of each command, by its name and, after it, what tells two calls of one command apart."""
_MUTATED: Final[dict[str, str]] = {name: arguments[0] for name, arguments in CALLS.items()} | {
    **dict.fromkeys(("resolve a cluster", "explain a cluster", "plan", "simulate", "blocking", "groups"), "dump.yaml"),
    **dict.fromkeys(("metrics", "migrate", "impact"), "dump.yaml"),
    "catalog list": "catalog.json",
    **dict.fromkeys(("audit", "impact of a catalog", "catalog diff the other way"), "catalog.json"),
}


@attrs.frozen
class CommandTarget:
    """The call *name* of a command, whose mutated file is the text."""

    name: str

    def run(self, text: str) -> str:
        """Return a word for how the command ended.

        Raises AssertionError where it broke a promise, and whatever it let through.
        """
        words = self.name.split()
        command = words[:2] if words[0] == "catalog" else words[:1]
        with contextlib.chdir(_folder()):
            mutated = Path(_MUTATED[self.name])
            whole = mutated.read_bytes()
            mutated.write_text(text, "utf-8", errors="surrogatepass")
            try:
                code, out, err = _ended([*command, *CALLS[self.name]])
            finally:
                mutated.write_bytes(whole)
        assert code in _DOCUMENTED, f"ended with {code}: {err}"
        assert code < 2 or err.strip(), f"ended with {code} without a word"
        assert not _DANGEROUS.search(err), "control characters on standard error"
        if "json" in CALLS[self.name] and code < 2:
            json.loads(out)
            assert not _DANGEROUS.search(out), "control characters in JSON"
        # Where a report says what is wrong, standard error is empty.
        return f"{code} {_VARYING.sub('#', err or out[:2000])[:300]}"

    def mutator(self, seed: str) -> DocumentMutator:
        """Return the source of its inputs."""
        return DocumentMutator(seed, self._seeds())

    def every(self) -> Iterator[str]:
        """Yield its file with each value in turn replaced by one of each kind of value, and left out."""
        return every_replaced(self._seeds()[0])

    def _seeds(self) -> tuple[list[Any], ...]:
        seeds = {**_seeds(), "certificate.json": ([json.loads((_folder() / "certificate.json").read_text("utf-8"))],)}
        return seeds[_MUTATED[self.name]]


def _ended(arguments: list[str]) -> tuple[int, str, str]:
    """Return how ``olmsolve`` ends with *arguments*: code, standard output, standard error."""
    written = io.BytesIO(), io.BytesIO()
    out, err = (io.TextIOWrapper(stream, "utf-8", write_through=True) for stream in written)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(arguments)
        except SystemExit as exit_:
            code = int(exit_.code or 0)
    return code, written[0].getvalue().decode("utf-8"), written[1].getvalue().decode("utf-8")


@cache
def _folder() -> Path:
    """The folder of the whole files, which goes with the process."""
    temporary = tempfile.TemporaryDirectory()
    atexit.register(temporary.cleanup)
    # A folder inside, so that ".." is not the folder of all temporary files.
    folder = Path(temporary.name, "files")
    folder.mkdir()
    for name, texts in _seeds().items():
        (folder / name).write_text("\n".join(map(json.dumps, texts[0])), "utf-8")
    (folder / "bundle.json").write_text(json.dumps(blobs(versions=4)[-1]), "utf-8")
    (folder / "whole-catalog.json").write_text((folder / "catalog.json").read_text("utf-8"), "utf-8")
    (folder / "whole-crd.yaml").write_text(yaml.safe_dump(_DEFINITION), "utf-8")
    with contextlib.chdir(folder):
        assert _ended(["certify", "request.yaml", "--to", "certificate.json"])[0] == 0
    return folder


COMMAND_TARGETS: Final = {name: CommandTarget(name) for name in CALLS}
