"""Is a catalog valid? The verdict of ``opm validate`` (operator-registry 1.73), with all faults at once."""

from olmsolve.authoring.checks.validation.codes import STAGES, Stage, stage
from olmsolve.authoring.checks.validation.verdict import validate

__all__ = ["STAGES", "Stage", "stage", "validate"]
