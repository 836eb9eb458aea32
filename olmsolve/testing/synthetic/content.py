"""The parts of blobs that resolution never reads, of a given size, and blobs as the lines of JSON that are read
quickest.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from olmsolve.testing.synthetic.draws import Draws

_SENTENCES: Final = 30
_EXAMPLE: Final = {
    "apiVersion": "example.com/v1",
    "kind": "Example",
    "metadata": {"name": "example"},
    "spec": {"size": 3},
}
_WRITTEN_EXAMPLE: Final = json.dumps(_EXAMPLE, indent=1).replace("\n", "\n ")
_COMPACT: Final = json.JSONEncoder(separators=(",", ":"))
_IMAGE: Final = "registry.example.com/operators/related@sha256:" + "0123456789abcdef" * 4


def filled_property(draws: Draws, kind: str, size: int, bundle: str) -> dict[str, Any]:
    """Return a property of *kind* with about *size* bytes of compact JSON, whose value *bundle* has to itself."""
    if kind == "olm.maxOpenShiftVersion":
        return {"type": kind, "value": f"4.{8 + draws.below(14)}"}
    if kind == "olm.csv.metadata":
        return {"type": kind, "value": _metadata(draws, size, bundle)}
    return {"type": kind, "value": _text(draws, size - _size({"type": kind, "value": ""}))}


def filled_field(draws: Draws, name: str, size: int) -> Any:
    """Return a value for the field *name* of a blob, with about *size* bytes of compact JSON."""
    if name == "icon":
        empty = {"base64data": "", "mediatype": "image/svg+xml"}
        # Letters alone are base64 too, where their number is a multiple of four.
        return {**empty, "base64data": draws.word(max(4, (size - _size(empty)) // 4 * 4))}
    if name == "relatedImages":
        one = {"name": "", "image": _IMAGE}
        return [{**one, "name": draws.word(8)} for _ in range(max(1, round(size / (_size(one) + 9))))]
    return _text(draws, size - 2)


def _metadata(draws: Draws, size: int, bundle: str) -> dict[str, Any]:
    """Return what a manifest says about itself: half of it examples, which are JSON in a text, half prose."""
    value: dict[str, Any] = {
        "annotations": {"alm-examples": "", "capabilities": "Basic Install", "containerImage": f"example.com/{bundle}"},
        "apiServiceDefinitions": {},
        "description": "",
        "displayName": bundle.partition(".")[0],
        "keywords": [draws.word(7) for _ in range(3)],
        "maintainers": [{"email": "people@example.com", "name": "People"}],
        "provider": {"name": "People"},
    }
    room = max(0, size - _size({"type": "olm.csv.metadata", "value": value}))
    # Quotes and line ends in the text of the examples are escaped in JSON, each with one more byte.
    example = _size(json.dumps(_EXAMPLE, indent=2))
    value["annotations"]["alm-examples"] = _examples(room // 2 // example)
    value["description"] = _text(draws, size - _size({"type": "olm.csv.metadata", "value": value}))
    return value


def _examples(count: int) -> str:
    """Return a JSON list of *count* examples as people write it, with line ends; the text of one is made once."""
    return "[\n " + ",\n ".join([_WRITTEN_EXAMPLE] * count) + "\n]" if count else "[]"


def _text(draws: Draws, size: int) -> str:
    """Return prose of about *size* letters, one sentence a line; long texts repeat sentences."""
    sentences: list[str] = []
    parts: list[str] = []
    length = 0
    while length < size:
        if len(sentences) < _SENTENCES:
            words = [draws.word(2 + draws.below(9)) for _ in range(3 + draws.below(18))]
            sentences.append(" ".join(words) + ".\n")
            part = sentences[-1]
        else:
            part = draws.one_of(sentences)
        parts.append(part)
        length += len(part)
    return "".join(parts)[: max(0, size)].strip()


def _size(value: Any) -> int:
    return len(_COMPACT.encode(value))


def lines(blobs: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield each blob as compact JSON that ends with a line feed; the order of fields is kept.

    >>> list(lines([{"schema": "olm.package", "name": "blue"}]))
    ['{"schema":"olm.package","name":"blue"}\\n']
    """
    for blob in blobs:
        yield json.dumps(blob, separators=(",", ":"), ensure_ascii=False) + "\n"
