import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from source_trees import write

from npu_migrate.programs.imports import ImportedModule
from npu_migrate.programs.modules import Layout, executed_by, home_of, resolve_module

ROOT = "/zoo"


def layout(*names: str) -> Layout:
    return Layout.of(ROOT, [f"{ROOT}/{name}" for name in names])


def resolved(
    files: Layout, importer: str, module: str, level: int = 0, path: tuple[str, ...] = ("",)
) -> str | None:
    folders = tuple(f"{ROOT}/{folder}".rstrip("/") for folder in path)
    found = resolve_module(files, f"{ROOT}/{importer}", module, level, folders)
    return found.removeprefix(f"{ROOT}/") if found else None


def test_the_first_folder_of_the_search_path_wins() -> None:
    files = layout("train.py", "utils.py", "a/utils.py", "b/utils.py")
    assert resolved(files, "train.py", "utils", path=("b", "a", "")) == "b/utils.py"
    assert resolved(files, "train.py", "utils", path=("", "a")) == "utils.py"


def test_a_file_elsewhere_is_not_found_by_its_name() -> None:
    files = layout("train.py", "lib/utils.py")
    assert resolved(files, "train.py", "utils") is None
    assert resolved(files, "train.py", "lib.utils") == "lib/utils.py"


def test_a_package_wins_over_a_module_and_a_module_over_a_bare_folder() -> None:
    files = layout("a/__init__.py", "a.py", "b.py", "b/inner.py")
    assert resolved(files, "x.py", "a") == "a/__init__.py"
    assert resolved(files, "x.py", "b") == "b.py"
    assert resolved(files, "x.py", "b.inner") is None


def test_parts_of_a_namespace_package_count_together() -> None:
    files = layout("one/space/a.py", "two/space/b.py", "two/space/deep/c.py")
    path = ("one", "two")
    assert resolved(files, "x.py", "space.a", path=path) == "one/space/a.py"
    assert resolved(files, "x.py", "space.b", path=path) == "two/space/b.py"
    assert resolved(files, "x.py", "space.deep.c", path=path) == "two/space/deep/c.py"
    assert resolved(files, "x.py", "space", path=path) is None


def test_a_regular_package_hides_namespace_parts_before_it() -> None:
    files = layout("one/space/a.py", "two/space/__init__.py", "two/space/b.py")
    assert resolved(files, "x.py", "space.a", path=("one", "two")) is None
    assert resolved(files, "x.py", "space.b", path=("one", "two")) == "two/space/b.py"


def test_a_folder_named_like_an_installed_package_is_not_that_package() -> None:
    files = layout("train.py", "tensorflow/keras.py", "json/tool.py")
    assert resolved(files, "train.py", "tensorflow.keras") is None
    assert resolved(files, "train.py", "json.tool") is None


def test_relative_imports() -> None:
    files = layout(
        "pkg/__init__.py", "pkg/a.py", "pkg/sub/__init__.py", "pkg/sub/b.py", "loose/c.py", "loose/d.py"
    )
    assert resolved(files, "pkg/sub/b.py", "a", 2) == "pkg/a.py"
    assert resolved(files, "pkg/sub/b.py", "", 1) == "pkg/sub/__init__.py"
    assert resolved(files, "pkg/sub/__init__.py", "b", 1) == "pkg/sub/b.py"
    assert resolved(files, "loose/c.py", "d", 1) == "loose/d.py"
    assert resolved(files, "pkg/a.py", "b", 1) is None
    assert resolved(files, "pkg/a.py", "a", 9) is None


def test_a_file_in_a_package_sees_the_folder_above_the_package() -> None:
    files = layout(
        "deep/lib/pkg/__init__.py", "deep/lib/pkg/sub/__init__.py", "deep/lib/pkg/sub/a.py", "x/y.py"
    )
    assert home_of(files, f"{ROOT}/deep/lib/pkg/sub/a.py") == f"{ROOT}/deep/lib"
    assert home_of(files, f"{ROOT}/x/y.py") is None
    assert resolved(files, "deep/lib/pkg/sub/a.py", "pkg.sub") == "deep/lib/pkg/sub/__init__.py"
    assert resolved(files, "x/y.py", "pkg.sub") is None


def test_the_root_may_be_a_package_itself() -> None:
    files = layout("__init__.py", "a.py", "sub/b.py")
    assert resolved(files, "a.py", "zoo.sub.b") == "sub/b.py"


def test_an_import_executes_the_packages_on_its_way_and_the_submodules_it_names() -> None:
    files = layout("pkg/__init__.py", "pkg/sub/__init__.py", "pkg/sub/mod.py", "pkg/other.py", "x.py")
    imports = {
        ImportedModule("pkg.sub.mod"): ["pkg/__init__.py", "pkg/sub/__init__.py", "pkg/sub/mod.py"],
        ImportedModule("pkg.sub", 0, ("mod", "function")): [
            "pkg/__init__.py",
            "pkg/sub/__init__.py",
            "pkg/sub/mod.py",
        ],
        ImportedModule("pkg", 0, ("*",)): ["pkg/__init__.py"],
        ImportedModule("pkg.missing.mod"): ["pkg/__init__.py"],
        ImportedModule("elsewhere"): [],
    }
    for imported, expected in imports.items():
        found = executed_by(files, f"{ROOT}/x.py", imported, (ROOT,))
        assert [key.removeprefix(f"{ROOT}/") for key in found] == expected


TREES: tuple[Mapping[str, str], ...] = (
    {
        "main.py": "import space.a, space.sub.b, pkg.mod, single\nfrom pkg import other\n",
        "space/a.py": "",
        "space/sub/b.py": "from . import c\nfrom ..a import __name__\n",
        "space/sub/c.py": "",
        "pkg/__init__.py": "",
        "pkg/mod.py": "from .other import x\nimport single\n",
        "pkg/other.py": "x = 1\n",
        "single.py": "import pkg\n",
        "single/ignored.py": "",
        "unused.py": "",
    },
    {
        "main.py": "import both\nfrom tool import run\nimport tool.run as r\n",
        "both.py": "",
        "both/__init__.py": "from both import inner\n",
        "both/inner.py": "from . import deep\n",
        "both/deep/__init__.py": "from .. import inner\n",
        "tool/run.py": "from tool.helpers import *\n",
        "tool/helpers/__init__.py": "",
    },
)


@pytest.mark.parametrize("files", TREES)
def test_finds_the_files_that_python_loads(tmp_path: Path, files: Mapping[str, str]) -> None:
    from npu_migrate.programs.graph import TreeImports, survey

    write(tmp_path, files)
    root = tmp_path.as_posix()
    report = "\nimport sys\nfor m in sys.modules.values():\n    print(getattr(m, '__file__', None))\n"
    main = tmp_path / "main.py"
    completed = subprocess.run(
        [sys.executable, "-c", f"import runpy; runpy.run_path({str(main)!r})" + report],
        cwd=tmp_path,
        env={"PYTHONPATH": root, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {line for line in completed.stdout.splitlines() if line.startswith(root)}
    keys = [(tmp_path / name).as_posix() for name in files]
    surveys = {key: survey(key, Path(key).read_bytes(), root) for key in keys}
    reached, _ = TreeImports.of(Layout.of(root, keys), surveys).reached_from(main.as_posix())
    assert reached == loaded | {main.as_posix()}
