"""Start, end, and what must not happen in between."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from editor import PATIENCE, SERVER, editor
from lsprotocol import types
from scripts import ITERATOR, project

from npu_migrate.version import __version__

FAULTY = (sys.executable, str(Path(__file__).with_name("faulty_server.py")))


def message(method: str, params: object = None, number: int | None = None) -> bytes:
    body = {"jsonrpc": "2.0", "method": method, "params": params}
    text = json.dumps(body if number is None else {**body, "id": number}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(text), text)


INITIALIZE = message("initialize", {"processId": None, "rootUri": None, "capabilities": {}}, 1)
SHUTDOWN, EXIT = message("shutdown", number=2), message("exit")


@pytest.mark.parametrize(
    ("arguments", "sent", "code"),
    [
        ([], INITIALIZE + SHUTDOWN + EXIT, 0),
        (["--stdio"], INITIALIZE + SHUTDOWN + EXIT, 0),
        (["--stdio"], INITIALIZE + EXIT, 1),
        ([], EXIT, 1),
        ([], INITIALIZE, 1),
        ([], b"", 1),
        ([], INITIALIZE + b"Content-Length: 500\r\n\r\n{", 1),
        (["--socket"], b"", 2),
    ],
)
def test_the_exit_code_says_how_the_connection_ended(arguments: list[str], sent: bytes, code: int) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "npu_migrate.lsp", *arguments],
        input=sent,
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    assert ended.returncode == code


HOVER = {"textDocument": {"uri": "file:///a.py"}, "position": {"line": 0, "character": 0}}


def test_requests_at_a_wrong_time_are_refused() -> None:
    """So are those that are none; a notification at a wrong time is passed over."""
    opened = {"uri": "file:///a.py", "languageId": "python", "version": 1, "text": ITERATOR}
    sent = [
        message("textDocument/didOpen", {"textDocument": opened}),
        message("workspace/didChangeConfiguration", {"settings": {}}),
        message("textDocument/hover", HOVER, 10),
        INITIALIZE,
        message("initialize", {"processId": None, "rootUri": None, "capabilities": {}}, 11),
        message("textDocument/hover", {**HOVER, "position": {"line": -1}}, 12),
        message("textDocument/hover", None, 13),
        message("no/such", None, 14),
        message("textDocument/hover", HOVER, 15),
        SHUTDOWN,
        message("textDocument/hover", HOVER, 16),
        EXIT,
    ]
    with subprocess.Popen(
        SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as one:
        said, _ = one.communicate(b"".join(sent), timeout=PATIENCE)
    bodies = [json.loads(body[: body.rindex(b"}") + 1]) for body in said.split(b"\r\n\r\n")[1:]]
    codes = {body["id"]: body.get("error", {}).get("code") for body in bodies if "id" in body}
    assert codes == {
        10: -32002,
        1: None,
        11: -32600,
        12: -32602,
        13: -32602,
        14: -32601,
        15: None,
        2: None,
        16: -32600,
    }
    assert b"please report it" not in said
    assert one.returncode == 0


def test_version_and_help() -> None:
    for argument, expected in (("--version", f"npu-migrate-lsp {__version__}\n"), ("--help", "Usage: npu-")):
        said = subprocess.run(
            [*SERVER[:-1], argument], capture_output=True, text=True, timeout=PATIENCE, check=True
        )
        assert said.stdout.startswith(expected)


def test_a_server_whose_editor_dies_ends_while_it_works(tmp_path: Path) -> None:
    """There is much to judge, and nobody waits for it any more."""
    body = "".join(
        ITERATOR.replace("iterator", f"iterator{n}").replace("batch", f"batch{n}") for n in range(300)
    )
    folder = project(tmp_path, {f"train{n}.py": f"{body}# {n}\n" for n in range(4)})
    server = subprocess.Popen(
        SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
    )
    assert server.stdin is not None and server.stdout is not None
    server.stdin.write(INITIALIZE)
    server.stdout.readline()
    for number in range(4):
        file = folder / f"train{number}.py"
        item = {"uri": file.as_uri(), "languageId": "python", "version": 1, "text": file.read_text("utf-8")}
        server.stdin.write(message("textDocument/didOpen", {"textDocument": item}))
    server.stdin.close()
    server.stdout.close()
    assert server.wait(PATIENCE) == 1
    assert server.stderr is not None
    server.stderr.close()


@pytest.mark.asyncio
async def test_messages_about_what_is_not_open_are_passed_over(tmp_path: Path) -> None:
    folder = project(tmp_path, {"train.py": ITERATOR})
    async with editor(folder) as one:
        uri = one.open(folder / "train.py")
        await one.found(uri)
        one.close(uri)
        nowhere = types.TextDocumentIdentifier(uri)
        text = types.TextDocumentContentChangeWholeDocument("x")
        document = types.VersionedTextDocumentIdentifier(version=9, uri=uri)
        one.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [text]))
        one.client.text_document_did_close(types.DidCloseTextDocumentParams(nowhere))
        one.client.text_document_did_save(types.DidSaveTextDocumentParams(nowhere))
        assert one.open(folder / "train.py") == uri
        document = types.VersionedTextDocumentIdentifier(version=0, uri=uri)
        one.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [text]))
        assert await one.codes(uri) == ["NPU101"]
        assert one.client.messages == one.client.log_messages == []


@pytest.mark.asyncio
async def test_opening_and_closing_at_once_leaves_nothing_behind(tmp_path: Path) -> None:
    folder = project(tmp_path, {"train.py": ITERATOR, "other.py": ITERATOR})
    async with editor(folder) as one:
        for _ in range(20):
            one.close(one.open(folder / "train.py"))
        other = one.open(folder / "other.py")
        assert await one.codes(other) == ["NPU101"]
        latest = one.latest((folder / "train.py").as_uri())
        assert latest is None or latest.diagnostics == ()


@pytest.mark.asyncio
async def test_a_fault_is_logged_once_and_the_server_lives_on(tmp_path: Path) -> None:
    folder = project(tmp_path, {"train.py": ITERATOR, "other.py": ITERATOR})
    async with editor(folder, command=FAULTY) as one:
        train, other = one.open(folder / "train.py"), one.open(folder / "other.py")
        await one.until_codes(train, "NPU101")
        for number in range(3):
            one.write(train, f"{ITERATOR}# FAULT {number}\n")
            (found,) = await one.found(train)
            assert (found.code, found.message) == (
                "NPU903",
                "not analysed: a fault of npu-migrate itself, which its log shows",
            )
        assert await one.codes(other) == ["NPU101"]
        (logged,) = one.client.log_messages
        assert "ZeroDivisionError: a fault" in logged.message
        assert one.client.messages == []
        one.write(train, ITERATOR)
        assert await one.codes(train) == ["NPU101"]


@pytest.mark.long
@pytest.mark.asyncio
async def test_a_large_file_does_not_hold_up_the_others(tmp_path: Path) -> None:
    folder = project(tmp_path, {"train.py": ITERATOR, "large.py": ""})
    large_text = ITERATOR + "".join(f"data_{n} = '{'数据 ' * 250}'\n" for n in range(2_800))
    assert len(large_text) > 2_000_000
    async with editor(folder) as one:
        large = one.open(folder / "large.py", large_text)
        for number in range(5):
            one.write(large, f"{large_text}# {number}\n")
        page = await one.client.workspace_execute_command_async(
            types.ExecuteCommandParams("npuMigrate.explainRule", ["NPU101"])
        )
        assert page
        assert await one.codes(large) == ["NPU101"]
        assert await one.codes(one.open(folder / "train.py")) == ["NPU101"]


def resident(process: int) -> int:
    """The memory of a process, in bytes."""
    pages = Path(f"/proc/{process}/statm").read_text("ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.long
@pytest.mark.asyncio
async def test_two_thousand_keystrokes_leave_no_memory_behind(tmp_path: Path) -> None:
    functions = "".join(f"\n\ndef f{n}(x):\n    return [x + {n}, {{'a': x}}]\n" for n in range(30))
    text = ITERATOR + functions
    folder = project(tmp_path, {"train.py": text})
    async with editor(folder) as one:
        uri = one.open(folder / "train.py")
        await one.actions(uri)
        server = one.client._server
        assert server is not None
        sizes = []
        for number in range(2000):
            broken = "if (:\n" if number % 7 == 0 else ""
            one.write(uri, f"{text}x = {number}\n{broken}")
            if number % 4 == 0:
                await one.found(uri)
            if number % 500 == 499:
                await one.actions(uri)
                sizes.append(resident(server.pid))
        assert sizes[-1] - sizes[0] < 15_000_000, sizes
