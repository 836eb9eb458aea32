"""The questions of a situation: what the subscriptions of a namespace install, and which bundle an extension gets."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import olmsolve._attrs as attrs
from olmsolve.classic import Request, Semantics
from olmsolve.requests.policy import Policy

if TYPE_CHECKING:
    from olmsolve import v1


@attrs.frozen
class ClassicQuestion:
    """The question what the subscriptions of one namespace install.

    *name* is the namespace, or with *is_document* the name of the request document. *semantics* is how its compound
    constraints are meant. Questions are equal if they ask for the same by name: their requests may differ.
    """

    name: str
    is_document: bool
    semantics: Semantics = attrs.field(eq=False)
    _read: Callable[[], Request] = attrs.field(repr=False, eq=False)

    def request(self) -> Request:
        """Return the request, with the contents of the catalogs that it can touch.

        Raises:
            RequestError: the objects or the document contradict themselves, or a content is missing.
            CatalogError: a catalog cannot be read.
        """
        return self._read()


@attrs.frozen
class ExtensionQuestion:
    """The question which bundle one cluster extension (OLM v1) gets.

    *name* is the name of the ClusterExtension, or with *is_document* the name of the request document. OLM v1 has no
    compound constraints to solve: *semantics* is there for programs that ask all questions alike.
    """

    name: str
    is_document: bool
    semantics: Semantics = attrs.field(eq=False)
    _read: Callable[[], v1.ExtensionRequest] = attrs.field(repr=False, eq=False)

    def request(self) -> v1.ExtensionRequest:
        """Return the request, with the contents of the catalogs that it can touch.

        Raises:
            RequestError: the extension or the document makes no sense, or a content is missing.
            CatalogError: a catalog cannot be read.
        """
        return self._read()


Question: TypeAlias = ClassicQuestion | ExtensionQuestion
"""One question of a situation; its request is made when it is asked for."""


def document_question(
    name: str, read: Callable[[], Request | v1.ExtensionRequest], policy: Policy, *, is_classic: bool
) -> Question:
    """Return the question *name* whose request *read* makes: for subscriptions with *is_classic*, else an extension."""
    kind: Callable[..., Question] = ClassicQuestion if is_classic else ExtensionQuestion
    return kind(name, True, policy.semantics or Semantics.DOCUMENTED, read)
