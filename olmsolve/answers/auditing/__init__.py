"""Audits: whole catalogs, asked what all of their users will ask, to find what nobody can install, update or select.

Read ``report`` (with the kinds of findings) first, then ``packages`` (the questions about one package, and the walk
along its updates). ``running`` has the verb, which may spread packages over a fleet of workers and resume a run.
"""

from typing import TYPE_CHECKING

from olmsolve._lazy import lazily

if TYPE_CHECKING:
    from olmsolve.answers.auditing.packages import Auditor as Auditor
    from olmsolve.answers.auditing.report import AuditedPackage as AuditedPackage
    from olmsolve.answers.auditing.report import AuditFinding as AuditFinding
    from olmsolve.answers.auditing.report import AuditReport as AuditReport
    from olmsolve.answers.auditing.report import BrokenChannel as BrokenChannel
    from olmsolve.answers.auditing.report import CircularUpdates as CircularUpdates
    from olmsolve.answers.auditing.report import DeadBecause as DeadBecause
    from olmsolve.answers.auditing.report import DeadBundle as DeadBundle
    from olmsolve.answers.auditing.report import EmptyChannel as EmptyChannel
    from olmsolve.answers.auditing.report import HeadNotInstallable as HeadNotInstallable
    from olmsolve.answers.auditing.report import NoUpdate as NoUpdate
    from olmsolve.answers.auditing.report import RecordedReason as RecordedReason
    from olmsolve.answers.auditing.report import UpdateNotInstallable as UpdateNotInstallable
    from olmsolve.answers.auditing.running import audit as audit
else:
    __getattr__, __dir__ = lazily(__name__)
