"""The installed command, run as users run it: in a process of its own, with the rules it ships."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command import tool

import npu_migrate
from npu_migrate.run_codes import RUN_CODES

SCRIPT = """\
import tensorflow as tf

dataset = tf.data.Dataset.range(8)
iterator = dataset.make_one_shot_iterator()
value = iterator.get_next()
train_op = tf.train.AdamOptimizer().minimize(tf.get_variable("w", []) * tf.to_float(value))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([value, train_op]))
"""

COMMAND = (sys.executable, "-m", "npu_migrate")
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(npu_migrate.__file__).parents[1])}


def run(
    folder: Path, *arguments: str, stdin: bytes = b"", **environment: str
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*COMMAND, *arguments],
        cwd=folder,
        input=stdin,
        capture_output=True,
        env={**ENVIRONMENT, **environment},
        timeout=60,
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "train.py").write_text(SCRIPT)
    return tmp_path


def python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=True, env=ENVIRONMENT
    )


def test_version_answers_without_loading_anything_else(tmp_path: Path) -> None:
    ran = python(tmp_path, "-X", "importtime", "-m", "npu_migrate", "--version")
    assert ran.stdout == f"npu-migrate {npu_migrate.__version__}\n"
    loaded = {line.rpartition("|")[2].strip() for line in ran.stderr.splitlines()}
    assert {name for name in loaded if name.startswith("npu_migrate")} == {
        "npu_migrate",
        "npu_migrate.cli",
        "npu_migrate.help_page",
        "npu_migrate.languages",
        "npu_migrate.languages.choosing",
        "npu_migrate.reports",
        "npu_migrate.reports.formats",
        "npu_migrate.start",
        "npu_migrate.streams",
        "npu_migrate.version",
    }
    assert not {
        name for name in loaded if name.partition(".")[0] in ("libcst", "pathspec", "tomllib", "json")
    }


def test_the_package_itself_loads_nothing(tmp_path: Path) -> None:
    code = "import sys, npu_migrate; print(sorted(name for name in sys.modules if 'npu_migrate' in name))"
    assert python(tmp_path, "-c", code).stdout == "['npu_migrate']\n"


def test_only_what_is_built_is_offered(tmp_path: Path) -> None:
    assert run(tmp_path, "--help").returncode == 0
    for option in ("--jobs", "--no-cache", "--baseline"):
        ran = run(tmp_path, option, "1")
        assert ran.returncode == 2
        assert ran.stderr.decode().count("\n") == 1
    assert run(tmp_path, ".", "--format", "teamcity").returncode == 2


@pytest.mark.long
def test_every_rule_is_listed_and_explained(tmp_path: Path) -> None:
    listed = run(tmp_path, "--list-rules").stdout.decode().splitlines()
    codes = [line.split()[0] for line in listed]
    assert codes == sorted(set(codes))
    assert {"NPU101", "NPU901", "NPU902", "NPU903", "NPU904", "NPU905"} <= set(codes)
    for line in listed:
        code, name = line.split()[:2]
        page = tool("--explain", code.lower()).decode()
        assert page.startswith(f"# {code} {name}\n")
        assert len(page.splitlines()) > 6
    assert run(tmp_path, "--explain", "one-shot-iterator").stdout.startswith(b"# NPU101 ")
    wrong = run(tmp_path, "--explain", "one-shot")
    assert (wrong.returncode, wrong.stdout) == (2, b"")
    assert b"did you mean one-shot-iterator?" in wrong.stderr


def test_codes_of_a_rehearsal_are_listed_explained_and_selected(tmp_path: Path) -> None:
    """Also those that no rule has."""
    assert set(RUN_CODES) <= {
        line.split()[0] for line in run(tmp_path, "--list-rules").stdout.decode().splitlines()
    }
    page = run(tmp_path, "--explain", "NPU804").stdout.decode()
    assert page.startswith("# NPU804 rank-dependent-run\n")
    settings = 'ignore = ["NPU804"]\nper-file-ignores = { "a.py" = ["NPU804"] }'
    (tmp_path / "pyproject.toml").write_text(f"[tool.npu-migrate]\n{settings}\n")
    (tmp_path / "a.py").write_text("x = 1\n")
    assert run(tmp_path, "--select", "NPU804", ".").returncode == 0


def test_a_comment_for_a_rehearsal_stays(tmp_path: Path) -> None:
    text = "import tensorflow as tf  # npu-migrate: ignore[NPU804]\nx = 1  # npu-migrate: ignore[NPU108]\n"
    (tmp_path / "a.py").write_text(text)
    run(tmp_path, "--write", ".")
    assert (tmp_path / "a.py").read_text() == text


def test_a_prefix_is_explained_by_its_rules(tmp_path: Path) -> None:
    ran = run(tmp_path, "--explain", "NPU10")
    assert ran.returncode == 2
    assert b"no rule is called NPU10; did you mean NPU101 or NPU102 or " in ran.stderr


MOVED_AND_PORTED = """\
import tensorflow as tf
from npu_bridge.npu_init import *
import tensorflow.contrib.mixed_precision as mp

