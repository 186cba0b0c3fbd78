"""Decoding as CPython does, judged by CPython itself; encoding back byte for byte."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from npu_migrate.sources.source import (
    SourceError,
    UndecodableFile,
    UnencodableText,
    decode,
    dominant_newline,
    from_text,
)

BOM = b"\xef\xbb\xbf"
GBK = "# 训练\nname = '数据集'\n"

ACCEPTED = [
    (b"x = 1\n", "utf-8"),
    (BOM + b"x = 1\n", "utf-8"),
    (BOM + b"# coding: UTF-8-sig\n", "utf-8"),
    (b"# coding: utf8-\nx = '\xc3\xa9'\n", "utf8-"),
    (b"# -*- coding: latin-1 -*-\nx = '\xe9'\n", "iso-8859-1"),
    (b"# coding: ISO_8859-1-unix\nx = '\xe9'\n", "iso-8859-1"),
    (b"# \xe9\n# vim: set fileencoding=cp1252 :\nx = '\x80'\n", "cp1252"),
    (b"\x0c \t# coding=gbk\n" + GBK.encode("gbk"), "gbk"),
    (b"\r# coding: gbk\r" + GBK.encode("gbk").replace(b"\n", b"\r"), "gbk"),
    (b"#!/usr/bin/python\r\n# coding: gbk\r\n", "gbk"),
    (b"# coding: : coding: gbk\n" + GBK.encode("gbk"), "gbk"),
    (b"# coding: utf-8-unix\nx = 1\n", "utf-8"),
]

REFUSED = [
    (b"x = '\xe9'\n", "is not valid utf-8: byte 0xe9 on line 1"),
    (b"\r\nx = 1\ry = '\xff'\n", "is not valid utf-8: byte 0xff on line 3"),
    (b"\n\n# coding: latin-1\nx = '\xe9'\n", "is not valid utf-8: byte 0xe9 on line 4"),
    (b"x = 1; # coding: latin-1\ny = '\xe9'\n", "is not valid utf-8: byte 0xe9 on line 2"),
    (b"x = 1\n# coding: latin-1\ny = '\xe9'\n", "is not valid utf-8: byte 0xe9 on line 3"),
    (BOM + b"# coding: utf8\n", "begins with a UTF-8 BOM but declares the encoding utf8"),
    (BOM + b"# coding: gbk\n", "begins with a UTF-8 BOM but declares the encoding gbk"),
    (b"# coding: nonsense\n", "declares the unknown encoding nonsense"),
    (b"# coding: rot13\n", "cannot be decoded as rot13: 'rot13' is not a text encoding"),
    (b"# coding: undefined\n", "cannot be decoded as undefined: "),
    (b"# coding: utf-16\nx = 1\n", "is not valid utf-16"),
    (b"x = 1\n\0", "contains NUL bytes"),
    ("x = 1\n".encode("utf-16"), "is UTF-16 text, which Python does not read; save it as UTF-8"),
]


@pytest.mark.parametrize(("data", "encoding"), ACCEPTED)
def test_accepted_as_cpython_accepts(data: bytes, encoding: str) -> None:
    compile(data, "x.py", "exec")
    source = decode("x.py", data)
    assert source.encoding == encoding
    assert source.bom == data.startswith(BOM)
    assert not source.text.startswith("\ufeff")
    assert source.with_text(source.text).data == data
    assert source.spliced([]) == data


@pytest.mark.parametrize(("data", "reason"), REFUSED)
def test_refused_as_cpython_refuses(data: bytes, reason: str) -> None:
    with pytest.raises((SyntaxError, ValueError)):
        compile(data, "x.py", "exec")
    with pytest.raises(UndecodableFile) as refusal:
        decode("x.py", data)
    assert refusal.value.key == "x.py"
    assert refusal.value.reason.startswith(reason)


COOKIE_LINES = st.tuples(
    st.sampled_from([b"", b"", b" ", b"\x0c", b"x = 1; ", BOM]),
    st.sampled_from([b"#", b"# -*- ", b"# Xcoding ", b"# coding: ", b"", b"# \xe9 "]),
    st.sampled_from([b"coding", b"encoding", b"Coding", b"codin"]),
    st.sampled_from([b":", b"=", b": \t", b" :", b""]),
    st.sampled_from([b"latin-1", b"iso_8859-1-x", b"utf-8", b"utf8", b"UTF_8-x", b"cp1252", b"nope", b""]),
    st.sampled_from([b"\n", b"\r\n", b"\r", b" -*-\n", b",\n"]),
)


@given(st.lists(st.one_of(COOKIE_LINES, st.sampled_from([(b"\n",), (b"#\r",), (b"y = 1\n",)])), max_size=3))
def test_cookies_are_read_as_cpython_reads_them(lines: list[tuple[bytes, ...]]) -> None:
    """A string literal behind any prefix has for us the characters that it has for CPython."""
    data = b"".join(b"".join(line) for line in lines) + b"\n\nprobe = '\xc3\xa9'\n"
    try:
        body = compile(data, "x.py", "exec", dont_inherit=True)
        literals = [one for one in body.co_consts if isinstance(one, str)]
    except (SyntaxError, ValueError):
        return  # not only cookies can be wrong in such a file
    try:
        source = decode("x.py", data)
    except SourceError:
        # CPython's compile() does not look at bytes in comments; running the file would refuse them.
        with pytest.raises(UnicodeDecodeError):
            data.decode("utf-8")
        return
    expected = b"\xc3\xa9".decode(source.encoding)
    assert expected in literals


@pytest.mark.parametrize(
    ("text", "newline"),
    [
        ("", "\n"),
        ("a", "\n"),
        ("a\nb\r\nc\r\n", "\r\n"),
        ("a\nb\nc\r\n", "\n"),
        ("a\rb\r\n\r", "\r"),
        ("a\n\r\n", "\n"),
    ],
)
def test_dominant_newline(text: str, newline: str) -> None:
    assert dominant_newline(text) == newline


def test_edits_keep_all_other_bytes() -> None:
    """cp932 has two byte sequences for one character; the one in the file stays."""
    data = b"# coding: cp932\na = '\xee\xf9'\nb = 1\n"
    source = decode("x.py", data)
    assert source.text.encode("cp932") != data, "else this test shows nothing"
    start = source.text.index("1\n", 16)
    assert source.spliced([(start, start + 1, "2"), (0, 0, "#\n")]) == (
        b"#\n# coding: cp932\na = '\xee\xf9'\nb = 2\n"
    )


@given(st.text("aé漢\n", max_size=20), st.data())
def test_splicing_equals_editing_the_text(text: str, data: st.DataObject) -> None:
    source = decode("x.py", BOM + text.encode())
    points = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=4, unique=True)))
    edits = [(start, end, f"<{start}>") for start, end in zip(points[::2], points[1::2], strict=False)]
    edited = text
    for start, end, new in reversed(edits):
        edited = edited[:start] + new + edited[end:]
    assert source.spliced(reversed(edits)) == BOM + edited.encode()
    assert source.spliced(edits * 2) == BOM + edited.encode(), "equal edits are applied once"


def test_overlapping_edits_are_a_bug() -> None:
    with pytest.raises(ValueError, match="overlap"):
        decode("x.py", b"abcdef").spliced([(0, 3, "x"), (2, 4, "y")])


def test_text_that_the_encoding_lacks_is_refused() -> None:
    source = decode("x.py", b"# coding: latin-1\n")
    with pytest.raises(UnencodableText, match="cannot be stored as iso-8859-1"):
        source.with_text("漢")
    with pytest.raises(UnencodableText, match="cannot be stored as iso-8859-1"):
        source.spliced([(0, 0, "漢")])


def test_edits_that_would_change_the_meaning_of_other_bytes_are_refused() -> None:
    """UTF-7 is stateful: an insertion into a shifted run cannot be done by splicing bytes."""
    source = decode("x.py", b"# coding: utf-7\nx = '+AOkA6Q-'\n")
    middle = source.text.index("é") + 1
    with pytest.raises(UnencodableText):
        source.spliced([(middle, middle, "a")])


def test_texts_without_a_file_are_utf8_whatever_they_declare() -> None:
    source = from_text("x.py", "\ufeff# coding: gbk\nx = 'é'\r\n")
    assert (source.encoding, source.bom, source.text[0], source.newline) == ("utf-8", True, "#", "\n")
    assert source.data == BOM + "# coding: gbk\nx = 'é'\r\n".encode()


@pytest.mark.parametrize("text", ["x = '\0'", "x = '\ud800'"])
def test_texts_that_are_no_text_are_refused(text: str) -> None:
    with pytest.raises(UndecodableFile):
        from_text("x.py", text)
