"""JSON as Go's ``encoding/json`` writes it: the shape of numbers, and escapes where a text came out of YAML.

``opm`` keeps the values of files of a bundle as the JSON that Go made of their YAML, with ``<``, ``>`` and ``&``
escaped, and writes its own values without them. Both say the same, and only a comparison by bytes tells them apart::

    of metadata/dependencies.yaml, olm.constraint:    "versionRange": "\\u003c2.0.0"
    of metadata/dependencies.yaml, olm.package:       "versionRange": "<2.0.0"
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from olmsolve._html_escapes import HTML_ESCAPES
from olmsolve._patterns import pattern
from olmsolve.catalog.fbc.opm_layout import OwnBlob, RawProperty, whole_numbers
from olmsolve.catalog.fbc.writing import indented

_LINE_ENDS: Final = {code: HTML_ESCAPES[code] for code in (0x2028, 0x2029)}
"""What Go escapes in every JSON text."""
_PADDED: Final = pattern(r'("[^"\\]*(?:\\.[^"\\]*)*")|([eE]-)0(?=\d)')
"""A string, or an exponent of one digit as Python pads it: 1e-07, where Go has 1e-7."""


class EscapedText(str):
    """A text that Go made of YAML: ``opm`` prints it with the escapes for HTML."""

    __slots__ = ()


def from_yaml(value: Any) -> Any:
    """Return *value*, read from YAML, as Go keeps it: fields sorted, whole doubles as integers, texts with escapes."""
    return _marked(whole_numbers(value))


def _marked(value: Any) -> Any:
    if isinstance(value, str):
        return EscapedText(value)
    if isinstance(value, Mapping):
        return {EscapedText(key): _marked(value[key]) for key in sorted(value)}
    return [_marked(element) for element in value] if isinstance(value, list) else value


def raw_values(text: str, listed: str) -> list[str] | None:
    """Return the texts of the values of the elements in the list *listed* of the JSON *text*; None where it is no JSON.

    Names of fields count in any letter case, and of a name that stands twice the last, as Go reads them.
    """
    import msgspec

    def last(fields: Mapping[str, Any], name: str) -> Any:
        return next((value for key, value in reversed([*fields.items()]) if key.casefold() == name), None)

    objects = dict[str, msgspec.Raw]
    try:
        found = last(msgspec.json.decode(text, type=objects), listed) if listed else text
        elements = msgspec.json.decode(found or "null", type=list[objects] | None) or []
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return None
    return [bytes(last(element, "value") or b"").decode() for element in elements]


def opm_json_text(blob: Mapping[str, Any]) -> str:
    """Return *blob*, laid out as ``opm`` writes it, as its indented JSON."""
    if isinstance(blob, OwnBlob):
        return f"{go_text(blob, 4)}\n"
    text = json.dumps(blob, separators=(",", ":"), ensure_ascii=False)
    return f"{_shortened(indented(blob, text)).translate(_LINE_ENDS)}\n"


def opm_template_text(template: Mapping[str, Any], form: str) -> str:
    """Return *template* as ``opm alpha convert-template`` prints it, as "opm-json" or "opm-yaml".

    The entries are texts of JSON that Go made, but for references to bundles; its YAML ends with an empty line.
    """
    entries = [_template_entry(entry) for entry in template["entries"]]
    laid_out = OwnBlob({**template, "entries": entries})
    if form == "opm-json":
        return opm_json_text(laid_out)
    from olmsolve.catalog.fbc.opm_yaml import opm_yaml_text

    return f"{opm_yaml_text(laid_out)}\n"


def _template_entry(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    is_reference = entry.keys() == {"schema", "image"}
    return {"schema": entry["schema"], "image": entry["image"]} if is_reference else from_yaml(entry)


def go_text(value: Any, indent: int | None = None) -> str:
    """Return *value* as JSON: compact, or each field on a line of its own, *indent* characters further in."""
    gap = "" if indent is None else " " * indent
    return _text(value, "\n" if gap else "", gap)


def _text(value: Any, line: str, gap: str) -> str:
    """Return *value* as JSON; *line* is the line end with the indent of the object around it, "" if it is compact."""
    inner, colon = line + gap, ": " if gap else ":"
    if isinstance(value, RawProperty):
        import msgspec

        # The text of strings and numbers stays, and no line end stands in one.
        raw = msgspec.json.format(value.raw, indent=len(gap) or -1).replace("\n", inner).translate(_LINE_ENDS)
        return f'{{{inner}"type"{colon}{_text(value["type"], inner, gap)},{inner}"value"{colon}{raw}{line}}}'
    if isinstance(value, (Mapping, list, tuple)) and value:
        if isinstance(value, Mapping):
            parts = (f"{_text(key, inner, gap)}{colon}{_text(part, inner, gap)}" for key, part in value.items())
            return f"{{{inner}{f',{inner}'.join(parts)}{line}}}"
        return f"[{inner}{f',{inner}'.join(_text(part, inner, gap) for part in value)}{line}]"
    text = _shortened(json.dumps(value, ensure_ascii=False))
    return text.translate(HTML_ESCAPES if isinstance(value, EscapedText) else _LINE_ENDS)


def _shortened(text: str) -> str:
    """Return the JSON *text* with exponents as Go writes them."""
    return _PADDED.sub(lambda match: match[1] or match[2], text) if "-0" in text else text


def escaped_text(value: Any) -> str:
    """Return *value* as compact JSON with sorted fields and every escape: an object of Kubernetes as Go writes it."""
    text = json.dumps(whole_numbers(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return _shortened(text).translate(HTML_ESCAPES)
