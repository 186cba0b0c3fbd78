"""npu-migrate: static migrator and analyzer for TensorFlow 1.15 scripts on Ascend NPUs.

`check` looks at files, `check_source` at a text, and `fix_source` gives back a text with the fixes applied.
They return the objects of `npu_migrate.findings` and `npu_migrate.places`, from which all reports are made.
"""

from __future__ import annotations

TYPE_CHECKING = False  # the one of `typing` takes as long to import as a remembered answer to print
if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from npu_migrate.findings import Applicability, Diagnostic, Report
    from npu_migrate.settings import Settings
    from npu_migrate.version import __version__
else:

    def __getattr__(name: str) -> str:
        """The version, for those who ask: a remembered answer does not, and one module less is imported."""
        if name == "__version__":
            from npu_migrate.version import __version__

            return __version__
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["__version__", "check", "check_source", "fix_source"]


def check(
    paths: Iterable[str | os.PathLike[str]],
    *,
    root: str | os.PathLike[str] | None = None,
    settings: Settings | None = None,
) -> Report:
    """Look at the Python files in `paths` (files and folders) and report what they need; change nothing.

    `root` is the folder of the project (found as on the command line when left out), `settings` replace
    those in its ``pyproject.toml``. Paths in the report are relative to the working directory.

    Raises `npu_migrate.sources.discovery.PathError` for a path that cannot be used, and
    `npu_migrate.settings.SettingsError` for settings that cannot.
    """
    from npu_migrate.api import check_paths

    return check_paths(paths, root, settings)


def check_source(
    text: str, *, filename: str | os.PathLike[str] | None = None, settings: Settings | None = None
) -> tuple[Diagnostic, ...]:
    """Report what the Python source `text` needs, in the order of position and code.

    With a `filename` the text stands for that file, and the files around it explain it, as with
    ``--stdin-filename``; without one it is looked at alone. `settings` and errors are as in `check`.
    """
    from npu_migrate.api import check_text

    return check_text(text, filename, settings)


def fix_source(
    text: str,
    *,
    filename: str | os.PathLike[str] | None = None,
    settings: Settings | None = None,
    applicability: Applicability | None = None,
) -> str:
    """The Python source `text` with its fixes applied; the same text when there are none.

    `applicability` is how far to go: `Applicability.SAFE` or, with all the safe ones too,
    `Applicability.UNSAFE`; left out, the settings decide. The others are as in `check_source`.
    """
    from npu_migrate.api import fix_text

    return fix_text(text, filename, settings, applicability)
