"""Which findings belong to a change, in real repositories."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from review_repository import Repository, new_repository

pytestmark = [pytest.mark.needs("git"), pytest.mark.long]

ONE_SHOT = """\
import tensorflow as tf

dataset = tf.data.Dataset.range(8)
iterator = dataset.make_one_shot_iterator()
value = iterator.get_next()
train_op = tf.train.AdamOptimizer().minimize(tf.get_variable("w", []) * tf.to_float(value))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([value, train_op]))
"""

MORE = """

def more():
    data = tf.data.Dataset.range(8)
    again = data.make_one_shot_iterator()
    value = again.get_next()
    train_op = tf.train.AdamOptimizer().minimize(tf.get_variable("m", []) * tf.to_float(value))
    with tf.Session() as sess:
        print(sess.run([value, train_op]))


more()
"""

ESTIMATOR = """\
from npu_bridge.npu_init import *

LOOP = 4
# 1
# 2
# 3
# 4
config = NPURunConfig(
    iterations_per_loop=LOOP,
    save_checkpoints_steps=8,
    enable_data_pre_proc=True,
)
# 5
# 6
# 7
# 8
estimator = NPUEstimator(model_fn=None, config=config)
estimator.train(input_fn=None, max_steps=8)
"""

SESSION = """\
import tensorflow as tf
from npu_bridge.npu_init import *

from settings import *

STEPS = 100
"""

OFFLOADED = """\
import tensorflow as tf
from npu_bridge.npu_init import *
import input_pipeline

value = input_pipeline.value()
w = tf.get_variable("w", [])
train_op = tf.train.AdamOptimizer().minimize(w * tf.to_float(value))
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["enable_data_pre_proc"].b = True
custom_op.parameter_map["iterations_per_loop"].i = 100
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train_op)
"""


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return new_repository(tmp_path / "repository")


def test_findings_on_other_lines_are_left_out_and_counted(repository: Repository) -> None:
    repository.commit({"train.py": ONE_SHOT})
    repository.write({"train.py": ONE_SHOT + MORE})
    ran = repository.since()
    assert ran.places == ["train.py:14 NPU101"]
    assert ran.code == 1
    assert "1 finding on lines that the change did not touch is not shown.\n" in ran.err
    repository.commit({"train.py": ONE_SHOT + MORE})
    ran = repository.since()
    assert (ran.places, ran.code) == ([], 0)
    assert "No findings belong to the change.\n" in ran.err
    assert "The change touches none of these files.\n" in ran.err
    assert "2 findings on lines that the change did not touch are not shown.\n" in ran.err


def test_a_patch_says_the_same(repository: Repository) -> None:
    base = repository.commit({"train.py": ONE_SHOT})
    repository.commit({"train.py": ONE_SHOT + MORE})
    expected = repository.since(base).document["findings"]
    for patch in (repository.git("diff", base), repository.git("format-patch", "--stdout", base)):
        ran = repository.tool(".", "--format", "json", "--diff-file", "-", stdin=patch)
        assert ran.document["findings"] == expected
    (repository.folder / "x.patch").write_bytes(patch)
    assert repository.tool(".", "--diff-file", "x.patch").code == 1


def test_only_what_came_since_the_merge_base_counts(repository: Repository) -> None:
    repository.commit({"train.py": ONE_SHOT})
    repository.git("checkout", "--quiet", "-b", "topic")
    repository.commit({"mine.py": ONE_SHOT})
    repository.git("checkout", "--quiet", "main")
    repository.commit({"train.py": "# new\n" + ONE_SHOT})
    repository.git("checkout", "--quiet", "topic")
    assert repository.since("main").places == ["mine.py:4 NPU101"]


def test_untracked_files_count_as_added_and_ignored_ones_do_not(repository: Repository) -> None:
    repository.commit({".gitignore": "ignored.py\n", "train.py": ONE_SHOT})
    repository.write({"ignored.py": ONE_SHOT, "sub/new.py": ONE_SHOT, "staged.py": ONE_SHOT})
    repository.git("add", "staged.py")
    assert repository.since().places == ["staged.py:4 NPU101", "sub/new.py:4 NPU101"]


def test_a_changed_cause_is_where_the_finding_is_told(repository: Repository) -> None:
    """A new iterations_per_loop makes an old max_steps wrong."""
    repository.commit({"train.py": ESTIMATOR})
    assert repository.tool(".", "--format", "json").places == []
    repository.write({"train.py": ESTIMATOR.replace("LOOP = 4", "LOOP = 3")})
    (finding, *_) = [one for one in repository.since().document["findings"] if one["code"] == "NPU202"]
    assert finding["range"]["start"]["line"] == 3
    assert finding["related"][0]["range"]["start"]["line"] == 18
    whole = repository.tool(".", "--format", "json").document["findings"]
    (original,) = [one for one in whole if one["code"] == "NPU202"]
    assert original["range"] == finding["related"][0]["range"]
    assert original["fingerprint"] == finding["fingerprint"]


def test_a_range_that_spans_deleted_lines_was_touched(repository: Repository) -> None:
    """Only comments were deleted: within the value that is wrong, and in the other file above it."""
    text = """\
