"""The options that limit a run to a change."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from npu_migrate.commands.options import CommandError, Options
from npu_migrate.commands.reading import read_input
from npu_migrate.engine.job import Job
from npu_migrate.sources.tree import SourceTree

if TYPE_CHECKING:
    from npu_migrate.review.change import Change


def reviewed(job: Job, options: Options) -> Job:
    """`job`, limited to the change that `options` name, if any.

    Reads the patch; where it does not fit or Git cannot help, running the job raises `CommandError`, as this
    does.
    """
    if options.change is None:
        return job
    from npu_migrate.review.change import ReviewError
    from npu_migrate.review.narrowing import only_changed

    try:
        find = _finder(options)
    except ReviewError as error:
        raise CommandError(f"{options.change}: {error}") from None

    def find_or_fail(tree: SourceTree) -> Change:
        try:
            return find(tree)
        except ReviewError as error:
            raise CommandError(f"{options.change}: {error}") from None

    return only_changed(job, find_or_fail, new_only=options.new_only)


def _finder(options: Options) -> Callable[[SourceTree], Change]:
    """What finds the change for the files of a run. Raises `ReviewError` and `CommandError`."""
    if options.changed_since is not None:
        from npu_migrate.review.git import change_since

        revision = options.changed_since
        return lambda tree: change_since(revision, tree)
    from npu_migrate.review.patched import change_of
    from npu_migrate.review.patches import parse_patch

    patches = parse_patch(read_input(options.diff_file or "-", "--diff-file"))
    return lambda tree: change_of(patches, tree)
