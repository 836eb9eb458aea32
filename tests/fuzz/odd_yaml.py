"""Odd YAML documents: every feature of YAML that authors and tools use, in unusual company.

A document begins with its schema, so that ``opm render`` prints all of it as JSON. Everything comes from one random
generator, so that a seed stands for a document.
"""

from __future__ import annotations

import random
from typing import Final

__all__ = ["odd_document"]

_WORDS: Final = (
    *("a", "b", "key", "y", "n", "yes", "No", "ON", "off", "true", "False", "null", "Null", "~", "NULL", "yEs"),
    *("=", "<<", "-", "?", ":", ".", "..", "...", "---", "-a", "?a", ":a", "a:b", "a#b", "a b", "a: b", "a #b", "x:"),
    *("@a", "`a", "%a", "!a", "&a", "*a", "|", ">", "a,b", "a]", "a}", "[a", "{a", "a'b", 'a"b', "\\", "a\\", "\\n"),
    *(
        "é",
        "あ",
        "😀",
        "\ufeff",
        "\ufeffa",
        "a\ufeffb",
        "\x85",
        "\u2028",
        "a\u2029b",
        "\xa0",
        "\t",
        "a\tb",
        "\r",
        "a\rb",
    ),
    *("2020-01-01", "2001-12-14 21:59:43.10 -5", "2001-12-14T21:59:43Z", "1:30", "12:30:45", "190:20:30.15"),
    *(".inf", "-.Inf", "+.INF", ".nan", ".NaN", "inf", "NaN", ".iNf", "k" * 1030, ""),
)
_NUMBERS: Final = (
    *("0", "-0", "+0", "1", "-1", "+12", "007", "08", "-010", "0o17", "0O17", "-0o7", "0x1F", "0X1f", "-0xF", "0b101"),
    *("0B1", "-0b11", "0b-11", "0b+1", "0b2", "0xg", "0x", "0o8", "1_000", "_1", "1_", "+_1", "0x_F", "0_7", "1__0"),
    *(
        "1.0",
        "1.",
        ".5",
        "+.5",
        "-.5",
        ".5_0",
        "._5",
        ".5_",
        "1_0.5",
        "1e3",
        "1E+3",
        "1e-3",
        ".5e3",
        "1e",
        "e1",
        "1e400",
    ),
    *("-1e400", ".1e999", "1e-400", "0.1", "1.5e-7", "123456789.123", "1e5", "1e6", "1e20", "1e21", "1e22", "1e38"),
    *("1e39", "1e-5", "0.0001", "0.00001", "16777217", "16777217.0", "9007199254740993", "9223372036854775807"),
    *(
        "9223372036854775808",
        "-9223372036854775808",
        "-9223372036854775809",
        "18446744073709551615",
        "+9223372036854775808",
    ),
    *("18446744073709551616", "123456789012345678901234567890", "0xffffffffffffffff", "0xffffffffffffffffff"),
    *(
        "-0x8000000000000000",
        "-0x8000000000000001",
        "0777777777777777777777",
        "07777777777777777777777",
        "1.2.3",
        "1-2",
    ),
)
_SIGNS: Final = "0123456789_xXoObBeEaF.+-"
_TAGS: Final = (
    *(
        "!!str",
        "!!int",
        "!!float",
        "!!bool",
        "!!null",
        "!!binary",
        "!!timestamp",
        "!!set",
        "!!omap",
        "!!pairs",
        "!!seq",
    ),
    *(
        "!!map",
        "!!merge",
        "!!value",
        "!!yaml",
        "!text",
        "!",
        "!e!x",
        "!<tag:yaml.org,2002:str>",
        "!<x>",
        "!<!>",
        "!!",
        "!a%41",
    ),
    *("!a,b", "!<>", "!!str,", "!a%C3%A9", "!a%zz", "!é", "!!python/none", "!!Str"),
)
_ESCAPES: Final = (
    *(
        "\\n",
        "\\t",
        '\\"',
        "\\'",
        "\\/",
        "\\\\",
        "\\ ",
        "\\a",
        "\\b",
        "\\e",
        "\\f",
        "\\r",
        "\\v",
        "\\0",
        "\\_",
        "\\N",
        "\\L",
    ),
    *(
        "\\P",
        "\\x41",
        "\\x4",
        "\\u00e9",
        "\\ud83d",
        "\\ud83d\\ude00",
        "\\U0001F600",
        "\\U00110000",
        "\\q",
        "\\\n",
        "\\\n  ",
    ),
    *("\\  ", "\\\t", "\\x80", "\\u0000", "\\x00", "\\u2028", "\\\r"),
)
_COMMENTS: Final = ("# c", " # c", "\t# c", "#", " #", "  # - a: b", "#c", " #: ")
_BITS: Final = (
    *(
        " ",
        "  ",
        "\t",
        "\n",
        "\n\n",
        "- ",
        "-",
        ": ",
        ":",
        "? ",
        "#",
        " #",
        "'",
        '"',
        "\\",
        "|",
        ">",
        "&a ",
        "*a ",
        "!!str ",
    ),
    *(
        "!t ",
        "[",
        "]",
        "{",
        "}",
        ",",
        ", ",
        "<<: ",
        "...\n",
        "\n...\n",
        "\n--- \n",
        "---\n",
        "%YAML 1.1\n---\n",
        "\r",
        "\r\n",
    ),
    *("\ufeff", "\x85", "\u2028", "\x07", "\x7f", "\n ", "\n  ", "\n\t", "@", "`", "%", "=", "1", "a", "y: "),
)