from npu_bridge.npu_init import *

config = NPURunConfig(
    # zero
    iterations_per_loop=max(
        0,
        # one
        # two
        -1,
    ),
    enable_data_pre_proc=True,
)
"""
    repository.commit({"a.py": text, "b.py": text})
    repository.write({"a.py": text.replace("        # one\n", ""), "b.py": text.replace("    # zero\n", "")})
    ran = repository.since()
    assert ran.places == ["a.py:5 NPU201"]
    assert "this change causes it" not in ran.out.decode()


def notebook(*cells: str) -> str:
    """A Python notebook as Jupyter writes it."""
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    made = [
        {
            "cell_type": "code",
            "execution_count": None,
            "metadata": {},
            "outputs": [],
            "source": cell.splitlines(keepends=True),
        }
        for cell in cells
    ]
    return (
        json.dumps({"cells": made, "metadata": kernel, "nbformat": 4, "nbformat_minor": 4}, indent=1) + "\n"
    )


def test_a_notebook(repository: Repository) -> None:
    repository.commit({"train.ipynb": notebook(ONE_SHOT)})
    repository.write({"train.ipynb": notebook(ONE_SHOT, MORE)})
    ran = repository.since()
    ((cell, line, code),) = [
        (one["cell"], one["range"]["start"]["line"], one["code"]) for one in ran.document["findings"]
    ]
    assert (cell, line, code) == (2, 5, "NPU101")
    assert "1 finding on lines that the change did not touch is not shown.\n" in ran.err
    review = repository.tool(".", "--format", "github-review", "--changed-since", "HEAD").document
    assert len(review["comments"]) == 1
    assert "cell 2: one-shot iterator" in review["comments"][0]["body"]


def test_what_a_change_causes_in_a_notebook(repository: Repository) -> None:
    """Both the cause and what is wrong are cells of one notebook."""
    cells = ESTIMATOR.partition("LOOP = 4\n")
    repository.commit({"train.ipynb": notebook(cells[0], "LOOP = 4\n", cells[2])})
    repository.write({"train.ipynb": notebook(cells[0], "LOOP = 3\n", cells[2])})
    found = {one["code"]: one for one in repository.since().document["findings"]}
    assert (found["NPU202"]["cell"], found["NPU202"]["range"]["start"]["line"]) == (2, 1)


def test_a_deleted_line_tells_what_it_broke(repository: Repository) -> None:
    files = {
        "train.py": OFFLOADED,
        "input_pipeline.py": "import tensorflow as tf\n\n\ndef value():\n"
        "    data = tf.data.Dataset.range(8).repeat()\n"
        "    return data.make_initializable_iterator().get_next()\n",
    }
    repository.commit({**files})
    before = repository.tool(".", "--format", "json").places
    changed = OFFLOADED.replace('custom_op.parameter_map["enable_data_pre_proc"].b = True\n', "")
    repository.write({"train.py": changed})
    after = repository.tool(".", "--format", "json").places
    (new,) = {one.split()[1] for one in after} - {one.split()[1] for one in before}
    ran = repository.since()
    assert [one.split()[1] for one in ran.places] == [new]
    (finding,) = ran.document["findings"]
    assert finding["message"].endswith("; this change causes it")
    assert finding["range"]["start"]["line"] in (10, 11)


def test_a_default_in_another_file_is_a_cause(repository: Repository) -> None:
    main = ESTIMATOR.replace("LOOP = 4\n", "from values import LOOP\n")
    repository.commit({"train.py": main, "values.py": "LOOP = 4\n"})
    repository.write({"values.py": "LOOP = 3\n"})
    ran = repository.since()
    assert "values.py:1 NPU202" in ran.places
    (finding,) = [one for one in ran.document["findings"] if one["code"] == "NPU202"]
    assert finding["related"][0]["path"] == "train.py"
    only = repository.tool("train.py", "--format", "json", "--changed-since", "HEAD")
    assert "train.py:18 NPU202" in only.places


def test_a_new_script_that_imports_a_graph_is_a_cause(repository: Repository) -> None:
    """It is told there that a fix of the script that saves the graph is not safe any more."""
    repository.commit({"train.py": SAVING})
    resume = "import tensorflow as tf\n\nsaver = tf.train.import_meta_graph('model.meta')\n"
    resume += "with tf.Session() as sess:\n    print(sess.run('IteratorGetNext:0'))\n"
    repository.write({"resume.py": resume})
    (finding,) = repository.since().document["findings"]
    assert (finding["path"], finding["range"]["start"]["line"]) == ("resume.py", 3)
    assert (finding["fix"]["applicability"], finding["related"][0]["path"]) == ("unsafe", "train.py")
    repository.write({"resume.py": resume.replace("model.meta", "other.meta")})
    assert repository.since().places == []


SAVING = """\
import tensorflow as tf