w = tf.Variable(3.0)
with tf.control_dependencies([tf.no_op()]):
    scale = mp.ExponentialUpdateLossScaleManager(2 ** 4, incr_every_n_steps=100)
    step = mp.LossScaleOptimizer(tf.train.GradientDescentOptimizer(0.1), scale).minimize(w * w)
"""


def test_what_a_safe_fix_has_moved_gets_its_unsafe_fix_in_the_same_run(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(MOVED_AND_PORTED, encoding="utf-8")
    moved = b"+scale = mp.ExponentialUpdateLossScaleManager(2 ** 4, incr_every_n_steps=100)\n"
    ported = b"+scale = ExponentialUpdateLossScaleManager(2 ** 4, incr_every_n_steps=100)\n"
    assert moved in run(tmp_path, "train.py", "--diff").stdout
    assert ported in run(tmp_path, "train.py", "--diff", "--unsafe-fixes").stdout
    assert run(tmp_path, "train.py", "--write", "--unsafe-fixes").stdout == b""
    written = script.read_bytes()
    assert ported[1:] in written
    assert b"step = NPULossScaleOptimizer(tf.train.GradientDescentOptimizer(0.1), scale)" in written
    assert b"mp." not in written
    assert b"Fixed" not in run(tmp_path, "train.py", "--write", "--unsafe-fixes").stderr
    assert script.read_bytes() == written


def test_a_file_that_is_named_says_that_it_is_no_python_whatever_it_mentions(tmp_path: Path) -> None:
    (tmp_path / "old.py").write_text("print 'done'\n", encoding="utf-8")
    (tmp_path / "new.py").write_text("print('done')\n", encoding="utf-8")
    assert run(tmp_path, ".").returncode == 0
    assert run(tmp_path, "new.py").returncode == 0
    named = run(tmp_path, "new.py", "old.py", "--select", "NPU101")
    assert named.returncode == 1
    assert named.stdout.startswith(b"old.py:1:1: NPU901 error not analysed: not valid Python 3: ")
    assert b"2 files: 0 analysed, 1 of no concern to any rule, 1 could not be analysed" in named.stderr
    assert b"NPU901" not in run(tmp_path, ".", "new.py").stdout


def test_a_script_is_checked_and_migrated(project: Path) -> None:
    found = run(project, ".")
    assert found.returncode == 1
    assert b"train.py:4:20: NPU101[*] warning" in found.stdout
    assert found.stderr.startswith(
        b"Found: 1 warning in 1 file.\n1 file: 1 analysed.\n1 fixable with --write."
    )
    diff = run(project, ".", "--diff").stdout
    copied = run(project, ".", "--output", "../out")
    assert copied.returncode == 0
    written = run(project, ".", "--write")
    assert (written.returncode, written.stdout) == (0, b"")
    migrated = (project / "train.py").read_bytes()
    assert b"make_initializable_iterator()" in migrated
    assert b"sess.run(iterator.initializer)" in migrated
    assert (project.parent / "out/train.py").read_bytes() == migrated
    assert run(project, "-", "--write", stdin=SCRIPT.encode()).stdout == migrated
    (project / "train.py").write_text(SCRIPT)
    subprocess.run(["git", "apply", "-"], cwd=project, input=diff, check=True)
    assert (project / "train.py").read_bytes() == migrated
    assert run(project, ".").returncode == 0


@pytest.mark.parametrize(
    ("encoding", "cookie", "newline", "bom"),
    [
        ("gbk", "# coding: gbk", "\n", b""),
        ("gbk", "# -*- coding: gbk -*-", "\r\n", b""),
        ("utf-8", "#", "\r\n", b"\xef\xbb\xbf"),
        ("utf-8", "# coding: utf8-", "\r", b""),
        ("latin-1", "# coding: latin-1", "\n", b""),
    ],
)
def test_encoding_newlines_and_missing_final_newline_stay(
    project: Path, encoding: str, cookie: str, newline: str, bom: bytes
) -> None:
    comment = "# é" if encoding == "latin-1" else "# 训练 é"
    text = f"{cookie}\n{comment}\n{SCRIPT}{comment}".replace("\n", newline)
    path = project / "train.py"
    path.write_bytes(bom + text.encode(encoding))
    path.chmod(0o751)
    diff = run(project, "train.py", "--diff").stdout
    assert run(project, "train.py", "--write").returncode == 0
    migrated = path.read_bytes()
    assert path.stat().st_mode & 0o777 == 0o751
    assert migrated.startswith(bom + f"{cookie}{newline}{comment}{newline}".encode(encoding))
    assert migrated.endswith(f"{newline}{comment}".encode(encoding))
    new = migrated[len(bom) :].decode(encoding)
    assert new.replace(newline, "").isprintable(), "there is one kind of newline"
    assert f"make_initializable_iterator(){newline}" in new
    path.write_bytes(bom + text.encode(encoding))
    subprocess.run(["git", "apply", "-"], cwd=project, input=diff, check=True)
    assert path.read_bytes() == migrated


def test_odd_files_are_findings_and_the_others_are_done(project: Path) -> None:
    (project / "python2.py").write_text("import tensorflow as tf\nprint 'x'\n")
    (project / "nul.py").write_bytes(b"import tensorflow as tf\n# make_one_shot_iterator\0")
    (project / "latin.py").write_bytes(b"import tensorflow\n# make_one_shot_iterator \xe9\n")
    (project / "link.py").symlink_to("nowhere")
    (project / "wide.py").write_text(SCRIPT, "utf-16")
    os.mkfifo(project / "pipe.py")
    ran = run(project, ".", "--format", "json", "--select", "NPU101")
    document = json.loads(ran.stdout)
    found = {(one["path"], one["code"]) for one in document["findings"]}
    assert {
        ("latin.py", "NPU902"),
        ("link.py", "NPU902"),
        ("nul.py", "NPU902"),
        ("pipe.py", "NPU902"),
        ("train.py", "NPU101"),
        ("wide.py", "NPU902"),
    } <= found
    assert ran.returncode == 1


def test_colours_are_for_terminals_only(project: Path) -> None:
    assert b"\x1b[" not in run(project, ".").stdout
    assert "\x1b[1m" in on_terminal(project, TERM="xterm", NO_COLOR="")
    assert "\x1b[" not in on_terminal(project, TERM="xterm", NO_COLOR="1")
    assert "\x1b[" not in on_terminal(project, TERM="dumb", NO_COLOR="")


def on_terminal(folder: Path, *arguments: str, **environment: str) -> str:
    """What the command shows when its standard output is a terminal."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*COMMAND, ".", *arguments],
        cwd=folder,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        env={**ENVIRONMENT, **environment},
    ):
        os.close(theirs)
        return shown_on(ours)


