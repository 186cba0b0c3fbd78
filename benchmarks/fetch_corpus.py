#!/usr/bin/env python3
"""Fetches the open corpus into .cache/corpus, one folder for each package:  python benchmarks/fetch_corpus.py

pip downloads the wheels that `packages.txt` pins, and checks their hashes; the .py files are unpacked. About
6 MB to download and 17 MB on disk. Does nothing when the corpus is there. With --second it is the second
corpus, of `second_packages.txt`, in .cache/second-corpus: code on which no rule was made, to see how the
rules do on code that they have not seen. About 25 MB to download and 50 MB on disk.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

PACKAGES = Path(__file__).with_name("packages.txt")
SECOND = "--second"
SECOND_PACKAGES = Path(__file__).with_name("second_packages.txt")
CACHE = Path(__file__).resolve().parents[1] / ".cache"
CORPUS = CACHE / "corpus"
SECOND_CORPUS = CACHE / "second-corpus"

FILES = 1530
"""How many files the pinned packages hold; any other number means that something went wrong."""
SECOND_FILES = 5741


def corpus_files(corpus: Path = CORPUS) -> list[Path]:
    return sorted(corpus.rglob("*.py"))


def fetch(corpus: Path = CORPUS, packages: Path = PACKAGES, files: int = FILES) -> Path:
    """The folder of a corpus, complete. Raises `RuntimeError` when it is not what it should be."""
    if not corpus.is_dir():
        corpus.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=corpus.parent) as scratch:
            wheels, unpacked = Path(scratch, "wheels"), Path(scratch, "corpus")
            download(packages, wheels)
            for wheel in sorted(wheels.iterdir()):
                unpack(wheel, unpacked / wheel.name.split("-")[0].lower())
            try:
                unpacked.rename(corpus)
            except OSError:
                if not corpus.is_dir():  # else another process was faster
                    raise
    found = len(corpus_files(corpus))
    if found != files:
        raise RuntimeError(f"{corpus} holds {found} files instead of {files}; remove it and fetch again")
    return corpus


def download(packages: Path, folder: Path) -> None:
    """Downloads the wheels as they are; most of them ask for a Python older than this one."""
    options = ["--no-deps", "--only-binary=:all:", "--ignore-requires-python", "--require-hashes", "--quiet"]
    command = [sys.executable, "-m", "pip", "download", *options, "--dest", str(folder)]
    subprocess.run([*command, "--requirement", str(packages)], check=True)


def unpack(wheel: Path, folder: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder, [name for name in archive.namelist() if name.endswith(".py")])


def fetch_asked_for(arguments: Sequence[str]) -> Path:
    """The folder of the corpus that the arguments of a command ask for. Raises as `fetch` does."""
    return fetch(SECOND_CORPUS, SECOND_PACKAGES, SECOND_FILES) if SECOND in arguments else fetch()


if __name__ == "__main__":
    folder = fetch_asked_for(sys.argv[1:])
    sizes = [path.stat().st_size for path in corpus_files(folder)]
    print(f"{len(sizes):,} files, {sum(sizes) / 1e6:.1f} MB in {folder}")
