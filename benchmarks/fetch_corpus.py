#!/usr/bin/env python3
"""Fetches the open corpus into .cache/corpus, one folder for each package:  python benchmarks/fetch_corpus.py

pip downloads the wheels that `packages.txt` pins, and checks their hashes; the .py files are unpacked. About
6 MB to download and 17 MB on disk. Does nothing when the corpus is there.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PACKAGES = Path(__file__).with_name("packages.txt")
CORPUS = Path(__file__).resolve().parents[1] / ".cache" / "corpus"

FILES = 1530
"""How many files the pinned packages hold; any other number means that something went wrong."""


def corpus_files(corpus: Path = CORPUS) -> list[Path]:
    return sorted(corpus.rglob("*.py"))


def fetch(corpus: Path = CORPUS) -> Path:
    """The folder of the corpus, complete. Raises `RuntimeError` when it is not what it should be."""
    if not corpus.is_dir():
        corpus.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=corpus.parent) as scratch:
            wheels, unpacked = Path(scratch, "wheels"), Path(scratch, "corpus")
            download(wheels)
            for wheel in sorted(wheels.iterdir()):
                unpack(wheel, unpacked / wheel.name.split("-")[0].lower())
            shutil.move(unpacked, corpus)
    found = len(corpus_files(corpus))
    if found != FILES:
        raise RuntimeError(f"{corpus} holds {found} files instead of {FILES}; remove it and fetch again")
    return corpus


def download(folder: Path) -> None:
    """Downloads the wheels as they are; most of them ask for a Python older than this one."""
    options = ["--no-deps", "--only-binary=:all:", "--ignore-requires-python", "--require-hashes", "--quiet"]
    command = [sys.executable, "-m", "pip", "download", *options, "--dest", str(folder)]
    subprocess.run([*command, "--requirement", str(PACKAGES)], check=True)


def unpack(wheel: Path, folder: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder, [name for name in archive.namelist() if name.endswith(".py")])


if __name__ == "__main__":
    fetch()
    size = sum(path.stat().st_size for path in corpus_files())
    print(f"{FILES:,} files, {size / 1e6:.1f} MB in {CORPUS}")
