"""Documents in odd notation: JSON and YAML as tools and people write them, and as nobody does.

Unlike ``odd_yaml``, which makes up content, this module writes documents that it is given, mostly with their meaning.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from typing import Any, Final

__all__ = ["OddNotation"]

_PLAIN: Final = re.compile(r"[A-Za-z<=./][A-Za-z0-9<>=./_+-]*(?: [A-Za-z0-9<>=.]+)*\Z")
_RESERVED: Final = re.compile(r"(?i:true|false|null|yes|no|on|off|y|n|~|<<|=|\.inf|\.nan|\.|\.\.)\Z")
_ENDS: Final = ("\n", "\n", "\n", "\n", " \n", " # c\n", "\t\n", "\n\n", "\n# c\n")
_BETWEEN: Final = (
    *("---\n",) * 8,
    *(
        "--- \n",
        "---\t\n",
        "--- # c\n",
        "...\n---\n",
        "---\n---\n",
        "# c\n---\n",
        "---\n# c\n",
        "---\r\n",
        "--- !!map\n",
    ),
    *("--- &z\n", "---\n...\n---\n", "%YAML 1.1\n---\n", "...\n%YAML 1.2\n---\n", "---\n\n", " ---\n", "---\n \n"),
    "--- !x\n",
)
_JSON_BETWEEN: Final = (
    *("\n",) * 6,
    *("", " ", "\n\n", "\t", "\r\n", "\n---\n", "---\n", "\n--- \n", ",\n", "\n\x00", "\n# c\n"),
)
_JSON_REPEATS: Final = ("null", "1", "[]", "{}", '""')
_TEXT_ENDS: Final = ("",) * 12 + ("\\ud83d", "\\/", "\x7f", "\t", "\\x41", "\\u0000")
_MERGES: Final = (
    *("{0}<<: {1}\n", "{0}<<: [{1}]\n", "{0}<<: [{1}, {1}]\n", "{0}!!merge <<: {1}\n", "{0}<<:\n{0}  - {1}\n"),
    *('{0}"<<": {1}\n', "{0}<<: &m {1}\n"),
)
_MERGED: Final = ("{}", "[]", "null", "*m", "{name: m}", "[{name: m}, {name: n}]", "x")
_KEYS: Final = (
    *("1", "1.0", "true", "null", "~", ".inf", "0x10", "2020-01-01", "[a]", "{a: b}", "!!str a", "? a", "&k k", "-"),
    "é",
)
_ANCHORS: Final = ("a", "b", "a-1", "1", "_", "A") * 4 + ("é", "a.b")
_TAGS: Final = {dict: "!!map", list: "!!seq", str: "!!str", int: "!!int", float: "!!float", bool: "!!bool"}
_HEADERS: Final = (*("{0}", "{1}+", "{0}-1", "{1} # c", "{1}#", "{0}0", "{1} ", "{1}\t# c", "{1}  "),)


class OddNotation:
    """Writes documents into files; *chance* decides how."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._calm = 0.9
        self._anchors: dict[str, str] = {}

    def file(self, documents: Sequence[dict[str, Any]]) -> bytes:
        """Return the bytes of a file with the *documents*."""
        chance = self._chance
        self._calm = chance.choice((0.9, 0.97, 0.99, 0.995, 1.0))
        kind = chance.random()
        if kind < 0.35:
            text = self._json_stream(documents)
        elif kind < 0.92:
            text = self._yaml_stream(documents)
        else:
            cut = chance.randint(0, len(documents))
            first, second = self._json_stream(documents[:cut]), self._yaml_stream(documents[cut:])
            if chance.random() < 0.5:
                first, second = self._yaml_stream(documents[:cut]), self._json_stream(documents[cut:])
            text = first + ("\n" if first and not first.endswith("\n") else "") + chance.choice(("---\n", "")) + second
        if chance.random() < 0.04:
            text = text.replace("\n", chance.choice(("\r\n", "\r")))
        if chance.random() < 0.03:
            text = chance.choice(("\ufeff", "\n", " ", "\t", "\n\n---\n", "#\n", "\ufeff\n")) + text
        if chance.random() < 0.03:
            text += chance.choice(("...", "...\n", "---", "---\n", "\x00", " ", "# c", "\n\n", "\ufeff", "}", "\x1a"))
        if not self._is_calm() and chance.random() < 0.15:
            position = chance.randint(0, len(text))
            text = text[:position] + chance.choice("\"':,{}[]\n\t #-&*!|>?\x7f\u2028é") + text[position:]
        return text.encode("utf-8", "surrogatepass")

    def _is_calm(self) -> bool:
        return self._chance.random() < self._calm

    # JSON

    def _json_stream(self, documents: Sequence[dict[str, Any]]) -> str:
        chance = self._chance
        between = "\n" if chance.random() < 0.8 else chance.choice(_JSON_BETWEEN)
        pad = " " * 4100 if chance.random() < 0.03 else ""
        return "".join(f"{self._json(document)}{pad}{between}" for document in documents)

    def _json(self, value: Any) -> str:
        chance = self._chance
        if self._calm == 1.0 or chance.random() < 0.5:
            indent = chance.choice((None, None, 1, 4, "\t"))
            return json.dumps(value, indent=indent, ensure_ascii=chance.random() < 0.5)
        return self._json_value(value)

    def _json_value(self, value: Any) -> str:
        chance = self._chance
        blank = "" if self._is_calm() else chance.choice((" ", "\n", "\t", "\r\n", " ", "\n\n", "\x0b", "\xa0"))
        if isinstance(value, dict):
            parts = [f"{blank}{self._json_text(key)}:{blank}{self._json_value(part)}" for key, part in value.items()]
            if parts and not self._is_calm():
                repeat = f"{self._json_text(chance.choice([*value]))}: {chance.choice(_JSON_REPEATS)}"
                parts.insert(chance.randint(0, len(parts)), repeat)
            return "{" + ", ".join(parts) + ("," if not self._is_calm() and chance.random() < 0.1 else "") + "}"
        if isinstance(value, list):
            return "[" + ", ".join(map(self._json_value, value)) + blank + "]"
        if isinstance(value, str):
            return self._json_text(value)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and not self._is_calm():
            shown = (f"{value}", f"{value:e}", f"{value:.1f}", f"-{abs(value)}", f"0{value}", f"{value}E0")
            return chance.choice(shown)
        return json.dumps(value)

    def _json_text(self, text: str) -> str:
        if self._is_calm():
            return json.dumps(text, ensure_ascii=self._chance.random() < 0.5)
        odd = "".join(map(self._json_sign, text))
        return f'"{odd}{self._chance.choice(_TEXT_ENDS)}"'

    def _json_sign(self, sign: str) -> str:
        if ord(sign) < 0x10000 and self._chance.random() < 0.3:
            return f"\\u{ord(sign):04x}"
        return json.dumps(sign)[1:-1]

    # YAML

    def _yaml_stream(self, documents: Sequence[dict[str, Any]]) -> str:
        chance = self._chance
        text = chance.choice(("", "", "---\n", *_BETWEEN[8:])) if not self._is_calm() else ""
        for number, document in enumerate(documents):
            if number:
                text += "---\n" if self._is_calm() else chance.choice(_BETWEEN)
            self._anchors = {}
            if chance.random() < 0.05:
                text += self._flow(document) + "\n"
            else:
                text += self._block(document, 0)
        return text

    def _block(self, value: dict[str, Any], column: int) -> str:
        """Return the lines of a mapping in block style."""
        chance = self._chance
        items = [*value.items()]
        if not self._is_calm():
            chance.shuffle(items)
        lines = [self._entry(key, part, column) for key, part in items]
        if items and not self._is_calm():
            position = chance.randint(0, len(lines))
            kind = chance.random()
            key, part = chance.choice(items)
            indent = " " * column
            if kind < 0.25:  # a key twice
                lines.insert(position, self._entry(key, chance.choice((part, None, "x", [])), column))
            elif kind < 0.6:  # a part of the mapping merged into the rest
                merged = chance.choice(_MERGES).format(indent, self._flow({key: part}))
                lines[[name for name, _ in items].index(key)] = merged
            elif kind < 0.75:
                lines.insert(position, f"{indent}<<: {chance.choice(_MERGED)}\n")
            elif kind < 0.9:
                comments = (f"{indent}# c\n", "\n", "# c\n", "  \n", "\t\n", f"{indent}  # d\n")
                lines.insert(position, chance.choice(comments))
            else:
                lines.insert(position, f"{indent}{chance.choice(_KEYS)}: {chance.choice('a1~')}\n")
        return "".join(lines) or f"{' ' * column}{{}}\n"

    def _entry(self, key: str, value: Any, column: int) -> str:
        indent = " " * column
        if not self._is_calm() and self._chance.random() < 0.2:
            return f"{indent}? {self._key(key)}\n{indent}:{self._node(value, column)}"
        colon = ":" if self._is_calm() else self._chance.choice((" :", ": ", " :  "))
        return f"{indent}{self._key(key)}{colon}{self._node(value, column)}"

    def _key(self, key: str) -> str:
        chance = self._chance
        is_plain = _PLAIN.match(key) and not _RESERVED.match(key)
        if is_plain and self._is_calm():
            return key
        if not is_plain or chance.random() < 0.6:
            single = "'" + key.replace("'", "''") + "'"
            return chance.choice((json.dumps(key), json.dumps(key) if "\n" in key else single))
        return chance.choice((f"!!str {key}", f"!x {key}", f"&k{len(key)} {key}", key))

    def _node(self, value: Any, column: int) -> str:
        """Return what stands behind a colon or a dash, with the end of the line."""
        chance = self._chance
        properties = ""
        if not self._is_calm():
            if isinstance(value, (dict, list, str)) and value:
                shown = json.dumps(value)
                if shown in self._anchors:
                    return f" *{self._anchors[shown]}\n"
                name = f"{chance.choice(_ANCHORS)}{len(self._anchors)}"
                self._anchors[shown] = name
                properties = f" &{name}"
            if chance.random() < 0.3:
                tag = _TAGS.get(type(value), "!!null")
                tags = (tag, tag, "!x", "!", "!!str", "!!binary", f"!<tag:yaml.org,2002:{tag[2:]}>")
                properties += f" {chance.choice(tags)}"
        elif isinstance(value, (dict, list, str)) and value and self._calm < 1 and len(json.dumps(value)) > 20:
            known = self._anchors.get(json.dumps(value))
            if known:
                return f" *{known}\n"
        end = "\n" if self._is_calm() else chance.choice(_ENDS)
        if isinstance(value, (dict, list)) and (not value or chance.random() < 0.08):
            return f"{properties} {self._flow(value)}{end}"
        if isinstance(value, dict):
            wide = column + (2 if self._is_calm() else chance.choice((1, 3, 4)))
            return f"{properties}{end}{self._block(value, wide)}"
        if isinstance(value, list):
            wide = column + (chance.choice((0, 2)) if self._is_calm() else 1)
            return f"{properties}{end}{self._sequence(value, wide)}"
        if isinstance(value, str) and (("\n" in value and chance.random() < 0.6) or not self._is_calm()):
            return f"{properties} {self._block_text(value, column)}"
        return f"{properties} {self._scalar(value)}{end}"

    def _sequence(self, value: list[Any], column: int) -> str:
        indent, text = " " * column, ""
        for item in value:
            if isinstance(item, dict) and item and self._chance.random() < 0.9:
                wide = column + (2 if self._is_calm() else self._chance.choice((3, 4, 5)))
                block = self._block(item, wide)
                if block.startswith(" " * wide) and not block.lstrip().startswith("#"):
                    text += f"{indent}-{' ' * (wide - column - 1)}{block[wide:]}"
                    continue
            text += f"{indent}-{self._node(item, column + 1)}"
        return text

    def _block_text(self, text: str, column: int) -> str:
        chance = self._chance
        wide = column + chance.choice((1, 2, 2, 4))
        needs = text[:1] in (" ", "\n", "\t", "")
        header = chance.choice("|||>") + (str(wide - column) if needs or not self._is_calm() else "")
        header += "" if text.endswith("\n") and not text.endswith("\n\n") else "+" if text.endswith("\n\n") else "-"
        if not self._is_calm():
            header = chance.choice(_HEADERS).format(header[:1], header)
        lines = text.removesuffix("\n").split("\n")
        return f"{header}\n" + "".join(f"{' ' * wide if line or not self._is_calm() else ''}{line}\n" for line in lines)

    def _flow(self, value: Any) -> str:
        chance = self._chance
        comma = ", " if self._is_calm() else chance.choice((",", " , ", ",\n  ", ", # c\n  ", ",\t"))
        if isinstance(value, dict):
            parts = [f"{self._key(key)}: {self._flow(part)}" for key, part in value.items()]
            if parts and not self._is_calm():
                parts.append(chance.choice(("", "", "a", "? b", "c:", "<<: {d: e}", parts[0], '"f":1', ": g")))
            return "{" + comma.join(parts) + "}"
        if isinstance(value, list):
            parts = [*map(self._flow, value)]
            if parts and not self._is_calm():
                parts.append(chance.choice(("", "a: b", "? c", "[]", "- d", "e: ")))
            return "[" + comma.join(parts) + "]"
        return self._scalar(value, in_flow=True)

    def _scalar(self, value: Any, *, in_flow: bool = False) -> str:
        chance = self._chance
        if isinstance(value, str):
            is_plain = _PLAIN.match(value) and not _RESERVED.match(value) and not value.replace(".", "").isdigit()
            if is_plain and self._is_calm() and not (in_flow and value[-1] in ":,"):
                return value
            if "\n" not in value and chance.random() < 0.4:
                return "'" + value.replace("'", "''") + "'"
            quoted = json.dumps(value, ensure_ascii=chance.random() < 0.5)
            if not self._is_calm():
                replaced = (("", ""), (" ", "\\ "), (" ", "\n   "), ("/", "\\/"), ("a", "\\x61"))
                quoted = chance.choice((*(quoted.replace(*pair) for pair in replaced), f'"\\\n  {quoted[1:]}'))
            return quoted
        if value is None:
            return "null" if self._is_calm() else chance.choice(("~", "Null", "NULL", "", "nUll"))
        if isinstance(value, bool):
            return (
                json.dumps(value)
                if self._is_calm()
                else chance.choice(("True", "yes", "on", "y", "tRue", "FALSE", "No"))
            )
        if self._is_calm():
            return json.dumps(value)
        whole = int(value)
        shown = (
            f"{value:e}",
            f"+{value}",
            f"{value}.0",
            f"0{value}",
            f"{value}_0",
            f"0x{whole:x}",
            f"0o{abs(whole):o}",
        )
        return chance.choice((*shown, f"{float(value)!r}"))
