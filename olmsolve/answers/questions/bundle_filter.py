"""The filter of a question: the candidates that match it, and what is wrong with it if there are none."""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from olmsolve.answers.wording import enumerated, similar_names
from olmsolve.classic import ClassicProblem, visible_unreadable
from olmsolve.errors import RequestError, VersionError
from olmsolve.resolution import EXISTING, Candidate
from olmsolve.semver import Version


def parse_version(version: str) -> Version | None:
    """Parse *version*; return None for "". Raises RequestError if it is not a version."""
    if not version:
        return None
    try:
        return Version.parse_tolerant(version)
    except VersionError as error:
        raise RequestError(f"{version!r} is no version: {error.reason}", field="version") from None


@attrs.frozen
class BundleFilter:
    """Bundles of *package* with this *version*, from this *channel* and *catalog*; None and "" stand for any."""

    package: str
    version: Version | None
    channel: str
    catalog: str

    def matches(self, problem: ClassicProblem) -> Iterator[int]:
        """Yield the candidates that match: installed operators, then the catalogs in order of preference."""
        if not self.channel and self.catalog in ("", EXISTING):
            for position in range(len(problem.installed.names)):
                number = problem.visible.size + position
                if problem.candidate(number).package == self.package and self._has_version(problem.candidate(number)):
                    yield number
        for position, source in enumerate(problem.visible.sources):
            if self.catalog not in ("", source.key):
                continue
            index = problem.visible.indexes[position]
            for name in index.channel_names(self.package):
                if self.channel in ("", name):
                    for slot in index.channel(self.package, name).all:
                        number = problem.visible.offsets[position] + slot
                        if self._has_version(problem.candidate(number)):
                            yield number

    def _has_version(self, candidate: Candidate) -> bool:
        if self.version is None:
            return True
        try:
            return Version.parse_tolerant(candidate.version) == self.version
        except VersionError:
            return False

    def absence(self, problem: ClassicProblem) -> str:
        """Return a sentence about the part of the filter that does not exist, with similar names."""
        if self.catalog == EXISTING:
            return f"no installed operator is of package {self.package}{self._narrower()}"
        unreadable = [each.key for each in visible_unreadable(problem.request) if self.catalog in ("", each.key)]
        if self.catalog in unreadable:
            return f"catalog {self.catalog} cannot be read"
        hidden = f"; what is in {enumerated(unreadable)} cannot be read" if unreadable else ""
        return f"{self._missing(problem)}{hidden}"

    def _missing(self, problem: ClassicProblem) -> str:
        """Return the first name, from the catalog down to the version, that the readable catalogs do not have."""
        keys = [source.key for source in problem.visible.sources]
        if self.catalog and self.catalog not in keys:
            if any(source.key == self.catalog for source in problem.request.sources):
                return f"catalog {self.catalog} is not visible in namespace {problem.request.namespaces[0]}"
            return f"there is no visible catalog {self.catalog} (there is {enumerated(keys) or 'none'})"
        sources = [source for source in problem.visible.sources if self.catalog in ("", source.key)]
        where = f"catalog {self.catalog}" if self.catalog else "any visible catalog"
        packages = [
            source.catalog.packages[self.package] for source in sources if self.package in source.catalog.packages
        ]
        if not packages:
            hidden = [source.key for source in problem.request.sources if self.package in source.catalog.packages]
            if hidden and not self.catalog:
                target = problem.request.namespaces[0]
                return (
                    f"package {self.package} is only in {enumerated(sorted(hidden))}, not visible in namespace {target}"
                )
            near = similar_names(self.package, {name for source in sources for name in source.catalog.packages})
            hint = f" (did you mean {enumerated(near, 'or')}?)" if near else ""
            return f"package {self.package} is not in {where}{hint}"
        channels = sorted({name for package in packages for name in package.channels})
        if self.channel and self.channel not in channels:
            return f"package {self.package} has no channel {self.channel} in {where} (it has {enumerated(channels)})"
        return f"package {self.package} has no bundle{self._narrower()} in {where}"

    def _narrower(self) -> str:
        version = "" if self.version is None else f" of version {self.version}"
        return f"{version} in channel {self.channel}" if self.channel else version
