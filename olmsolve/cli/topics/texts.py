"""The texts of topics and findings, as Markdown and for terminals.

Topics are Markdown files with marks that the code replaces: lists that it makes itself. Each finding of a check has a
guide: what it means, and what to do about it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib import resources
from itertools import groupby
from typing import TYPE_CHECKING, Final

from olmsolve._named_tuples import NamedTuple
from olmsolve._patterns import pattern
from olmsolve._reader import with_addresses
from olmsolve.cli.output import MEANINGS

if TYPE_CHECKING:
    from olmsolve.render import Style

TOPICS: Final = (
    "situations",
    "catalogs",
    "constraints",
    "semantics",
    "findings",
    "output forms",
    "exit codes",
    "limits",
    "backends",
)
"""The names of the topics, in the order in which ``olmsolve help`` lists them."""


def topic_markdown(name: str) -> str:
    """Return the text of the topic *name*, one of :data:`TOPICS`, in Markdown; its links start at the folder docs."""
    lines = _source(name).split("\n")
    return "\n".join("\n".join(_additions(line)) if line.startswith("<!-- ") else line for line in lines)


def topic_summaries() -> dict[str, str]:
    """Return what each topic is about, by its name."""
    # "# Exit codes: what scripts can tell"
    titles = {name: _source(name).partition("\n")[0] for name in TOPICS}
    return {name: title.partition(": ")[2] for name, title in titles.items()}


def _source(name: str) -> str:
    file = f"{name.replace(' ', '-')}.md"
    return resources.files("olmsolve.cli.topics").joinpath(file).read_text("utf-8")


def _additions(mark: str) -> Iterator[str]:
    """Yield the lines that replace *mark*, a comment on a line of its own."""
    from olmsolve.cli.topics.texts import finding_guides

    if mark == "<!-- exit codes -->":
        yield from (f"- `{code.value}`: {meaning}" for code, meaning in MEANINGS.items())
    elif mark == "<!-- findings -->":
        codes: dict[str, list[str]] = {}
        for guide in finding_guides().values():
            codes.setdefault(guide.command, []).append(guide.code)
        yield from (f"- `{command}`: {', '.join(sorted(own))}" for command, own in codes.items())
    else:
        raise ValueError(f"no text for {mark}")


_LINK: Final = pattern(r"\[([^]]+)\]\(([^)]+)\)")
_FENCE: Final = "```"


def markdown_text(markdown: str, style: Style) -> str:
    """Return *markdown* as text of the width of *style*, with bold headings where it has colours.

    Headings, paragraphs, lists and blocks of commands are understood, and ``code`` and links in them: a link becomes
    its text and the address of the page that it leads to.
    """
    return "\n".join(_lines(markdown.strip().split("\n"), style))


def _lines(lines: list[str], style: Style) -> Iterator[str]:
    # A fence belongs to neither the text before it nor the text after it.
    parts = "\n".join(lines).split(_FENCE)
    for number, part in enumerate(parts):
        if number % 2:
            yield from (f"  {line}" for line in part.strip("\n").split("\n"))
        else:
            yield from _prose(part, style)


def _prose(text: str, style: Style) -> Iterator[str]:
    """Yield the lines of *text*, which has no blocks of commands; empty lines stay between its paragraphs."""
    from olmsolve.render import paragraph

    lines = [re.sub(r"^ +", "", line) for line in text.split("\n")]
    numbers = [sum(_begins(line) for line in lines[: end + 1]) for end in range(len(lines))]
    for _, group in groupby(zip(numbers, lines, strict=True), key=lambda numbered: (numbered[0], not numbered[1])):
        joined = " ".join(line for _, line in group)
        if not joined.strip():
            yield ""
        elif joined.startswith("# "):
            yield style.bold(_plain(joined[2:]))
        elif joined.startswith("- "):
            yield from paragraph(_plain(joined[2:]), style.width, indent="  - ", hanging="    ")
        else:
            yield from paragraph(_plain(joined), style.width)


def _begins(line: str) -> bool:
    """Return whether *line* begins a heading or an element of a list."""
    return line.startswith(("# ", "- "))


def _plain(text: str) -> str:
    linked = _LINK.sub(lambda link: f"{link[1]} ({with_addresses(f'docs/{link[2]}')})", text)
    return linked.replace("`", "")


class FindingGuide(NamedTuple):
    """A kind of finding: its *code*, the *command* that reports it, what it *means*, and what to *do*.

    *severity* says how severe it is; "" for the findings of audits and fuzzing, which have no degrees.
    """

    code: str
    command: str
    means: str
    do: str
    severity: str = ""


_VALIDATE: Final = {
    "api-owners": "Nothing, if they are alternatives; else require the package by name where you mean one of them.",
    "bundle-duplicate": "Delete one of the two documents, or give the second bundle its own name and version.",
    "bundle-object": "Write the manifest as base64 of its YAML or JSON text.",
    "bundle-package-missing": "Add the field package with the name of the bundle's package.",
    "bundle-unreachable": "Let an entry replace the bundle, or delete it, if no subscription needs it as startingCSV.",
    "bundle-without-channel": "Add an entry with the bundle's name to a channel, or delete the bundle.",
    "catalog-empty": "Check the path, and whether an ignore file hides all files.",
    "channel-cycle": "Follow replaces from the finding's entry, and delete the one that leads back.",
    "channel-duplicate": "Join the entries of both documents in one, or rename one channel.",
    "channel-empty": "Add an entry, or delete the channel.",
    "channel-heads": "Let the newest entry replace or skip the other heads, so that one is left.",
    "channel-name-missing": "Add the field name to the channel.",
    "channel-order": "Break the circle of replaces below the skipped entry.",
    "channel-stranded": "Let an entry on the way to the head replace or skip these entries.",
    "default-channel-deprecated": "Make a channel the default that is not deprecated: olmsolve catalog set-default.",
    "default-channel-missing": "Add the field defaultChannel to the package.",
    "default-channel-unknown": "Correct the name of the default channel, or add the channel.",
    "deprecation-duplicate": "Move the entries of the second olm.deprecations into the first.",
    "deprecation-entry-duplicate": "Delete one of the two entries.",
    "deprecation-message-missing": "Say in message why, and what to use instead.",
    "deprecation-package-missing": "Add the field package to olm.deprecations.",
    "deprecation-package-name": "Remove the name: the reference of a package has only a schema.",
    "deprecation-schema-missing": "Add schema to the reference: olm.package, olm.channel or olm.bundle.",
    "deprecation-schema-unknown": "Refer to an olm.package, an olm.channel or an olm.bundle.",
    "deprecation-unknown": "Correct the name in the reference, or delete the entry.",
    "entry-duplicate": "Delete one of the two entries, and add its replaces and skips to the other.",
    "entry-name-missing": "Add the name of the bundle to the entry.",
    "entry-without-bundle": "Correct the name of the entry, add the bundle, or delete the entry.",
    "field-case": "Write the field as it is documented; olmsolve validate --fix does it.",
    "field-type": "Write a value of the type that the finding names: quotes make a text of a number.",
    "field-unknown": "Correct the name of the field, which nothing reads; olmsolve validate --fix does it.",
    "head-deprecated": "Deprecate the channel as well, or add a head that is not deprecated.",
    "head-not-highest": "Let the highest version be the head, or remove it from the channel.",
    "icon-data": "Write the icon as base64 with padding, on one line.",
    "image-invalid": "Write a reference such as registry.example.com/shop/bundle:v1.0.0.",
    "image-missing": "Add the image that the bundle is pulled from.",
    "key-twice": "Delete one of the two keys: readers do not agree which of them counts.",
    "name-case": "Rename one of them, so that people can tell them apart.",
    "package-duplicate": "Delete one of the two olm.package documents.",
    "package-empty": "Add a channel with an entry, or delete the package.",
    "package-name-invalid": "Choose a name of lower-case letters, digits and hyphens, of at most 63 characters.",
    "package-name-missing": "Add the field name to the package.",
    "package-property-count": "Give the bundle one property olm.package with its packageName and version.",
    "package-property-mismatch": "Correct packageName in the property, or the package of the bundle.",
    "package-unknown": "Correct the name of the package, or add its olm.package.",
    "property-value": "Give the property a value with the documented fields of its type.",
    "release-build-metadata": "Remove the + and the text after it from the version: the release says it.",
    "release-invalid": "Write the release as identifiers with dots between them, such as 1 or alpha.1.",
    "release-name": "Name the bundle PACKAGE-vVERSION-RELEASE, as the hint of the finding spells it.",
    "requirement-unmet": "Nothing, if another catalog of the cluster provides it; else add a bundle that does.",
    "schema-missing": "Add the field schema, such as olm.bundle, or delete the document.",
    "schema-rule": "Write the field as documented, or leave it out; olmsolve validate --fix does it for empty fields.",
    "schema-unknown": "Correct the schema; olmsolve validate --fix does it where one is probably meant.",
    "skip-empty": "Delete the empty name from skips.",
    "skip-range-empty-part": "Delete the || that has no range next to it.",
    "skip-range-invalid": "Write a range such as >=1.0.0 <1.4.0.",
    "skip-range-itself": "Nothing is downgraded by it; end the range below the version of the entry itself.",
    "text-ignored": "Move the text after the document into a document of its own, after ---.",
    "unreadable": "Read the message: it names the file and the line at which reading failed.",
    "upgrade-circle": "End the skipRange of the lower entry, which the finding names, below the version of the head.",
    "upgrade-stranded-classic": "Let an entry on the way to the head replace or skip these bundles.",
    "upgrade-stranded-v1": "Let a later version replace or skip these bundles.",
    "version-duplicate": "Give one of the two bundles another version, or delete it.",
    "version-invalid": "Write a version such as 1.4.0, without a leading v.",
    "yaml-dialect": "Write what both readings agree on, as the hint of the finding says.",
    # Lints.
    "api-name": "Correct the group, version or kind: Kubernetes would refuse a definition with these names.",
    "empty-range": "Correct the range: no version can be in it, so nothing can meet the requirement.",
    "excludes-itself": "Leave the bundle's own package or API out of what not excludes.",
    "property-type": "Correct the type: as it is, it has no meaning; olmsolve validate --fix does it.",
    "range-warning": "Rewrite the range so that it says what you mean; docs/parsing.md has examples.",
    "requirements-circular": (
        "Widen a range on the way that the finding shows, or release versions that fit together."
    ),
    "requirement-syntax": "Correct the requirement: a bundle with a requirement that does not parse is never selected.",
    "rule-never-matches": "Correct the CEL rule; the finding says which part of it is always false.",
    "second-opinion": "Compare both answers with what you mean; the finding names the version or bundle.",
    "semantics-differ": "Choose the meaning that you want: olmsolve help semantics explains both.",
    "skip-range-syntax": "Write a range such as >=1.0.0 <1.4.0; as it is, the entry skips nothing.",
    "v1-bundle": "Nothing, if nobody installs it with OLM v1; else change it in the next version, as the hint says.",
    "v1-channel": (
        "Also offer the entries in a channel whose name has only lower-case letters, digits, hyphens and dots."
    ),
    "v1-update": (
        "Release a version whose definitions only add to the ones before, or update by way of another version."
    ),
}

# Of the findings of validate and lint. Faults that opm finds are errors and advice is warnings, but for these.
_SEVERITIES: Final = {
    **dict.fromkeys(("api-owners", "bundle-unreachable", "semantics-differ"), "note"),
    **dict.fromkeys(("catalog-empty", "field-case", "field-unknown", "schema-rule", "schema-unknown"), "warning"),
    **dict.fromkeys(("skip-range-empty-part", "text-ignored", "yaml-dialect"), "warning"),
    "empty-range": "error where the bundle can never be selected for it, else warning; of validate a warning",
    "requirement-syntax": "error; of validate a warning",
    "rule-never-matches": "error where the bundle can never be selected for it, else warning; of validate a warning",
    "second-opinion": "note for a known reason, else warning",
}

_AUDIT: Final = {
    "BrokenChannel": "Correct the channel: olmsolve validate says what is wrong with its entries.",
    "EmptyChannel": "Add bundles for the entries, or delete the channel.",
    "HeadNotInstallable": "Read the reasons: provide what the head requires, or relax the requirement.",
    "UpdateNotInstallable": "Read the reasons: provide what the updates require, or add another update.",
    "NoUpdate": "Let a later entry replace or skip this version, or remove it.",
    "CircularUpdates": "End the skipRange of the later entries below their own versions.",
    "DeadBundle": "Add it to a channel, provide what it requires, or remove it.",
}

_FUZZ: Final = {
    "BrokenLaw": (
        "an answer that breaks a law, which is a fault of olmsolve",
        "Report it, with the request of the finding.",
    ),
    "TwoMeanings": (
        "a request that the documentation and the controller answer differently",
        "Rewrite the constraint so that both agree: olmsolve help semantics explains both meanings.",
    ),
    "UpdateDeadEnd": (
        "updates that end before the head of their channel",
        "Let a later entry replace or skip the last version, or provide what its update requires.",
    ),
    "NeverDecisive": (
        "a requirement that decides nothing, because others always meet it",
        "Nothing, if it helps readers or future catalogs; else leave it out.",
    ),
    "NeverInstallable": (
        "a package that no subscription can get, or not from some of its channels",
        "Provide what the reasons name, widen a range that leads back to the package, or order the channel.",
    ),
    "NeverTogether": (
        "two subscriptions that can be served alone, but never in one namespace",
        "Read the reasons, and say in the documentation of both that they exclude each other, or relax one.",
    ),
    "WonByName": (
        "a package that is taken only because its name comes first",
        "Require the package by name if you mean it; otherwise a package whose name comes earlier takes its place.",
    ),
    "DifferentOpinion": (
        "a range or rule that another library reads differently, for no known reason",
        "Compare both answers with what you mean, and report the one that is wrong.",
    ),
}


def finding_guides() -> Mapping[str, FindingGuide]:
    """Return the guide of each code, in the order of the checks."""
    from olmsolve.authoring.checks import CODES
    from olmsolve.authoring.checks.validation import RULES, STAGES, Stage
    from olmsolve.render import AUDIT_RULES

    guides = []
    for code, means in RULES.items():
        command = "lint" if code in CODES else "validate"
        usual = "warning" if STAGES[code] is Stage.ADVICE else "error"
        guides.append(FindingGuide(code, command, means, _VALIDATE[code], _SEVERITIES.get(code, usual)))
    guides += [FindingGuide(code, "audit", means, _AUDIT[code]) for code, means in AUDIT_RULES.items()]
    guides += [FindingGuide(code, "fuzz", means, do) for code, (means, do) in _FUZZ.items()]
    return {guide.code: guide for guide in guides}
