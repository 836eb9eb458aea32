"""Changes of objects on the command line: two folders, a range of commits, and the difference for one cluster."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli.commands import Outcome, Run
from tests.cli.small_cluster import CONTENTS, blobs, catalog_source, cluster_catalog, extension, namespace, write

CATALOG: Final = ("--catalog", "olm/cat=catalog.json")
FLEET: Final = ("impact", "--clusters", "dump.yaml", *CATALOG)
ONE: Final = ("diff", "--cluster", "dump.yaml", *CATALOG)
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="needs bash, git and iconv")


@pytest.fixture(autouse=True)
def _cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cluster has etcd.v1 in shop, whose channel leads to etcd.v3, and a catalog with a channel old beside it."""
    monkeypatch.chdir(tmp_path)
    old = {"schema": "olm.channel", "package": "etcd", "name": "old", "entries": [{"name": "etcd.v1"}]}
    write(*namespace("shop"), catalog_source(), catalog=[*blobs(), old])


def repository(folder: str, *, channel: str = "old", etcd: bool = True) -> None:
    """Write the folder as a GitOps repository has it: the group, and with *etcd* the subscription."""
    group, wish, _ = namespace("shop")
    Path(folder).mkdir(exist_ok=True)
    Path(folder, "group.json").write_text(_text(group), "utf-8")
    path = Path(folder, "etcd.json")
    path.unlink(missing_ok=True)
    if etcd:
        path.write_text(_text({**wish, "spec": {**wish["spec"], "channel": channel}}), "utf-8")


def _text(manifest: dict[str, Any]) -> str:
    return json.dumps({name: value for name, value in manifest.items() if name != "status"})


def text_of(outcome: Outcome) -> str:
    return " ".join((outcome.out + outcome.err).split())


def test_two_folders(olmsolve: Run) -> None:
    """What the later one lacks is deleted, and a gate can ask for it."""
    repository("old")
    repository("new", etcd=False)
    outcome = olmsolve(*FLEET, "--before", "old", "--after", "new")
    assert outcome.code == 0
    assert "Subscription shop/etcd is deleted" in text_of(outcome)
    assert "etcd.v1 stays and gets no updates, since subscription shop/etcd is deleted" in text_of(outcome)
    assert olmsolve(*FLEET, "--before", "old", "--after", "new", "--fail-on", "orphaned").code == 1
    document = json.loads(olmsolve(*FLEET, "--before", "old", "--after", "new", "-o", "json").out)
    assert [(reached["name"], reached.get("deletion", False)) for reached in document["reached"]] == [
        ("shop", False),
        ("etcd", True),
    ]


def test_a_slip_fails_the_usual_gate(olmsolve: Run) -> None:
    """A misspelt namespace ends with 1, a misspelt field with 2: nobody has to know a gate by name."""
    repository("new")
    text = Path("new/etcd.json").read_text("utf-8")
    Path("new/etcd.json").write_text(text.replace('"namespace": "shop"', '"namespace": "shpo"'), "utf-8")
    outcome = olmsolve(*FLEET, "--change", "new")
    assert outcome.code == 1
    assert "Subscription shpo/etcd is not applied: there is no namespace shpo (did you mean shop?)" in text_of(outcome)
    assert olmsolve(*FLEET, "--change", "new", "--fail-on", "new-failures").code == 0
    Path("new/etcd.json").write_text(text.replace('"channel": "old"', '"chanel": "stabel"'), "utf-8")
    outcome = olmsolve(*FLEET, "--change", "new")
    assert outcome.code == 2
    assert "Subscription shop/etcd: spec.chanel: is not a field of this kind (did you mean channel?)" in outcome.err
    assert olmsolve(*ONE, "--change", "new").err == outcome.err


