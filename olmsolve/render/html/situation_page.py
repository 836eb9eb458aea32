"""A whole situation as one page: what OLM would do next for each operator and extension, and why it does no more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from olmsolve.answers.explain import Explanation
from olmsolve.cluster import NamespaceObjects, catalogs_not_serving
from olmsolve.cluster.objects import CatalogSource, ClusterCatalogObject, ClusterServiceVersion, SubscriptionObject
from olmsolve.lifecycle.planning import SituationPlan
from olmsolve.render.html.explanation_page import explanation_parts
from olmsolve.render.html.page import (
    Markup,
    bounded_list,
    element,
    joined,
    mark,
    page,
    row_table,
    search_field,
    shortened,
    unanswered_section,
)
from olmsolve.render.layout import counted
from olmsolve.render.situation_items import (
    Item,
    ItemGroup,
    ItemState,
    extension_item,
    failed_item,
    planned_group,
    unplanned_group,
)
from olmsolve.requests import ClassicQuestion, QuestionAnswer

# The mark of each state, and its words about one and about several.
_WORDS: Final = {
    ItemState.UNRESOLVED: ("bad", "not resolved", "not resolved"),
    ItemState.BROKEN: ("bad", "does not work", "do not work"),
    ItemState.WAITS: ("waits", "waits for approval", "wait for approval"),
    ItemState.UPDATE: ("update", "gets an update", "get an update"),
    ItemState.HELD: ("held", "held back", "held back"),
    ItemState.REST: ("good", "at rest", "at rest"),
}
_NEW: Final = "gets installed"
_EMBEDDED_CANDIDATES: Final = 50  # of each failure, beside those of many others on the page


def situation_plan_html(
    found: SituationPlan, explained: Iterable[QuestionAnswer[Explanation]] = (), *, about: Sequence[str] = ()
) -> str:
    """Return *found*, what OLM would do next for a situation, as an HTML document that ends with a line end.

    *explained* are explanations of its failures (:func:`olmsolve.explained_failures`); a failure without one is shown
    by its message. *about* says what the page was made of (files, catalogs).
    """
    return _SituationPage(found, explained).text(about)


class _SituationPage:
    """The page of one plan; *groups* and *extensions* are its items."""

    def __init__(self, plan: SituationPlan, explained: Iterable[QuestionAnswer[Explanation]]) -> None:
        self._found = plan
        self._namespaces: dict[str, Explanation] = {}
        self._extensions: dict[str, Explanation] = {}
        for answer in explained:
            kind = self._namespaces if isinstance(answer.question, ClassicQuestion) else self._extensions
            if answer.value is not None:
                kind[answer.question.name] = answer.value
        self._groups = sorted(_groups(plan), key=lambda group: (group.worst, group.namespace))
        self._items = list(_extension_items(plan))
        self._number = 0

    def text(self, about: Sequence[str]) -> str:
        """Return the document; the line *about* at its top says which cluster and catalogs it was made from."""
        items = [item for group in self._groups for item in group.items] + self._items
        counts = Counter(item.state for item in items)
        body: list[str] = [_overview(counts, len(items), len(self._groups), len(self._items))]
        if self._groups:
            groups = [self._group(group) for group in self._groups]
            body.append(element("section", element("h2", "Namespaces"), *groups, data_section=True))
        if self._items or self._found.collision is not None:
            body.append(self._extension_section())
        documents = [error for error in self._found.errors if error.question.is_document]
        body += unanswered_section("Not planned", documents)
        catalogs = list(_catalogs(self._found))
        if catalogs and _is_whole(self._found):
            body.append(element("section", element("h2", "Catalogs"), _catalog_table(catalogs)))
        return page(
            "What OLM would do next",
            [element("main", *body)],
            about=about,
            styles=["reasons", "situation"],
            scripts=["reasons", "situation"],
        )

    def _group(self, group: ItemGroup) -> Markup:
        parts: list[str] = [
            element("h3", element("code", group.namespace), " ", element("span", group.served, class_="soft served"))
        ]
        explanation = self._namespaces.get(group.namespace)
        if explanation is not None:
            parts.append(self._explanation("Nothing is resolved here: ", explanation, level=4))
        else:
            parts += [element("p", shortened(failure), class_="note") for failure in group.failures]
        if group.lines:
            parts.append(bounded_list(group.lines, "line", class_="lines"))
        parts += [_item_line(item) for item in group.items]
        return element("section", *parts, class_="group", data_group=True)

    def _extension_section(self) -> Markup:
        parts: list[str] = [element("h2", "Extensions of OLM v1")]
        if self._found.collision is not None:
            text = f"Each planned separately, because {self._found.collision}"
            parts.append(element("p", shortened(text), class_="note"))
        for item in self._items:
            explanation = self._extensions.get(item.title) if item.state is ItemState.UNRESOLVED else None
            more = (
                () if explanation is None else (self._explanation("Why, and what would help: ", explanation, level=3),)
            )
            parts.append(_item_line(item, *more))
        further = [] if self._found.extensions is None else self._found.extensions.further
        if further:
            parts.append(element("h3", "Also needed, but not installed by OLM v1"))
            texts = (
                f"{bundle.bundle} ({bundle.catalog}): {'; '.join(map(str, bundle.requirements))}" for bundle in further
            )
            parts.append(bounded_list(texts, "bundle"))
        return element("section", *parts, data_section=True, data_group=True)

    def _explanation(self, words: str, explanation: Explanation, *, level: int) -> Markup:
        self._number += 1
        parts = explanation_parts(
            explanation, prefix=f"e{self._number}-", level=level, most_candidates=_EMBEDDED_CANDIDATES
        )
        causes = "; ".join(conflict.statement for conflict in explanation.conflicts)
        return element(
            "details",
            element("summary", words, shortened(causes)),
            element("div", *parts, class_="inside"),
            class_="why",
        )


def _groups(plan: SituationPlan) -> Iterator[ItemGroup]:
    """Yield a group for each namespace: planned for, in error, and, for a whole cluster, without subscriptions."""
    seen: set[str] = set()
    for namespace_plan in plan.namespaces:
        seen.add(namespace_plan.namespace)
        yield planned_group(namespace_plan)
    for error in plan.errors:
        if isinstance(error.question, ClassicQuestion) and not error.question.is_document:
            seen.add(error.question.name)
            objects = NamespaceObjects.picked_from(plan.state, error.question.name)
            yield unplanned_group(objects, str(error.error))
    if _is_whole(plan):
        namespaces = (csv.namespace for csv in plan.state.all(ClusterServiceVersion) if not csv.is_copied)
        for namespace in dict.fromkeys(namespaces):
            if namespace not in seen:
                yield unplanned_group(NamespaceObjects.picked_from(plan.state, namespace))


def _is_whole(plan: SituationPlan) -> bool:
    """Return whether every namespace with subscriptions was asked about: then the page shows the whole cluster."""
    planned = {namespace.namespace for namespace in plan.namespaces} | {error.question.name for error in plan.errors}
    return planned.issuperset(subscription.namespace for subscription in plan.state.all(SubscriptionObject))


def _extension_items(plan: SituationPlan) -> Iterator[Item]:
    items: list[Item] = []
    if plan.extensions is not None:
        items += [failed_item(failed) for failed in plan.extensions.failed]
        items += [extension_item(planned) for planned in plan.extensions.planned if not planned.further]
    for error in plan.errors:
        if not (isinstance(error.question, ClassicQuestion) or error.question.is_document):
            items.append(Item(ItemState.UNRESOLVED, title=error.question.name, story=(str(error.error),)))
    order = list(ItemState)
    yield from sorted(items, key=lambda item: (order.index(item.state), item.title))


def _overview(counts: Mapping[ItemState, int], total: int, namespaces: int, extensions: int) -> Markup:
    """Return the counts of states as a bar, and as buttons that choose what is shown."""
    parts = [f"{counted(total - extensions, 'operator')} in {counted(namespaces, 'namespace')}"] if namespaces else []
    parts += [counted(extensions, "extension")] if extensions else []
    segments: list[Markup] = []
    at = 0.0
    for state, (kind, *_) in _WORDS.items():
        width = 1000 * counts.get(state, 0) / total if total else 0
        if width:
            classes = f"segment {kind} {state.value}"
            segments.append(element("rect", class_=classes, x=f"{at:.1f}", y=0, width=f"{width:.1f}", height=10))
        at += width
    bar = element("svg", *segments, class_="bar", viewBox="0 0 1000 10", preserveAspectRatio="none", aria_hidden="true")
    buttons = [
        element(
            "button",
            f"{counts[state]:,} {one if counts[state] == 1 else several}",
            class_=f"mark {kind}",
            type="button",
            data_state=state.value,
            aria_pressed="false",
            disabled=True,
        )
        for state, (kind, one, several) in _WORDS.items()
        if counts.get(state)
    ]
    return element(
        "section",
        element("p", f"{', '.join(parts) or 'Nothing'}:", class_="soft"),
        bar,
        element("p", joined(buttons, " "), class_="counts", role="group", aria_label="show only"),
        search_field("Operators and extensions", id="search"),
        element("p", "", id="shown", class_="soft", role="status", aria_live="polite"),
        aria_label="overview",
    )


def _item_line(item: Item, *more: Markup) -> Markup:
    kind, label, _ = _WORDS[item.state]
    if item.state is ItemState.UPDATE and not item.current:
        label = _NEW
    names = [element("code", item.current)] if item.current else []
    names += [element("span", "→", class_="arrow", aria_label="to")] if item.current and item.following else []
    names += [element("code", item.following, class_="following")] if item.following else []
    title = [element("strong", item.title)] if item.title else []
    where = element("span", item.where, class_="soft where")
    what = element("span", joined([*names], " "), class_="names")
    remarks = [mark("waits", remark) for remark in item.remarks]
    line = [mark(kind, label), element("span", *title, " ", what, " ", *remarks, class_="what"), where]
    attributes: dict[str, str] = {
        "class_": "item",
        "data_state": item.state.value,
        "data_filter": f"{item.title} {item.current} {item.following} {item.where}".lower(),
    }
    if not item.story and not more:
        return element("div", *line, **attributes)
    # The line shows the reason of the state, so that nobody has to open it to learn the reason.
    if item.story and item.state not in (ItemState.REST, ItemState.UPDATE):
        line.append(element("span", item.story[0], class_="soft reason"))
    story = bounded_list(item.story, "line", class_="story")
    return element("details", element("summary", *line), story, *more, **attributes)


def _catalogs(plan: SituationPlan) -> Iterator[tuple[str, str, str, int]]:
    """Yield the catalogs of the cluster: name, state, the kind of the state's mark, priority."""
    for source in plan.state.all(CatalogSource):
        kind = "good" if source.state == CatalogSource.READY else "bad" if source.state else "unknown"
        yield source.key, source.state or "unknown", "bad" if source.reason else kind, source.priority
    failing = {hindrance.catalog: hindrance.reason or "not serving" for hindrance in catalogs_not_serving(plan.state)}
    for catalog in plan.state.all(ClusterCatalogObject):
        usual = "unavailable" if catalog.availability_mode == "Unavailable" else "serving"
        yield (
            catalog.name,
            failing.get(catalog.name, usual),
            "bad" if catalog.name in failing else "good",
            catalog.priority,
        )


def _catalog_table(catalogs: Sequence[tuple[str, str, str, int]]) -> Markup:
    rows = [
        element(
            "tr",
            element("th", element("code", name), scope="row"),
            element("td", mark(kind, state)),
            element("td", str(priority), data_label="Priority"),
        )
        for name, state, kind, priority in catalogs
    ]
    return row_table(("Catalog", "State", "Priority"), rows)