x = tf.data.Dataset.range(8).make_one_shot_iterator().get_next()
w = tf.get_variable("w", [])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(x)
    tf.train.Saver().save(sess, "model")
"""


def test_a_deleted_file_can_be_a_cause(repository: Repository) -> None:
    """Without the module that initializes it, the iterator is left uninitialized."""
    repository.commit({"train.py": "# npu-migrate: ignore-file\n" + ONE_SHOT, "other.py": "x = 1\n"})
    (repository.folder / "other.py").unlink()
    assert repository.since().places == []
    repository.write({"train.py": "# any more\n" + ONE_SHOT})
    ran = repository.since()
    assert ran.places == ["train.py:1 NPU101"]
    (finding,) = ran.document["findings"]
    assert finding["message"].endswith("; this change causes it")
    assert finding["related"][0]["range"]["start"]["line"] == 5


def test_a_renamed_file_has_no_new_findings(repository: Repository) -> None:
    repository.commit({"old.py": ONE_SHOT})
    (repository.folder / "old.py").unlink()
    base = repository.git("rev-parse", "HEAD").decode().strip()
    repository.commit({"pkg/new.py": ONE_SHOT + "\n# more\n"})
    assert repository.since(base).places == []
    patch = repository.git("diff", "-M", base)
    assert repository.tool(".", "--format", "json", "--diff-file", "-", stdin=patch).places == []


def test_a_file_that_was_moved_without_git_has_no_new_findings(repository: Repository) -> None:
    """Before `git add` the run says the same as after it, and leaves Git's index as it was."""
    repository.commit({"old.py": ONE_SHOT, "other.py": ONE_SHOT, "gone.py": "x = 1\n", "left.py": ONE_SHOT})
    repository.git("rm", "--quiet", "--cached", "left.py")
    (repository.folder / "gone.py").unlink()
    (repository.folder / "old.py").unlink()
    repository.write({"sub dir/new 训.py": ONE_SHOT + MORE, "fresh.py": ESTIMATOR, "old.py/in.py": "x = 2\n"})
    index = (repository.folder / ".git/index").read_bytes()
    untracked = repository.since()
    assert untracked.places[-1] == "sub dir/new 训.py:14 NPU101"
    assert (repository.folder / ".git/index").read_bytes() == index
    repository.git("add", "--all")
    assert repository.since().out == untracked.out