def shown_on(terminal: int) -> str:
    """All that a terminal shows until no process has it open; closes it."""
    shown = b""
    while True:
        try:
            chunk = os.read(terminal, 65536)
        except OSError:  # the other side is closed
            break
        if not chunk:
            break
        shown += chunk
    os.close(terminal)
    return shown.decode()


def with_patience(seconds: str) -> tuple[str, ...]:
    """The command, for which a run is long after that many seconds."""
    program = f"from npu_migrate import cli, progress_bar; progress_bar.PATIENCE = {seconds}; cli.main()"
    return (sys.executable, "-c", program)


IMPATIENT = with_patience("0")
"""The command, for which every run is long."""


def test_a_baseline_takes_files_of_python_2(project: Path) -> None:
    old = project / "old.py"
    old.write_text("from npu_bridge.npu_init import *\nprint 'loss', 1\n")
    assert b"NPU901" in run(project, ".").stdout
    assert run(project, ".", "--write-baseline", "base.json").returncode == 0
    again = run(project, ".", "--baseline", "base.json")
    assert (again.returncode, again.stdout) == (0, b"")
    assert b"1 could not be analysed" in again.stderr
    (project / "new.py").write_text("from npu_bridge.npu_init import *\nprint 'loss'\n")
    more = run(project, ".", "--baseline", "base.json")
    assert (more.returncode, more.stdout.count(b"NPU901")) == (1, 1)
    old.write_text("from npu_bridge.npu_init import *\nprint('loss', 1)\n")
    (project / "new.py").unlink()
    assert b"1 of 2 baselined findings is gone" in run(project, ".", "--baseline", "base.json").stderr


