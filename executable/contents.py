"""What the executable is made of: the modules of npu-migrate, and the files that have to lie on a disk."""

from __future__ import annotations

from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
PACKAGE = REPOSITORY / "npu_migrate"

READ_AS_FILES = ("rehearsal/inside", "templates")
"""Folders of Python that the tool does not import: the user's own Python runs it, or a fix copies it."""

LEFT_OUT = ("examples", "codemods", "posting")
"""What nobody can reach from its commands: scripts of the pages, what LibCST's own command loads, and
``npu-migrate-review``, which talks to a service over HTTPS."""

NOT_NEEDED = (
    # Python hashes without OpenSSL, and nothing here talks to a network.
    "_hashlib",
    "_ssl",
    "ssl",
    # For people who sit before Python itself.
    "_pyrepl",
    "curses",
    "pdb",
    "pydoc",
    "pydoc_data",
    "readline",
    # Ten times the rest. `--executor` says what it needs.
    "distributed",
    # Named, but not used by what is.
    "setuptools",
    "tkinter",
    "unittest",
    "yaml",
    "yaml_ft",
)
"""Modules of others that some import might reach, and no command does."""


def data_files() -> list[tuple[str, str]]:
    """The files that are unpacked beside the modules: each with the folder that it has in the package."""
    return [
        (str(file), str(file.parent.relative_to(REPOSITORY)))
        for file in _files()
        if file.suffix != ".py" or _is_below(file, READ_AS_FILES)
    ]


def modules() -> list[str]:
    """The names of all modules: rules and report formats are imported by names that are made in a run."""
    names = [
        file.relative_to(REPOSITORY).with_suffix("").parts
        for file in _files()
        if file.suffix == ".py" and not _is_below(file, READ_AS_FILES)
    ]
    return [".".join(parts[:-1] if parts[-1] == "__init__" else parts) for parts in names]


def _files() -> list[Path]:
    """All files of the package but those that are left out and those that Python makes."""
    return sorted(
        file
        for file in PACKAGE.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts and not _is_below(file, LEFT_OUT)
    )


def _is_below(file: Path, folders: tuple[str, ...]) -> bool:
    return any(file.is_relative_to(PACKAGE / folder) for folder in folders)
