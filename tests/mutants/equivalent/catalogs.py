"""Mutants of update graph and index that make no difference."""

from __future__ import annotations

from typing import Final

from tests.mutants.equivalence import Equivalent, alike

__all__ = ["EQUIVALENT"]

EQUIVALENT: Final[tuple[Equivalent, ...]] = (
    *alike(
        "olmsolve.catalog.update_graph.edges",
        "the entries come by rank, so all further ones are above the limit as well",
        ("break", "break -> continue"),
    ),
    *alike(
        "olmsolve.catalog.index.intervals",
        "a short cut for two fields in their usual order",
        (
            "if starts[fields + 1] - begin == 4 and items[begin] == package_field and items[begin + 2] == range_field:",
            "fields + 1 -> fields - 1",
        ),
        (
            "if starts[fields + 1] - begin == 4 and items[begin] == package_field and items[begin + 2] == range_field:",
            "4 -> 5",
        ),
    ),
    *alike(
        "olmsolve.catalog.index.intervals",
        "a short cut for one span",
        ("if len(spans) == 1:", "if len(spans) == 1 -> if False"),
    ),
    *alike(
        "olmsolve.catalog.index.stored",
        "a file is read as it is written; others are refused as those of another version",
        ("_VERSION_BYTES: Final = 32", "32 -> 33"),
    ),
    *alike(
        "olmsolve.catalog.update_graph.lane_layout",
        "one arrow more is made before too many are refused",
        ("arrows = tuple(islice(_arrows(entry, versioned), most + 1))", "1 -> 2"),
    ),
    *alike(
        "olmsolve.catalog.index.packing",
        "the rank of a slot in a package where some slot has none: nobody looks at it",
        (
            "pairs = sorted(zip(own, slots, strict=True)) if is_ranked else [(0, slot) for slot in slots]",
            "0 -> 1",
        ),
    ),
    *alike(
        "olmsolve.catalog.index.catalog_index",
        "what is not warmed is worked out when it is asked for",
        ("self._names.setdefault(name, number)", "self._names.setdefault(name, number) left out"),
    ),
    *alike(
        "olmsolve.catalog.index.facts",
        "the groups behind the first are APIs, whose numbers are above those of names",
        ("packages = tuple((self._name(group), version) for group in groups[:1] if group < names)", "1 -> 2"),
    ),
    *alike(
        "olmsolve.catalog.index.intervals",
        "a short cut for two fields in their usual order",
        (
            "if starts[fields + 1] - begin == 4 and items[begin] == package_field and items[begin + 2] == range_field:",
            "if starts[fields + 1] - begin == 4 and items[begin] == package_field and (items[... -> if False",
        ),
    ),
    *alike(
        "olmsolve.catalog.index.bundle_columns",
        "a list of what was looked up keeps it alive, which is a matter of memory once the rest is forgotten",
        ("self._looked_up.clear()", "self._looked_up.clear() left out"),
    ),
    *alike(
        "olmsolve.catalog.index.bundle_columns",
        "a short cut that spares to read a list again that bundles share but for their versions",
        ("row = None if version is None else shared_rows.get(id(listed))", "version is None -> version is not None"),
        (
            "if row is None or version is None or self._strict_version(version) is None:",
            "version is None -> version is not None",
        ),
        ("is_shared = True", "True -> False"),
        (
            "if is_shared and flags & PLAIN and is_declared:",
            "if is_shared and flags & PLAIN and is_declared -> if False",
        ),
    ),
    *alike(
        "olmsolve.catalog.index.bundle_columns",
        "a row is kept for a list that no other bundle shares, so nobody asks for it",
        ("flags, is_shared = 0, False", "False -> True"),
    ),
    *alike(
        "olmsolve.catalog.index.bundle_columns",
        "a matter of memory: what is looked up no more is kept, or equal lists of other packages get one row",
        ("self.groups.forget()", "self.groups.forget() left out", "add", "self._looked_up.clear()"),
        ("self.groups.forget()", "self.groups.forget() left out", "forget", "self._requirements.clear()"),
        ("self.requires.forget()", "self.requires.forget() left out"),
        ("self._requirements.clear()", "self._requirements.clear() left out"),
        ("self.packages.forget()", "self.packages.forget() left out"),
    ),
    *alike(
        "olmsolve.catalog.index.packing",
        "a matter of memory: what is looked up no more is kept, or equal lists of other packages get one row",
        ("self.bundles.forget()", "self.bundles.forget() left out"),
    ),
    *alike(
        "olmsolve.catalog.index.bundle_columns",
        "the place of each bundle is filled when its package is added",
        ('name: numbers([0]) * size for name in ("bundle_name", *(f"bundle_{each}" for each in _ROW))', "0 -> 1"),
    ),
    *alike(
        "olmsolve.catalog.index.bundle_columns",
        "a short cut for texts without escapes, which spares decoding them",
        (
            "if held is not None and (plain := _PLAIN_PACKAGE.fullmatch(held)):",
            "if held is not None and (plain := _PLAIN_PACKAGE.fullmatch(held)) -> if False",
        ),
        (
            "if number is None and held is not None and (plain := _PLAIN_REQUIREMENT.fullmatch(held)):",
            "if number is None and held is not None and (plain := _PLAIN_REQUIREMENT.fullmatc... -> if False",
        ),
    ),
    *alike(
        "olmsolve.catalog.index.bundle_columns",
        "which of two equal texts is the key: a matter of memory",
        (
            "number = of_kind.setdefault(held if held is not None and held == text else text, added)",
            "held is not None -> held is None",
        ),
    ),
    *alike(
        "olmsolve.catalog.index.candidates",
        "both ways find the same positions; which one is faster depends on what is known already",
        (
            "if stop - start < len(columns.rank_string) and versions not in self._spans:",
            "stop - start < len(columns.rank_string) and versions not in self._spans -> stop - start < len(columns.rank_string) or versions not in self._spans",
        ),
        (
            "if stop - start < len(columns.rank_string) and versions not in self._spans:",
            "if stop - start < len(columns.rank_string) and versions not in self._spans -> if False",
        ),
        ("if stop - start < len(columns.rank_string) and versions not in self._spans:", "stop - start -> stop + start"),
        (
            "if stop - start < len(columns.rank_string) and versions not in self._spans:",
            "versions not in self._spans -> versions in self._spans",
        ),
        (
            "if stop - start < len(columns.rank_string) and versions not in self._spans:",
            "stop - start < len(columns.rank_string) -> stop - start <= len(columns.rank_string)",
        ),
    ),
    *alike(
        "olmsolve.catalog.index.candidates",
        "a limit of memory: one more is remembered",
        ("MOST_REMEMBERED: Final = 200_000", "200000 -> 200001"),
    ),
    *alike(
        "olmsolve.catalog.index.catalog_index",
        "a short cut for a strict version, which is printed as it is written",
        (
            "if bundle != NONE and columns.bundle_flags[bundle] & PLAIN and columns.bundle_version[bundle] != NONE:",
            "if bundle != NONE and columns.bundle_flags[bundle] & PLAIN and (columns.bundle_v... -> if False",
        ),
    ),
    *alike(
        "olmsolve.catalog.index.catalog_index",
        "the second entry of an order is replaced by the head, so it stays in any case",
        (
            "return [] if slot in slots.ordered[:1] else removing(self.columns, slots.all, slot, self.version(slot))",
            "1 -> 2",
        ),
    ),
    *alike(
        "olmsolve.catalog.index.families",
        "a short cut for families whose versions fall: bits that are put together one by one are the same",
        ("if descending:", "if descending -> if False"),
    ),
    *alike(
        "olmsolve.catalog.index.families",
        "a short cut for slots that follow each other",
        ("if size and slots[-1] - slots[0] == size - 1:", "if size and slots[-1] - slots[0] == size - 1 -> if False"),
        ("if size and slots[-1] - slots[0] == size - 1:", "1 -> 2"),
    ),
    *alike(
        "olmsolve.catalog.index.families",
        "that there is no answer is found out again: a matter of time",
        (
            "if needs is None and listed not in self._needs:",
            "needs is None and listed not in self._needs -> needs is None or listed not in self._needs",
        ),
        (
            "if found is None and slot not in self._needs_in_bits:",
            "found is None and slot not in self._needs_in_bits -> found is None or slot not in self._needs_in_bits",
        ),
    ),
    *alike(
        "olmsolve.catalog.index.families",
        "any number below 0 stands for no name",
        ("name = -1 if bundle == NONE else self._only_package(self._columns.bundle_groups[bundle])", "1 -> 2"),
    ),
    *alike(
        "olmsolve.catalog.index.installed",
        "a short cut that spares to test each operator: those that provide an API were found before",
        ("if isinstance(predicate, ProvidesGVK):", "if isinstance(predicate, ProvidesGVK) -> if False"),
    ),
    *alike(
        "olmsolve.catalog.index.intervals",
        "a short cut for two fields in their usual order",
        (
            "if starts[fields + 1] - begin == 4 and items[begin] == package_field and items[begin + 2] == range_field:",
            "2 -> 3",
        ),
    ),
    *alike(
        "olmsolve.catalog.index.intervals",
        "a dict is empty when it is made",
        (
            "super().__init__()",
            "super().__init__() left out",
            "__init__",
            "def __init__(self, strings: Strings, names: Mapping[str, int]) -> None:",
        ),
        (
            "super().__init__()",
            "super().__init__() left out",
            "__init__",
            "def __init__(self, strings: Strings, ranks: Sequence[Key]) -> None:",
        ),
    ),
    *alike(
        "olmsolve.catalog.index.packed",
        "a short cut: behind the first free place there is no such string either",
        ("break", "break -> continue"),
    ),
    *alike(
        "olmsolve.catalog.index.packing",
        "the slot of a channel without an order is no entry, so nobody asks for what it skips",
        ("into.extend_slots(channel=[number], bundle=[NONE], replaces=[0], skips=[0], range=[0])", "0 -> 1"),
    ),
    *alike(
        "olmsolve.catalog.index.requirements",
        "a path names the properties once",
        ('path = error.path.replace("properties[0]", f"properties[{property_}]", 1)', "1 -> 2"),
    ),
    *alike(
        "olmsolve.catalog.index.requirements",
        "a short cut for plain requirements, which are read as all others are",
        (
            "return in_package(string(name), string(versions))",
            "return in_package(string(name), string(versions)) -> return None",
        ),
    ),
    *alike(
        "olmsolve.catalog.index.schema",
        "no index has so many rows",
        ("NONE: Final = 2**32 - 1", "1 -> 2"),
    ),
    *alike(
        "olmsolve.catalog.index.stored",
        "how much is read at once",
        ("_PIECE: Final = 1 << 20  # bytes that are read or hashed between two looks at the limits", "20 -> 21"),
        ("_PIECE: Final = 1 << 20  # bytes that are read or hashed between two looks at the limits", "1 -> 2"),
    ),
    *alike(
        "olmsolve.catalog.index.stored",
        "one byte is no chunk either",
        ("data = opened.read(max(0, end - start))", "0 -> 1"),
    ),
    *alike(
        "olmsolve.catalog.index.stored",
        "a chunk ends where its compressed bytes say so, whatever is read behind it",
        ("data = opened.read(max(0, end - start))", "end - start -> end + start"),
    ),
    *alike(
        "olmsolve.catalog.index.tables",
        "escaped text means the same, and is a little longer",
        ('return json.dumps(value, ensure_ascii=False, separators=(",", ":"))', "False -> True"),
    ),
    *alike(
        "olmsolve.catalog.index.visible",
        "one source is in its order",
        ("if len(self.sources) > 1:", "len(self.sources) > 1 -> len(self.sources) >= 1"),
    ),
    *alike(
        "olmsolve.catalog.index.visible",
        "a short cut for one catalog: its offset is 0",
        ("if len(self.offsets) == 1:", "if len(self.offsets) == 1 -> if False"),
    ),
    *alike(
        "olmsolve.catalog.index.requirements",
        "a short cut for plain requirements, which are read as all others are",
        ("if columns.texts_starts[listed + 1] - start != 4:", "4 -> 5"),
    ),
    *alike(
        "olmsolve.catalog.index.bundle_columns",
        "any number below 0 stands for a requirement that JSON cannot hold",
        ("return -1", "1 -> 2"),
    ),
    *alike(
        "olmsolve.catalog.index.families",
        "any number below 0 is no package",
        ("return packages[0] if len(packages) == 1 else -1", "1 -> 2"),
    ),
    *alike(
        "olmsolve.catalog.index.families",
        "a short cut for slots that follow each other: the sum is as small only where the first is slot 0",
        ("if size and slots[-1] - slots[0] == size - 1:", "slots[-1] - slots[0] -> slots[-1] + slots[0]"),
    ),
    *alike(
        "olmsolve.catalog.index.installed",
        "a short cut: among no operators none is found",
        ("if not self.published:", "if not self.published -> if False"),
    ),
    *alike(
        "olmsolve.catalog.index.packed",
        "a short cut that spares to look at all APIs",
        (
            "if first < 0 or self.gvk_parts(first) == (group, version, kind):",
            "if first < 0 or self.gvk_parts(first) == (group, version, kind) -> if False",
        ),
    ),
    *alike(
        "olmsolve.catalog.index.intervals",
        "any first position above the last one stands for no interval",
        ("return 1, 0", "1 -> 2"),
    ),
    *alike(
        "olmsolve.catalog.index.families",
        "how large a family may be is a matter of memory",
        ("MOST_MEMBERS: Final = 2048", "2048 -> 2049"),
    ),
    *alike(
        "olmsolve.catalog.update_graph.lane_layout",
        "any number, the same for all that have no origin",
        ('return (origin.file, origin.document) if origin else ("", 0)', "0 -> 1"),
    ),
)