def test_diffs_are_coloured_on_terminals_only(project: Path) -> None:
    shown = on_terminal(project, "--diff", TERM="xterm", NO_COLOR="")
    assert "\x1b[31m-iterator = dataset.make_one_shot_iterator()\x1b[0m\r\n" in shown
    assert "\x1b" not in on_terminal(project, "--diff", TERM="xterm", NO_COLOR="1")
    assert b"\x1b" not in run(project, ".", "--diff").stdout


def test_a_page_says_when_it_was_made_and_of_which_commit(project: Path) -> None:
    page = run(project, ".", "--format", "html", SOURCE_DATE_EPOCH="0").stdout.decode()
    assert "<dt>Made</dt> <dd>1970-01-01 00:00 UTC</dd>" in page
    assert "Last commit" not in page
    for command in (("init", "-q"), ("-c", "user.name=me", "-c", "user.email=m@e", "commit", "-qm", "x")):
        subprocess.run(["git", *command, *(["--allow-empty"] if "commit" in command else [])], cwd=project)
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=project, capture_output=True, text=True).stdout
    said = f"<dt>Last commit</dt> <dd>{commit.strip()}</dd>"
    assert said in run(project, ".", "--format", "html").stdout.decode()
    without_git = run(project, ".", "--format", "html", "--fail-on", "never", PATH="")
    assert (without_git.returncode, said in without_git.stdout.decode()) == (0, False)


