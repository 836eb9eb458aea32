"""Odd catalogs: folders of documents with ordinary and odd content, in every notation that ``opm`` reads.

A catalog is the bytes of its files by path, or where a symbolic link leads (:class:`Link`). Everything comes from one
random generator, so that a seed stands for a catalog. About half of them are valid.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any, Final, NamedTuple

from tests.fuzz.odd_notation import OddNotation

__all__ = ["Link", "as_text", "catalog_in", "make_odd", "odd_catalog"]


class Link(NamedTuple):
    """A symbolic link."""

    target: str


_ICON: Final = "aGVsbG8="
_ODD: Final[tuple[Any, ...]] = (
    *(None, "", 0, 1, -1, 1.5, 1e21, 2**53 + 1, 2**64, True, False, [], {}, [None], [[]], {"": ""}, {"a": None}),
    *("x", " x", "x ", "A", "a/b", "a b", "1.0", "1", "true", "null", "é", "😀", "a\nb", "\x7f", "\u2028", "<&>", "~"),
    *("v1.0.0", "1.0.0-rc.1+b.2", "01.0.0", ">=1.0.0", "p.v1.0.0", "olm.package", "a" * 64, "a.b", "-a", "a-", "a_b"),
)
_FIELDS: Final = (
    *("schema", "Schema", "SCHEMA", "name", "Name", "package", "entries", "properties", "image", "icon", "description"),
    *("relatedImages", "relatedimages", "defaultChannel", "defaultchannel", "deprecated", "x", "", " name", "1", "<<"),
    *("replaces", "skips", "skipRange", "type", "value", "message", "reference", "versions", "\u017fchema", "É"),
)
_SCHEMAS: Final = (
    *("olm.package", "olm.channel", "olm.bundle", "olm.deprecations", "olm.package.v2", "olm.other", "olm.csv", "own"),
    *("OLM.Package", "olm.composite", "", "olm.bundle "),
)
_NAMES: Final = ("p", "q", "p-q", "r", "s", "t", "u", "w", "x1", "a1", "p" * 63, "p.q")


class _Catalog:
    """The documents of a catalog: valid ones first, which are then made odd."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    def documents(self) -> list[dict[str, Any]]:
        chance = self._chance
        names = chance.sample(_NAMES, chance.choice((1, 1, 1, 2)))
        documents = [blob for name in names for blob in self._package(name)]
        if chance.random() < 0.2:
            documents.append({"schema": chance.choice(_SCHEMAS[4:8]), **self._some_fields()})
        if chance.random() < 0.15:
            chance.shuffle(documents)
        for _ in range(chance.choice((0, 0, 0, 1, 1, 2))):
            make_odd(documents, chance)
        return documents

    def _is(self, share: float = 0.5) -> bool:
        return self._chance.random() < share

    def _some_fields(self) -> dict[str, Any]:
        chance = self._chance
        return {chance.choice(_FIELDS[1:]): self._value() for _ in range(chance.randint(0, 3))}

    def _value(self) -> Any:
        return _odd_value(self._chance)

    def _package(self, name: str) -> list[dict[str, Any]]:
        chance = self._chance
        versions = [f"{major}.{minor}.0" for major in (1, 2) for minor in range(chance.randint(1, 2))]
        if self._is(0.1):
            versions[-1] += chance.choice(("-rc.1", "+build.3"))
        bundles = [f"{name}.v{version}" for version in versions]
        package: dict[str, Any] = {"schema": "olm.package", "name": name, "defaultChannel": "stable"}
        package |= {"description": chance.choice(("text", "lines\nof text\n", ""))} if self._is(0.4) else {}
        package |= {"icon": {"base64data": _ICON, "mediatype": "image/svg+xml"}} if self._is(0.3) else {}
        package |= {"properties": [{"type": "t", "value": self._value()}]} if self._is(0.1) else {}
        entries: list[dict[str, Any]] = []
        for number, bundle in enumerate(bundles):
            entry: dict[str, Any] = {"name": bundle}
            if number:
                entry["replaces"] = bundles[number - 1]
            if self._is(0.2):
                entry["skipRange"] = f">=0.1.0 <{versions[number]}"
            if self._is(0.2):
                entry["skips"] = [f"{name}.v0.{number}.0"]
            entries.append(entry)
        channels = [{"schema": "olm.channel", "package": name, "name": "stable", "entries": entries}]
        if self._is(0.3):
            channels.append({"schema": "olm.channel", "package": name, "name": "beta", "entries": entries[:1]})
        blobs = [package, *channels, *(self._bundle(name, version) for version in versions)]
        if self._is(0.3):
            references = [
                {"reference": {"schema": "olm.bundle", "name": bundles[0]}, "message": "old\n"},
                {"reference": {"schema": "olm.channel", "name": "stable"}, "message": "m: n"},
                {"reference": {"schema": "olm.package"}, "message": "gone"},
            ]
            chosen = chance.sample(references, chance.randint(0, 3))
            blobs.append({"schema": "olm.deprecations", "package": name, "entries": chosen})
        return blobs

    def _bundle(self, package: str, version: str) -> dict[str, Any]:
        chance = self._chance
        image = chance.choice((f"q.io/o/{package}:v1", f"q.io/o/{package}@sha256:{'0a' * 32}", "localhost:5000/x"))
        kind = {"group": "g.com", "kind": "K", "version": "v1"}
        described: dict[str, Any] = {
            "annotations": {"capabilities": "Full", "z": "1", "a": chance.choice(("<b>", "", "l\nm"))},
            "description": chance.choice(("about\n\nit\n", "a", "")),
            "displayName": "P",
            "icon": [{"base64data": _ICON, "mediatype": "image/png"}],
            "installModes": [{"type": "OwnNamespace", "supported": self._is()}],
            "keywords": ["k"],
            "apiServiceDefinitions": {},
            "crdDescriptions": {"owned": [{"name": "ks.g.com", "version": "v1", "kind": "K"}]},
            "unknown": self._value(),
        }
        extras: tuple[dict[str, Any], ...] = (
            {"type": "olm.gvk", "value": kind},
            {"type": "olm.gvk.required", "value": kind},
            {"type": "olm.package.required", "value": {"packageName": "r", "versionRange": ">1.0.0"}},
            {"type": "olm.constraint", "value": {"failureMessage": "f", "cel": {"rule": "true"}}},
            {"type": "olm.label", "value": {"label": "l"}},
            {"type": "olm.csv.metadata", "value": {key: described[key] for key in chance.sample([*described], 4)}},
            {"type": "olm.bundle.object", "value": {"data": "e30="}},
            {"type": "olm.maxOpenShiftVersion", "value": chance.choice(("4.9", 4.9, "x"))},
            {"type": "own", "value": self._value()},
        )
        about = {"type": "olm.package", "value": {"packageName": package, "version": version}}
        blob: dict[str, Any] = {"schema": "olm.bundle", "package": package, "name": f"{package}.v{version}"}
        blob |= {"image": image, "properties": [about, *chance.sample(extras, chance.randint(0, 3))]}
        if self._is(0.4):
            blob["relatedImages"] = [{"name": chance.choice(("", "n")), "image": image}]
        return blob


