#!/usr/bin/env python3
"""Migrates the open corpus and checks what came out:  python benchmarks/corpus.py [--unsafe-fixes] [--second]

Every package is copied, reported on, rewritten and rewritten again, with the command line as users call it.
Ends with exit code 1 if anything was damaged, or a rule failed. Fetches the corpus first if it is not there;
with --second the second one, on which no rule was made.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from fetch_corpus import SECOND, fetch_asked_for

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(REPOSITORY), str(REPOSITORY / "tests")]

from fidelity import (  # noqa: E402 (the test helpers are reachable only now)
    Finding,
    Tree,
    apply_edits,
    changed_paths,
    edits_of,
    lost_comments,
    read_tree,
    write_tree,
)

ONE_SHOT = "make_one_shot_iterator"


class Left(NamedTuple):
    """A one-shot call that is still there, and the tool's reason."""

    path: str
    line: int
    reason: str


class Result(NamedTuple):
    """What became of one package; all but `findings` are about damage or about what is left."""

    findings: Counter[str]
    files: int
    crashes: list[str]
    changed: list[str]
    untouched_bytes_changed: list[str]
    does_not_compile: list[str]
    comments_lost: list[str]
    changed_again: list[str]
    left: list[Left]


DAMAGE = ("crashes", "untouched_bytes_changed", "does_not_compile", "comments_lost", "changed_again")


def main(options: list[str]) -> int:
    packages = sorted(path for path in fetch_asked_for(options).iterdir() if path.is_dir())
    given = [option for option in options if option != SECOND]
    results = {package.name: check(package, given) for package in packages}
    show(results)
    return int(any(getattr(result, kind) for result in results.values() for kind in DAMAGE))


def check(package: Path, options: list[str]) -> Result:
    before = read_tree(package, "*.py")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_tree(folder, before)
        report, crash = ask(folder)
        remaining, crash_writing = ask(folder, "--write", *options)
        after = read_tree(folder, "*.py")
        _, crash_again = ask(folder, "--write", *options)
        again = read_tree(folder, "*.py")
    findings = [finding for finding in report["findings"] if not finding["suppressed"]]
    changed = changed_paths(before, after)
    promised = apply_edits(before, edits_of(findings, unsafe="--unsafe-fixes" in options))
    return Result(
        findings=Counter(finding["code"] for finding in findings),
        files=len(before),
        crashes=[
            *(crash for crash in (crash, crash_writing, crash_again) if crash),
            *(finding["message"] for finding in findings if "the rule failed" in finding["message"]),
        ],
        changed=changed,
        untouched_bytes_changed=changed_paths(promised, after),
        does_not_compile=[path for path in changed if not compiles(after[path], path)],
        comments_lost=[path for path in changed if lost_comments(before[path], after[path])],
        changed_again=changed_paths(after, again),
        left=list(left_over(after, remaining["findings"])),
    )


def ask(folder: Path, *options: str) -> tuple[dict[str, Any], str]:
    """The JSON report, and the error output if the command failed."""
    command = [sys.executable, "-m", "npu_migrate", ".", "--format", "json", *options]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment())
    if result.returncode in (0, 1):
        return json.loads(result.stdout), ""
    return {"findings": []}, result.stderr


def environment() -> dict[str, str]:
    return {"PYTHONPATH": str(REPOSITORY), "PATH": "/usr/bin:/bin"}


def compiles(content: bytes, path: str) -> bool:
    try:
        compile(content, path, "exec", dont_inherit=True)
    except SyntaxError:
        return False
    return True


def left_over(tree: Tree, findings: list[Finding]) -> Iterator[Left]:
    """Every call of a one-shot function or method that the rewritten files hold."""
    reasons = {
        (finding["path"], finding["range"]["start"]["line"]): finding["message"]
        for finding in findings
        if finding["code"] == "NPU101"
    }
    for path, content in tree.items():
        if ONE_SHOT.encode() in content:
            for line in one_shot_lines(content):
                yield Left(path, line, reasons.get((path, line), "no finding"))


def one_shot_lines(content: bytes) -> list[int]:
    return sorted(
        node.func.end_lineno or node.lineno
        for node in ast.walk(ast.parse(content))
        if isinstance(node, ast.Call)
        and ONE_SHOT in (getattr(node.func, "attr", None), getattr(node.func, "id", None))
    )


def show(results: dict[str, Result]) -> None:
    every = results.values()
    print(f"{sum(result.files for result in every):,} files in {len(results)} packages")
    totals = sum((result.findings for result in every), Counter[str]())
    print("findings: " + (", ".join(f"{code} {count}" for code, count in sorted(totals.items())) or "none"))
    print(f"files changed: {sum(len(result.changed) for result in every)}")
    for kind in DAMAGE:
        hits = [(name, hit) for name, result in results.items() for hit in getattr(result, kind)]
        print(f"{kind.replace('_', ' ')}: {len(hits)}")
        for name, hit in hits:
            print(f"    {name}/{hit}")
    left = [(name, one) for name, result in results.items() for one in result.left]
    print(f"one-shot calls left: {len(left)}")
    for name, one in left:
        print(f"    {name}/{one.path}:{one.line}  {one.reason}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
