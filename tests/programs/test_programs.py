from pathlib import Path

import pytest
from source_trees import names, tree_of

from npu_migrate.programs.programs import Relevance, relevant_files

ONE_SHOT = "it = ds.make_one_shot_iterator()\n"
SESSION = "sess = tf.Session()\n"
GUARD = "if __name__ == '__main__':\n    main()\n"


def entries(root: Path, relevance: Relevance, name: str) -> list[str]:
    return names(root, relevance.programs.programs_of((root / name).as_posix()))


def test_a_zoo_of_equal_names_keeps_its_projects_apart(tmp_path: Path) -> None:
    files = {}
    for project in ("a", "b", "c"):
        files[f"{project}/train.py"] = "import utils\n" + SESSION + GUARD
        files[f"{project}/utils.py"] = "from helpers import x\n"
        files[f"{project}/helpers.py"] = "FLAGS = 1\n"
    files["b/helpers.py"] = ONE_SHOT
    files["train.py"] = SESSION
    relevance = relevant_files(tree_of(tmp_path, files))
    assert names(tmp_path, relevance.ours) == ["b/helpers.py"]
    assert names(tmp_path, relevance.supporting) == ["b/train.py"]
    assert entries(tmp_path, relevance, "b/helpers.py") == ["b/train.py"]
    assert entries(tmp_path, relevance, "a/helpers.py") == []


def test_a_shared_module_belongs_to_every_program_that_imports_it(tmp_path: Path) -> None:
    files = {
        "common/__init__.py": "",
        "common/data.py": ONE_SHOT,
        "a/train.py": "import common.data as d\n" + SESSION,
        "b/train.py": "from common import data as d\n" + SESSION,
        "c/train.py": "from common.data import *\n" + SESSION,
        "d/train.py": SESSION,
    }
    relevance = relevant_files(tree_of(tmp_path, files))
    assert entries(tmp_path, relevance, "common/data.py") == ["a/train.py", "b/train.py", "c/train.py"]
    assert names(tmp_path, relevance.supporting) == ["a/train.py", "b/train.py", "c/train.py"]


def test_a_library_that_imports_what_lies_beside_the_script(tmp_path: Path) -> None:
    files = {"lib/run.py": "import config\n" + ONE_SHOT}
    for project in ("a", "b"):
        files[f"{project}/main.py"] = "from lib import run\n" + GUARD
        files[f"{project}/config.py"] = "FLAGS = 1\n"
    relevance = relevant_files(tree_of(tmp_path, files))
    programs = relevance.programs
    run = (tmp_path / "lib/run.py").as_posix()
    for project in ("a", "b"):
        entry = (tmp_path / project / "main.py").as_posix()
        assert programs.resolve(entry, run, "config") == (tmp_path / project / "config.py").as_posix()
        assert names(tmp_path, programs.by_entry[entry].files) == [
            f"{project}/config.py",
            f"{project}/main.py",
            "lib/run.py",
        ]


def test_what_is_an_entry(tmp_path: Path) -> None:
    files = {
        "guarded.py": ONE_SHOT + GUARD,
        "app.py": "import data\ndef go():\n    tf.app.run(main)\n",
        "commented.py": "import data\n# app.run(main)\n",
        "data.py": ONE_SHOT,
        "other.py": "import guarded, app, commented\n",
    }
    relevance = relevant_files(tree_of(tmp_path, files))
    assert entries(tmp_path, relevance, "guarded.py") == ["guarded.py", "other.py"]
    assert entries(tmp_path, relevance, "data.py") == ["app.py", "other.py"]


def test_cycles_have_an_entry_too(tmp_path: Path) -> None:
    files = {
        "b.py": "import a\nimport leaf\n",
        "a.py": "import b\n",
        "leaf.py": "import inner\n" + ONE_SHOT,
        "inner.py": "import leaf\n",
        "alone.py": "import alone\n" + ONE_SHOT,
    }
    relevance = relevant_files(tree_of(tmp_path, files))
    assert entries(tmp_path, relevance, "leaf.py") == ["a.py"]
    assert entries(tmp_path, relevance, "alone.py") == ["alone.py"]


def test_a_file_that_no_entry_reaches_is_a_program_of_its_own(tmp_path: Path) -> None:
    files = {
        "main.py": "from lib import model\n",
        "lib/model.py": "import layers\n",
        "lib/layers.py": ONE_SHOT,
    }
    relevance = relevant_files(tree_of(tmp_path, files))
    assert entries(tmp_path, relevance, "lib/layers.py") == ["lib/layers.py"]


