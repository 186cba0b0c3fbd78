"""What a team can set: the table ``[tool.npu-migrate]``, checked once, with a message that names the key."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from npu_migrate.findings import Applicability, Severity
from npu_migrate.languages.choosing import LANGUAGES

FAIL_ON: Mapping[str, Severity | None] = {
    "error": Severity.ERROR,
    "warning": Severity.WARNING,
    "info": Severity.INFO,
    "never": None,
}
"""The words for "what makes the exit code 1"; ``None`` is above every severity."""

PRODUCTS = ("training", "a2", "a3", "950")
"""The words for the product families."""

INITIALIZE = ("explicit", "first-use", "explicit-then-first-use")
"""The words for how fixes get iterators initialized."""

NOT_SET = "not set"
"""What stands for a value that nobody has chosen."""

_TABLE = "npu-migrate"
_ALIKE = 0.92
"""One letter too many, too few or exchanged for its neighbour; ``gpu-migrate`` may be another tool."""

_ABOVE = ("tool", "tools")
"""The table in which ours stands, and what may be written for it."""

_BARE = re.compile(r"[\w-]+", re.ASCII)
_CANN = re.compile(r"\d+\.\d+(\.\w+)*")
_ADDRESS = re.compile(r"https?://[\w.~:/?#@!$&*+,;=%-]+", re.ASCII)
"""What may stand in a URI, and would end no link in Markdown."""
_TENSOR_NAME = re.compile(r"[^:\s]+:\d+")


class SettingsError(Exception):
    """The settings cannot be used; the text names the file and the key and says what is expected."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one run.

    `select` and `ignore` are upper-case rule codes or prefixes of codes; nothing selected means every
    rule. `per_file_ignores` pairs patterns (relative to the root, in the syntax of `.gitignore`, like
    `exclude`) with codes. `applicability` is what a write applies: `UNSAFE` includes the safe fixes.
    `product` is the family of NPUs, one of `PRODUCTS`, and `cann` the version of CANN that programs run on.
    `initialize` is how fixes get iterators initialized, one of `INITIALIZE`.
    With `only_verified` a fix is safe only if an abstract run of the program has borne it out.
    With `port` programs for a GPU are moved to the NPU.
    `baseline` is the file of accepted findings, relative to the root.
    `src` are folders relative to the root from which absolute imports start, and `cache_dir` is where results
    are kept. `rehearsal_python` is the Python that has TensorFlow: a command, or a path relative to the root.
    `language` is the one in which people are told things, one of `LANGUAGES`; None leaves it to the locale.
    `documentation_url` is the address of a copy of the documentation, to which reports lead.
    `file` is where all this was read from, None for the defaults; it decides nothing.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    exclude: tuple[str, ...] = ()
    fail_on: Severity | None = Severity.WARNING
    applicability: Applicability = Applicability.SAFE
    only_verified: bool = False
    loss_tensor: str | None = None
    final_loss: float | None = None
    product: str | None = None
    cann: str | None = None
    initialize: str = "explicit"
    port: bool = False
    src: tuple[str, ...] = ()
    baseline: str | None = None
    cache_dir: str | None = None
    rehearsal_python: str | None = None
    language: str | None = None
    documentation_url: str | None = None
    file: str | None = field(default=None, compare=False, repr=False)


def in_words(settings: Settings) -> dict[str, str]:
    """The settings as a user writes them in ``[tool.npu-migrate]``: each key with its value in TOML."""
    return {
        "select": _list(settings.select),
        "ignore": _list(settings.ignore),
        "per-file-ignores": "{"
        + ", ".join(f"{json.dumps(pattern)} = {_list(codes)}" for pattern, codes in settings.per_file_ignores)
        + "}",
        "exclude": _list(settings.exclude),
        "fail-on": json.dumps("never" if settings.fail_on is None else settings.fail_on.label),
        "unsafe-fixes": json.dumps(settings.applicability is Applicability.UNSAFE),
        "only-verified": json.dumps(settings.only_verified),
        "loss-tensor": NOT_SET if settings.loss_tensor is None else json.dumps(settings.loss_tensor),
        "final-loss": NOT_SET if settings.final_loss is None else str(settings.final_loss),
        "product": NOT_SET if settings.product is None else json.dumps(settings.product),
        "cann": NOT_SET if settings.cann is None else json.dumps(settings.cann),
        "initialize": json.dumps(settings.initialize),
        "port": json.dumps(settings.port),
        "src": _list(settings.src),
        "baseline": NOT_SET if settings.baseline is None else json.dumps(settings.baseline),
        "cache-dir": NOT_SET if settings.cache_dir is None else json.dumps(settings.cache_dir),
        "rehearsal-python": (
            NOT_SET if settings.rehearsal_python is None else json.dumps(settings.rehearsal_python)
        ),
        "language": NOT_SET if settings.language is None else json.dumps(settings.language),
        "documentation-url": (
            NOT_SET if settings.documentation_url is None else json.dumps(settings.documentation_url)
        ),
    }


