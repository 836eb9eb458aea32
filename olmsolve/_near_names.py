"""Names that look like a misspelt one: of packages, channels, bundles, catalogs and namespaces.

Two names are *near* if they are spelled alike: a few letters differ, or letter case, hyphens, an "operator" at the end,
or numbers. How many letters may differ depends on the length, word by word, since another word is another name::

    pelorus-operato    pelorus-operator     one letter
    etcd-operator      etcd                 the "operator" at the end, which most packages have
    cert_Manager       cert-manager         letter case and separators
    stable-4.15        stable-4.14          numbers; the nearest first
    argocd-operator    kairos-operator      not near: five letters of six differ

"strimzi" and "strimzi-kafka-operator" are only *similar*: one has all words of the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from olmsolve._named_tuples import NamedTuple
from olmsolve._patterns import pattern

_MOST: Final = 3
# Kubernetes names are no longer; the time to compare grows with the square of the length, and a stranger may have
# written the name.
_LONGEST: Final = 253
_SHORT: Final = 5  # letters: in a longer name, even a word of two may have a slip
_SEPARATORS: Final = pattern(r"[-_.\s/]+")
_NUMBERS: Final = pattern(r"\d+")
# Small letters and digits that look alike in many fonts: 0perator, etcdI.
_LOOK_ALIKE: Final = str.maketrans("oil", "011")


class _Spelling(NamedTuple):
    """The forms of a name that are compared: its *words*, without separators *joined*, and *numbers* in a *frame*."""

    words: tuple[str, ...]
    stem: tuple[str, ...]
    joined: str
    frame: str
    numbers: tuple[int, ...]


def did_you_mean(names: Sequence[str]) -> str:
    """Return the question whether one of *names* was meant; "" if there are none.

    >>> did_you_mean(["a", "b", "c"])
    'did you mean a, b or c?'
    """
    if not names:
        return ""
    *others, last = names
    return f"did you mean {', '.join(others)} or {last}?" if others else f"did you mean {last}?"


def near_names(name: str, names: Iterable[str], *, most: int = _MOST) -> tuple[str, ...]:
    """Return up to *most* of *names* that are spelled nearly like *name*, the nearest first, equally near as given.

    >>> near_names("stabel", ["alpha", "stable"])
    ('stable',)
    """
    ranked = _ranked(name, names)
    # Nobody who is one letter away from a name means another that is three away.
    return tuple(other for distance, other in ranked[:most] if distance[0] <= ranked[0][0][0] + 1)


def nearest_names(name: str, names: Iterable[str], *, most: int = _MOST) -> tuple[str, ...]:
    """Return up to *most* of :func:`near_names` that are as near as the nearest."""
    ranked = _ranked(name, names)
    return tuple(other for distance, other in ranked[:most] if distance == ranked[0][0])


def similar_names(name: str, names: Iterable[str], *, most: int = _MOST) -> tuple[str, ...]:
    """Return :func:`near_names`, or else the names with all words of *name*, or all of whose words *name* has.

    Names that begin with *name* count as well. Where there are more than *most*, *name* says too little, and none of
    them is returned.
    """
    names = list(dict.fromkeys(names))
    near = near_names(name, names, most=most)
    if near or len(name) > _LONGEST:
        return near
    spelling = _spelling(name)
    others = [other for other in names if other != name and len(other) <= _LONGEST]
    similar = [
        other for other in others if _shares_words(spelling, _spelling(other)) or _begins(spelling, _spelling(other))
    ]
    return tuple(similar) if len(similar) <= most else ()


def similar_keys(key: str, keys: Iterable[str], *, most: int = _MOST) -> tuple[str, ...]:
    """Return up to *most* of *keys*, ``namespace/name`` each, with the same name as *key*, or a similar name.

    The same name in another namespace comes first, and of equally similar names the one in the same namespace.
    """
    keys = [other_key for other_key in dict.fromkeys(keys) if other_key != key]
    namespace, _, name = key.rpartition("/")
    by_name: dict[str, list[str]] = {}
    for other_key in sorted(keys, key=lambda other_key: other_key.rpartition("/")[0] != namespace):
        by_name.setdefault(other_key.rpartition("/")[2], []).append(other_key)
    alike = [name] if name in by_name else similar_names(name, by_name, most=most)
    return tuple(similar for other in alike for similar in by_name[other])[:most]


def _ranked(name: str, names: Iterable[str]) -> list[tuple[tuple[int, tuple[int, ...]], str]]:
    if len(name) > _LONGEST:
        return []
    spelling = _spelling(name)
    ranked = []
    for other in dict.fromkeys(names):
        if other != name and len(other) <= _LONGEST:
            distance = _distance(spelling, _spelling(other))
            if distance is not None:
                ranked.append((distance, other))
    return sorted(ranked, key=lambda pair: pair[0])


# Taking a name apart costs 10 µs, looking it up 0.03: a message compares one name with all names of a catalog, and an
# explanation asks about the same catalog for each of its notes.
@lru_cache(maxsize=16384)
def _spelling(name: str) -> _Spelling:
    folded = name.casefold()
    words = tuple("operator" if _means_operator(word) else word for word in _SEPARATORS.split(folded) if word)
    stem = words
    while len(stem) > 1 and stem[-1] == "operator":
        stem = stem[:-1]
    # "etcdoperator" is etcd's operator as well.
    if stem and (short := stem[-1].removesuffix("operator")):
        stem = (*stem[:-1], short)
    # Numbers as long as these are hashes, and nearness of hashes means nothing.
    numbers = tuple(int(number) for number in _NUMBERS.findall(folded) if len(number) < 10)
    return _Spelling(words, stem, "".join(words), _NUMBERS.sub("0", "-".join(words)), numbers)


def _means_operator(word: str) -> bool:
    """Return whether *word* is "operator", its plural or a misspelling, which does not distinguish names."""
    return word[:2] == "op" and _edits(word, "operator", 1) is not None


def _distance(one: _Spelling, other: _Spelling) -> tuple[int, tuple[int, ...]] | None:
    """Return how far apart two names are, None if they are not near: letters that differ, then how numbers differ.

    Of names that differ by equally many letters, one that goes on where the misspelt one ends comes first.
    """
    if one.joined == other.joined:
        return 0, ()
    if one.joined.translate(_LOOK_ALIKE) == other.joined.translate(_LOOK_ALIKE):
        return 0, (1,)
    if one.frame == other.frame and one.numbers and len(one.numbers) == len(other.numbers):
        return 1, tuple(abs(a - b) for a, b in zip(one.numbers, other.numbers, strict=True))
    letters = _letters(one.words, other.words)
    if letters is None and (one.stem != one.words or other.stem != other.words):
        # The missing "operator" counts as one letter, so that a name that has it comes first.
        letters = _letters(one.stem, other.stem)
        letters = None if letters is None else letters + 1
    return None if letters is None else (letters, (0 if other.joined.startswith(one.joined) else 1,))


def _letters(one: tuple[str, ...], other: tuple[str, ...]) -> int | None:
    """Return the number of letters that differ between two names in words; None if too many do."""
    joined, others = "".join(one), "".join(other)
    most = _allowed(joined, others)
    if len(one) != len(other):
        # A separator is missing, or one too many: with many other letters beside that, it is another name.
        return _edits(joined, others, min(most, 1))
    total = 0
    for word, against in zip(one, other, strict=True):
        if word != against:
            # In a longer name, a slip may be the only letter of a word: camel-n for camel-k.
            edits = _edits(word, against, _allowed(word, against) or int(len(joined) > _SHORT))
            if edits is None:
                return None
            total += edits
    return total if total <= most else None


def _allowed(one: str, other: str) -> int:
    """Return how many letters of two texts may differ: none of two, one of three, two of seven, three of twelve."""
    length = max(len(one), len(other))
    return 0 if length < 3 else 1 if length < 7 else 2 if length < 12 else 3


def _edits(one: str, other: str, most: int) -> int | None:
    """Return the insertions, deletions, substitutions and swaps of neighbours from *one* to *other*, None above *most*.

    Lengths or letters rule out most pairs before the table is filled, row by row::

              s t a b l e         "stabel" and "stable" differ by one swap
        ...
    """
    if one == other:
        return 0
    if abs(len(one) - len(other)) > most or most == 0:
        return None
    # The letters that *one* has too often. For long names, which strangers write: this test rules out 333 names of 253
    # letters in 13 ms, the first rows of the table in 240. Names of 12 letters take 2 µs (with `Counter` they took 12).
    surplus = sum([max(0, one.count(letter) - other.count(letter)) for letter in set(one)])
    if max(surplus, surplus - len(one) + len(other)) > most:
        return None
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, start=1):
        following = [i]
        for j, against in enumerate(other, start=1):
            cost = min(row[j] + 1, following[j - 1] + 1, row[j - 1] + (letter != against))
            if before and j > 1 and letter == other[j - 2] and one[i - 2] == against:
                cost = min(cost, before[j - 2] + 1)
            following.append(cost)
        # No later row has a smaller number. Against 333 names of the same 253 letters in other orders: 0.3 instead of
        # 7.5 s.
        if min(following) > most:
            return None
        before, row = row, following
    return row[-1] if row[-1] <= most else None


def _shares_words(one: _Spelling, other: _Spelling) -> bool:
    """Return whether all words of one name are words of the other, in this order."""
    fewer, more = sorted((one.stem, other.stem), key=len)
    following = iter(more)
    return bool(fewer) and all(word in following for word in fewer)


def _begins(one: _Spelling, other: _Spelling) -> bool:
    """Return whether the first name is the beginning of the other, as people shorten names."""
    return bool(one.joined) and other.joined.startswith("".join(one.stem))