def test_relative_imports_and_packages(tmp_path: Path) -> None:
    files = {
        "pkg/__init__.py": "",
        "pkg/data.py": ONE_SHOT,
        "pkg/sub/__init__.py": "from ..data import it\n",
        "pkg/sub/train.py": "from .. import data\nimport utils\n" + SESSION + GUARD,
        "pkg/sub/utils.py": SESSION,
        "utils.py": SESSION,
    }
    relevance = relevant_files(tree_of(tmp_path, files))
    assert names(tmp_path, relevance.supporting) == ["pkg/sub/train.py", "utils.py"]
    assert entries(tmp_path, relevance, "pkg/data.py") == ["pkg/sub/__init__.py", "pkg/sub/train.py"]


def test_namespace_packages_and_the_src_layout(tmp_path: Path) -> None:
    files = {
        "src/models/net/data.py": ONE_SHOT,
        "extra/models/flags.py": SESSION,
        "scripts/train.py": "import models.net.data\nfrom models import flags\n" + GUARD,
    }
    tree = tree_of(tmp_path, files)
    assert names(tmp_path, relevant_files(tree).supporting) == []
    configured = relevant_files(tree, ((tmp_path / "extra").as_posix(),))
    assert names(tmp_path, configured.supporting) == ["extra/models/flags.py"]


def test_a_script_may_be_started_from_a_folder_above(tmp_path: Path) -> None:
    files = {
        "p/lib/net.py": ONE_SHOT,
        "p/tools/train.py": "from lib.net import it\n" + SESSION,
        "lib/net.py": "",
    }
    relevance = relevant_files(tree_of(tmp_path, files))
    assert entries(tmp_path, relevance, "p/lib/net.py") == ["p/tools/train.py"]


def test_search_path_additions_of_any_file_of_the_program(tmp_path: Path) -> None:
    files = {
        "tools/train.py": "import _init_paths\nimport net\n" + SESSION,
        "tools/_init_paths.py": "sys.path.insert(0, join(dirname(__file__), '../lib'))\n",
        "tools/net.py": "",
        "lib/net.py": "import sys\nsys.path.append('../more')\nimport data\n",
        "more/data.py": ONE_SHOT,
    }
    relevance = relevant_files(tree_of(tmp_path, files))
    assert entries(tmp_path, relevance, "more/data.py") == ["tools/train.py"]
    assert entries(tmp_path, relevance, "tools/net.py") == []


def test_files_without_a_role_are_left_out(tmp_path: Path) -> None:
    files = {
        "train.py": "import data, layers, flags\n" + ONE_SHOT,
        "data.py": "import helper\nx = iterator.get_next()\n",
        "helper.py": "x = 1\n",
        "layers.py": "def dense(x): return x\n",
        "flags.py": "flags.DEFINE_integer('n', 1, '')\n",
        "lonely.py": SESSION,
    }
    relevance = relevant_files(tree_of(tmp_path, files))
    assert names(tmp_path, relevance.ours) == ["train.py"]
    assert names(tmp_path, relevance.supporting) == ["data.py"]
    assert entries(tmp_path, relevance, "helper.py") == ["train.py"]


def test_values_play_a_role_beside_names_of_the_npu_only(tmp_path: Path) -> None:
    files = {"train.py": "import flags\n" + ONE_SHOT, "flags.py": "flags.DEFINE_integer('n', 1, '')\n"}
    assert names(tmp_path, relevant_files(tree_of(tmp_path, files)).supporting) == []
    files["train.py"] += "config = NPURunConfig(iterations_per_loop=FLAGS.n)\n"
    assert names(tmp_path, relevant_files(tree_of(tmp_path, files)).supporting) == ["flags.py"]


ZOO = {
    "a/train.py": "import data\n" + SESSION,
    "a/data.py": ONE_SHOT,
    "b/train.py": "import data\n" + SESSION,
    "b/data.py": ONE_SHOT,
    "c/plain.py": "x = 1\n",
}


@pytest.mark.parametrize("target", ["a/train.py", "a/data.py"])
def test_one_file_brings_its_own_programs_and_no_others(tmp_path: Path, target: str) -> None:
    relevance = relevant_files(tree_of(tmp_path, ZOO, (target,)))
    assert names(tmp_path, relevance.ours | relevance.supporting) == ["a/data.py", "a/train.py"]
    assert relevance.programs.by_file.keys() == relevance.ours | relevance.supporting