def told_to_terminal(command: tuple[str, ...], folder: Path, *arguments: str, term: str = "xterm") -> str:
    """What the command shows when its standard error is a terminal; the report goes elsewhere."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*command, ".", *arguments],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env={**ENVIRONMENT, "TERM": term},
    ):
        os.close(theirs)
        return shown_on(ours)


def test_a_long_run_shows_its_progress(project: Path) -> None:
    bar, _, summary = told_to_terminal(IMPATIENT, project).partition("Found: ")
    assert "Analysing" in bar and "100%" in bar
    assert bar.endswith("\x1b[?25h\r\n"), "the bar is over and the cursor is back before anything else"
    assert summary.startswith("1 warning in 1 file.")


def test_no_progress_is_shown_in_short_runs_quiet_runs_and_elsewhere_than_on_terminals(project: Path) -> None:
    assert told_to_terminal(with_patience("1e9"), project).startswith("Found: ")
    assert told_to_terminal(IMPATIENT, project, "--quiet") == ""
    assert told_to_terminal(IMPATIENT, project, term="dumb").startswith("Found: ")
    ran = subprocess.run([*IMPATIENT, "."], cwd=project, capture_output=True, env=ENVIRONMENT, timeout=60)
    assert ran.stderr.startswith(b"Found: ")


def test_what_fails_during_the_progress_leaves_the_terminal_in_order(project: Path) -> None:
    failing = (
        "from npu_migrate import cli, progress_bar",
        "from npu_migrate.rules import npu102",
        "progress_bar.PATIENCE = 0",
        "def check(project): raise KeyboardInterrupt",
        "object.__setattr__(npu102.RULE, 'check', check)",
        "cli.main()",
    )
    shown = told_to_terminal((sys.executable, "-c", "\n".join(failing)), project)
    bar, _, message = shown.partition("npu-migrate: interrupted")
    assert "Analysing" in bar and "\x1b[?25h" in bar
    assert re.fullmatch(r"; \d+ % of 1 file analysed, nothing was written\s*", message)


def test_a_terminal_that_lacks_characters_does_not_end_the_run(project: Path) -> None:
    (project / "train.py").write_text(SCRIPT.replace("one_shot_iterator()", "one_shot_iterator()  # 训练"))
    ran = run(project, ".", PYTHONIOENCODING="latin-1")
    assert ran.returncode == 1
    assert b"# \\u8bad\\u7ec3" in ran.stdout


def test_a_reader_that_goes_away_is_no_error(project: Path) -> None:
    for number in range(200):
        (project / f"train{number}.py").write_text(SCRIPT)
    with subprocess.Popen(
        [*COMMAND, "."], cwd=project, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert b"Traceback" not in process.stderr.read()


def ended(process: subprocess.Popen[bytes]) -> tuple[bytes, bytes]:
    """What a process has printed when it has ended, which it does soon."""
    try:
        return process.communicate(timeout=20)
    finally:
        process.kill()


def test_control_c_ends_the_run_cleanly(project: Path) -> None:
    """The command is interrupted while it reads its settings from a pipe that says nothing."""
    os.mkfifo(project / "settings")
    with subprocess.Popen(
        [*COMMAND, ".", "--write", "--config", "settings"],
        cwd=project,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    ) as process:
        pipe = open_when_read(project / "settings", process)
        process.send_signal(signal.SIGINT)
        # Python notices a signal that comes just before a read only when the read has ended.
        os.close(pipe)
        out, err = ended(process)
    assert process.returncode == 130
    assert (out, err) == (
        b"",
        b"\nnpu-migrate: interrupted; nothing was written\n",
    )
    assert (project / "train.py").read_text() == SCRIPT


def test_control_c_ends_all_processes(tmp_path: Path) -> None:
    text = SCRIPT + "x = [f(a, b) for a in c]\n" * 4_000
    for number in range(150):
        (tmp_path / f"train{number}.py").write_text(text.replace("8", str(number)))
    with subprocess.Popen(
        [*COMMAND, ".", "--jobs", "2", "--no-cache", "--write"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
        start_new_session=True,
    ) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        while len(children.read_text().split()) < 2:
            assert process.poll() is None
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGINT)
        out, err = ended(process)
    assert (process.returncode, out) == (130, b"")
    assert re.fullmatch(
        rb"\nnpu-migrate: interrupted; (\d+ % of 150 files analysed, )?nothing was written\n", err
    )
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


def open_when_read(pipe: Path, process: subprocess.Popen[bytes]) -> int:
    """A descriptor that writes to `pipe`, once `process` has opened it for reading."""
    while True:
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:  # nobody reads yet
            assert process.poll() is None, process.communicate()
            time.sleep(0.02)
