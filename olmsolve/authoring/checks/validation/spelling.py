"""Names of packages, and names that ``opm`` passes over without a word because they are nearly others.

Misspelt fields and schemas, and fields as no schema has them, are such: ``replace:`` in a channel's entry replaces
nothing, and a blob of ``olm.packge`` is no package: both load. Here they are warnings, with the name that was probably
meant.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Final

from olmsolve._limits import checked
from olmsolve._patterns import pattern
from olmsolve._records import evolve
from olmsolve.authoring.checks.findings import Edit, FieldFix, FieldPath, Finding, Severity, shortened
from olmsolve.catalog import VERSIONS_SCHEMA
from olmsolve.catalog.fbc import BLOB_TYPES, PROPERTY_TYPES, FieldType
from olmsolve.errors import VersionError
from olmsolve.predicates import folded
from olmsolve.semver import Version

PACKAGE_NAMES: Final = (
    "at most 63 lower-case letters, digits and hyphens; no dots, and no hyphen at the beginning or end"
)
"""The names that packages may have: DNS labels (RFC 1123)."""

_LABEL: Final = pattern(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?")
_LABEL_LENGTH: Final = 63  # RFC 1123
# By difflib: "stabel" is to "stable" as 0.83, "p.v1.0.O" to "p.v1.0.0" as 0.88, and "1.x" to "2.x" as 0.67.
_SIMILAR_NAMES: Final = 0.75
# The time of a comparison grows with the square of the length, and a stranger may have written a name of a megabyte.
_LONGEST_NAME: Final = 200
_MOST_COMPARED: Final = 100  # names that one is compared with, each in the square of its length


def is_package_name(name: str) -> bool:
    """Return whether a package may have this *name*: :data:`PACKAGE_NAMES` says the rule."""
    return len(name) <= _LABEL_LENGTH and _LABEL.fullmatch(name) is not None


def nearest(name: str, names: Collection[str]) -> str:
    """Return the name in *names* that *name* probably stands for; "" if none is near, or several equally."""
    if not name or len(name) > _LONGEST_NAME or len(names) > _MOST_COMPARED:
        return ""
    import difflib  # slow to load, and few need it

    near = difflib.get_close_matches(name, names, n=2, cutoff=_SIMILAR_NAMES)
    if len(near) == 2 and _ratio(name, near[0]) == _ratio(name, near[1]):
        return ""
    # Of two versions of a bundle, neither is a slip of the pen for the other.
    return near[0] if near and not _are_versions(name, near[0]) else ""


def _ratio(one: str, other: str) -> float:
    import difflib  # slow to load, and few need it

    return difflib.SequenceMatcher(None, other, one).ratio()


def _are_versions(one: str, other: str) -> bool:
    return one.rpartition(".v")[0] == other.rpartition(".v")[0] and _is_version(one) and _is_version(other)


def _is_version(name: str) -> bool:
    try:
        Version.parse(name.rpartition(".v")[2])
    except VersionError:
        return False
    return True


# "replace" is to "replaces" as 0.93, "entires" to "entries" as 0.86, and "skips" to "skiprange" as 0.57.
_SIMILAR_FIELDS: Final = 0.76
_LONGEST_FIELD: Final = 60  # twice as long as any documented name
_RESERVED: Final = "olm."


def misspelt(value: dict[str, Any], schema: str) -> Iterator[Finding]:
    """Yield a warning for each name in the blob *value* that is not a documented one, and probably stands for one."""
    type_ = BLOB_TYPES.get(schema)
    if schema == VERSIONS_SCHEMA:
        yield _on_scheme(value)
        return
    if type_ is None:
        yield from _on_schema(schema)
        type_ = _META
    yield from _on_fields(type_, value, "", ())
    if schema == "olm.bundle":
        yield from _in_properties(value)


def unruly(value: dict[str, Any], schema: str) -> Iterator[Finding]:
    """Yield a warning for each field of the blob *value* that the documented schema forbids, and ``opm`` accepts."""
    for index, property_ in enumerate(value.get("properties") or () if schema in BLOB_TYPES else ()):
        if isinstance(property_, dict) and not property_.get("type"):
            yield _rule(f"properties[{index}].type", "the property has no type", "say what its value is")
        elif isinstance(property_, dict) and property_.get("value", "") is None:
            yield _rule(f"properties[{index}].value", "the value of the property is null", "give it a value")
    if schema == "olm.channel":
        for index, property_ in enumerate(value.get("entries") or ()):
            for field in ("replaces", "skipRange"):
                if isinstance(property_, dict) and property_.get(field) == "":
                    path = ("entries", index, field)
                    yield _rule(f"entries[{index}].{field}", f"{field} is empty", "leave it out", removing=path)
    elif schema == "olm.bundle":
        for index, property_ in enumerate(value.get("relatedImages") or ()):
            if isinstance(property_, dict) and not property_.get("image"):
                yield _rule(f"relatedImages[{index}].image", "the related image has no reference", "add its image")
    elif schema == "olm.deprecations":
        if "name" in value:
            hint = "remove it: deprecations belong to their package"
            yield _rule("name", "the deprecations have a name", hint, removing=("name",))
        if not value.get("entries"):
            yield _rule("entries", "nothing is deprecated", "list what is deprecated, or remove the document")


_TEMPLATES: Final = {
    "olm.composite": "composite",
    "olm.composite.catalogs": "composite",
    "olm.semver": "template",
    "olm.template.basic": "template",
    "olm.template.substitutes": "template",
}
_META: Final = FieldType(
    "struct",
    fields=dict.fromkeys(("schema", "package", "name"), FieldType("any")),
    names=frozenset({"schema", "package", "name"}),
)


def _on_schema(schema: str) -> Iterator[Finding]:
    if schema in _TEMPLATES:
        reason = f"{schema} is a template, which nothing reads in a catalog: render a catalog from it"
        yield _warning("schema-unknown", "schema", reason, f"olmsolve {_TEMPLATES[schema]} renders it")
        return
    near = _nearest(schema, tuple(BLOB_TYPES))
    if near:
        reason = f"the schema {shortened(schema)!r} means nothing to Operator Lifecycle Manager"
        fix = FieldFix(Edit.SET, (folded("schema"),), near)
        yield _warning("schema-unknown", "schema", reason, f"did you mean {near}?", fix)
    elif schema.startswith(_RESERVED):
        reason = f"Operator Lifecycle Manager has no schema {shortened(schema)!r}, and reserves {_RESERVED}*"
        yield _warning("schema-unknown", "schema", reason, "give your own schemas a domain of your own")


def _on_scheme(value: dict[str, Any]) -> Finding:
    """Return the warning that the catalog has a version scheme of its own, which ``opm`` does not know."""
    reason = (
        f"olmsolve reads the versions of this catalog as {shortened(str(value.get('scheme')))} versions, but opm and"
        " Operator Lifecycle Manager read only semantic versions: findings about versions follow opm"
    )
    return _warning("schema-unknown", "schema", reason, "olmsolve resolves it; no cluster does")


def _in_properties(value: dict[str, Any]) -> Iterator[Finding]:
    """Yield the misspelt fields in values of properties whose documented fields have no fields of their own."""
    properties = value.get("properties")
    for index, property_ in enumerate(properties if isinstance(properties, list) else ()):
        type_ = (
            PROPERTY_TYPES.get(property_["type"])
            if isinstance(property_, dict) and isinstance(property_.get("type"), str)
            else None
        )
        inside = property_.get("value") if type_ is not None and type_.is_flat else None
        if type_ is not None and isinstance(inside, dict) and not type_.names.issuperset(inside):
            steps: FieldPath = ("properties", index, "value")
            for key in checked(inside, every=64):
                if key not in type_.names:
                    yield from _on_name(
                        key, type_.names, f"properties[{index}] ({property_['type']}): {key}", steps, inside
                    )


def _on_fields(type_: FieldType, value: Any, path: str, steps: FieldPath) -> Iterator[Finding]:
    if type_.kind == "list" and isinstance(value, list):
        inner = type_.inner
        if inner is None or inner.kind not in ("list", "struct"):
            return
        for index, element in checked(enumerate(value), every=256):
            # Most elements have documented names only, and nothing deeper to look at.
            if inner.is_flat and type(element) is dict and inner.names.issuperset(element):
                continue
            yield from _on_fields(inner, element, f"{path}[{index}]", (*steps, index))
    elif type_.kind == "struct" and isinstance(value, dict):
        for key, element in checked(value.items(), every=64):
            if key in type_.names and type(element) is str:
                continue  # it has no fields
            at = f"{path}.{key}" if path else key
            if key in type_.names:
                yield from _on_fields(type_.fields[key], element, at, (*steps, key))
            else:
                yield from _on_name(key, type_.names, at, steps, value)


def _on_name(key: str, names: frozenset[str], path: str, steps: FieldPath, among: dict[str, Any]) -> Iterator[Finding]:
    """Yield a warning for *key*, found at *steps* of the document *among* other keys, if one of *names* is meant."""

    def fix(name: str) -> FieldFix | None:
        # Beside the right name, or in two spellings, it is not clear which value is meant.
        if any(folded(other) == folded(name) for other in checked(among, every=256) if other != key):
            return None
        return FieldFix(Edit.RENAME, (*steps, key), name)

    form = folded(key)
    meant = next((name for name in names if folded(name) == form), "")
    if meant:
        reason = f"the field {meant} is written {shortened(key)!r}"
        yield _warning("field-case", path, reason, f"write {meant}, which every reader understands", fix(meant))
    elif meant := _nearest(key, tuple(sorted(names))):
        reason = f"the field {shortened(key)!r} is not documented, and means nothing"
        yield _warning("field-unknown", path, reason, f"did you mean {meant}?", fix(meant))


def _nearest(text: str, names: tuple[str, ...]) -> str:
    if len(text) > _LONGEST_FIELD:
        return ""
    by_form = {folded(name): name for name in names}
    import difflib  # slow to load, and few need it

    near = difflib.get_close_matches(folded(text), by_form, n=1, cutoff=_SIMILAR_FIELDS)
    return by_form[near[0]] if near else ""


def _rule(path: str, reason: str, hint: str, *, removing: FieldPath = ()) -> Finding:
    fix = FieldFix(Edit.REMOVE, removing) if removing else None
    return _warning("schema-rule", path, reason, f"the documented schema does not allow it; {hint}", fix)


def _warning(code: str, path: str, reason: str, hint: str, fix: FieldFix | None = None) -> Finding:
    warning = Finding(Severity.WARNING, code, shortened(reason), hint, property=shortened(path))
    if fix is None:
        return warning
    steps = tuple(folded(step) if isinstance(step, str) else step for step in fix.path)
    return evolve(warning, fixes=(evolve(fix, path=steps),))