def test_the_programs_of_a_file_do_not_depend_on_what_else_is_asked_about(tmp_path: Path) -> None:
    whole = relevant_files(tree_of(tmp_path, ZOO)).programs
    for name in ZOO:
        key = (tmp_path / name).as_posix()
        alone = relevant_files(tree_of(tmp_path, ZOO, (name,))).programs
        assert alone.programs_of(key) == whole.programs_of(key)


def test_a_target_that_cannot_matter_costs_no_look_at_the_others(tmp_path: Path) -> None:
    tree = tree_of(tmp_path, ZOO, ("c/plain.py",))
    (tmp_path / "a/data.py").unlink()
    relevance = relevant_files(tree)
    assert relevance.ours == relevance.supporting == frozenset()


def test_a_file_that_cannot_be_read_is_not_passed_over(tmp_path: Path) -> None:
    tree = tree_of(tmp_path, {"gone.py": "", "train.py": "import gone\n" + SESSION})
    (tmp_path / "gone.py").unlink()
    relevance = relevant_files(tree)
    assert names(tmp_path, relevance.ours) == ["gone.py"]
    assert names(tmp_path, relevance.supporting) == ["train.py"]


def test_texts_replaced_in_memory_decide(tmp_path: Path) -> None:
    tree = tree_of(tmp_path, {"train.py": "x = 1\n", "data.py": "x = 1\n"})
    key = (tmp_path / "train.py").as_posix()
    relevance = relevant_files(tree.with_texts({key: "import data\n" + ONE_SHOT}))
    assert relevance.programs.programs_of((tmp_path / "data.py").as_posix()) == (key,)


def test_a_deep_chain_of_imports(tmp_path: Path) -> None:
    files = {f"m{number}.py": f"import m{number + 1}\n" for number in range(2000)}
    files["m2000.py"] = "import m0\n" + ONE_SHOT
    relevance = relevant_files(tree_of(tmp_path, files))
    assert entries(tmp_path, relevance, "m2000.py") == ["m0.py"]


def test_a_file_that_hides_itself_from_its_program(tmp_path: Path) -> None:
    files = {
        "train.py": "import data\n" + ONE_SHOT + GUARD,
        "data.py": "import sys\nsys.path.insert(0, 'lib')\n",
        "lib/data.py": SESSION,
    }
    relevance = relevant_files(tree_of(tmp_path, files))
    assert entries(tmp_path, relevance, "train.py") == ["train.py"]
    assert names(tmp_path, relevance.supporting) == ["lib/data.py"]


def test_modules_of_which_only_the_beginning_is_known(tmp_path: Path) -> None:
    files = {
        "train.py": "m = importlib.import_module('nets.net_%s' % name)\n" + GUARD,
        "nets/net_a.py": ONE_SHOT,
        "nets/net_b.py": ONE_SHOT,
        "nets/other.py": ONE_SHOT,
        "zoo/nets/net_c.py": ONE_SHOT,
    }
    relevance = relevant_files(tree_of(tmp_path, files))
    for module in ("nets/net_a.py", "nets/net_b.py"):
        assert entries(tmp_path, relevance, module) == ["train.py"]
    for module in ("nets/other.py", "zoo/nets/net_c.py"):
        assert entries(tmp_path, relevance, module) == [module]


def test_modules_that_are_imported_from_a_package_by_their_names(tmp_path: Path) -> None:
    files = {
        "train.py": "import nets\n" + GUARD,
        "nets/__init__.py": "net = importlib.import_module('.net_' + name, __package__)\n",
        "nets/net_a.py": ONE_SHOT,
        "nets/other.py": ONE_SHOT,
        "zoo/net_b.py": ONE_SHOT,
    }
    relevance = relevant_files(tree_of(tmp_path, files))
    assert entries(tmp_path, relevance, "nets/net_a.py") == ["train.py"]
    for module in ("nets/other.py", "zoo/net_b.py"):
        assert entries(tmp_path, relevance, module) == [module]


def test_a_file_that_is_opened_is_no_module(tmp_path: Path) -> None:
    files = {
        "train.py": "net = importlib.import_module(name)\nopen('config.json')\n" + GUARD,
        "config.py": ONE_SHOT,
    }
    assert entries(tmp_path, relevant_files(tree_of(tmp_path, files)), "config.py") == ["config.py"]