def _odd_value(chance: random.Random, depth: int = 2) -> Any:
    if depth and chance.random() < 0.3:
        if chance.random() < 0.5:
            return [_odd_value(chance, depth - 1) for _ in range(chance.randint(0, 3))]
        return {chance.choice(("a", "b", "z", "1", "é", "A")): _odd_value(chance, depth - 1) for _ in range(3)}
    return chance.choice(_ODD)


def make_odd(documents: list[dict[str, Any]], chance: random.Random) -> None:
    """Change one place of the *documents*: a value, a field, an element, or a whole document."""
    if not documents or chance.random() < 0.08:
        documents.extend(chance.sample(documents, min(1, len(documents))))
        return
    owner: Any = chance.choice(documents)
    while True:
        inner = [part for part in (owner.values() if isinstance(owner, dict) else owner) if part and _is_many(part)]
        if not inner or chance.random() < 0.35:
            break
        owner = chance.choice(inner)
    if not owner:
        return
    if isinstance(owner, list):
        position = chance.randrange(len(owner))
        roll = chance.random()
        if roll < 0.3:
            del owner[position]
        elif roll < 0.6:
            owner.insert(position, owner[-1])
        else:
            owner[position] = _odd_value(chance)
        return
    field = chance.choice([*owner])
    roll = chance.random()
    if roll < 0.2:
        del owner[field]
    elif roll < 0.5:
        owner[field] = _odd_value(chance)
    elif roll < 0.65:
        other = chance.choice((field.upper(), field.title(), f" {field}", field.lower(), f"{field}s"))
        owner[other] = owner.pop(field) if chance.random() < 0.5 else _odd_value(chance)
    elif roll < 0.85:
        owner[chance.choice(_FIELDS)] = _odd_value(chance)
    elif isinstance(owner[field], str):
        text = owner[field]
        owner[field] = chance.choice((f"{text} ", text.upper(), text[:-1], f"{text}x", f" {text}", text + "\n"))


def _is_many(value: Any) -> bool:
    return isinstance(value, (dict, list))


