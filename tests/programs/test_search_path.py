import textwrap

import pytest

from npu_migrate.programs.search_path import NO_ADDITIONS, path_additions

KEY = "/zoo/project/tools/train.py"
ROOT = "/zoo"


def added(source: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return tuple(path_additions(KEY, textwrap.dedent(source).encode(), ROOT))  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("expression", "folder"),
    [
        ("os.path.dirname(__file__)", "/zoo/project/tools"),
        ("os.path.dirname(os.path.dirname(os.path.abspath(__file__)))", "/zoo/project"),
        ("os.path.join(os.path.dirname(__file__), '..', 'lib')", "/zoo/project/lib"),
        ("osp.abspath(osp.join(osp.dirname(osp.realpath(__file__)), os.pardir))", "/zoo/project"),
        ("os.path.dirname(__file__) + '/../lib'", "/zoo/project/lib"),
        ("os.path.split(os.path.realpath(__file__))[0]", "/zoo/project/tools"),
        ("f'{os.path.dirname(__file__)}/lib'", "/zoo/project/tools/lib"),
        ("str(Path(__file__).resolve().parent.parent)", "/zoo/project"),
        ("str(pathlib.Path(__file__).parents[2] / 'common')", "/zoo/common"),
        ("os.fspath(Path(__file__).parent.joinpath('x', 'y'))", "/zoo/project/tools/x/y"),
        ("'/opt/models'", "/opt/models"),
        ("os.path.join(os.path.dirname(__file__), '/opt/models')", "/opt/models"),
    ],
)
def test_folders_from_literals_and_file(expression: str, folder: str) -> None:
    assert added(f"import os, sys\nsys.path.append({expression})\n") == ((), (folder,))


def test_relative_folders_are_meant_from_the_file_or_from_the_root() -> None:
    assert added("sys.path.append('../lib')") == ((), ("/zoo/project/lib", "/lib"))


def test_insert_goes_to_the_front() -> None:
    assert added("sys.path.insert(0, '/a')\nsys.path.append('/b')\n") == (("/a",), ("/b",))


def test_lists_of_folders() -> None:
    assert added("sys.path.extend(['/a', '/b'])\nsys.path += ['/c']") == ((), ("/a", "/b", "/c"))


def test_names_and_their_chains() -> None:
    source = """
        here = os.path.abspath(os.path.dirname(__file__))
        above = os.path.join(here, "..")
        sys.path.insert(0, above)
        """
    assert added(source) == (("/zoo/project",), ())


def test_a_helper_function_and_a_loop() -> None:
    source = """
        def add_path(path):
            if path not in sys.path:
                sys.path.insert(0, path)

        this_dir = osp.dirname(__file__)
        add_path(osp.join(this_dir, "..", "lib"))
        for folder in ["/a", "/b"]:
            sys.path.append(folder)
        """
    assert added(source) == (("/zoo/project/lib",), ("/a", "/b"))


def test_a_name_that_is_built_from_itself_comes_to_an_end() -> None:
    front, behind = added("d = __file__\nd = os.path.dirname(d)\nsys.path.append(d)\n")
    assert front == ()
    assert "/zoo/project/tools" in behind


@pytest.mark.parametrize(
    "source",
    [
        "sys.path.append(os.environ['LIB'])",
        "sys.path.append(os.path.join(unknown, 'lib'))",
        "sys.path.append(os.getcwd())",
        "sys.path.append()",
        "sys.path.extend(folders)",
        "sys.path.pop()",
        "print(sys.path)",
        "other.path.append('/a')  # sys.path",
        "print 'sys.path'",
        "sys.path.append('/a'",
        "sys.path.append(" + "+".join(["'a'"] * 5000) + ")",
        "x = 1",
    ],
)
def test_what_is_unknown_or_no_python_adds_nothing(source: str) -> None:
    assert path_additions(KEY, source.encode(), ROOT) == NO_ADDITIONS
