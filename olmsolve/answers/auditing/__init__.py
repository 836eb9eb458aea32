"""Audits: whole catalogs, asked what all of their users will ask, to find what nobody can install, update or select.

Read ``findings`` (the kinds of findings) and ``report`` first, then ``packages`` (the questions about one package; the
walk along its updates is in ``dead_ends``). ``running`` has the verb, which spreads packages over ``workers``;
``content`` and ``state`` let a run be sent elsewhere and resumed.
"""

from olmsolve.answers.auditing.findings import (
    AuditFinding,
    BrokenChannel,
    CircularUpdates,
    DeadBecause,
    DeadBundle,
    EmptyChannel,
    HeadNotInstallable,
    NoUpdate,
    UpdateNotInstallable,
)
from olmsolve.answers.auditing.packages import Auditor
from olmsolve.answers.auditing.report import AuditedChannel, AuditedPackage, Report
from olmsolve.answers.auditing.running import ProgressReport, audit

__all__ = [
    "AuditFinding",
    "AuditedChannel",
    "AuditedPackage",
    "Auditor",
    "BrokenChannel",
    "CircularUpdates",
    "DeadBecause",
    "DeadBundle",
    "EmptyChannel",
    "HeadNotInstallable",
    "NoUpdate",
    "ProgressReport",
    "Report",
    "UpdateNotInstallable",
    "audit",
]
