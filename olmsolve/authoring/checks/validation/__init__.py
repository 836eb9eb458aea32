"""Is a catalog valid? The verdict of ``opm validate`` (operator-registry 1.73), with all faults at once.

A document passes through the modules in this order: ``reading`` finds it in files; ``blobs`` checks its fields against
``field_types``; ``channels`` and ``bundles`` check one blob; ``packages`` checks what the blobs say of each other.
``verdict`` runs the pass and adds advice. ``positions`` finds the line and column of fields. ``codes`` lists all codes
of findings.
"""

from olmsolve.authoring.checks.validation.blobs import CheckedBlob, checked_blob
from olmsolve.authoring.checks.validation.codes import RULES, STAGES, Stage, findings_report, stage
from olmsolve.authoring.checks.validation.names import PACKAGE_NAMES, is_package_name
from olmsolve.authoring.checks.validation.positions import at_fields
from olmsolve.authoring.checks.validation.verdict import validate

__all__ = [
    "PACKAGE_NAMES",
    "RULES",
    "STAGES",
    "CheckedBlob",
    "Stage",
    "at_fields",
    "checked_blob",
    "findings_report",
    "is_package_name",
    "stage",
    "validate",
]