def test_a_new_link_has_no_lines_in_the_diff(repository: Repository) -> None:
    """What is found through it belongs to the change, but no comment can stand on its lines."""
    repository.commit({"library/train.txt": ONE_SHOT})
    (repository.folder / "link.py").symlink_to("library/train.txt")
    (repository.folder / "dangling.py").symlink_to("nowhere")
    expected = ["dangling.py:1 NPU902", "link.py:4 NPU101"]
    assert repository.since().places == expected
    repository.git("add", "--all")
    assert repository.since().places == expected
    patch = repository.git("diff", "HEAD")
    assert repository.tool(".", "--format", "json", "--diff-file", "-", stdin=patch).places == expected
    review = repository.tool(".", "--format", "github-review", "--changed-since", "HEAD").document
    assert review["comments"] == []
    assert "`link.py:4`" in review["body"] and "`dangling.py:1`" in review["body"]


def test_a_move_before_the_first_git_add(repository: Repository) -> None:
    """Git has no index yet, and the folder has nothing but what was moved."""
    repository.commit({"old.py": ONE_SHOT})
    (repository.folder / ".git/index").unlink()
    (repository.folder / "old.py").rename(repository.folder / "new.py")
    assert repository.since().places == []


def test_a_change_in_the_moment_of_a_commit_is_seen(repository: Repository) -> None:
    """Git compares the content of files as old as its index, whatever their size and time."""
    repository.git("config", "core.trustctime", "false")
    train, index = repository.folder / "train.py", repository.folder / ".git/index"
    repository.write({"train.py": ESTIMATOR})
    os.utime(train, (10**9, 10**9))
    repository.commit({})
    repository.write({"train.py": ESTIMATOR.replace("LOOP = 4", "LOOP = 3"), "untracked.py": "x = 1\n"})
    for file in (train, index):
        os.utime(file, (10**9, 10**9))
    assert "train.py:3 NPU202" in repository.since().places


@pytest.mark.parametrize("keep", ["cat", "false"])
def test_lines_are_those_on_disk_whatever_git_keeps(repository: Repository, keep: str) -> None:
    """A filter drops lines before Git stores them, as `nbstripout` does with the output of notebooks."""
    repository.git("config", "filter.strip.clean", "sed /OUTPUT/d")
    repository.git("config", "filter.strip.smudge", keep)
    output = "# OUTPUT\n" * 9
    repository.commit({".gitattributes": "*.py filter=strip\n", "train.py": output + ONE_SHOT})
    repository.write({"train.py": output + ONE_SHOT + MORE})
    assert repository.since().places == ["train.py:23 NPU101"]
    repository.write({"train.py": output * 2 + ONE_SHOT})
    assert repository.since().places == []


def test_more_of_the_same_on_an_untouched_line_is_new(repository: Repository) -> None:
    """Of equal findings as many are new as there are more of than before."""
    hidden = ONE_SHOT.replace("iterator()\n", "iterator()  # npu-migrate: ignore\n")
    repository.commit({"a.py": ONE_SHOT, "b.py": hidden})
    repository.write({"a.py": ONE_SHOT + "# end\n", "b.py": ONE_SHOT})
    assert repository.since().places == ["b.py:4 NPU101"]


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_other_line_ends(repository: Repository, newline: str) -> None:
    repository.commit({"train.py": ONE_SHOT.replace("\n", newline)})
    repository.write({"train.py": (ONE_SHOT + MORE).replace("\n", newline)})
    places = repository.since().places
    # A file with lone carriage returns is one line for Git: all of it was touched.
    assert places == (
        ["train.py:14 NPU101"] if newline == "\r\n" else ["train.py:4 NPU101", "train.py:14 NPU101"]
    )


