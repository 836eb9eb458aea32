"""``olmsolve cnf``: clauses in files and on standard output, with and without what they mean."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import olmsolve as library
from tests.cli.commands import Run

EXAMPLES = Path(library.__file__).parent / "examples"
UPGRADE = EXAMPLES / "upgrade.yaml"


def test_standard_output_has_what_the_library_gives(olmsolve: Run) -> None:
    """A pipe into a solver needs nothing else."""
    compiled = library.compile(library.read_request(UPGRADE))
    assert olmsolve("cnf", UPGRADE).out == "".join(compiled.to_dimacs())
    bare = olmsolve("cnf", UPGRADE, "--no-comments", "--output", "opb")
    assert bare.out == "".join(compiled.to_opb(comments=False))
    whole = library.compile(library.read_request(UPGRADE), semantics="controller", whole=True)
    outcome = olmsolve("cnf", UPGRADE, "--whole", "--semantics", "controller")
    assert (outcome.code, outcome.out, outcome.err) == (0, "".join(whole.to_dimacs()), "")


@pytest.mark.parametrize(
    ("name", "beginning"), [("a.cnf", "p cnf"), ("a.wcnf", "p wcnf"), ("a.OPB", "* #variable="), ("a.txt", "p cnf")]
)
def test_the_suffix_chooses_the_form(olmsolve: Run, tmp_path: Path, name: str, beginning: str) -> None:
    """Solvers tell formats by suffix too; --output is for other names."""
    file = tmp_path / name
    assert olmsolve("cnf", UPGRADE, "--to", file, "--no-comments").out == ""
    assert file.read_text("utf-8").startswith(beginning)
    olmsolve("cnf", UPGRADE, "--to", file, "--no-comments", "-o", "wcnf")
    assert file.read_text("utf-8").startswith("p wcnf")


def test_a_file_in_place_of_a_form_is_told_apart(olmsolve: Run) -> None:
    """Compilers and solvers take -o FILE, so hands type it; here -o is a form, as in every command."""
    outcome = olmsolve("cnf", UPGRADE, "-o", "out/a.cnf")
    assert (outcome.code, outcome.out) == (2, "")
    assert "'out/a.cnf' is a file, and the form is dimacs, wcnf, opb or json: --to out/a.cnf writes" in outcome.err


def test_symbols_are_a_file_of_their_own(olmsolve: Run, tmp_path: Path) -> None:
    """Whoever reads the model in another language needs the table, not the comments."""
    file = tmp_path / "symbols.json"
    olmsolve("cnf", UPGRADE, "--to", tmp_path / "a.cnf", "--symbols", file)
    assert json.loads(file.read_text("utf-8")) == library.compile(library.read_request(UPGRADE)).to_dict()


def test_the_symbols_are_a_form_as_well(olmsolve: Run, tmp_path: Path) -> None:
    """What the numbers mean is data, which every command prints with -o json; comments are no part of it."""
    symbols = library.compile(library.read_request(UPGRADE)).to_dict()
    assert json.loads(olmsolve("cnf", UPGRADE, "-o", "json").out) == symbols
    assert olmsolve("cnf", UPGRADE, "--to", tmp_path / "a.json").out == ""
    assert json.loads((tmp_path / "a.json").read_text("utf-8")) == symbols
    refused = olmsolve("cnf", UPGRADE, "-o", "json", "--no-comments")
    assert (refused.code, refused.out) == (2, "")
    assert "--no-comments: JSON has no comments" in refused.err


def test_files_that_cannot_be_written_are_named(olmsolve: Run, tmp_path: Path) -> None:
    """The folder may be missing, which is no fault of olmsolve."""
    for option in ("--to", "--symbols"):
        outcome = olmsolve("cnf", UPGRADE, option, tmp_path / "missing" / "a.cnf")
        assert (outcome.code, outcome.out) == (2, "")
        assert "cannot be written: No such file or directory" in outcome.err


def test_an_unreadable_catalog_leaves_nothing_to_compile(olmsolve: Run) -> None:
    """Clauses without a catalog that a subscription names would promise what does not happen."""
    arguments = ("--cluster", EXAMPLES / "cluster.yaml", "--catalog", f"olm/commons={EXAMPLES}/catalogs/commons")
    outcome = olmsolve("cnf", *arguments, "--namespace", "shop", "--unreadable", "referenced")
    assert (outcome.code, outcome.out) == (1, "")
    assert "cannot be read" in outcome.err
    assert olmsolve("cnf", *arguments, "--namespace", "warehouse", "--unreadable", "referenced").code == 0