def odd_document(seed: int) -> str:
    """Return the document of *seed*, which may be valid or not: one in six is about numbers, dates or signs alone."""
    chance = random.Random(seed)
    if seed % 6 == 5:
        return f"schema: x-{seed}\n{chance.choice((_numbers, _numbers, _dates, _signs, _aliases))(chance)}"
    return _Writer(chance).document(seed)


def _numbers(chance: random.Random) -> str:
    """Return numbers as values, as keys and under tags."""
    tags = ("!!int ", "!!float ", "!!bool ", "!!null ", "!!str ")
    lines = [f"- {_number(chance)}" for _ in range(12)]
    if chance.random() < 0.5:
        lines += [f"- {{{_number(chance)}: 1}}" for _ in range(2)]
    if chance.random() < 0.3:
        lines += [f"- {chance.choice(tags)}{chance.choice(('', '', chr(34)))}{_number(chance)}"]
        lines[-1] += '"' * (lines[-1].count('"') % 2)
    return "v:\n" + "".join(f"{line}\n" for line in lines)


def _number(chance: random.Random) -> str:
    sign = chance.choice(("", "", "-", "+"))
    kind = chance.random()
    if kind < 0.25:
        return "".join(chance.choices(_SIGNS, k=chance.randint(1, 8)))
    if kind < 0.45:
        return f"{sign}{chance.getrandbits(chance.choice((8, 31, 53, 54, 62, 63, 64, 65, 80)))}"
    if kind < 0.6:
        prefix = chance.choice(("0x", "0X", "0b", "0o", "0", "0B", "0O", "0b-", "0b+"))
        return f"{sign}{prefix}{chance.getrandbits(chance.choice((3, 31, 62, 63, 64, 65))):{chance.choice('xobX')}}"
    if kind < 0.8:
        whole, part = (
            chance.choice(("", "1", "12", "0", "007", "1_0")),
            chance.choice(("", "5", "0", "5_0", "25", "_5", "5_")),
        )
        return f"{sign}{whole}.{part}{chance.choice(('', 'e5', 'E-3', 'e+10', 'e400', 'e-400', 'e', 'e5_0', 'e1_'))}"
    return f"{chance.uniform(-1, 1) * 10 ** chance.randint(-12, 25):.{chance.randint(0, 9)}f}"


