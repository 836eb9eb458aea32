"""Whole catalogs, asked everything that their users will ask: what cannot be installed, updated or selected at all."""

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