def git(*arguments: str) -> str:
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@needs_git
def test_ranges_of_commits(olmsolve: Run) -> None:
    """A commit is compared with what lies there, two dots with another commit, three with where they parted."""
    git("init", "--quiet", "--initial-branch", "main")
    repository("apps")
    git("add", "apps")
    git("commit", "--quiet", "--message", "old")
    repository("apps", etcd=False)
    git("checkout", "--quiet", "-b", "topic")
    git("commit", "--quiet", "--all", "--message", "without etcd")
    repository("apps", channel="stable")
    for given, expected in {
        "main..topic": "is deleted",
        "main...": "is deleted",
        "main": "is applied",
    }.items():
        outcome = olmsolve(*FLEET, "--change", "apps", "--git-range", given)
        assert outcome.code == 0, outcome.err
        assert f"Subscription shop/etcd {expected}" in text_of(outcome), given
    # The folder is new: there was nothing to delete.
    shutil.copytree("apps", "more")
    assert olmsolve(*FLEET, "--change", "more", "--git-range", "main").code == 0
    broken = olmsolve(*FLEET, "--change", "more", "--git-range", "main..topic")
    assert broken.code == 2
    Path("apps/etcd.json").write_text("{", "utf-8")
    git("add", "apps")
    git("commit", "--quiet", "--message", "broken")
    broken = olmsolve(*FLEET, "--change", "apps", "--git-range", "main..topic")
    assert broken.code == 2
    assert f"{git('rev-parse', 'topic')[:12]}:apps/etcd.json" in broken.err