def test_a_work_tree_with_other_line_ends_than_git_keeps(repository: Repository) -> None:
    repository.git("config", "core.autocrlf", "true")
    base = repository.commit({"train.py": ONE_SHOT.replace("\n", "\r\n")})
    repository.commit({"train.py": (ONE_SHOT + MORE).replace("\n", "\r\n")})
    assert repository.since(base).places == ["train.py:14 NPU101"]
    patch = repository.git("diff", base)
    assert b"\r" not in patch
    assert repository.tool(".", "--format", "json", "--diff-file", "-", stdin=patch).places == [
        "train.py:14 NPU101"
    ]


def test_an_encoding_that_git_converts(repository: Repository) -> None:
    gbk = f"# coding: gbk\n# 训练\n{ONE_SHOT}".encode("gbk")
    repository.commit({".gitattributes": "*.py working-tree-encoding=GBK\n", "train.py": gbk})
    repository.write({"train.py": gbk + "# 完\n".encode("gbk")})
    ran = repository.since()
    assert ran.places == []
    assert "1 finding on lines" in ran.err


@pytest.mark.parametrize("name", ["训练/脚本.py", "with blank.py", 'quote"d.py', "tab\tname.py"])
def test_odd_names(repository: Repository, name: str) -> None:
    repository.commit({name: ONE_SHOT})
    repository.write({name: ONE_SHOT + MORE, f"new {name}".replace("/", "_"): ONE_SHOT})
    ran = repository.since()
    assert sorted(ran.places) == sorted([f"{name}:14 NPU101", f"new {name}:4 NPU101".replace("/", "_")])
    repository.git("add", "--all")
    patch = repository.git("diff", "HEAD")
    assert repository.tool(".", "--format", "json", "--diff-file", "-", stdin=patch).out == ran.out


def test_a_work_tree_in_a_folder_of_the_repository(repository: Repository) -> None:
    repository.commit({"project/pyproject.toml": "", "project/train.py": ONE_SHOT, "other.py": ONE_SHOT})
    repository.write({"project/train.py": ONE_SHOT + MORE, "other.py": ONE_SHOT + MORE})
    ran = repository.tool(".", "--format", "json", "--changed-since", "HEAD", within="project")
    assert ran.places == ["train.py:14 NPU101"]
    patch = repository.git("diff", "HEAD")
    same = repository.tool(".", "--format", "json", "--diff-file", "-", within="project", stdin=patch)
    assert same.out == ran.out
    review = repository.tool(
        ".", "--format", "github-review", "--changed-since", "HEAD", within="project"
    ).document
    assert [one["path"] for one in review["comments"]] == ["project/train.py"]


def test_a_run_from_outside_of_the_repository(repository: Repository) -> None:
    repository.commit({"train.py": ONE_SHOT})
    repository.write({"train.py": ONE_SHOT + MORE})
    (repository.folder.parent / "x.patch").write_bytes(repository.git("diff", "HEAD"))
    for change in (("--changed-since", "HEAD"), ("--diff-file", "x.patch")):
        ran = repository.tool("repository", "--format", "json", *change, within="..")
        assert ran.places == ["repository/train.py:14 NPU101"]
    (comment,) = repository.tool("repository", "--format", "github-review", *change, within="..").document[
        "comments"
    ]
    assert comment["path"] == "train.py"


