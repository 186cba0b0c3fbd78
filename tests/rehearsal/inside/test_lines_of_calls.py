"""Where calls begin that go over several lines."""

from __future__ import annotations

import pytest

from npu_migrate.rehearsal.inside.lines import beginnings


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f(1)\ng(2)\n", {}),
        ("f(\n    1,\n    2,\n)\n", {2: 1, 3: 1}),
        ("x = f(1,\n      g(\n          2))\n", {2: 1, 3: 1}),
        ("x = (\n    data.map(f)\n    .batch(4)\n)\n", {}),
        ("x = (\n    data.map(\n        f)\n    .batch(4)\n)\n", {3: 2}),
        ("x = [f(1,\n       2),\n     3]\n", {2: 1}),
        ("x = {\n    'a': 1,\n}\n", {}),
        ("f(  # a comment\n    # another\n    1)\n", {3: 1}),
        ("return_value = not (\n    1)\n", {}),
        ("f(\n", {}),
    ],
)
def test_beginnings(text: str, expected: dict[int, int]) -> None:
    assert beginnings(text.encode()) == expected
