"""The codes of advice, in a module of their own: reports need them without loading the resolvers."""

from __future__ import annotations

from typing import Final

from olmsolve.authoring.checks.lints import CODES

ADVICE: Final[dict[str, str]] = {
    "api-owners": "an API that several packages provide, so that only one of them can be installed",
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
    "name-case": "two names that differ in nothing but case",
    "requirement-unmet": "a requirement that nothing in the catalog meets",
    "skip-range-itself": "a head whose skipRange contains its own version, so that it is chosen again, to no effect",
    "upgrade-circle": "a head that OLM classic updates again, because an entry below has it in an open skipRange",
    "upgrade-stranded-classic": "bundles from which updates of OLM classic do not get to the head of their channel",
    "upgrade-stranded-v1": "bundles from which updates of OLM v1 miss the highest version that is not deprecated",
} | CODES
"""Every code of :func:`~olmsolve.authoring.checks.advice.advise`, lints included, with the fault that it reports."""
