"""House rules about numbers: what is refused when they are made, when they are read, and of a bundle."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import olmsolve
from olmsolve import Bundles, Never, Prefer, RequestError, TotalAtMost
from olmsolve.classic import as_eligibility
from olmsolve.requests import read_house_rules
from olmsolve.testing import catalog_of, package, request_for


def size(candidate: Any) -> Any:
    """megabytes."""
    return candidate.value("size")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Prefer(name="x"), "bundles: nothing is given (give bundles, smallest or largest)"),
        (
            lambda: Prefer(name="x", smallest="a", largest="b"),
            "largest: does not go with smallest (state two rules, in their order)",
        ),
        (lambda: Prefer(name="x", smallest=""), "smallest: must not be empty (the type of a property)"),
        (
            lambda: Prefer(name="x", largest=5),  # type: ignore[arg-type]
            "largest: must be the type of a property, or a function of a candidate, not an int",
        ),
        (lambda: TotalAtMost(limit=-1, of="a", name="x"), "limit: must not be below 0, as -1 is"),
        (
            lambda: TotalAtMost(limit="5", of="a", name="x"),  # type: ignore[arg-type]
            "limit: must be a whole number, not a str",
        ),
        (
            lambda: Bundles("a", where="b"),  # type: ignore[arg-type]
            "where: must be a function of a candidate, not a str",
        ),
        (lambda: Never(size, name="x").to_dict(), "where: megabytes is a function, which cannot be written down"),
        (
            lambda: Prefer(name="x", smallest=size).to_dict(),
            "smallest: megabytes is a function, which cannot be written down",
        ),
        (
            lambda: TotalAtMost(limit=1, of=size, name="x").to_dict(),
            "of: megabytes is a function, which cannot be written down",
        ),
        (
            lambda: as_eligibility([TotalAtMost(limit=1, of=size, name="x")]),
            (
                "house_rules: house rule 'x' is about several bundles, and OLM v1 resolves each extension by itself "
                "(an extension takes only the house rule never, without beside)"
            ),
        ),
    ],
)
def test_wrong_rules_are_refused(make: Callable[[], object], message: str) -> None:
    """Each names its field."""
    with pytest.raises(RequestError) as refused:
        make()
    assert str(refused.value) == message


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (Prefer(name="x", smallest="size"), "size of a.v1.0.0 in catalog olm/catalog is 'big', not a number"),
        (Prefer(name="x", largest=size), "megabytes of a.v1.0.0 in catalog olm/catalog is 'big', not a number"),
        (
            TotalAtMost(limit=9, of="size", name="x"),
            "size of a.v1.0.0 in catalog olm/catalog is 'big', not a whole number that is not below 0",
        ),
        (
            TotalAtMost(limit=9, of="price", name="x"),
            "price of a.v1.0.0 in catalog olm/catalog is 1.5, not a whole number that is not below 0",
        ),
    ],
)
def test_what_is_no_number_names_its_bundle(rule: Any, message: str) -> None:
    """Catalogs are data: a text in place of a number is told with the bundle that has it."""
    catalog = catalog_of(
        package("a").channel("stable", "1.0.0 < 2.0.0").having("size", "big", at="1.0.0").having("price", 1.5)
    )
    with pytest.raises(RequestError) as refused:
        olmsolve.resolve(olmsolve.evolve(request_for(catalog, "a"), house_rules=[rule]))
    assert message.replace("a.v1.0.0", "a.v") in str(refused.value).replace("a.v1.0.0", "a.v").replace(
        "a.v2.0.0", "a.v"
    )


def test_rules_come_back_from_documents() -> None:
    """Numbers by property, with and without bundles."""
    rules = [
        Prefer(name="small", smallest="size"),
        Prefer(Bundles("a", versions="<2.0.0"), name="famous", largest="stars"),
        TotalAtMost(limit=64, of="gpu", name="card"),
        TotalAtMost("a", limit=0, of="gpu", name="none"),
    ]
    assert list(read_house_rules({"houseRules": [rule.to_dict() for rule in rules]})) == rules
    request = olmsolve.evolve(request_for(catalog_of(package("a").channel("s", "1.0.0")), "a"), house_rules=rules)
    assert olmsolve.read_request(request.to_dict()) == request
    assert [rule.functions() for rule in rules] == [()] * 4
    assert Never(size, beside=Bundles(where=size), name="x").functions() == (size, size)


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({"never": "a", "smallest": "size"}, "goes only with prefer"),
        ({"prefer": "a", "limit": 5}, "goes only with totalAtMost"),
        ({"prefer": {}}, "nothing is given"),
        ({"totalAtMost": {}, "of": "gpu"}, "limit"),
        ({"totalAtMost": {}, "of": "gpu", "limit": -1}, "must not be below 0"),
    ],
)
def test_wrong_documents_are_refused(rule: dict[str, Any], message: str) -> None:
    """A field of another kind of rule is not passed over."""
    with pytest.raises(RequestError, match=message):
        read_house_rules({"houseRules": [{"name": "x", **rule}]})


def test_functions_are_called_in_words() -> None:
    """By the docstring, the name, or what an object says of itself."""

    class Rule:
        def __call__(self, candidate: Any) -> bool:
            return True

        def __str__(self) -> str:
            return "a bundle that the rule likes"

    def is_nice(candidate: Any) -> bool:
        return True

    words = [str(Never(rule, name="x")) for rule in (size, is_nice, Rule(), lambda candidate: True)]
    assert words == [
        "never megabytes",
        "never is nice",
        "never a bundle that the rule likes",
        "never what a lambda accepts",
    ]


@pytest.mark.parametrize("copied", [lambda rule: pickle.loads(pickle.dumps(rule)), copy.deepcopy])  # noqa: S301
@pytest.mark.parametrize("rule", [TotalAtMost(limit=1, of=size, name="x"), Prefer(name="x", largest="size")])
def test_a_copy_of_a_rule_about_all_bundles_says_the_same(copied: Callable[[Any], Any], rule: Any) -> None:
    """A rule that came from another process is equal, so its sentences must be as well."""
    assert copied(rule) == rule
    assert str(copied(rule)) == str(rule)
    assert "every bundle" not in str(rule)
