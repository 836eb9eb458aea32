"""``python -m tests.certificates.false_claims --claims 100000``: try claims that the brute force calls false.

It prints how each way of forging was refused, and ends with 1 if the checker accepted one.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

import attrs

from olmsolve import RequestError, verify
from tests.certificates.brute_force import MOST_CANDIDATES
from tests.certificates.forging import WAYS, Forger
from tests.certificates.trapped_requests import Document, Question, questions

__all__ = ["Tally", "claims_falsely", "false_claims", "refusal"]

CLAIMS_PER_REQUEST: Final = 20
"""How many forgeries are made of one request before the next is drawn."""


def claims_falsely(written: Mapping[str, Any], question: Question) -> bool:
    """Return whether *written* claims something about *question* that the brute force calls false.

    What claims nothing that can be read, or something under the other semantics, does not count.
    """
    if written.get("semantics") != question.semantics.value:
        return False
    if written.get("kind") == "unsatisfiable":
        return question.truth.preferred is not None
    selected = written.get("selected")
    if written.get("kind") != "plan" or not isinstance(selected, list):
        return False
    if not all(isinstance(path, list) and all(isinstance(text, str) for text in path) for path in selected):
        return False
    preferred = question.truth.preferred
    return preferred is None or [tuple(path) for path in selected] != list(preferred)


def false_claims(seed: int, count: int, ways: Collection[str] = ()) -> Iterator[tuple[str, Question, Document]]:
    """Yield *count* false claims: how each was forged, what it is about, and the certificate.

    They are forged in these *ways*, or in all.
    """
    chance = random.Random(seed)
    names = {name: WAYS[name] for name in ways or WAYS}
    remaining = count
    for document, question in questions(chance):
        forger = Forger(document, question, chance)
        for name in chance.choices(list(names), [names[name][0] for name in names], k=CLAIMS_PER_REQUEST):
            written = names[name][1](forger)
            if written is None or not claims_falsely(written, question):
                continue
            yield name, question, written
            remaining -= 1
            if not remaining:
                return


def refusal(question: Question, written: Mapping[str, Any]) -> str:
    """Return the kind of objection by which *written* is refused, "" where it is accepted."""
    try:
        verdict = verify(written, question.request)
    except RequestError:
        return "cannot be read, or names what is not there"
    return "" if verdict.reason is None else verdict.reason.kind.name


@attrs.define
class Tally:
    """What became of the false claims tried: by the way of forging and the objection; and those *accepted*."""

    counts: Counter[tuple[str, str]] = attrs.field(factory=Counter)
    accepted: list[tuple[str, Question, Document]] = attrs.field(factory=list)
    requests: int = 0

    @classmethod
    def of(cls, claims: Iterator[tuple[str, Question, Document]]) -> Tally:
        """Return what the checker says of *claims*."""
        tally, last = cls(), None
        for name, question, written in claims:
            why = refusal(question, written)
            tally.counts[name, why] += 1
            tally.requests += question is not last
            last = question
            if not why:
                tally.accepted.append((name, question, written))
        return tally


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.certificates.false_claims", description="Try false claims.")
    parser.add_argument("--claims", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    started = time.monotonic()
    tally = Tally.of(false_claims(options.seed, options.claims))
    total = sum(tally.counts.values())
    print(f"{total} false claims about {tally.requests} requests: {len(tally.accepted)} accepted")
    print(f"({time.monotonic() - started:.0f} s, seed {options.seed}, at most {MOST_CANDIDATES} candidates)")
    for name in WAYS:
        reasons = {why: count for (way, why), count in tally.counts.items() if way == name}
        print(f"{name}: {sum(reasons.values())}")
        for why, count in sorted(reasons.items(), key=lambda pair: -pair[1]):
            print(f"  {count:6} {why or 'ACCEPTED'}")
    return 1 if tally.accepted else 0


if __name__ == "__main__":
    sys.exit(main())