_FILES: Final = (
    *("catalog.yaml", "catalog.json", "index.yml", "a", ".hidden.yaml", "x.txt", "é.yaml", "with space.json", "z.JSON"),
    *("-dash.yaml", "a.yaml~", "README.md", "deep/er/b.yaml", ".git/c.yaml", "..d.yaml", "#e.yaml", "[f].json", "*"),
)
_ASIDE: Final[tuple[tuple[str, bytes], ...]] = (
    *(("README.md", b"# About\n"), ("README.md", b"text\n"), ("notes.txt", b""), ("empty.yaml", b"---\n"), ("e", b" ")),
    *(("bin", b"\x00\x01"), ("latin.yaml", b"schema: \xe9\n"), ("utf16.yaml", "schema: own\n".encode("utf-16"))),
    *(("utf16be.json", '{"schema":"own"}'.encode("utf-16-be")), ("list.yaml", b"- schema: own\n"), ("n.json", b"null")),
    *(("array.json", b'[{"schema":"own"}]'), ("c.yaml", b"# only\n"), ("dots.yaml", b"...\n"), (".keep", b"")),
    *(("bom.yaml", b"\xef\xbb\xbf"), ("b.json", b"\xef\xbb\xbf{}"), ("sub/README", b"a: {\n"), ("t.yaml", b"\t\n")),
    *(("docs/x.json", b"{"), ("x.json", b'{"schema":"own"}}'), ("y.json", b'{"schema":"own"},')),
    *(("z.yaml", b"{schema: own}\n{schema: own}\n"), ("m.yaml", b"schema: own\n...\nschema: own\n")),
    *(("n.yaml", b'{"schema":"own"}\n---\nschema: own\n'), ("p.yaml", b"---\n---\nschema: own\n---\n")),
    *(("o.yaml", b'schema: own\n---\n{"schema":"own"}{"schema":"own"}'), ("r.yaml", b"schema: own\n--- \nschema: own")),
    *(("q.yaml", b"--- {schema: own}\n--- # c\n---\tschema: own\n"), ("s.yaml", b"schema: own\n---x\n")),
    *(("u.yaml", b"schema: own\n----\nb: 1\n"), ("v.yaml", b"%YAML 1.2\n---\nschema: own\n")),
    *(("w.yaml", b"schema: own\r\n---\r\nschema: own\r\n"), ("x.yaml", b"schema: own\r---\rschema: own\r")),
)
_RULES: Final = (
    *(
        "*.txt",
        "README.md",
        "*",
        "!*.yaml",
        "!*.json",
        "docs",
        "docs/",
        "/docs",
        "sub/**",
        "**/README",
        "**",
        "# c",
        "",
    ),
    *("\\#e.yaml", "[a-m]*", "[!c]*", "?", " bin ", "bin\r", "!bin", "e*", "/*.yaml", "!catalog.yaml", "\\[f\\].json"),
    *("**/*.json", "deep/er", "deep/*", "**/b.yaml", ".*", "!.", "a/../b", "\\", "[", "[]", "*.{md,txt}", "\ufeff*.md"),
)


def odd_catalog(seed: int) -> dict[str, bytes | Link]:
    """Return the files of the catalog of *seed*, by path."""
    chance = random.Random(f"catalog {seed}")
    documents = _Catalog(chance).documents()
    notation = OddNotation(chance)
    layout = chance.random()
    files: dict[str, bytes | Link] = {}
    if layout < 0.55:
        parts = [documents]
    elif layout < 0.8:
        cut = chance.randint(0, len(documents))
        parts = [documents[:cut], documents[cut:]]
    else:
        parts = [[document] for document in documents]
    for number, part in enumerate(parts):
        name = chance.choice(_FILES[:2]) if chance.random() < 0.6 else chance.choice(_FILES)
        if name in files or layout >= 0.55:
            folder, _, base = name.rpartition("/")
            name = f"{folder}/{number}{base}" if folder else f"{number}{base}"
        files[name] = notation.file(part)
    if chance.random() < 0.25:
        for _ in range(chance.choice((1, 1, 2, 3))):
            name, content = chance.choice(_ASIDE)
            files.setdefault(name, content)
    if chance.random() < 0.12:
        files.update(_aside_links(chance, files))
    if chance.random() < 0.25:
        where = chance.choice(("", "", "", "docs/", "deep/", "sub/"))
        rules = chance.choice(("\n", "\r\n", "\n\n")).join(chance.choices(_RULES, k=chance.randint(0, 4)))
        files[f"{where}.indexignore"] = (rules + chance.choice(("", "\n"))).encode()
    return files


def _aside_links(chance: random.Random, files: dict[str, bytes | Link]) -> dict[str, bytes | Link]:
    """Return what may lie beside the *files*: a link to a file, to a folder, to nothing, or to itself."""
    kind = chance.random()
    if kind < 0.25:
        return {"link.yaml": Link(chance.choice([*files]))}
    if kind < 0.4:
        return {"folder": Link(".")}
    if kind < 0.55:
        return {"away.yaml": Link("nowhere")}
    if kind < 0.65:
        return {"round.yaml": Link("round.yaml")}
    if kind < 0.85:
        return {"real/n.yaml": b"schema: own\n", "to": Link("real")}
    return {"real.txt": b"schema: own\n", "l.yaml": Link("real.txt")}


def catalog_in(files: dict[str, bytes | Link], folder: Path) -> Path:
    """Write the *files* of a catalog into *folder*, and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Link):
            path.symlink_to(content.target)
        else:
            path.write_bytes(content)
    return folder


def as_text(files: dict[str, bytes | Link]) -> str:
    """Return the *files* for people."""
    return json.dumps({name: repr(content) for name, content in files.items()}, indent=1, ensure_ascii=False)