def _dates(chance: random.Random) -> str:
    """Return a text that may be a date, under the tag that says so."""
    day = chance.choice(("2020", "0000", "1900", "2000", "202"))
    day += f"-{chance.choice(('1', '02', '2', '12', '13', '0', '04'))}"
    day += f"-{chance.choice(('1', '01', '28', '29', '30', '31', '32', '0', ' 1'))}"
    time = chance.choice(("T", "t", " ", "  ")) + ":".join(
        chance.choice(("0", "00", "9", "23", "24", "59", "60")) for _ in range(3)
    )
    time += chance.choice(("", ".5", ",5", ".", ".1234567890123"))
    time += chance.choice(("", "Z", "z", "+01:00", "-24:60", "+25:00", "+1:00", " Z", "+0100"))
    return f"v: !!timestamp '{day}{chance.choice(('', time))}'\n"


def _signs(chance: random.Random) -> str:
    """Return text with a sign that is not allowed, before the end of the document or behind it."""
    padding = "# " + "x" * chance.choice((0, 400, 470, 480, 490, 500, 990))
    tail = chance.choice(("...\n", "...\n# c\n", "... # cc\n", ""))
    filler = "y" * chance.randint(0, 30) + chance.choice(("", "é", "あ" * 5))
    sign = chance.choice(("\x07", "\x7f", "\ufffe", "\x80", "", "\ufeff"))
    return f"v: a\n{padding}\n{tail}{filler}{sign}\n"


def _aliases(chance: random.Random) -> str:
    """Return aliases that make up nearly all of a document, or not quite."""
    texts, lists, last = chance.randint(1, 30), chance.randint(1, 120), chance.randint(0, 12)
    if chance.random() < 0.3:
        merges = "".join("- <<: *b\n" if chance.random() < 0.8 else "- <<: [*b, *b]\n" for _ in range(lists))
        return f"b: &b {{{', '.join(f'k{number}: x' for number in range(texts))}}}\nc:\n{merges}"
    first, second, third = ", ".join("x" * texts), ", ".join(["*b"] * lists), ", ".join(["*c"] * last)
    rest = ",".join("1" * chance.randint(0, 60))
    return f"b: &b [{first}]\nc: &c [{second}]\nd: [{third}]\ne: [{rest}]\n"


