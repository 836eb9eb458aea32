"""The pictures of what the documentation speaks of: a catalog, a plan, a conflict, and both generations of OLM.

Their bundles are those of the bundled example (olmsolve/examples), which the pages around them resolve.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from tests.pictures.solving import Arrow, Box, diagram

__all__ = ["CONCEPTS", "Concept", "path_of", "write"]


class Concept(NamedTuple):
    """A picture: its title, its height in pixels, its boxes and arrows, and the page below docs/ that shows it."""

    title: str
    height: int
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    page: str

    def drawn(self) -> str:
        """Return the picture as SVG."""
        return diagram(self.title, self.height, self.boxes, self.arrows)


CONCEPTS: Final[Mapping[str, Concept]] = {
    "catalog": Concept(
        "A catalog has packages, a package has channels, and a channel leads from bundle to bundle",
        314,
        (
            Box(220, 8, 300, "catalog orchard", ("packages that can be installed",)),
            Box(220, 110, 300, "package storefront", ("its default channel is 2.x",)),
            Box(8, 222, 200, "storefront.v1.4.1", ("a bundle: one version, its", "properties and objects")),
            Box(270, 222, 200, "storefront.v2.0.0", ("replaces 1.4.1", "in channel 2.x")),
            Box(532, 222, 200, "storefront.v2.1.0", ("replaces 2.0.0: the head", "of channel 2.x"), is_end=True),
        ),
        (
            (370, 62, 370, 109, ""),
            (300, 164, 128, 221, "channel 1.x"),
            (370, 164, 370, 221, ""),
            (440, 164, 612, 221, "channel 2.x"),
            (208, 260, 269, 260, "update"),
            (470, 260, 531, 260, "update"),
        ),
        "loading.md",
    ),
    "plan-of-a-request": Concept(
        "A plan: what each subscription gets, and what its bundle brings in",
        246,
        (
            Box(8, 8, 200, "subscription", ("wants a package from", "a channel of a catalog")),
            Box(270, 8, 200, "bundle", ("the best that the", "channel offers"), is_end=True),
            Box(532, 8, 200, "requirement", ("a package in a range,", "or an API")),
            Box(532, 160, 200, "dependency", ("the best bundle that", "meets the requirement"), is_end=True),
            Box(8, 160, 400, "plan", ("every bundle to install, and for whom:", "at most one per package and API")),
        ),
        (
            (208, 47, 269, 47, "selects"),
            (470, 47, 531, 47, "has"),
            (632, 82, 632, 159, "selects"),
            (340, 82, 290, 159, ""),
            (532, 199, 409, 199, "is part of"),
        ),
        "documents.md",
    ),
    "conflict": Concept(
        "A conflict: two subscriptions that need different versions of one package",
        308,
        (
            Box(8, 8, 330, "subscription shop", ("wants storefront from channel 2.x",)),
            Box(402, 8, 330, "subscription parcels", ("wants parcels from channel stable",)),
            Box(8, 120, 330, "storefront 2.0.0 and 2.1.0", ("require courier in >=4.1.0 <5.0.0",)),
            Box(402, 120, 330, "parcels 0.9.0", ("requires courier in >=3.0.0 <4.0.0",)),
            Box(
                8,
                244,
                724,
                "at most one courier",
                ("4.1.0 for one, 3.1.0 or 3.2.0 for the other: no plan",),
                is_fault=True,
            ),
        ),
        (
            (173, 62, 173, 119, "is served only by"),
            (567, 62, 567, 119, "is served only by"),
            (173, 174, 173, 243, "courier 4.1.0"),
            (567, 174, 567, 243, "courier 3.1.0 or 3.2.0"),
        ),
        "explain.md",
    ),
    "generations": Concept(
        "Classic OLM resolves a namespace as a whole; OLM v1 resolves each extension by itself",
        296,
        (
            Box(8, 8, 330, "classic OLM", ("Subscriptions of one namespace", "and its catalog sources")),
            Box(402, 8, 330, "OLM v1", ("one ClusterExtension", "and all cluster catalogs")),
            Box(
                8,
                140,
                330,
                "resolved together",
                ("dependencies are installed too;", "one conflict holds all back"),
            ),
            Box(
                402,
                140,
                330,
                "resolved alone",
                ("the highest version that qualifies;", "dependencies are refused"),
            ),
            Box(8, 238, 330, "an InstallPlan", (), is_end=True),
            Box(402, 238, 330, "the extension's objects", (), is_end=True),
        ),
        (
            (173, 82, 173, 139, ""),
            (567, 82, 567, 139, ""),
            (173, 214, 173, 237, ""),
            (567, 214, 567, 237, ""),
        ),
        "v1.md",
    ),
}
"""The pictures, by the names of their files."""


def path_of(name: str) -> Path:
    """Return the file of the picture *name*."""
    return Path(__file__).parents[2] / f"docs/images/{name}.svg"


def write() -> None:
    """Write the pictures into docs/images."""
    for name, concept in CONCEPTS.items():
        path_of(name).write_text(concept.drawn(), "utf-8")
