"""The options of ``npu-rehearse`` together: what they are, and which of them go with which."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from npu_migrate.commands.options import CommandError, require_working_directory


@dataclass(frozen=True, slots=True)
class Options:
    """The options of the command line, as click gives them; `form` is ``--format``."""

    script: str
    arguments: tuple[str, ...]
    imitate: bool
    migrate: bool
    port: bool
    unsafe_fixes: bool
    compare: bool
    ranks: int | None
    python: str | None
    max_runs: int | None
    form: str | None
    output_file: str | None
    config: str | None
    language: str | None

    @property
    def migrates(self) -> bool:
        """Whether a migrated copy is run."""
        return self.migrate or self.port or self.compare


def require_consistent(options: Options) -> None:
    """Raise `CommandError` for options that contradict each other, and for a script that cannot be run."""
    require_working_directory()
    script = Path(options.script)
    output = None if options.output_file is None else Path(options.output_file)
    complaints = (
        (script.is_dir(), f"{script} is a folder; name the script that is started"),
        (not script.exists(), f"{script}: does not exist"),
        (
            script.suffix == ".ipynb",
            f"{script} is a notebook; export it as a script first: jupyter nbconvert --to script {script}",
        ),
        (
            options.unsafe_fixes and not options.migrates,
            "--unsafe-fixes goes with --migrate, --port or --compare",
        ),
        (
            options.ranks is not None and options.compare,
            "--ranks and --compare exclude each other: one compares ranks, the other a migration",
        ),
        (
            output is not None and not output.absolute().parent.is_dir(),
            f"--output-file: the folder of {output} does not exist",
        ),
        (output is not None and output.is_dir(), f"--output-file: {output} is a folder"),
    )
    for wrong, text in complaints:
        if wrong:
            raise CommandError(text)