class _Writer:
    """Writes parts of documents; *chance* decides what they are."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._anchors: list[str] = []
        self._calm = chance.choice((0.5, 0.8, 0.9, 0.95))

    def _is_calm(self) -> bool:
        """Return whether the next part is an ordinary one: most oddities alone make a document invalid."""
        return self._chance.random() < self._calm

    def document(self, number: int) -> str:
        chance = self._chance
        text = f"schema: x-{number}\n" + "".join(self._entry(0, 3) for _ in range(chance.randint(1, 4)))
        if chance.random() < 0.06:
            text = (
                chance.choice(
                    ("%YAML 1.1\n---\n", "%TAG !e! tag:e,1:\n---\n", "--- # c\n", "\ufeff", "%YAML 1.2\n---\n")
                )
                + text
            )
        if chance.random() < 0.05:
            text += chance.choice(("...\n", "...\nmore: 1\n", "...\n\x07", "... # c\n", "# end", "\t\n", " \n", "..."))
        if chance.random() < 0.05:
            text = text.replace("\n", chance.choice(("\r\n", "\r", "\n\n", " \n", "\u2028")))
        for _ in range(0 if self._is_calm() else chance.choice((1, 1, 2))):
            position = chance.randrange(text.index("\n") + 1 if "\n" in text else 0, len(text) + 1)
            text = text[:position] + chance.choice(_BITS) + text[position + chance.choice((0, 0, 1, 2)) :]
        return text

    # Nodes in block style

    def _entry(self, column: int, depth: int) -> str:
        """Return a key and its value, on lines of their own."""
        chance = self._chance
        indent = " " * column
        kind = chance.random()
        if kind < 0.05:
            return f"{indent}{chance.choice(_COMMENTS)}\n"
        if kind < 0.08 and not self._is_calm():
            return chance.choice(("\n", " \n", "   \n", "\t\n")) if chance.random() < 0.7 else f"{indent}"
        if kind < 0.12:
            value = self._node(column + 2, depth - 1, in_key=True)
            return f"{indent}? {value}{indent}:{self._node(column, depth - 1)}"
        colon = ":" if self._is_calm() else chance.choice((" :", ":  ", " : "))
        return f"{indent}{self._key()}{colon}{self._node(column, depth)}"

    def _key(self) -> str:
        chance = self._chance
        kind = chance.random()
        if kind < 0.35 or self._is_calm():
            return chance.choice("abcdefgh")
        if kind < 0.5:
            return "<<"
        if kind < 0.7:
            return self._plain()
        if kind < 0.85:
            return self._quoted(1)
        if kind < 0.9:
            return self._flow(1)
        return f"{self._properties()}{chance.choice(('a', '1', '<<', 'b'))}"

    def _node(self, column: int, depth: int, *, in_key: bool = False) -> str:
        """Return a value behind a colon or a dash, with the end of its line."""
        chance = self._chance
        kind = chance.random()
        space = " " if self._is_calm() else chance.choice(("  ", "\t", " \t"))
        tail = "\n" if self._is_calm() else chance.choice((" ", "\t", *_COMMENTS)) + "\n"
        properties = self._properties() if chance.random() < 0.25 else ""
        if kind < 0.3 or (depth <= 0 and kind < 0.6):
            return f"{space}{properties}{self._plain()}{tail}"
        if kind < 0.4:
            return f"{space}{properties}{self._quoted(column)}{tail}"
        if kind < 0.55:
            return f"{space}{properties}{self._flow(2)}{tail}"
        if kind < 0.62:
            return f"{space}{properties}{self._block_text(column)}"
        if kind < 0.7 and self._anchors:
            return f"{space}*{chance.choice(self._anchors)}{tail}"
        if depth <= 0:
            return tail
        inner = column + chance.choice((0, 1, 2, 2, 2, 4))
        if chance.random() < 0.5:
            elements = chance.randint(1, 3)
            return f"{space.strip(' ') and ''}{' ' if properties else ''}{properties.rstrip()}\n" + "".join(
                f"{' ' * inner}-{self._node(inner + chance.choice((1, 2, 2, 2)), depth - 1)}" for _ in range(elements)
            )
        inner += chance.choice((0, 1, 2, 2))
        if in_key:
            inner += 1
        begin = f" {properties.rstrip()}" if properties else ""
        return f"{begin}\n" + "".join(self._entry(inner, depth - 1) for _ in range(chance.randint(1, 3)))

    def _properties(self) -> str:
        chance = self._chance
        tag, anchor = chance.choice(_TAGS[:4] if self._is_calm() else _TAGS) + " ", ""
        if chance.random() < 0.6:
            name = chance.choice("abc") if self._is_calm() else chance.choice(("a-1", "1", "é", "a:"))
            self._anchors.append(name)
            anchor = f"&{name} "
        return chance.choice((tag, anchor, anchor, tag + anchor, anchor + tag))

    # Scalars

    def _plain(self) -> str:
        chance = self._chance
        kind = chance.random()
        if kind < 0.3:
            return chance.choice(_WORDS[:30] if self._is_calm() else _WORDS)
        if kind < 0.6:
            return chance.choice(_NUMBERS)
        if kind < 0.75:
            return "".join(chance.choices(_SIGNS, k=chance.randint(1, 7)))
        if kind < 0.8:
            return f"20{chance.randint(0, 99):02}-{chance.randint(0, 13)}-{chance.randint(0, 32)}" + chance.choice(
                ("", "", "T1:2:3Z", "t01:02:03.5+01:00", " 1:2:3", "  23:59:59.999", "T1:2:3", " 1:2:3 Z", "T24:00:00Z")
            )
        line = "\n" + chance.choice(("", " ", "  ", "    ", "\t", " \t"))
        return line.join(chance.choice(_WORDS[:20] if self._is_calm() else _WORDS) for _ in range(chance.randint(1, 3)))

    def _quoted(self, column: int) -> str:
        chance = self._chance
        quote = chance.choice('""\'')
        parts: list[str] = []
        for _ in range(chance.randint(0, 4)):
            kind = chance.random()
            if kind < 0.35:
                parts.append(
                    chance.choice(_ESCAPES[:4] if self._is_calm() else _ESCAPES)
                    if quote == '"'
                    else chance.choice(("''", "\\n", '"', "'"))
                )
            elif kind < 0.6:
                parts.append(
                    chance.choice(("\n", "\n\n", " \n ", "\n\t")) + " " * chance.choice((0, column, column + 2))
                )
            else:
                parts.append(
                    chance.choice(
                        ("a", " ", "b c", ": ", " #", "\t", "é", "\u2028", "\x85", "---", "1", "\ufeff", ", ")
                    )
                )
        return f"{quote}{''.join(parts)}{quote if self._is_calm() or chance.random() < 0.9 else ''}"

    def _block_text(self, column: int) -> str:
        chance = self._chance
        signs = ("", "-", "+") if self._is_calm() else ("1", "2", "2-", "+3", "-1", "0", "9", "++", "a", "10")
        header = chance.choice("||>") + chance.choice(signs)
        inner = column + chance.choice((0, 1, 1, 2, 2, 2, 3))
        lines = [
            " " * max(0, inner + (0 if self._is_calm() else chance.choice((1, 2, -1))))
            + chance.choice(("a", "b c", "", "# d", "t\t", "- e", "f: g", "é", "h\u2028i", "j "))
            for _ in range(chance.randint(0, 4))
        ]
        return f"{header}{chance.choice(('', '', ' ', ' # c', '# c', chr(9)))}\n" + "".join(
            f"{line}\n" for line in lines
        )

    # Flow style

    def _flow(self, depth: int) -> str:
        chance = self._chance
        kind = chance.random()
        if depth <= 0 or kind < 0.2:
            return self._flow_scalar()
        separator = ", " if self._is_calm() else chance.choice((",", " ,", ",\n  ", ", # c\n   ", ", ,", ",\t"))
        if kind < 0.6:
            elements = [
                ("" if self._is_calm() else chance.choice(("? ", "- "))) + self._flow(depth - 1)
                for _ in range(chance.randint(0, 3))
            ]
            elements = [
                element + (f": {self._flow(depth - 1)}" if chance.random() < 0.15 else "") for element in elements
            ]
            return f"{chance.choice(('[', '[ '))}{separator.join(elements)}{chance.choice((']', ' ]', ',]', ', ]'))}"
        pairs = []
        for _ in range(chance.randint(0, 3)):
            odd_keys = ("<<", "", self._flow(depth - 1), self._flow_scalar(), "? a", "?a", "<<")
            key = chance.choice(("a", "b", '"k"', "'k'") if self._is_calm() else odd_keys)
            colon = ": " if self._is_calm() else chance.choice((":", " : ", "", " :"))
            pairs.append(key + colon + (self._flow(depth - 1) if chance.random() < 0.8 else ""))
        return f"{chance.choice(('{', '{ '))}{separator.join(pairs)}{chance.choice(('}', ' }', ',}', ', }'))}"

    def _flow_scalar(self) -> str:
        chance = self._chance
        kind = chance.random()
        properties = self._properties() if chance.random() < 0.15 else ""
        if kind < 0.1 and self._anchors:
            return f"*{chance.choice(self._anchors)}{chance.choice(('', ' '))}"
        if kind < 0.3:
            return properties + self._quoted(2)
        if self._is_calm():
            return chance.choice(("a", "b c", "1", "1.50", "yes", "x/y:z", "~"))
        if kind < 0.5:
            return properties + chance.choice(
                ("a", "b", "1", "-", "-a", "a-b", "a?b", "a:b", "http://x.y/z", "x y", "a#b", "")
            )
        return properties + self._plain()
