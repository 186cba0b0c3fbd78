from __future__ import annotations

import pytest

from npu_migrate.engine.accepting.suppression import SeenInRuns, Verdict, read_suppressions, suppress
from npu_migrate.findings import Finding, Severity
from npu_migrate.places import Place, Span
from npu_migrate.sources.source import Source, from_text


def finding(source: Source, word: str, code: str = "NPU101") -> Finding:
    offset = source.text.index(word)
    span: Span = (
        *source.lines.ast_position(offset),
        *source.lines.ast_position(offset + len(word)),
    )
    return Finding(code, Severity.ERROR, "m", Place(source.key, span))


def verdict(text: str, *codes: str) -> Verdict:
    """Findings of `codes` at the word BAD."""
    source = from_text("x.py", text)
    return suppress(source, [finding(source, "BAD", code) for code in codes], lambda code: True)


def suppressed(text: str, *codes: str) -> list[str]:
    return [one.code for one in verdict(text, *(codes or ("NPU101",))).suppressed]


@pytest.mark.parametrize(
    "text",
    [
        "x = BAD  # npu-migrate: ignore[NPU101]\n",
        "x = BAD  # npu-migrate: ignore\n",
        "x = BAD  #npu-migrate:ignore[ npu101 ,NPU999] because\n",
        "x = BAD  # noqa  # npu-migrate: ignore[NPU1]\n",
        "f(  # npu-migrate: ignore[NPU101]\n    1,\n    BAD,\n)\n",
        "f(\n    1,\n    BAD,  # npu-migrate: ignore[NPU101]\n)\n",
        "with f(  # npu-migrate: ignore\n    BAD\n):\n    pass\n",
        "if x:\n\tlong(  # npu-migrate: ignore\r\n\t\tBAD)\n",
        "a = 1\rb = f(  # npu-migrate: ignore\r  BAD)\r",
        "s = '\u2028\x0c'; x = 'é', BAD  # npu-migrate: ignore\n",
        "x = BAD  # npu-migrate: ignore",
        "# npu-migrate: ignore-file\nx = BAD\n",
        "#!/usr/bin/python\n# licence\n\n# npu-migrate: ignore-file[NPU101]\n\n\nx = BAD\n",
        '"""Docstring."""\n# npu-migrate: ignore-file[NPU101]\nx = BAD\n',
        "x = BAD  # npu-migrate: ignore\nthis is no Python (\n",
    ],
)
def test_suppressed(text: str) -> None:
    assert suppressed(text) == ["NPU101"]
    assert verdict(text, "NPU101").kept == ()


@pytest.mark.parametrize(
    "text",
    [
        "x = BAD  # npu-migrate: ignore[NPU102]\n",
        "x = BAD\n# npu-migrate: ignore\n",
        "# npu-migrate: ignore\nx = BAD\n",
        "x = BAD, '# npu-migrate: ignore'\n",
        "x = '''\n# npu-migrate: ignore-file\n''', BAD\n",
        "with f():  # npu-migrate: ignore\n    x = BAD\n",
        "f(\n    BAD,\n)  # npu-migrate: ignore\n",
        "a = 1  # npu-migrate: ignore-file\nx = BAD\n",
        "import a\n# npu-migrate: ignore-file\nx = BAD\n",
        "x = BAD  # npu-migrate: ignore[]\n",
        "x = BAD  # npu-migrate: ignored\n",
        "x = BAD  # npu-migrate ignore\n",
    ],
)
def test_not_suppressed(text: str) -> None:
    assert suppressed(text) == []
    assert len(verdict(text, "NPU101").kept) == 1


def test_only_the_named_codes_are_suppressed() -> None:
    text = "x = BAD  # npu-migrate: ignore[NPU101, NPU2]\n"
    assert suppressed(text, "NPU101", "NPU102", "NPU201", "NPU202") == ["NPU101", "NPU201", "NPU202"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = BAD  # npu-migrate: ignore[NPU101, NPU104]\n", "not needed: NPU104 is not found here"),
        ("y = 1  # npu-migrate: ignore\nx = BAD\n", "not needed: nothing is found here"),
        ("# npu-migrate: ignore-file[NPU102]\nx = BAD\n", "not needed: NPU102 is not found here"),
        ("x = BAD  # npu-migrate: ingore\n", "no effect: 'ingore' is not understood; write 'ignore'"),
        ("x = BAD  # npu-migrate: ignore[E501]\n", "no effect: E501 is not a rule code"),
        ("x = BAD  # npu-migrate: ignore[ ]\n", "no effect: the list of codes is empty"),
        ("x = BAD\n# npu-migrate: ignore-file\n", "no effect: 'ignore-file' must stand before"),
    ],
)
def test_suppressions_without_use_are_found(text: str, message: str) -> None:
    (unused,) = verdict(text, "NPU101").unused
    assert (unused.code, unused.severity) == ("NPU904", Severity.INFO)
    assert message in unused.message
    line, start, _, end = unused.place.span
    shown = text.split("\n")[line - 1].encode()[start:end].decode()
    assert shown.startswith("# npu-migrate: i")
    assert shown.endswith("]") == ("[" in text)


def test_used_suppressions_are_silent() -> None:
    text = "x = BAD  # npu-migrate: ignore[NPU101]\ny = BAD2 = 1  # npu-migrate: ignore[NPU101]\n"
    source = from_text("x.py", text)
    findings = [finding(source, "BAD"), finding(source, "BAD2")]
    assert suppress(source, findings, lambda code: True).unused == ()


def test_codes_that_did_not_run_are_not_called_unused() -> None:
    source = from_text("x.py", "x = 1  # npu-migrate: ignore[NPU101, NPU102]\ny = 2  # npu-migrate: ignore\n")
    (unused,) = suppress(source, [], lambda code: code == "NPU102").unused
    assert "NPU102 is not found here" in unused.message
    assert suppress(source, [], lambda code: False).unused == ()


def test_files_without_the_marker_are_not_tokenized() -> None:
    assert read_suppressions(from_text("x.py", "x = (\n" * 3)) == ()


IN_RUNS = SeenInRuns(only=frozenset({"NPU726"}), also=frozenset({"NPU108"}))


def in_runs(text: str) -> list[tuple[str, str]]:
    """What is said of the comments in a text without findings, and how safe it is to remove them."""
    found = suppress(from_text("x.py", text), [], lambda code: True, IN_RUNS).unused
    return [(one.message, one.rewrite.applicability.value if one.rewrite else "") for one in found]


@pytest.mark.parametrize("codes", ["NPU726", "NPU72", "NPU7"])
def test_what_only_a_rehearsal_finds_is_never_idle(codes: str) -> None:
    assert in_runs(f"x = 1  # npu-migrate: ignore[{codes}]\n") == []


@pytest.mark.parametrize(
    "comment", ["ignore[NPU108]", "ignore-file[NPU1]", "ignore", "ignore[NPU101, NPU108]"]
)
def test_what_a_rehearsal_may_find_is_not_removed_safely(comment: str) -> None:
    ((message, applicability),) = in_runs(f"# npu-migrate: {comment}\nx = 1\n")
    assert message.endswith(" here; a rehearsal may find it")
    assert applicability == "unsafe"


def test_what_the_text_shows_in_any_case_is_removed_safely() -> None:
    ((message, applicability),) = in_runs("x = 1  # npu-migrate: ignore[NPU101, NPU726]\n")
    assert (message, applicability) == ("this suppression is not needed: NPU101 is not found here", "safe")
    ((message, _),) = in_runs("x = 1  # npu-migrate: ingore[NPU108]\n")
    assert "rehearsal" not in message
