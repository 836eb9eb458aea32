"""Where our answers differ from the recorded runs of operator-controller, each with the reason."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_IMAGE: Final = "whether a registry has the image of a bundle is not in the objects of a cluster"
_ASLEEP: Final = "a change of a catalog's priority wakes no extension; we tell what its next reconciliation does"
_EQUAL: Final = "bundles of one version and release come in any order there, so that an update may go to and fro first"
_SERVER: Final = "the schema takes it, and the API server refuses the deployment, whose own rules are not modelled"
_FIRST: Final = "who comes first gets the definition; seen once, and we take the first by name"

DIFFERENCES: Final[Mapping[str, str]] = {
    "box-crd-collision/2/bbb": "the controller goes on with the fields of the definition that differ, and its owner",
    "crd-both-at-once/0/aaa": _FIRST,
    "crd-both-at-once/0/bbb": _FIRST,
    "crd-owned-by-other/2/bbb": "the recorded cluster collects no garbage; a whole one deletes the definition first",
    "dep-env-from-bad/0/shop": _SERVER,
    "dep-env-two/0/shop": _SERVER,
    "dep-envfrom-bad/0/shop": _SERVER,
    "dep-tolerations/0/shop": _SERVER,
    "dep-tolerations-bad/0/shop": _SERVER,
    "dep-tolerations-operator/0/shop": _SERVER,
    "deprecated-two-catalogs-first/0/shop": "of two catalogs upstream tells the deprecation of either; we the winner's",
    "fix-update-tie-1-0/2/shop": "the recording pinned 1.1.0 and then 2.0.0, and its objects hold the last pin alone",
    "image-missing/0/shop": _IMAGE,
    "image-missing-update/1/shop": _IMAGE,
    "priority/1/shop": _ASLEEP,
    "priority-touched/1/shop": _ASLEEP,
    "release-goes-round/0/shop": _EQUAL,
}