def test_the_settings_of_the_user_do_no_harm(repository: Repository, tmp_path: Path) -> None:
    repository.commit({"train.py": ONE_SHOT, ".gitattributes": "*.py -diff\n"})
    repository.write({"train.py": ONE_SHOT + MORE})
    settings = {
        "diff.noprefix": "true",
        "diff.mnemonicPrefix": "true",
        "diff.external": "false",
        "diff.context": "0",
        "diff.interHunkContext": "50",
        "diff.renames": "copies",
        "diff.relative": "true",
        "diff.suppressBlankEmpty": "true",
        "diff.ignoreSubmodules": "none",
        "diff.wordRegex": ".",
        "color.ui": "always",
        "color.diff": "always",
        "core.pager": "false",
        "core.quotePath": "true",
        "status.showUntrackedFiles": "no",
    }
    config = tmp_path / "config"
    for name, value in settings.items():
        repository.git("config", "--file", str(config), name, value)
    ran = repository.since(
        "HEAD",
        GIT_CONFIG_GLOBAL=str(config),
        GIT_DIR="/nowhere",
        GIT_WORK_TREE="/nowhere",
        GIT_INDEX_FILE="/nowhere",
        GIT_EXTERNAL_DIFF="false",
        GIT_DIFF_OPTS="--unified=0",
        GIT_LITERAL_PATHSPECS="1",
        GIT_PREFIX="x/",
    )
    assert ran.places == ["train.py:14 NPU101"]


def test_nothing_in_the_repository_changes(repository: Repository) -> None:
    repository.commit({"train.py": ONE_SHOT})
    repository.write({"train.py": ONE_SHOT + MORE})
    index = (repository.folder / ".git/index").read_bytes()
    os.utime(repository.folder / "train.py", (1, 1))
    assert repository.since().code == 1
    assert (repository.folder / ".git/index").read_bytes() == index


def test_a_submodule_is_reviewed_in_its_own_repository(repository: Repository, tmp_path: Path) -> None:
    library = new_repository(tmp_path / "library")
    library.commit({"lib.py": ONE_SHOT})
    repository.git(
        "-c", "protocol.file.allow=always", "submodule", "add", "--quiet", str(library.folder), "lib"
    )
    repository.commit({"train.py": ONE_SHOT})
    inner = Repository(repository.folder / "lib")
    inner.write({"lib.py": ONE_SHOT + MORE})
    repository.write({"train.py": ONE_SHOT + MORE})
    assert repository.since().places == ["train.py:14 NPU101"]
    assert inner.since().places == ["lib.py:14 NPU101"]


def test_only_what_belongs_to_the_change_is_fixed(repository: Repository) -> None:
    repository.commit({"train.py": ONE_SHOT})
    repository.write({"train.py": ONE_SHOT + MORE})
    diff = repository.tool(".", "--diff", "--changed-since", "HEAD").out
    assert diff.count(b"\n+") == 3 and b"again = data.make_initializable" in diff
    patch = repository.git("diff", "HEAD")
    assert repository.tool(".", "--diff", "--diff-file", "-", stdin=patch).out == diff
    ran = repository.tool(".", "--write", "--changed-since", "HEAD")
    assert ran.code == 0
    assert "Fixed 1 finding in 1 file.\nNothing remains.\n" in ran.err
    written = (repository.folder / "train.py").read_text()
    assert written.startswith(ONE_SHOT)
    assert "again = data.make_initializable_iterator()" in written


def test_every_format_is_limited(repository: Repository) -> None:
    repository.commit({"train.py": ONE_SHOT})
    repository.write({"train.py": ONE_SHOT + MORE})
    for form in ("text", "sarif", "rdjson", "github", "gitlab", "junit", "csv", "html"):
        ran = repository.tool(".", "--format", form, "--changed-since", "HEAD")
        assert ran.code == 1, ran.err
        assert b"14" in ran.out
    assert json.loads(repository.tool(".", "--format", "gitlab", "--changed-since", "HEAD").out)[1:] == []


# -- new findings only -------------------------------------------------------------------------------------


