"""The codes of validation and of advice, the stages of ``opm validate`` that find each fault, and their reports."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import ClassVar, Final

from olmsolve._records import Record, documented, field, record
from olmsolve.authoring.checks.findings import Finding
from olmsolve.authoring.checks.lints import CODES

ADVICE: Final[dict[str, str]] = {
    "api-owners": "an API that several packages provide, so only one of them can be installed",
    "bundle-unreachable": (
        "bundles that OLM classic installs only where a startingCSV names them, because all their channels skip them;"
        " or, by the documentation, not at all, because a skipRange takes them out of all their channels"
    ),
    "channel-order": (
        "a channel that OLM classic cannot order, because replaces lead round below a skipped entry, where opm does not"
        " look; only a startingCSV installs from it"
    ),
    "default-channel-deprecated": "a default channel that is deprecated, while another is not",
    "head-deprecated": "a channel whose head is deprecated, while the channel is not",
    "head-not-highest": "a channel whose head is not its highest version: OLM classic and v1 install different ones",
    "name-case": "two names that differ only in case",
    "requirement-unmet": "a requirement that nothing in the catalog meets",
    "skip-range-itself": "a head whose skipRange contains its own version, so it is chosen again, without effect",
    "upgrade-circle": "a head that OLM classic updates again, because an entry below has it in an open skipRange",
    "upgrade-stranded-classic": "bundles from which updates of OLM classic do not get to the head of their channel",
    "upgrade-stranded-v1": "bundles from which updates of OLM v1 miss the highest version that is not deprecated",
} | CODES
"""Every code of :func:`~olmsolve.authoring.checks.advice.advise`, lints included, with the fault that it reports."""


class Stage(enum.StrEnum):
    """The stage at which ``opm validate`` stops."""

    LOAD = "load"
    """Reading files, and decoding documents."""
    CONVERT = "convert"
    """Linking the documents to packages, and checking these."""
    ADVICE = "advice"
    """It does not stop: advice is about catalogs that ``opm validate`` accepts."""


_LOAD: Final = {
    "bundle-object": "the value of an olm.bundle.object that holds no manifest",
    "catalog-empty": "a path with no document in any file",
    "field-case": "a field name in the wrong letter case, such as Name",
    "field-type": "a field of the wrong JSON type, such as a list in place of text",
    "field-unknown": (
        "a field whose name is nearly a documented one, such as replace, or versionRang in a known property"
    ),
    "icon-data": "an icon that is not base64 with padding",
    "key-twice": "two keys of a document that differ only in case",
    "schema-missing": "a document without a schema",
    "schema-rule": (
        "what the documented schemas do not allow and opm accepts: a property without a type or with null, an empty"
        " replaces, a related image without a reference, olm.deprecations with a name or without entries"
    ),
    "schema-unknown": (
        "a schema that is nearly one of OLM's, an unknown one in OLM's own namespace (olm.*), or olmsolve.versions,"
        " which only olmsolve understands"
    ),
    "text-ignored": "text after the end of a YAML document, which no reader takes",
    "unreadable": (
        "a file that is neither YAML nor JSON, not UTF-8, a device, a link out of the folder, or beyond the limits of"
        " loading"
    ),
    "yaml-dialect": "YAML that opm reads differently from YAML's specification: the catalog has what opm reads",
}
_CONVERT: Final = {
    "bundle-duplicate": "a bundle that is defined twice in its package",
    "bundle-package-missing": "a bundle that names no package",
    "bundle-without-channel": "a bundle that no channel has an entry for",
    "channel-cycle": "entries that replace each other in a circle",
    "channel-duplicate": "a channel that is defined twice in its package",
    "channel-empty": "a channel without entries",
    "channel-heads": "a channel with no head, or with several",
    "channel-name-missing": "a channel without a name",
    "channel-stranded": "entries from which no way leads to the head",
    "default-channel-missing": "a package without a default channel",
    "default-channel-unknown": "a default channel that does not exist",
    "deprecation-duplicate": "a second olm.deprecations for a package",
    "deprecation-entry-duplicate": "a second deprecation of one object",
    "deprecation-message-missing": "a deprecation that does not say why",
    "deprecation-package-missing": "deprecations that name no package",
    "deprecation-package-name": "a deprecation of a package that also gives a name",
    "deprecation-schema-missing": "a deprecation that does not say of what kind of object",
    "deprecation-schema-unknown": "a deprecation of a kind of object that has none",
    "deprecation-unknown": "a deprecation of an object that does not exist",
    "entry-duplicate": "two entries of one name in a channel",
    "entry-name-missing": "an entry without a name",
    "entry-without-bundle": "an entry without a bundle",
    "image-invalid": "a text that is not a valid image reference",
    "image-missing": "a bundle with neither an image nor its manifests",
    "package-duplicate": "a package that is defined twice",
    "package-empty": "a package without channels",
    "package-name-invalid": "a package whose name is not a DNS label (RFC 1123)",
    "package-name-missing": "a package without a name",
    "package-property-count": "a bundle without exactly one olm.package property",
    "package-property-mismatch": "an olm.package property that names another package than its bundle",
    "package-unknown": "channels, bundles or deprecations of a package without olm.package",
    "property-value": "a property without a value, or one of a known type with fields of the wrong type",
    "release-build-metadata": "a release together with build metadata",
    "release-invalid": "a release that does not parse",
    "release-name": "a bundle with a release that is not named after it",
    "skip-empty": "an empty name in skips",
    "skip-range-empty-part": "a skipRange with nothing between two ||",
    "skip-range-invalid": "a skipRange that does not parse",
    "version-duplicate": "two bundles of one version",
    "version-invalid": "a text that is not a version",
}

STAGES: Final = (
    dict.fromkeys(_LOAD, Stage.LOAD) | dict.fromkeys(_CONVERT, Stage.CONVERT) | dict.fromkeys(ADVICE, Stage.ADVICE)
)
"""Every code of :func:`~olmsolve.authoring.checks.validation.validate`, with its stage."""

RULES: Final = _LOAD | _CONVERT | ADVICE
"""Every code of :func:`~olmsolve.authoring.checks.validation.validate`, with the fault that it reports."""


def stage(finding: Finding) -> Stage:
    """Return the stage at which ``opm validate`` finds the fault that *finding* reports."""
    return STAGES[finding.code]


@record(definition="stagedFinding", about="A finding, with the step of validation that found it.")
class StagedFinding(Record):
    """A *finding* of validation, which has a code that :data:`STAGES` knows."""

    finding: Finding = field(path="*")

    @property
    @documented(
        "When it is found: as files are read, as packages are made of documents, or as advice on a valid catalog."
    )
    def stage(self) -> Stage:
        return stage(self.finding)


@record(
    definition="olmsolve.findings",
    title="What is wrong with a catalog",
    about="docs/lint.md and docs/validate.md give the meaning of the fields.",
)
class FindingsReport(Record):
    """The findings of one command on its catalogs."""

    kind: ClassVar[str]


@record(kind="lint", about="Of lint.")
class LintReport(FindingsReport):
    """The findings of :func:`~olmsolve.authoring.checks.lint`."""

    findings: tuple[Finding, ...] = field("What was found, in a fixed order.")


@record(kind="validate", about="Of validate.")
class ValidationReport(FindingsReport):
    """The findings of :func:`~olmsolve.authoring.checks.validate`, with its verdict."""

    is_valid: bool = field("Whether opm would accept the catalog.", path="valid")
    findings: tuple[StagedFinding, ...] = field("What was found, in a fixed order.")


def findings_report(findings: Iterable[Finding], *, is_valid: bool | None) -> FindingsReport:
    """Return the document of *findings*: after a validation, with its verdict *is_valid*."""
    if is_valid is None:
        return LintReport(tuple(findings))
    return ValidationReport(is_valid, tuple(map(StagedFinding, findings)))
