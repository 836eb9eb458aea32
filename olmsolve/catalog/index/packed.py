"""The columns of one catalog's index, and the table of strings that they refer to.

What an index says is kept in columns of 32-bit numbers, not in objects: Python's objects took 1.2 KB for each bundle,
and an index in a file would first have to be turned into objects. The columns are listed in
:mod:`olmsolve.catalog.index.schema`, and are the same in an index that was built and in one that was read from a file.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from zlib import crc32

from olmsolve._limits import checked
from olmsolve.catalog.index.schema import COLUMNS, NONE, Column, Schema


class Packed(Schema):
    """The columns, each an attribute, and the *text* that all strings are cut from.

    Indexes of equal catalogs, read from equal files, have equal columns.
    """

    __slots__ = (*COLUMNS, "_strings", "packages", "text")

    def __init__(self, columns: Mapping[str, Column], text: bytes) -> None:
        for name in COLUMNS:
            setattr(self, name, columns[name])
        self.text = text
        # How many packages the catalog has; their names are the first, ascending.
        self.packages: int = len(self.package_default)
        # Strings by number, once they were asked for: 0.04 µs to look one up, 0.1 to decode it.
        self._strings: dict[int, str] = {}

    def copied(self) -> Packed:
        """Return the same columns in arrays of their own; of a file, they are read again when they are asked for."""
        return Packed({name: getattr(self, name)[:] for name in COLUMNS}, self.text)

    def __repr__(self) -> str:
        return f"<Packed: {len(self.bundle_name)} bundles in {self.size} bytes>"

    @property
    def size(self) -> int:
        """The size of all columns and strings in bytes."""
        return self.length("text") + sum(4 * self.length(name) for name in COLUMNS)

    def string(self, number: int) -> str:
        """Return a string by its number."""
        string = self._strings.get(number)
        if string is None:
            starts = self.string_starts
            raw = self.text[starts[number] : starts[number + 1]]
            try:
                string = raw.decode("utf-8", "surrogatepass")
            except UnicodeDecodeError:  # only in a forged file
                string = raw.decode("utf-8", "replace")
            self._strings[number] = string
        return string

    def strings(self, numbers: Iterable[int]) -> list[str]:
        """Return strings by their numbers; they are not kept."""
        text, starts = self.text, self.string_starts
        if not text.isascii():
            return [self.string(number) for number in numbers]
        # 0.2 µs for each in place of 0.6, for an index that is in memory.
        decoded = text.decode("ascii")
        return [decoded[starts[number] : starts[number + 1]] for number in numbers]

    def texts(self, number: int) -> list[str]:
        """Return the strings of a list of the table ``texts``."""
        return [
            self.string(number_of_text)
            for number_of_text in self.texts_string[self.texts_starts[number] : self.texts_starts[number + 1]]
        ]

    def groups(self, number: int) -> Column:
        """Return the groups of a list of the table ``groups``."""
        return self.groups_group[self.groups_starts[number] : self.groups_starts[number + 1]]

    def scoped(self, package: int, text: str) -> set[int]:
        """Return the numbers of the strings *text* among those that a package's bundles and entries brought.

        A package's strings are together in the text, so one search through its part finds them (1 µs, or 10 in the
        largest package of community-prod), and no table of all bundles' names is needed. A hit counts where it is a
        whole string:

            text ...|a.v1|a.v10|a.v2|...     "a.v1" is found at the first and inside the second;
            starts   300  304   309          bisection finds that 300 begins a string of 4 bytes,
                                             and that 304 begins one of 5.
        """
        wanted, starts = encoded(text), self.string_starts
        first, last = self.package_bundles[package], self.package_bundles[package + 1]
        if not wanted:
            return {0}
        if first == last:
            return set()
        offset = starts[self.bundle_name[first]]
        end = starts[self.bundle_name[last]] if last < len(self.bundle_name) else len(self.text)
        scoped: set[int] = set()
        offset = self.text.find(wanted, offset, end)
        while offset >= 0:
            # The last string that begins here or before; the empty string begins where another does.
            string = bisect_right(starts, offset) - 1
            if starts[string] == offset and string + 1 < len(starts) and starts[string + 1] == offset + len(wanted):
                scoped.add(string)
            offset = self.text.find(wanted, offset + 1, end)
        return scoped

    def name(self, text: str) -> int:
        """Return the number of a package's name, -1 if it is the name of no package and in no property."""
        return self._look_up(self.name_table, self.name_string, text)

    def label(self, text: str) -> int:
        """Return the number of a label, -1 if no bundle has it."""
        return self._look_up(self.label_table, self.label_string, text)

    def gvk(self, group: str, version: str, kind: str) -> int:
        """Return the number of an API, -1 if no bundle provides it."""
        first = self._look_up(self.gvk_table, self.gvk_text, f"{group}/{version}/{kind}")
        if first < 0 or self.gvk_parts(first) == (group, version, kind):
            return first
        # Parts may hold slashes, so several APIs can have this text; the look-up finds the first of them.
        return next(
            (gvk for gvk in range(len(self.gvk_text)) if self.gvk_parts(gvk) == (group, version, kind)),
            -1,
        )

    def gvk_string(self, text: str) -> int | None:
        """Return the string of the APIs whose text GROUP/VERSION/KIND is *text*, None if no bundle provides one."""
        row = self._look_up(self.gvk_table, self.gvk_text, text)
        return None if row < 0 else self.gvk_text[row]

    def gvk_parts(self, number: int) -> tuple[str, str, str]:
        """Return group, version and kind of an API by its number."""
        text, group = self.string(self.gvk_text[number]), self.gvk_group[number]
        end = group + 1 + self.gvk_version[number]
        return text[:group], text[group + 1 : end], text[end + 1 :]

    def _look_up(self, table: Column, strings: Column, text: str) -> int:
        """Return the row whose string is *text*, with the help of a :func:`hash_table`; -1 if there is none."""
        wanted, starts, size = encoded(text), self.string_starts, len(table)
        hashed = crc32(wanted)
        for step in range(size):
            row = table[(hashed + step) % size]
            if row == NONE:
                break
            string = strings[row]
            if self.text[starts[string] : starts[string + 1]] == wanted:
                return row
        return -1


def encoded(text: str) -> bytes:
    """Return *text* as the table of strings holds it; lone surrogates, which JSON can escape, are kept."""
    return text.encode("utf-8", "surrogatepass")


def hash_table(keys: Iterable[str]) -> Column:
    """Return a table that finds the number of each of *keys*, in place of a dict that a file could not hold.

    The number of a key is at its CRC-32 modulo the table's length, or at the next free entry if that one is taken:

        keys ["cache", "queue"], both 3 modulo 4, give (1, NONE, NONE, 0)
        "queue" is looked for at 3, where "cache" is, then at 0; for another key the search ends at the first NONE

    At least a third of the table is NONE, so a search for a missing key ends soon.
    """
    # Not Python's own hash of a text, which each process seeds anew: another one could not read the file.
    hashes = [crc32(encoded(key)) for key in keys]
    table = array("I", [NONE]) * (len(hashes) * 3 // 2 + 1)
    for number, hashed in checked(enumerate(hashes), every=1024):
        while table[hashed % len(table)] != NONE:
            hashed += 1
        table[hashed % len(table)] = number
    return table
