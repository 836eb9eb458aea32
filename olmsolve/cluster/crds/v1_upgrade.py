"""The check by which OLM v1 lets one CustomResourceDefinition replace another: it compares the two and reads no object.

As recorded: the scope, the stored versions and all fields must stay, and no version may become stricter. Of the
versions served side by side, a later one must not be stricter than an earlier one, unless a webhook converts between
them or the old definition had the same fault.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Final

from olmsolve._records import Record, field, record
from olmsolve.cluster.crds.schema_changes import refused_changes
from olmsolve.cluster.crds.schema_tree import Schema, parts_of
from olmsolve.cluster.crds.version_order import version_key
from olmsolve.cluster.objects import CustomResourceDefinition
from olmsolve.semver import quote

_Parts = Mapping[str, Schema]

# Rules about the whole definition: their messages name no version and no path.
_OF_DEFINITION: Final = frozenset({"scope", "storedVersionRemoval", "existingFieldRemoval"})


@record(layout=("rule", "versions", "path", "reason"))
class SchemaChange(Record):
    """A change that OLM v1 refuses."""

    rule: str = field("The rule that is broken: scope, existingFieldRemoval, type, and others.")
    reason: str = field("What is wrong with it.")
    versions: str = field(
        "The version, or the pair of versions (v1 -> v2); empty for the definition as a whole.", default=""
    )
    path: str = field("Where in the schema the change is; empty for the definition as a whole.", default="")

    def __str__(self) -> str:
        """Return OLM's message."""
        prefix = "" if self.rule in _OF_DEFINITION else f"{self.versions}: {self.path}: "
        return f"{prefix}{self.rule}: {self.reason}"


def upgrade_faults(old: CustomResourceDefinition, new: CustomResourceDefinition) -> tuple[SchemaChange, ...]:
    """Return every change that OLM v1 refuses when *new* replaces *old*, sorted by text; () where it allows all.

    Raises:
        ManifestError: a schema nests too deep, or a part of it is not a schema.
    """
    before, after = _schemas(old), _schemas(new)
    faults = [*_of_definition(old, new, before, after), *_of_same_versions(before, after)]
    if new.conversion != "Webhook":
        former = set(_between_served(old, before))
        faults += [fault for fault in _between_served(new, after) if fault not in former]
    return tuple(sorted(faults, key=str))


def _schemas(crd: CustomResourceDefinition) -> dict[str, _Parts]:
    return {version.name: parts_of(version, crd) for version in crd.versions}


def _of_definition(
    old: CustomResourceDefinition,
    new: CustomResourceDefinition,
    before: Mapping[str, _Parts],
    after: Mapping[str, _Parts],
) -> Iterator[SchemaChange]:
    if old.scope != new.scope:
        yield SchemaChange("scope", f"scope changed : {quote(old.scope)} -> {quote(new.scope)}")
    gone = sorted(set(old.stored_versions) - after.keys())
    if gone:
        yield SchemaChange("storedVersionRemoval", f"stored versions removed : [{' '.join(gone)}]")
    for name, parts in before.items():
        if name in after:
            for path in parts.keys() - after[name].keys():
                yield SchemaChange("existingFieldRemoval", f"removed field : {name}.{path}", name, path)


def _of_same_versions(before: Mapping[str, _Parts], after: Mapping[str, _Parts]) -> Iterator[SchemaChange]:
    for name, parts in before.items():
        if name in after:
            yield from _between(parts, after[name], name)


def _between_served(crd: CustomResourceDefinition, schemas: Mapping[str, _Parts]) -> Iterator[SchemaChange]:
    served = sorted((version.name for version in crd.versions if version.served), key=version_key)
    for earlier, later in itertools.combinations(served, 2):
        yield from _between(schemas[earlier], schemas[later], f"{earlier} -> {later}")


def _between(before: _Parts, after: _Parts, versions: str) -> Iterator[SchemaChange]:
    for path, part in before.items():
        other = after.get(path, {})
        # Most parts of a large definition stay the same: one comparison saves sixteen rules.
        if part == other:
            continue
        for rule, reason in refused_changes(part, other):
            yield SchemaChange(rule, reason, versions, path)
