"""Challenges of hosts that want credentials (RFC 7235), and tokens of registries (the distribution project's).

The host that was named gets the password that is stored for it. A token may come from a host of another name only where
that host is known to belong to the named one; any other realm is asked without the password.
"""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Iterable, Mapping
from typing import Final
from urllib.parse import urlencode

from olmsolve._named_tuples import NamedTuple
from olmsolve._patterns import pattern
from olmsolve.catalog.hosts.addresses import Address, address_of, is_this_machine

TOKEN_HOSTS_VARIABLE: Final = "OLMSOLVE_TOKEN_HOSTS"  # noqa: S105 - the name of a variable
"""The environment variable with more hosts that give tokens: ``REGISTRY=HOST``, several with commas between them."""

TOKEN_BYTES: Final = 1 << 20
"""Bytes of the document with a token."""

# By their documentation: Docker Hub's tokens and GitLab's come from a host of another name.
_TOKEN_HOSTS: Final[Mapping[str, str]] = {
    "registry-1.docker.io": "auth.docker.io",
    "registry.gitlab.com": "gitlab.com",
}
# The signs of a bearer token (RFC 6750, b64token): a token with a line break would add a header to the next request.
_TOKEN: Final = pattern(r"[A-Za-z0-9._~+/=-]+")
_PART: Final = pattern(
    r"""[\s,]*(?P<name>[!#$%&'*+.^_`|~0-9A-Za-z-]+)
        (?:\s*=\s*(?:"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<plain>[^\s,"]+)))?""",
    re.VERBOSE,
)
_LONGEST: Final = 1 << 14  # characters of one header that are looked at


class Credentials(NamedTuple):
    """A *user* and a *password*."""

    user: str
    password: str

    def header(self) -> str:
        """Return the value of the header ``Authorization``."""
        return "Basic " + base64.b64encode(f"{self.user}:{self.password}".encode()).decode()

    def __repr__(self) -> str:
        return f"<Credentials of {self.user!r}>"


class Challenge(NamedTuple):
    """One way that a host offers: its *scheme*, in lower case, and the parameters, such as ``realm``."""

    scheme: str
    parameters: Mapping[str, str]


def challenges_in(headers: Iterable[str]) -> list[Challenge]:
    """Return the challenges in the values of headers ``WWW-Authenticate``.

    >>> challenges_in(['Bearer realm="https://a.example/token",service=a, Basic realm="a"'])[1]
    Challenge(scheme='basic', parameters={'realm': 'a'})
    """
    challenges: list[Challenge] = []
    for header in headers:
        position, text = 0, header[:_LONGEST]
        while (part := _PART.match(text, position)) is not None and part.end() > position:
            position = part.end()
            value = part["plain"] if part["quoted"] is None else re.sub(r"\\(.)", r"\1", part["quoted"])
            if value is None:
                challenges.append(Challenge(part["name"].lower(), {}))
            elif challenges:
                parameters = challenges[-1].parameters
                assert isinstance(parameters, dict)
                parameters.setdefault(part["name"].lower(), value)
    return challenges


def realm_of(challenge: Challenge, named: Address) -> Address:
    """Return the address from which the host *named* has its tokens. Raises ValueError for one that is not safe."""
    realm = address_of(challenge.parameters.get("realm", ""))
    if realm.scheme != "https" and not (is_this_machine(named.host) and is_this_machine(realm.host)):
        raise ValueError("its tokens are at an address without encryption")
    return realm._replace(user="", password="")


def is_token_host(realm: Address, named: Address) -> bool:
    """Return whether the host of *realm* may have the password that is stored for the host *named*."""
    if realm.is_same_host(named):
        return True
    allowed = [_TOKEN_HOSTS.get(named.authority, "")]
    for pair in os.environ.get(TOKEN_HOSTS_VARIABLE, "").split(","):
        registry, _, host = pair.strip().partition("=")
        if registry.lower() == named.authority:
            allowed.append(host.lower())
    return realm.authority in allowed


def token_address(realm: Address, challenge: Challenge, scope: str) -> Address:
    """Return the address at *realm* that gives a token for *scope* alone, whatever the challenge asks for."""
    query = {"scope": scope}
    if service := challenge.parameters.get("service"):
        query["service"] = service
    mark = "&" if "?" in realm.path else "?"
    return realm._replace(path=f"{realm.path}{mark}{urlencode(query)}")


def token_in(data: bytes) -> str:
    """Return the token in the document *data*, "" where there is none that could be sent."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(document, dict):
        return ""
    token = document.get("token") or document.get("access_token")
    return token if isinstance(token, str) and _TOKEN.fullmatch(token) else ""
