"""Is a catalog valid? The verdict of ``opm validate`` (operator-registry 1.73), with all faults at once.

A document passes through the modules in this order: ``reading`` finds it in files; ``blobs`` checks its fields against
``field_types``; ``channels`` and ``bundles`` check one blob; ``packages`` checks what the blobs say of each other.
``verdict`` runs the pass and adds advice. ``positions`` finds the line and column of fields. ``codes`` lists all codes
of findings.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.authoring.checks.validation.blobs import checked_blob as checked_blob
    from olmsolve.authoring.checks.validation.codes import ADVICE as ADVICE
    from olmsolve.authoring.checks.validation.codes import RULES as RULES
    from olmsolve.authoring.checks.validation.codes import STAGES as STAGES
    from olmsolve.authoring.checks.validation.codes import Stage as Stage
    from olmsolve.authoring.checks.validation.codes import findings_report as findings_report
    from olmsolve.authoring.checks.validation.codes import stage as stage
    from olmsolve.authoring.checks.validation.positions import FieldSpan as FieldSpan
    from olmsolve.authoring.checks.validation.positions import at_fields as at_fields
    from olmsolve.authoring.checks.validation.positions import field_spans as field_spans
    from olmsolve.authoring.checks.validation.spelling import PACKAGE_NAMES as PACKAGE_NAMES
    from olmsolve.authoring.checks.validation.spelling import is_package_name as is_package_name
    from olmsolve.authoring.checks.validation.verdict import validate as validate
else:
    __getattr__, __dir__ = lazily(__name__)
