"""What every command says of one cluster, compared: which questions there are, which fail, how, and for what cause."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

import attrs

from tests.cli.commands import Outcome, Run
from tests.scenarios.agreement.counting import reports_of

Question = tuple[str, str]
"""``namespace`` or ``extension``, and its name."""

EACH: Final = ("resolve", "explain", "why-not", "diff", "path", "plan", "simulate", "migrate", "certify")
"""The commands that answer one question."""
BY_NAME: Final = ("explain", "why-not", "diff", "path", "migrate")
"""The commands besides ``resolve`` that print an answer for each question."""
ALL: Final = (*EACH[:-1], "blocking")
"""The commands that answer all questions at once."""
IDLE: Final = {
    "diff": ("--semantics",),
    "path": ("--semantics", "--operator-groups", "--kubernetes"),
    "extension": ("--semantics", "--operator-groups", "--unreadable"),
}
"""The options that a command, or a question, refuses."""
MORE: Final = {
    "why-not": ("etcd",),
    "diff": ("--compare-semantics",),
    "blocking": ("--openshift", "4.18.3"),
}


@attrs.frozen
class Asked:
    """A cluster in files: *arguments* name them, *packages* are those of its extensions by name."""

    olmsolve: Run
    arguments: Sequence[str]
    packages: dict[str, str]

    def contradictions(self) -> Iterator[str]:
        """Yield a sentence for each contradiction between two commands, and for each end without a word."""
        answers = {verb: self._outcome_of(verb) for verb in ALL}
        yield from (f"{verb}: {fault}" for verb, answer in answers.items() for fault in _silent(answer))
        base = answers["resolve"]
        if "usage:" not in base.err:
            yield from reports_of(self.olmsolve, self.arguments, answers)
        if "usage:" in base.err or "no subscriptions and no extensions" in base.err:
            return  # an option that cannot matter; a cluster that asks nothing, which the reports still look at
        if not base.out:
            yield from _of_the_whole(answers)
            return
        questions = _questions(base)
        for verb in BY_NAME:
            if _questions(answers[verb]) != questions:
                yield f"{verb} answers {_questions(answers[verb])}, and resolve {questions}: {answers[verb].err}"
        worst: dict[str, int] = {}
        for question in questions:
            alone = {
                verb: self._outcome_of(verb, question)
                for verb in EACH
                if (verb, question[0]) != ("certify", "extension")
            }
            yield from (f"{question}, {fault}" for fault in _about_one(question, alone))
            worst = {verb: max(worst.get(verb, 0), outcome.code) for verb, outcome in alone.items()}
        for verb, code in worst.items():
            # Asked about all, why-not passes over the extensions for other packages.
            if verb not in ("certify", "why-not") and answers[verb].code != code:
                yield f"{verb} ends with {answers[verb].code}, and for single questions with {code}"

    def _outcome_of(self, verb: str, question: Question | None = None) -> Outcome:
        idle = {*IDLE.get(verb, ()), *(IDLE["extension"] if question and question[0] == "extension" else ())}
        # Beside extensions path takes --kubernetes: the bundles that they get must be eligible.
        has_extensions = bool(self.packages) if question is None else question[0] == "extension"
        idle -= {"--kubernetes"} if has_extensions else set()
        more = MORE.get(verb, ())
        if verb == "why-not" and self.packages and "etcd" not in self.packages.values():
            more = (next(iter(self.packages.values())),)
        if question is not None:
            more = (
                (self.packages.get(question[1], "etcd"),) if verb == "why-not" and question[0] == "extension" else more
            )
            more = (*more, f"--{question[0]}", question[1])
        forms = () if verb == "certify" else ("-o", "json")
        return self.olmsolve(verb, *more, *_without(self.arguments, idle), *forms)


def _without(arguments: Sequence[str], idle: set[str]) -> Iterator[str]:
    """Yield *arguments* without the options *idle* and their values."""
    left_out = False
    for argument in arguments:
        if left_out and not argument.startswith("--"):
            continue
        left_out = argument in idle
        if not left_out:
            yield argument


def _silent(outcome: Outcome) -> Iterator[str]:
    if outcome.code > 3:
        yield f"ends with {outcome.code}: {outcome.err}"
    if outcome.code >= 2 and "olmsolve" not in outcome.err:
        yield f"ends with {outcome.code} and without a word"


def _of_the_whole(answers: dict[str, Outcome]) -> Iterator[str]:
    """Yield the commands that do not end as ``resolve`` does, whose input cannot be read at all."""
    base = answers["resolve"]
    for verb, answer in answers.items():
        if (answer.code, answer.out, answer.err) != (base.code, "", base.err):
            yield f"resolve ends with {base.code} ({base.err}), and {verb} with {answer.code} ({answer.err})"


def _questions(outcome: Outcome) -> list[Question]:
    document = json.loads(outcome.out or "{}")
    return [(kind, name) for kind in ("namespace", "extension") for name in document.get(f"{kind}s", ())]


def _about_one(question: Question, alone: dict[str, Outcome]) -> Iterator[str]:
    """Yield how the answers of all commands to one question contradict each other."""
    base = alone["resolve"]
    for verb, outcome in alone.items():
        yield from (f"{verb} {fault}" for fault in _silent(outcome))
        # What fails only until an operator has given way is told so, and gone when the cluster is at rest.
        passes = verb == "simulate" and (base.code, outcome.code) == (1, 0) and _is_under_way(alone["explain"])
        if not _agrees(verb, question, base.code, outcome) and not passes:
            ends = f"{outcome.code} {outcome.err!r}: {outcome.out[-400:]}"
            yield f"resolve ends with {base.code} {base.err!r}, {verb} with {ends}"
        is_told = outcome.code == base.code == 2 and verb != "path"
        if is_told and _flat(outcome.err) != _flat(base.err):
            yield f"resolve says {base.err!r}, and {verb} {outcome.err!r}"
    if base.code == 1 and question[0] == "namespace":
        yield from _cause(json.loads(base.out), alone)


def _is_under_way(explained: Outcome) -> bool:
    """Whether the explanation says that the failure passes by itself: an update is under way."""
    document = json.loads(explained.out)
    waits = any(change["kind"] == "AwaitUpdate" for fix in document.get("fixes", ()) for change in fix["changes"])
    return waits or any(hindrance["kind"] == "operatorGivesWay" for hindrance in document.get("hindrances", ()))


def _agrees(verb: str, question: Question, code: int, outcome: Outcome) -> bool:
    """Whether *verb* ends as it may where ``resolve`` ends with *code*."""
    if verb == "path":
        # It follows the channel of what is installed: a broken one it meets, another fault it may not.
        return outcome.code != 2 or code != 0
    if verb == "simulate":
        # What is left may be more than what is not resolved.
        return outcome.code == code or (code == 0 and outcome.code == 1)
    if verb in ("migrate", "diff") or (verb == "why-not" and question[0] == "extension"):
        return (outcome.code == 2) == (code == 2)
    return outcome.code == code


def _cause(failure: dict[str, Any], alone: dict[str, Outcome]) -> Iterator[str]:
    """Yield the commands that do not name the cause for which ``resolve`` fails: the error, or its subscriptions."""
    if "error" in failure:
        reason = failure["error"].partition(" (OLM resolves nothing")[0].rpartition(": ")[2]
        words = [reason] if reason not in ("", "[]") else []
    else:
        kinds = ("SubscriptionWants",)
        words = [constraint["text"].split()[1] for constraint in failure["constraints"] if constraint["kind"] in kinds]
    for verb in ("explain", "plan", "simulate"):
        # JSON escapes quotation marks.
        text = _flat(alone[verb].out + alone[verb].err).replace('\\"', '"')
        yield from (f"{verb} does not name {word!r}: {text[:400]}" for word in words if _flat(word) not in text)


def _flat(text: str) -> str:
    return " ".join(text.split())