@needs_git
def test_ranges_that_git_does_not_know(olmsolve: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One message each; nothing of a range becomes an option of git."""
    repository("apps")
    change = (*FLEET, "--change", "apps", "--git-range")
    assert "not a git repository" in olmsolve(*change, "main").err
    git("init", "--quiet")
    assert "--git-range: there is no commit main" in olmsolve(*change, "main").err
    assert (
        "--git-range --output=x: is not a commit" in olmsolve(*FLEET, "--change", "apps", "--git-range=--output=x").err
    )
    git("add", "apps")
    git("commit", "--quiet", "--message", "one")
    first = git("rev-parse", "HEAD")
    git("checkout", "--quiet", "--orphan", "other")
    git("commit", "--quiet", "--message", "nothing in common")
    assert "these commits have no commit in common" in olmsolve(*change, f"{first}...HEAD").err
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    shutil.copytree("apps", outside)
    assert "is not in this repository of git" in olmsolve(*FLEET, "--change", outside, "--git-range", "HEAD").err
    from olmsolve.catalog import archives

    monkeypatch.setattr(archives, "ARCHIVE_BYTES", 10)
    assert "a commit of more than 10 bytes" in olmsolve(*change, "HEAD").err
    monkeypatch.setenv("PATH", "")
    assert "git cannot be run: No such file or directory" in olmsolve(*change, "HEAD").err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--before", "old"), "--before FILE and --after FILE need each other"),
        (("--after", "old"), "--before FILE and --after FILE need each other"),
        (("--change", "old", "--before", "old", "--after", "old"), "--change and --after exclude each other"),
        (("--git-range", "main"), "--git-range needs --change"),
        (("--git-range", "main", "--before", "old", "--after", "old"), "--git-range needs --change"),
    ],
)
def test_options_that_do_not_go_together(olmsolve: Run, arguments: tuple[str, ...], message: str) -> None:
    """Half of a comparison is none."""
    repository("old")
    outcome = olmsolve(*FLEET, *arguments)
    assert outcome.code == 2
    assert message in text_of(outcome)


def test_the_difference_for_one_cluster(olmsolve: Run) -> None:
    """The plan of one cluster, without and with the change: a channel, a deletion, a namespace that is not there."""
    repository("new")
    outcome = olmsolve(*ONE, "--change", "new")
    assert outcome.code == 1
    assert "etcd.v2 (stable, olm/cat) becomes etcd.v1 (installed)" in outcome.out
    repository("same", channel="stable")
    assert olmsolve(*ONE, "--change", "same").code == 0
    repository("none", etcd=False)
    for chosen in ((), ("--namespace", "shop")):
        outcome = olmsolve(*ONE, "--before", "same", "--after", "none", *chosen)
        assert (outcome.code, "It is only there before." in outcome.out) == (1, True)
    text = Path("new/etcd.json").read_text("utf-8")
    Path("new/etcd.json").write_text(text.replace('"namespace": "shop"', '"namespace": "shpo"'), "utf-8")
    outcome = olmsolve(*ONE, "--change", "new")
    assert outcome.code == 2
    assert "Subscription shpo/etcd: the cluster has no namespace shpo (did you mean shop?)" in outcome.err


def test_the_difference_with_a_new_catalog_or_one_less(olmsolve: Run) -> None:
    """A content that comes or goes with its catalog is no fault of the options."""
    objects = [*namespace("shop"), catalog_source(), extension(), cluster_catalog()]
    write(*objects)
    source = {**catalog_source("new"), "spec": {"sourceType": "grpc"}}
    _, wish, _ = namespace("shop")
    Path("new").mkdir()
    Path("new/new.json").write_text(_text(source) + _text({**wish, "spec": {**wish["spec"], "source": "new"}}), "utf-8")
    given = ("diff", "--cluster", "dump.yaml", *CONTENTS)
    outcome = olmsolve(*given, "--change", "new", "--then-catalog", "olm/new=catalog.json", "--namespace", "shop")
    assert outcome.code == 1, outcome.err
    assert "(stable, olm/new)" in outcome.out
    old = {**catalog_source(), "spec": {"sourceType": "grpc"}}
    Path("old.json").write_text(_text(old), "utf-8")
    outcome = olmsolve(*given, "--before", "old.json", "--after", "new", "--then-catalog", "olm/new=catalog.json")
    assert outcome.code == 1, outcome.err


def test_a_difference_needs_a_cluster(olmsolve: Run) -> None:
    """A request has no objects that could change, and a second dump is another question."""
    repository("new")
    Path("request.json").write_text(
        json.dumps({"namespaces": ["a"], "catalogs": [{"name": "c", "file": "catalog.json"}], "subscriptions": []}),
        "utf-8",
    )
    assert "--change needs a cluster's objects" in olmsolve("diff", "request.json", "--change", "new").err
    outcome = olmsolve("diff", "request.json", "request.json", "--change", "new")
    assert "AFTER and --change exclude each other" in outcome.err


def test_a_catalog_that_cannot_be_read_is_the_answer(olmsolve: Run) -> None:
    """It is no reason to end without a word about the change."""
    repository("new")
    Path("catalog.json").write_text("{", "utf-8")
    outcome = olmsolve(*ONE, "--change", "new")
    assert outcome.code == 2
    assert "catalog.json" in outcome.err


@needs_git
def test_a_strangers_repository_runs_nothing(olmsolve: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its attributes name a filter, and its configuration, which an archive brings along, a command for it."""
    trace = tmp_path / "ran"
    monkeypatch.chdir(tmp_path)
    git("init", "--quiet", "--initial-branch", "main")
    Path("apps").mkdir()
    Path("apps/space.yaml").write_text("{apiVersion: v1, kind: Namespace, metadata: {name: shop}}")
    Path(".gitattributes").write_text("* filter=evil\n*.yaml filter=a=b\n")
    git("add", ".")
    git("commit", "--quiet", "--message", "one")
    for name in ("evil", "a=b"):
        for kind in ("smudge", "process", "clean"):
            git("config", f"filter.{name}.{kind}", f"touch {trace}; cat")
        git("config", f"filter.{name}.required", "true")
    git("config", "core.fsmonitor", f"touch {trace}")
    assert olmsolve(*FLEET, "--change", "apps", "--git-range", "main").code == 0
    assert not trace.exists()


@needs_git
def test_attributes_in_a_commit_hide_nothing(olmsolve: Run) -> None:
    """Whoever makes a pull request could leave a file out of archives, and a gate would not see what is applied."""
    git("init", "--quiet", "--initial-branch", "main")
    repository("apps", etcd=False)
    git("add", ".")
    git("commit", "--quiet", "--message", "old")
    git("checkout", "--quiet", "-b", "topic")
    repository("apps")
    Path(".gitattributes").write_text("apps export-ignore\n*.json export-ignore export-subst\n")
    Path("apps/note.yaml").write_text("{apiVersion: v1, kind: Namespace, metadata: {name: $Format:%s$}}")
    git("add", ".")
    git("commit", "--quiet", "--message", "hidden")
    outcome = olmsolve(*FLEET, "--change", "apps", "--git-range", "main..topic")
    assert "Subscription shop/etcd is applied" in text_of(outcome), outcome.err
    assert "$Format:%s$" in text_of(outcome)
    assert "hidden" not in text_of(outcome)


@needs_git
def test_links_in_a_commit(olmsolve: Run, tmp_path: Path) -> None:
    """A link inside of the repository stands for its file, as on a disk; one that leads out is refused, and named."""
    git("init", "--quiet", "--initial-branch", "main")
    repository("base")
    Path("apps").mkdir()
    Path("apps/keep.yaml").write_text("{apiVersion: v1, kind: Namespace, metadata: {name: shop}}")
    git("add", ".")
    git("commit", "--quiet", "--message", "old")
    git("checkout", "--quiet", "-b", "topic")
    Path("apps/etcd.json").symlink_to("../base/etcd.json")
    git("add", ".")
    git("commit", "--quiet", "--message", "a link")
    outcome = olmsolve(*FLEET, "--change", "apps", "--git-range", "main..topic")
    assert "Subscription shop/etcd is applied" in text_of(outcome), outcome.err
    secret = tmp_path.parent / f"{tmp_path.name}.yaml"
    secret.write_text("{apiVersion: v1, kind: Namespace, metadata: {name: secret}}")
    Path("apps/more.yaml").symlink_to(secret)
    git("add", ".")
    git("commit", "--quiet", "--message", "a link out")
    outcome = olmsolve(*FLEET, "--change", "apps", "--git-range", "main..topic")
    assert outcome.code == 2
    commit = git("rev-parse", "topic")[:12]
    assert f"{commit}:apps/more.yaml: a symbolic link that leaves {commit}" in text_of(outcome) + " ".join(
        outcome.err.split()
    )


@needs_git
@pytest.mark.parametrize("name", ["..", ".git", ".", "link"])
def test_commits_that_no_git_would_make(
    name: str, olmsolve: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Objects may be written by hand: a path that leads out, and a file below what is a link as well."""
    (tmp_path / "repository").mkdir()
    monkeypatch.chdir(tmp_path / "repository")
    git("init", "--quiet", "--initial-branch", "main")
    blob = hash_object("blob", b"{apiVersion: v1, kind: Namespace, metadata: {name: shop}}")
    inner = hash_object("tree", b"100644 made.yaml\0" + bytes.fromhex(blob))
    link = hash_object("blob", b"../outside")
    entry = b"40000 " + name.encode() + b"\0" + bytes.fromhex(inner)
    both = b"120000 link\0" + bytes.fromhex(link) + entry if name == "link" else entry
    commit = git("commit-tree", hash_object("tree", both), "-m", "crafted")
    (tmp_path / "outside").mkdir()
    outcome = olmsolve(*FLEET, "--change", ".", "--git-range", f"{commit}..{commit}")
    assert outcome.code == 2
    assert ("cannot be written: " if name == "link" else f"a commit with the path '{name}/made.yaml'") in text_of(
        outcome
    )
    assert list((tmp_path / "outside").iterdir()) == []


@needs_git
def test_a_commit_whose_file_is_missing(olmsolve: Run) -> None:
    """A clone may lack objects, which nothing fetches."""
    git("init", "--quiet", "--initial-branch", "main")
    repository("apps")
    git("add", ".")
    git("commit", "--quiet", "--message", "one")
    name = git("rev-parse", "HEAD:apps/etcd.json")
    Path(".git/objects", name[:2], name[2:]).unlink()
    outcome = olmsolve(*FLEET, "--change", "apps", "--git-range", "HEAD")
    assert outcome.code == 2
    assert "apps/etcd.json is missing in the repository" in text_of(outcome)


def hash_object(kind: str, content: bytes) -> str:
    """Write an object of git as it is, and return its name."""
    command = ["git", "hash-object", "-w", "-t", kind, "--stdin", "--literally"]
    return subprocess.run(command, check=True, capture_output=True, input=content).stdout.decode().strip()
