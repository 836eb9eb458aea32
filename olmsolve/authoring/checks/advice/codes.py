"""The codes of advice, in a module of their own: reports need them without loading the resolvers."""

from __future__ import annotations

from typing import Final

from olmsolve.authoring.checks.lints import CODES

ADVICE: Final = {
    "api-owners": "an API that several packages provide, of which only one can be installed",
    "bundle-unreachable": "bundles that OLM classic installs only by startingCSV, because all their channels skip them",
    "channel-order": "a channel that OLM classic cannot order, so that only a startingCSV installs from it",
    "default-channel-deprecated": "a default channel that is deprecated, while another is not",
    "head-deprecated": "a channel whose head is deprecated, while the channel is not",
    "head-not-highest": "a channel whose head is not its highest version: OLM classic and v1 install different ones",
    "name-case": "two names that differ in nothing but case",
    "requirement-unmet": "a requirement that nothing in the catalog meets",
    "skip-range-itself": "a head whose skipRange contains its own version",
    "upgrade-circle": "a head that is updated again, and so round and round",
    "upgrade-stranded-classic": "bundles from which OLM classic does not get to the head of their channel",
    "upgrade-stranded-v1": "bundles from which OLM v1 does not get to the highest version of their channel",
} | CODES
"""Every code of :func:`~olmsolve.authoring.checks.advice.advise`, lints included, with the fault that it reports."""
