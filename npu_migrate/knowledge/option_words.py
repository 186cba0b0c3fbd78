"""What is said of options: which one was meant, which values one has, since when."""

from __future__ import annotations

from npu_migrate.knowledge.option_values import in_words, products_in_words
from npu_migrate.knowledge.releases import in_words as release_in_words
from npu_migrate.knowledge.session_keys import FORMER_KEYS, SESSION_KEYS, SessionKey
from npu_migrate.knowledge.spelling import similar


def meant_key(name: str) -> str | None:
    """Which session key an unknown name was meant to be, or what stands in the place of a former one."""
    former = FORMER_KEYS.get(name)
    if former is not None:
        return None if former.replacement is None else f"{former.replacement} stands in its place"
    found = similar(name, SESSION_KEYS)
    return None if found is None else found.in_words()


def documented(name: str) -> str:
    """``dump_mode takes input, output, all, is output by default``, and since when, where that is known."""
    key = SESSION_KEYS[name]
    parts = []
    if legal := in_words(key):
        parts.append(f"takes {legal}")
    if key.default not in (None, -1):
        parts.append(f"is {key.default} by default")
    if key.since is not None:
        parts.append(f"is there since {release_in_words(key.since)}")
    return f"{name} {', '.join(parts)}" if parts else ""


def in_sentences(*parts: str | None) -> str:
    """The parts of a message, one behind the other: a question ends in its mark, all else in a semicolon."""
    text = ""
    for part in filter(None, parts):
        text += part if not text else f" {part}" if text.endswith("?") else f"; {part}"
    return text


def table() -> str:
    """All session keys as a Markdown table."""
    rows = [_row(name, key) for name, key in sorted(SESSION_KEYS.items(), key=lambda item: item[0].lower())]
    head = ("key", "field", "values", "default", "since", "products", "source")
    return "\n".join(map(_line, (head, tuple("---" for _ in head), *rows)))


def _row(name: str, key: SessionKey) -> tuple[str, ...]:
    state = "" if key.state == "current" else f" ({key.state})"
    return (
        f"`{name}`{state}",
        f"`.{key.field}`",
        in_words(key) or ("any text" if key.field == "s" else "any number"),
        "" if key.default is None else str(key.default),
        "" if key.since is None else release_in_words(key.since),
        _products(key),
        key.source,
    )


def _products(key: SessionKey) -> str:
    own = key.only_on.get("")
    parts = [] if own is None else [f"only {products_in_words(own)}"]
    parts += [f"{value}: only {products_in_words(some)}" for value, some in key.only_on.items() if value]
    parts += [f"{low} to {high} on {products_in_words((name,))}" for name, (low, high) in key.limits.items()]
    return "; ".join(parts)


def _line(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
