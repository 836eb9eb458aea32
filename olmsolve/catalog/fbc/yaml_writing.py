"""Plain JSON values written as YAML that all readers understand alike: block style, and quotes in case of doubt."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from olmsolve._limits import checked_if_long
from olmsolve._named_tuples import NamedTuple
from olmsolve._patterns import pattern
from olmsolve.catalog.fbc.document import OutsideJsonError
from olmsolve.catalog.fbc.yaml_scalars import plain_scalar

# Letters first, no colon before a space or at the end, no comment, no indicator: the same text in YAML 1.1 and 1.2.
_PLAIN: Final = pattern(r"[A-Za-z0-9_./](?:[A-Za-z0-9_./@+-]|:(?=[A-Za-z0-9_/])|[ ](?=[A-Za-z0-9_./(]))*", re.ASCII)
_NUMBER_LIKE: Final = pattern(
    r"(?![0-9]+\.[0-9]+\.)[0-9][0-9_:.,eExXoObBaAcCdDfF+TZz -]*|\.[0-9nNiI].*|[0-9]{4}-.*", re.DOTALL
)
_LONGEST_KEY: Final = 128  # parsers look 1,024 characters ahead for a key's colon
_LINES: Final = pattern(
    r"[^\s\x00-\x08\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff\ufffe\uffff]"
    r"[\x20-\x7e\n\xa0-\u061b\u061d-\u200d\u2010-\u2027\u202f-\u2065\u206a-\ud7ff\ue000-\ufefe\uff00-\ufffd"
    r"\U00010000-\U0010ffff]*\n?"
)
_SINGLE: Final = pattern(r"[\x20-\x7e]*")
# With the marks that turn the direction of text, which terminals act on.
_UNPRINTABLE: Final = pattern(r"[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]")


class YamlLayout(NamedTuple):
    """The layout of YAML text: columns from a key to the dashes of its list, and quotes.

    *quote* is the quotation mark around all texts; with "", only a text that needs quotes has them, and *in_doubt* is
    the mark.
    """

    to_dash: int = 0
    quote: str = ""
    in_doubt: str = '"'


USUAL_LAYOUT: Final = YamlLayout()


def yaml_text(value: Any) -> str:
    """Return *value* as a YAML document that ends with a line end, without the line that separates documents."""
    return "\n".join(block_lines(value)) + "\n"


def block_lines(value: Any, indent: str = "", layout: YamlLayout = USUAL_LAYOUT) -> Iterator[str]:
    """Yield *value* in lines; the first is not indented, so that it can follow a dash or be a line of its own."""
    if isinstance(value, dict) and value:
        lead = ""
        for key, inner in value.items():
            yield from _field(f"{lead}{_key(key, indent)}", inner, indent, layout)
            lead = indent
    elif isinstance(value, (list, tuple)) and value:
        lead = ""
        for inner in checked_if_long(value):
            lines = block_lines(inner, f"{indent}  ", layout)
            yield f"{lead}- {next(lines)}"
            yield from lines
            lead = indent
    elif isinstance(value, str):
        yield from _string(value, indent, layout)
    else:
        yield json.dumps(value)


def _field(start: str, value: Any, indent: str, layout: YamlLayout) -> Iterator[str]:
    if isinstance(value, dict) and value:
        yield f"{start}:"
        lines = block_lines(value, f"{indent}  ", layout)
        yield f"{indent}  {next(lines)}"
    elif isinstance(value, (list, tuple)) and value:
        yield f"{start}:"
        dashes = indent + " " * layout.to_dash
        lines = block_lines(value, dashes, layout)
        yield f"{dashes}{next(lines)}"
    else:
        lines = block_lines(value, f"{indent}  ", layout)
        yield f"{start}: {next(lines)}"
    yield from lines


def flow_text(value: Any, layout: YamlLayout = USUAL_LAYOUT) -> str:
    """Return *value* as YAML on one line, with braces and brackets.

    >>> flow_text({"name": "p.v1.1.0", "skips": ["p.v1.0.0"]})
    '{name: p.v1.1.0, skips: [p.v1.0.0]}'
    """
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_scalar(key)}: {flow_text(inner, layout)}" for key, inner in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(flow_text(inner, layout) for inner in value) + "]"
    return _scalar(value, layout) if isinstance(value, str) else json.dumps(value)


def _key(key: str, indent: str) -> str:
    text = _scalar(key)
    return text if len(text) <= _LONGEST_KEY else f"? {text}\n{indent}"


def _string(text: str, indent: str, layout: YamlLayout) -> Iterator[str]:
    if "\n" not in text or not _LINES.fullmatch(text) or text.endswith("\n\n"):
        yield _scalar(text, layout)
        return
    yield "|" if text.endswith("\n") else "|-"
    step = indent or "  "
    for line in text.removesuffix("\n").split("\n"):
        yield f"{step}{line}" if line else ""


def _scalar(text: str, layout: YamlLayout = USUAL_LAYOUT) -> str:
    """Return *text* on one line, in the quotes of *layout*, or in none where every reader takes it for a text."""
    if not layout.quote and _PLAIN.fullmatch(text) and not _NUMBER_LIKE.fullmatch(text):
        try:
            is_text = plain_scalar(text) is text
        except OutsideJsonError:
            is_text = False
        if is_text:
            return text
    if (layout.quote or layout.in_doubt) == "'" and _SINGLE.fullmatch(text):
        return "'" + text.replace("'", "''") + "'"
    quoted: str = _UNPRINTABLE.sub(_escaped, json.dumps(text, ensure_ascii=False))
    return quoted


def _escaped(match: re.Match[str]) -> str:
    # Readers of JSON replace half a character (a lone surrogate), so it is replaced here.
    character: str = match[0]
    return "\\ufffd" if "\ud800" <= character <= "\udfff" else f"\\u{ord(character):04x}"
