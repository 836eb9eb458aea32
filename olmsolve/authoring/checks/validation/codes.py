"""The codes of validation, and the stage at which ``opm validate`` finds each fault."""

from __future__ import annotations

import enum
from typing import Final

from olmsolve.authoring.checks.advice import ADVICE
from olmsolve.authoring.checks.finding import Finding


class Stage(enum.StrEnum):
    """Where ``opm validate`` is when it stops."""

    LOAD = "load"
    """Reading files, and decoding documents."""
    CONVERT = "convert"
    """Linking the documents to packages, and checking these."""
    ADVICE = "advice"
    """It does not stop: advice is about catalogs that ``opm validate`` accepts."""


_LOAD: Final = (
    "bundle-object",
    "catalog-empty",
    "field-case",
    "field-type",
    "field-unknown",
    "icon-data",
    "key-twice",
    "schema-missing",
    "schema-rule",
    "schema-unknown",
    "text-ignored",
    "unreadable",
)
_CONVERT: Final = (
    "bundle-duplicate",
    "bundle-package-missing",
    "bundle-without-channel",
    "channel-cycle",
    "channel-duplicate",
    "channel-empty",
    "channel-heads",
    "channel-name-missing",
    "channel-stranded",
    "default-channel-missing",
    "default-channel-unknown",
    "deprecation-duplicate",
    "deprecation-entry-duplicate",
    "deprecation-message-missing",
    "deprecation-package-missing",
    "deprecation-package-name",
    "deprecation-schema-missing",
    "deprecation-schema-unknown",
    "deprecation-unknown",
    "entry-duplicate",
    "entry-name-missing",
    "entry-without-bundle",
    "image-invalid",
    "image-missing",
    "package-duplicate",
    "package-empty",
    "package-name-invalid",
    "package-name-missing",
    "package-property-count",
    "package-property-mismatch",
    "package-unknown",
    "property-value",
    "release-build-metadata",
    "release-invalid",
    "release-name",
    "skip-empty",
    "skip-range-empty-part",
    "skip-range-invalid",
    "version-duplicate",
    "version-invalid",
)

STAGES: Final = (
    dict.fromkeys(_LOAD, Stage.LOAD) | dict.fromkeys(_CONVERT, Stage.CONVERT) | dict.fromkeys(ADVICE, Stage.ADVICE)
)
"""Every code of :func:`~olmsolve.authoring.checks.validation.validate`, with its stage."""


def stage(finding: Finding) -> Stage:
    """Return the stage at which ``opm validate`` finds the fault that *finding* reports."""
    return STAGES[finding.code]
