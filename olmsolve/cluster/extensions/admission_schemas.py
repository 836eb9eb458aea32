"""The fields of ClusterExtensions and ClusterCatalogs, and what an API server demands of their values, as recorded."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import olmsolve._attrs as attrs
from olmsolve._patterns import pattern

Rule = Callable[[Any], str]
"""Returns the message of the rule that a value breaks, "" if it breaks none."""

_LABEL: Final = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN: Final = rf"{_LABEL}(\.{_LABEL})*"
_SUBDOMAIN_WORDS: Final = (
    "must be a valid DNS1123 subdomain. It must contain only lowercase alphanumeric characters, hyphens (-) or periods"
    " (.), start and end with an alphanumeric character, and be no longer than 253 characters"
)

# The rule for ranges is meant for numbers and wildcards in three places, and not all of its brackets are where they
# belong: as recorded, "1.*" passes by its third place, "1.*.*" does not, and "|" passes for the first number.
_NUMBER: Final = r"(0|[1-9]\d*|x|X|\*)"
_SECOND: Final = r"(\.(0|[1-9]\d*|x|X|\*\]))?"
_OPERATOR: Final = r"(=||!=|>|<|>=|=>|<=|=<|~|~>|\^)"
_IDENTIFIERS: Final = r"[0-9A-Za-z\-]+(\.[0-9A-Za-z\-]+)*"
_SUFFIX: Final = rf"(-{_IDENTIFIERS})?(\+{_IDENTIFIERS})?"
_FIRST_TERM: Final = rf"\s*{_OPERATOR}\s*v?(0|[1-9]\d*|[x|X*]){_SECOND}(\.{_NUMBER})?{_SUFFIX}\s*"
_NEXT_TERM: Final = (
    rf"(\s+|,\s*|\s*\|\|\s*){_OPERATOR}\s*v?(0|[1-9]\d*|x|X|\*\])(\.{_NUMBER})?(\.(0|[1-9]\d*|x|X|\*\]))?{_SUFFIX}\s*"
)
_RANGE: Final = pattern(rf"{_FIRST_TERM}({_NEXT_TERM})*", re.ASCII)


@attrs.frozen
class FieldSchema:
    """A field of *type* (a JSON type); the rest limits its value. *is_open* lets it have fields that are not named.

    *rules* are tried once everything else holds, in their order; each may break.
    """

    type: str
    properties: Mapping[str, FieldSchema] = attrs.field(factory=dict)
    required: tuple[str, ...] = ()
    items: FieldSchema | None = None
    values: FieldSchema | None = None
    enum: tuple[str, ...] = ()
    longest: int | None = None
    most_items: int | None = None
    least: int | None = None
    most: int | None = None
    least_fields: int = 0
    is_open: bool = False
    rules: tuple[Rule, ...] = ()


def _matching(pattern: str, message: str) -> Rule:
    compiled = re.compile(pattern, re.ASCII)
    return lambda value: "" if compiled.fullmatch(value) else message


def _having(field: str, message: str) -> Rule:
    return lambda value: "" if value.get(field) is not None else message


def _range(value: str) -> str:
    return "" if _RANGE.fullmatch(value) else "invalid version expression"


def _catalog_of_source(value: Mapping[str, Any]) -> str:
    fits = (value.get("sourceType") == "Catalog") == (value.get("catalog") is not None)
    return "" if fits else "catalog is required when sourceType is Catalog, and forbidden otherwise"


def _image_of_source(value: Mapping[str, Any]) -> str:
    fits = (value.get("type") == "Image") == (value.get("image") is not None)
    return "" if fits else "image is required when source type is Image, and forbidden otherwise"


def _inline_of_config(value: Mapping[str, Any]) -> str:
    fits = (value.get("configType") == "Inline") == (value.get("inline") is not None)
    return "" if fits else "inline is required when configType is Inline, and forbidden otherwise"


def _text(longest: int | None = None, *rules: Rule, enum: tuple[str, ...] = ()) -> FieldSchema:
    return FieldSchema("string", longest=longest, rules=rules, enum=enum)


def _mapping(required: tuple[str, ...] = (), *rules: Rule, **properties: FieldSchema) -> FieldSchema:
    return FieldSchema("object", properties=properties, required=required, rules=rules)


_SELECTOR: Final = _mapping(
    (),
    matchLabels=FieldSchema("object", values=_text()),
    matchExpressions=FieldSchema(
        "array",
        items=_mapping(("key", "operator"), key=_text(), operator=_text(), values=FieldSchema("array", items=_text())),
    ),
)
CATALOG_WISH: Final = _mapping(
    ("packageName",),
    packageName=_text(253, _matching(_SUBDOMAIN, f"packageName {_SUBDOMAIN_WORDS}")),
    version=_text(64, _range),
    channels=FieldSchema(
        "array",
        most_items=256,
        items=_text(253, _matching(_SUBDOMAIN, "channels entries must be valid DNS1123 subdomains")),
    ),
    selector=_SELECTOR,
    upgradeConstraintPolicy=_text(enum=("CatalogProvided", "SelfCertified")),
)
_SAFETY: Final = _mapping(("enforcement",), enforcement=_text(enum=("None", "Strict")))
_STANDARD: Final = {
    "namespace": _text(63, _matching(_LABEL, "namespace must be a valid DNS1123 label")),
    "serviceAccount": _mapping(("name",), name=_text(253, _matching(_SUBDOMAIN, f"name {_SUBDOMAIN_WORDS}"))),
    "source": _mapping(("sourceType",), _catalog_of_source, sourceType=_text(enum=("Catalog",)), catalog=CATALOG_WISH),
    "install": _mapping(
        (),
        _having("preflight", "at least one of [preflight] are required when install is specified"),
        preflight=_mapping(("crdUpgradeSafety",), crdUpgradeSafety=_SAFETY),
    ),
}
_EXPERIMENTAL: Final = {
    "config": _mapping(
        ("configType",),
        _inline_of_config,
        configType=_text(enum=("Inline",)),
        inline=FieldSchema("object", is_open=True, least_fields=1),
    ),
    "progressDeadlineMinutes": FieldSchema("integer", least=10, most=720),
}
_REQUIRED: Final = ("namespace", "serviceAccount", "source")

EXTENSION: Final = _mapping(_REQUIRED, **_STANDARD)
"""The specification of a ClusterExtension."""

EXPERIMENTAL_EXTENSION: Final = _mapping(_REQUIRED, **_STANDARD, **_EXPERIMENTAL)
"""The specification of a ClusterExtension with the experimental feature set."""

# The patterns of the definition's own rules for image references, which are CEL with RE2: re.ASCII makes \w the same.
_DOMAIN: Final = r"([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])"
_NAME: Final = r"[a-z0-9]+((([._]|__|[-]*)[a-z0-9]+)+)?"


def _breaking(is_broken: Callable[[str], object], message: str) -> Rule:
    return lambda value: message if is_broken(value) else ""


def _reference_rules() -> Iterator[Rule]:
    """Yield the rules for the reference of an image: each looks for its own part."""
    domain = re.compile(rf"{_DOMAIN}(\.{_DOMAIN})*(:[0-9]+)?\b", re.ASCII)
    yield _breaking(
        lambda ref: not domain.match(ref),
        "must start with a valid domain. valid domains must be alphanumeric characters (lowercase and uppercase)"
        ' separated by the "." character.',
    )
    name = re.compile(rf"/{_NAME}", re.ASCII)
    yield _breaking(
        lambda ref: not name.search(ref),
        "a valid name is required. valid names must contain lowercase alphanumeric characters separated only by the"
        ' ".", "_", "__", "-" characters.',
    )
    yield _breaking(lambda ref: ":" not in ref, "must end with a digest or a tag")
    yield _breaking(
        # The tag counts with its colon: 128 characters are a tag of 127.
        lambda ref: not _digest(ref) and len(_tag(ref)) > 128,
        "tag is invalid. the tag must not be more than 127 characters",
    )
    # The rules look for their pattern at the end, and for its beginning anywhere: "docker://a/b:c" has the tag ":c".
    tag = re.compile(r":\w[\w.-]*\Z", re.ASCII)
    yield _breaking(
        lambda ref: not _digest(ref) and _tag(ref) and not tag.search(_tag(ref)),
        'tag is invalid. valid tags must begin with a word character (alphanumeric + "_") followed by word characters'
        ' or ".", and "-" characters',
    )
    algorithm = re.compile(r"@[A-Za-z][A-Za-z0-9]*([-_+.][A-Za-z][A-Za-z0-9]*)*:", re.ASCII)
    yield _breaking(
        lambda ref: _digest(ref) and not algorithm.search(_digest(ref)),
        "digest algorithm is not valid. valid algorithms must start with an uppercase or lowercase alpha character"
        ' followed by alphanumeric characters and may contain the "-", "_", "+", and "." characters.',
    )
    yield _breaking(
        # The colon counts here as well: 32 characters are 31 hexadecimal digits.
        lambda ref: _digest(ref) and len(_tag(ref)) <= 32,
        "digest is not valid. the encoded string must be at least 32 characters",
    )
    hexadecimal = re.compile(r":[0-9A-Fa-f]*\Z", re.ASCII)
    yield _breaking(
        lambda ref: _digest(ref) and not hexadecimal.search(_tag(ref)),
        "digest is not valid. the encoded string must only contain hex characters (A-F, a-f, 0-9)",
    )


def _digest(ref: str) -> str:
    """Return the part of *ref* from the first @ to the last colon, "" where there is none."""
    start, end = ref.find("@"), ref.rfind(":")
    return ref[start : end + 1] if 0 <= start < end else ""


def _tag(ref: str) -> str:
    """Return the part of *ref* from its first colon on, "" where there is none."""
    return ref[ref.find(":") :] if ":" in ref else ""


def _poll(value: Mapping[str, Any]) -> str:
    fits = not _digest(value.get("ref", "")) or value.get("pollIntervalMinutes") is None
    return "" if fits else "cannot specify pollIntervalMinutes while using digest-based image"


CATALOG: Final = _mapping(
    ("source",),
    source=_mapping(
        ("type",),
        _image_of_source,
        type=_text(enum=("Image",)),
        image=_mapping(
            ("ref",), _poll, ref=_text(1000, *_reference_rules()), pollIntervalMinutes=FieldSchema("integer", least=1)
        ),
    ),
    priority=FieldSchema("integer"),
    availabilityMode=_text(enum=("Unavailable", "Available")),
)
"""The specification of a ClusterCatalog."""
