"""Catalogs as files in the forms that authors and tools write, drawn at random, with comments that can be found again.

Each comment is a number, and is noted with what it belongs to: a document, or an entry of it.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import attrs

Blob = dict[str, Any]
BlobName = tuple[str, str, str]


def named(blob: Blob) -> BlobName:
    """What names a blob: schema, package, name."""
    is_package = blob["schema"] == "olm.package"
    return blob["schema"], blob["name"] if is_package else blob["package"], blob.get("name", "")


@attrs.define
class RandomFiles:
    """Files by name; the text of each blob, and the owner of each comment: a blob, and the name of an entry or ""."""

    files: dict[str, str] = attrs.field(factory=dict)
    texts: dict[BlobName, str] = attrs.field(factory=dict)
    comments: dict[str, tuple[BlobName, str]] = attrs.field(factory=dict)

    def write(self, folder: Path) -> None:
        """Write the files below *folder*."""
        for name, text in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())


def random_files(generator: random.Random, blobs: list[Blob]) -> RandomFiles:
    """*blobs* in one file, a file for each package, or a file for each blob."""
    result = RandomFiles()
    layout = generator.choice(["one", "packages", "blobs"])
    parts: dict[str, list[Blob]] = {}
    for number, blob in enumerate(blobs):
        schema, package, name = named(blob)
        file = {"one": "catalog", "packages": f"{package}/catalog", "blobs": f"{package}/{schema}-{name or number}"}
        parts.setdefault(file[layout], []).append(blob)
    form = generator.choice(["yaml", "yaml", "yaml", "json", "jsonl"])
    for name, own in parts.items():
        write = _Yaml(generator, result).text if form == "yaml" else _Json(generator, result, form).text
        result.files[f"{name}.{form}"] = write(own)
    return result


@attrs.define
class _Json:
    """Writes JSON: over lines, or an object on each."""

    generator: random.Random
    made: RandomFiles
    form: str

    def text(self, blobs: list[Blob]) -> str:
        """The objects of *blobs*, one after the other."""
        indent = self.generator.choice([1, 2, 4]) if self.form == "json" else None
        tight = (",", ":") if self.form == "jsonl" and self.generator.random() < 0.5 else None
        texts = [json.dumps(blob, indent=indent, separators=tight) for blob in blobs]
        self.made.texts |= dict(zip(map(named, blobs), texts, strict=True))
        return "\n".join(texts) + self.generator.choice(["", "\n"])


@attrs.define
class _Yaml:
    """Writes YAML in one style for a whole file: quotes, columns of dashes, line ends."""

    generator: random.Random
    made: RandomFiles
    quote: str = ""
    dash: str = ""
    flow: bool = False
    gap: int = 1

    def text(self, blobs: list[Blob]) -> str:
        """The documents of *blobs*, with separators between them."""
        draw = self.generator
        self.quote, self.dash = draw.choice(["", "'", '"']), draw.choice(["", "  "])
        self.flow, self.gap = draw.random() < 0.3, draw.choice([1, 1, 3])
        texts = [self._document(blob) for blob in blobs]
        newline = draw.choice(["\n", "\n", "\r\n"])
        texts = [text.replace("\n", newline) for text in texts]
        self.made.texts |= dict(zip(map(named, blobs), texts, strict=True))
        text = draw.choice(["", f"---{newline}"]) + f"---{newline}".join(texts)
        return text.removesuffix(newline) if draw.random() < 0.2 else text

    def _document(self, blob: Blob) -> str:
        lines = [f"{key}: {self._scalar(value)}" for key, value in blob.items() if isinstance(value, str)]
        for key, value in blob.items():
            if isinstance(value, list):
                lines.append(f"{key}:")
                lines += self._elements(blob, value)
        if self.generator.random() < 0.5:
            lines.insert(1, self._comment(blob, ""))
        return "\n".join(lines) + "\n"

    def _elements(self, blob: Blob, values: list[Any]) -> list[str]:
        lines: list[str] = []
        for value in values:
            name = value.get("name", "") if blob["schema"] == "olm.channel" else ""
            if name and self.generator.random() < 0.3:
                lines.append(f"{self.dash}{self._comment(blob, '')}")
            if self.flow or blob["schema"] == "olm.bundle":
                lines.append(f"{self.dash}-{' ' * self.gap}{self._flow(value)}")
                continue
            inner = self._block(value)
            if name and self.generator.random() < 0.3:
                inner[0] += f"  {self._comment(blob, name)}"
            lines.append(f"{self.dash}-{' ' * self.gap}{inner[0]}")
            lines += [f"{self.dash} {' ' * self.gap}{line}" for line in inner[1:]]
        return lines

    def _block(self, value: Blob) -> list[str]:
        lines: list[str] = []
        for key, inner in value.items():
            if isinstance(inner, dict):
                lines += [f"{key}:", *(f"  {line}" for line in self._block(inner))]
            elif isinstance(inner, list):
                lines += [f"{key}:", *(f"{self.dash}- {self._scalar(item)}" for item in inner)]
            else:
                lines.append(f"{key}: {self._scalar(inner)}")
        return lines

    def _flow(self, value: Any) -> str:
        if isinstance(value, dict):
            return "{" + ", ".join(f"{key}: {self._flow(inner)}" for key, inner in value.items()) + "}"
        if isinstance(value, list):
            return "[" + ", ".join(map(self._flow, value)) + "]"
        return self._scalar(value)

    def _scalar(self, text: str) -> str:
        quote = self.quote or ("" if text[0].isalpha() and text not in ("no", "yes") else "'")
        return f"{quote}{text}{quote}"

    def _comment(self, blob: Blob, entry: str) -> str:
        comment = f"# c{len(self.made.comments)}."
        self.made.comments[comment] = named(blob), entry
        return comment
