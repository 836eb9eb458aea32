"""Findings on a whole catalog: what is broken in it, and what means something else than it seems to say.

:func:`validate` gives the verdict of ``opm validate``, and advice on what ``opm`` accepts. :func:`lint` judges the
meaning of version ranges, requirements, CEL rules and property types. Neither needs a request or a cluster.

Read ``findings`` first. ``lints`` calls ``requirements`` (which calls ``rules``, on CEL); ``opinions`` asks other
libraries. ``mending`` carries fixes out in the text of files. The rooms ``validation`` and ``advice`` are the two
halves of :func:`validate`.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.authoring.checks import advice as advice
    from olmsolve.authoring.checks import validation as validation
    from olmsolve.authoring.checks.findings import Edit as Edit
    from olmsolve.authoring.checks.findings import FieldFix as FieldFix
    from olmsolve.authoring.checks.findings import Finding as Finding
    from olmsolve.authoring.checks.findings import Severity as Severity
    from olmsolve.authoring.checks.lints import CODES as CODES
    from olmsolve.authoring.checks.lints import installing_findings as installing_findings
    from olmsolve.authoring.checks.lints import lint as lint
    from olmsolve.authoring.checks.mending import MendedFile as MendedFile
    from olmsolve.authoring.checks.mending import mend as mend
    from olmsolve.authoring.checks.opinions import SecondOpinions as SecondOpinions
    from olmsolve.authoring.checks.opinions import second_opinions as second_opinions
    from olmsolve.authoring.checks.rules import why_never as why_never
    from olmsolve.authoring.checks.validation import ADVICE as ADVICE
    from olmsolve.authoring.checks.validation import validate as validate
else:
    __getattr__, __dir__ = lazily(__name__)
