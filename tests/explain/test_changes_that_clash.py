"""Changes of a request that cannot be parts of one fix."""

from __future__ import annotations

import pytest

from olmsolve.answers.explain import ChangeChannel, ChangePackage, DropSubscription, RemoveOperator, RequestChange
from olmsolve.answers.explain.fixes import _clash


@pytest.mark.parametrize(
    ("one", "other", "clash"),
    [
        (ChangeChannel("a", "x"), ChangeChannel("a", "y"), True),
        (ChangeChannel("a", "x"), ChangeChannel("b", "x"), False),
        (ChangeChannel("a", "x"), ChangePackage("a", "p"), False),
        (ChangeChannel("a", "x"), DropSubscription("a"), True),
        (ChangeChannel("a", "x"), DropSubscription("b"), False),
        (RemoveOperator("a"), RemoveOperator("a"), True),
        (RemoveOperator("a"), RemoveOperator("b"), False),
        (RemoveOperator("a"), DropSubscription("a"), False),
    ],
    ids=str,
)
def test_two_changes_of_one_field_are_no_fix(one: RequestChange, other: RequestChange, clash: bool) -> None:
    """One would undo or repeat the other; changes of several fields, or of several subscriptions, go together."""
    assert _clash(one, other) is clash
    assert _clash(other, one) is clash
