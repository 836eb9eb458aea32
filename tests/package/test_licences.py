"""Which licences go with Apache-2.0."""

from __future__ import annotations

import pytest

from tests.package.licences import Licensed, refused


@pytest.mark.parametrize(
    ("licence", "is_refused"),
    [
        ("MIT", False),
        ("Apache-2.0 OR BSD-2-Clause", False),
        ("Mozilla Public License 2.0 (MPL 2.0)", False),
        ("GNU Lesser General Public License v3 (LGPLv3)", False),
        ("LGPL-3.0-or-later", False),
        ("GNU General Public License v3 (GPLv3)", True),
        ("GPL-2.0-only", True),
        ("AGPL-3.0-or-later", True),
        ("Other/Proprietary License", True),
        ("unknown", True),
        ("", True),
    ],
)
def test_what_is_refused(licence: str, is_refused: bool) -> None:
    """A library under the GPL would be the licence of every program that uses olmsolve."""
    assert bool(refused([Licensed("package", "1.0", licence)])) is is_refused