def test_what_a_formatter_touched_is_not_new(repository: Repository) -> None:
    moved = "\n\n" + ONE_SHOT.replace(
        "iterator = dataset.make_one_shot_iterator()", "iterator = (\n    dataset.make_one_shot_iterator()\n)"
    )
    repository.commit({"train.py": ONE_SHOT})
    repository.write({"train.py": moved})
    change = (".", "--format", "json", "--changed-since", "HEAD")
    assert len(repository.tool(*change).places) == 1
    ran = repository.tool(*change, "--new-only")
    assert (ran.code, ran.places) == (0, [])
    assert "1 finding that was there before the change is not shown." in ran.err


def test_new_findings_are_told_beside_old_ones(repository: Repository) -> None:
    repository.commit({"train.py": ONE_SHOT})
    repository.write({"train.py": ONE_SHOT.replace("iterator = ", "iterator  =  ") + MORE})
    change = (".", "--format", "json", "--changed-since", "HEAD")
    both, new = repository.tool(*change), repository.tool(*change, "--new-only")
    assert (len(both.places), len(new.places)) == (2, 1)
    assert new.code == 1
    body = repository.tool(
        ".", "--format", "github-review", "--changed-since", "HEAD", "--new-only"
    ).document["body"]
    assert "1 finding there before the change: not shown." in body


def test_what_a_change_makes_worse_is_new(repository: Repository) -> None:
    """Another file gives the loop another length: the old iterator is an error now."""
    config = "from npu_bridge.npu_init import NPURunConfig\nconfig = NPURunConfig(iterations_per_loop={})\n"
    repository.commit({"train.py": ONE_SHOT + config.format(1)})
    repository.write({"train.py": ONE_SHOT + config.format(100)})
    change = (".", "--format", "json", "--changed-since", "HEAD")
    assert {*repository.tool(*change).places} == {*repository.tool(*change, "--new-only").places} != set()


def test_new_only_needs_a_change(repository: Repository) -> None:
    ran = repository.tool(".", "--new-only")
    assert (ran.code, "--new-only goes with --changed-since or --diff-file" in ran.err) == (2, True)


def test_what_was_before_is_known_of_unchanged_programs(repository: Repository, tmp_path: Path) -> None:
    cache = tmp_path / "cache"

    def plans() -> set[str]:
        return {file.name for file in cache.glob("*.part")}

    repository.commit({f"{name}/train.py": ONE_SHOT for name in "abc"})
    repository.since(NPU_MIGRATE_CACHE_DIR=str(cache))
    known = plans()
    repository.write({"a/train.py": ONE_SHOT + MORE})
    ran = repository.since(NPU_MIGRATE_CACHE_DIR=str(cache))
    assert ran.places == ["a/train.py:14 NPU101"]
    assert len(known) == 3
    assert len(plans() - known) == 1


def test_another_finding_of_the_same_kind_is_new(repository: Repository) -> None:
    """One iterator goes, and another one comes somewhere else in the file."""
    function = "\n\ndef {}():\n    return tf.data.Dataset.range({}).make_one_shot_iterator().get_next()\n"
    quiet = "\n\ndef {}():\n    return tf.constant({})\n"
    head = "import tensorflow as tf\n"
    repository.commit({"train.py": head + function.format("one", 8) + quiet.format("two", 2)})
    repository.write({"train.py": head + quiet.format("one", 1) + function.format("two", 9)})
    ran = repository.since("HEAD", "--new-only")
    assert ran.places == ["train.py:9 NPU101"]


def test_what_a_formatter_splits_is_not_new(repository: Repository) -> None:
    repository.commit({"train.py": ONE_SHOT})
    split = "iterator = (\n    dataset\n    .make_one_shot_iterator()\n)"
    repository.write({"train.py": ONE_SHOT.replace("iterator = dataset.make_one_shot_iterator()", split)})
    assert repository.since("HEAD", "--new-only").places == []
