"""References to container images, with the grammar of the distribution project's image references."""

from __future__ import annotations

from typing import Final

from olmsolve._named_tuples import NamedTuple
from olmsolve._patterns import pattern

# The words of distribution/reference, regexp.go, in its order: a component of a domain, the domain, a part of the path.
_COMPONENT: Final = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?"
_DOMAIN: Final = rf"(?:{_COMPONENT}(?:\.{_COMPONENT})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?"
_PATH: Final = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_REFERENCE: Final = pattern(
    rf"(?P<name>(?:{_DOMAIN}/)?{_PATH}(?:/{_PATH})*)"
    r"(?::(?P<tag>[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?"
    r"(?:@(?P<algorithm>[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*):(?P<digest>[0-9a-fA-F]{32,}))?"
)
_IDENTIFIER: Final = pattern(r"[a-f0-9]{64}")
_DIGITS: Final = {"sha256": 64, "sha384": 96, "sha512": 128}
_ANY_SCHEME: Final = pattern(r"[A-Za-z][A-Za-z0-9+.-]*://")
_DIGEST: Final = pattern(r"[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}")
_TAG: Final = pattern(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")
_DOMAIN_PART: Final = pattern(_DOMAIN)
_PATH_PART: Final = pattern(_PATH)
_SHOWN: Final = 60  # characters of a part in a message
_SCHEME: Final = pattern("docker:/{1,2}")
# RepositoryNameTotalLengthMax of distribution/reference.
_LONGEST_NAME: Final = 255
_LONGEST: Final = 4096


def image_fault(reference: str) -> str:
    """Return why *reference* is no image reference (``domain/path:tag@algorithm:digest``), "" if it is one.

    The grammar is that of the distribution project (``reference.Parse``).
    """
    # The limit keeps backtracking short; tag and digest have limits of their own.
    match = _REFERENCE.fullmatch(reference) if len(reference) <= _LONGEST else None
    if match is None or _IDENTIFIER.fullmatch(reference):
        return f"{_form_fault(reference)}; the form is domain/path:tag@sha256:digest"
    if len(match["name"]) > _LONGEST_NAME:
        return f"its name has more than {_LONGEST_NAME} characters"
    algorithm, digest = match["algorithm"], match["digest"]
    if algorithm is None:
        return ""
    if algorithm not in _DIGITS:
        return f"the digest algorithm {algorithm!r} is not one of {', '.join(_DIGITS)}"
    if len(digest) != _DIGITS[algorithm] or digest != digest.lower():
        return f"a {algorithm} digest has {_DIGITS[algorithm]} hexadecimal digits in lower case"
    return ""


def _form_fault(reference: str) -> str:
    """Return the part of *reference* that has a wrong form, if a single part is to blame."""
    if len(reference) > _LONGEST:
        return f"it has more than {_LONGEST:,} characters"
    if _IDENTIFIER.fullmatch(reference):
        return "64 hexadecimal digits alone are the identifier of an image, not its name"
    if scheme := _ANY_SCHEME.match(reference):
        return f"it begins with {scheme[0]}, and a reference has no scheme"
    if blank := next((character for character in reference if character.isspace()), ""):
        return f"it has white space ({blank!r})"
    name, has_digest, digest = reference.partition("@")
    if has_digest and not _DIGEST.fullmatch(digest):
        return f"the text after the @ is not a digest ({digest[:_SHOWN]!r})"
    # A colon before the last slash begins a port.
    path, has_tag, tag = name.rpartition(":")
    if not has_tag or "/" in tag:
        path, has_tag, tag = name, "", ""
    if has_tag and not _TAG.fullmatch(tag):
        return (
            f"the tag {tag[:_SHOWN]!r} is not valid: up to 128 letters, digits, _, . and -"
            if tag
            else "the tag is empty"
        )
    if "" in path.split("/"):
        return "a part between slashes is empty"
    domain, _, after_domain = path.partition("/")
    parts = after_domain.split("/") if after_domain and _DOMAIN_PART.fullmatch(domain) else path.split("/")
    # All else has its form by now, and capital letters are in no valid part.
    part = next(part for part in parts if not _PATH_PART.fullmatch(part))
    if any(map(str.isupper, part)):
        return f"the part {part[:_SHOWN]!r} of its path has capital letters"
    return f"the part {part[:_SHOWN]!r} of its path is not valid: letters and digits, with one of . _ or - between"


class ImageReference(NamedTuple):
    """The name of an image in a registry: *host* and *repository*, and a *tag*, a *digest* or both."""

    host: str
    repository: str
    tag: str = ""
    digest: str = ""

    def __str__(self) -> str:
        tag = f":{self.tag}" if self.tag else ""
        return f"{self.host}/{self.repository}{tag}" + (f"@{self.digest}" if self.digest else "")


def image_reference(path: str) -> ImageReference | None:
    """Return the image in a registry that *path* names; None for anything else, such as the path of a file.

    ``docker://`` says that an image is meant, and then the tag is ``latest`` by default. Without it, a path is an image
    if it begins with a host that has a dot or a port, or is ``localhost``, and ends with a tag or a digest. One slash
    is enough, because :class:`pathlib.Path` makes one of two.

    >>> image_reference("quay.io/orchard/catalog:v4.17")
    ImageReference(host='quay.io', repository='orchard/catalog', tag='v4.17', digest='')
    >>> image_reference("catalogs/orchard.yaml")
    """
    scheme = _SCHEME.match(path)
    text = path[scheme.end() :] if scheme else path
    match = _REFERENCE.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None or image_fault(text):
        return None
    host, _, repository = match["name"].partition("/")
    is_host = "." in host or ":" in host or host == "localhost"
    tag = match["tag"] or ""
    digest = f"{match['algorithm']}:{match['digest']}" if match["digest"] else ""
    if not (repository and is_host) or not (scheme or tag or digest):
        return None
    return ImageReference(host, repository, tag or ("" if digest else "latest"), digest)