def _list(items: tuple[str, ...]) -> str:
    return json.dumps(list(items))


def settings_schema() -> Mapping[str, Any]:
    """The JSON schema of the table, in the form of SchemaStore, for editors that complete and check it."""
    from importlib import resources

    text = resources.files("npu_migrate").joinpath("settings.schema.json").read_text("utf-8")
    schema: Mapping[str, Any] = json.loads(text)
    return schema


def load_settings(root: Path, config: Path | None = None) -> Settings:
    """The settings in `config`, or in the ``pyproject.toml`` of `root`, or the defaults.

    Raises `SettingsError` when a file cannot be read, is not TOML or holds a wrong key or value, and when
    `config` has no table ``[tool.npu-migrate]``.
    """
    file = config or root / "pyproject.toml"
    try:
        document = _toml(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        if config is None:
            return Settings()
        raise SettingsError(f"{file}: does not exist") from None
    except OSError as error:
        raise SettingsError(f"{file}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise SettingsError(f"{file}: is not valid TOML: {error}") from None
    tools = document.get("tool", {})
    table = tools.get(_TABLE) if isinstance(tools, dict) else None
    if table is None:
        near = _near_miss(document)
        if near is not None:
            raise SettingsError(f"{file}: the table [{near}] is not read; its name must be [tool.{_TABLE}]")
        if config is None:
            return Settings()
        raise SettingsError(f"{file}: has no table [tool.npu-migrate]")
    return replace(settings_from(table, str(file)), file=str(file))


def _near_miss(document: Mapping[str, object]) -> str | None:
    """The name of a table that can only have been meant for this tool, if there is one."""
    for above, tables in document.items():
        if _letters(above) in _ABOVE and isinstance(tables, dict):
            for name in tables:
                if _is_like_ours(name):
                    return f"{_key(above)}.{_key(name)}"
    return next((_key(name) for name in document if _letters(name) == _letters(_TABLE)), None)


def _key(name: str) -> str:
    """A key as it is written in TOML."""
    return name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def _is_like_ours(name: str) -> bool:
    import difflib

    alike = difflib.SequenceMatcher(None, name.lower(), _TABLE).ratio()
    return _letters(name) == _letters(_TABLE) or alike > _ALIKE


def _letters(name: str) -> str:
    return re.sub("[^a-z]", "", name.lower())


def _toml(text: str) -> dict[str, object]:
    """The document. Raises `ValueError`."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]  # only needed on 3.10

    document: dict[str, object] = tomllib.loads(text)
    return document


def settings_from(table: object, origin: str) -> Settings:
    """Check the values of a ``[tool.npu-migrate]`` table. `origin` begins each message of `SettingsError`."""
    if not isinstance(table, dict):
        raise SettingsError(f"{origin}: tool.npu-migrate must be a table")
    values: dict[str, object] = {}
    for key, value in table.items():
        if key not in _READERS:
            raise SettingsError(f"{origin}: tool.npu-migrate.{key} is unknown{_suggestion(key)}")
        field, read = _READERS[key]
        try:
            values[field] = read(value)
        except ValueError as error:
            raise SettingsError(f"{origin}: tool.npu-migrate.{key} must be {error}") from None
    return Settings(**values)  # type: ignore[arg-type]  # each reader returns its field's type


def codes_from(text: str) -> tuple[str, ...]:
    """Rule codes or prefixes, upper-case, from a comma separated list."""
    return tuple(code.strip().upper() for code in text.split(",") if code.strip())


def _suggestion(key: str) -> str:
    import difflib

    close = difflib.get_close_matches(key, _READERS, n=1)
    if close:
        return f"; did you mean {close[0]}?"
    return f"; the keys are {', '.join(sorted(_READERS))}"


def _strings(value: object) -> tuple[str, ...]:
    if isinstance(value, list) and all(isinstance(item, str) and item for item in value):
        return tuple(value)
    raise ValueError("a list of non-empty strings")


def _codes(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return codes_from(value)
    try:
        return tuple(item.strip().upper() for item in _strings(value))
    except ValueError:
        raise ValueError('a list of rule codes, such as ["NPU101", "NPU2"]') from None


def _patterns(value: object) -> tuple[str, ...]:
    from npu_migrate.sources.ignores import patterns

    found = _strings(value)
    for pattern in found:
        try:
            patterns("", [pattern])
        except ValueError:
            raise ValueError(f"a list of patterns as in .gitignore, which {pattern!r} is not") from None
    return found


def _per_file_ignores(value: object) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if not isinstance(value, dict):
        raise ValueError('a table of patterns and lists of codes, such as {"tests/" = ["NPU1"]}')
    _patterns(list(value))
    return tuple((pattern, _codes(codes)) for pattern, codes in value.items())


def _fail_on(value: object) -> Severity | None:
    if isinstance(value, str) and value in FAIL_ON:
        return FAIL_ON[value]
    raise ValueError(f"one of {', '.join(FAIL_ON)}")


def _applicability(value: object) -> Applicability:
    if isinstance(value, bool):
        return Applicability.UNSAFE if value else Applicability.SAFE
    raise ValueError("true or false")


def _bool(value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise ValueError("true or false")


def _tensor_name(value: object) -> str:
    if isinstance(value, str) and _TENSOR_NAME.fullmatch(value):
        return value
    raise ValueError('the name of a tensor, such as "loss:0"')


def _folder(value: object) -> str:
    if isinstance(value, str) and value:
        return value
    raise ValueError("the path of a folder")


def _number(value: object) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    raise ValueError("a number")


def _file(value: object) -> str:
    if isinstance(value, str) and value:
        return value
    raise ValueError("the path of a file")


def _program(value: object) -> str:
    if isinstance(value, str) and value:
        return value
    raise ValueError("the path or the name of a Python")


def _address(value: object) -> str:
    if isinstance(value, str) and _ADDRESS.fullmatch(value):
        return value
    raise ValueError('the address of a page, such as "https://docs.example.com/npu-migrate"')


def _product(value: object) -> str:
    if isinstance(value, str) and value.lower() in PRODUCTS:
        return value.lower()
    raise ValueError(f"one of {', '.join(PRODUCTS)}")


def _cann(value: object) -> str:
    if isinstance(value, str) and _CANN.fullmatch(value):
        return value
    raise ValueError('a version of CANN, such as "8.0"')


def _initialize(value: object) -> str:
    if isinstance(value, str) and value in INITIALIZE:
        return value
    raise ValueError(f"one of {', '.join(INITIALIZE)}")


def _language(value: object) -> str:
    if isinstance(value, str) and value in LANGUAGES:
        return value
    raise ValueError(f"one of {', '.join(LANGUAGES)}")


_READERS: Mapping[str, tuple[str, Callable[[object], object]]] = {
    "select": ("select", _codes),
    "ignore": ("ignore", _codes),
    "per-file-ignores": ("per_file_ignores", _per_file_ignores),
    "exclude": ("exclude", _patterns),
    "fail-on": ("fail_on", _fail_on),
    "unsafe-fixes": ("applicability", _applicability),
    "only-verified": ("only_verified", _bool),
    "loss-tensor": ("loss_tensor", _tensor_name),
    "final-loss": ("final_loss", _number),
    "product": ("product", _product),
    "cann": ("cann", _cann),
    "initialize": ("initialize", _initialize),
    "port": ("port", _bool),
    "src": ("src", _strings),
    "baseline": ("baseline", _file),
    "cache-dir": ("cache_dir", _folder),
    "rehearsal-python": ("rehearsal_python", _program),
    "language": ("language", _language),
    "documentation-url": ("documentation_url", _address),
}
