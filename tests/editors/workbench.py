"""VS Code's workbench in Chromium, with the extension in it and the real server behind it.

The page of `vscode_page/` has the code of the extension. What a page cannot do is done here: it starts the
programs of this machine, and carries messages between the language client and the server.
"""

from __future__ import annotations

import asyncio
import base64
import functools
import shutil
import subprocess
import threading
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from editing import PATIENCE, path_with_server
from fidelity import Tree, write_tree
from node_tools import VSCODE, VSCODE_PAGE
from playwright.async_api import Page, WebSocketRoute, async_playwright

REPOSITORY = Path(__file__).resolve().parents[2]
PAGE = Path(__file__).with_name("vscode_page")
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run")

BULB = "[class*=codicon-lightbulb], [class*=codicon-gutter-lightbulb], .lightBulbWidget.codicon-light-bulb"
MENU = ".action-widget .monaco-list-row.action"


def bundle(folder: Path) -> None:
    """Make the page in a folder that is not there yet."""
    extension = REPOSITORY / "editors" / "vscode"
    command = ["node", str(PAGE / "bundle.mjs"), str(VSCODE_PAGE), str(extension), str(VSCODE), str(folder)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
    assert done.returncode == 0, done.stdout


class Workbench(NamedTuple):
    """A window of VS Code with a folder that is open."""

    page: Page
    folder: Path
    names: tuple[str, ...]
    """The files in the folder."""

    async def call(self, function: str, *arguments: object) -> Any:
        """What a function of ``window.editor`` in the page returns."""
        return await self.page.evaluate("([name, words]) => editor[name](...words)", [function, arguments])

    async def show(self, name: str) -> None:
        await self.call("show", str(self.folder / name))

    async def expect(self, *findings: str) -> None:
        """Wait until exactly these findings are in the text that is shown, each as ``4: NPU101``."""
        wanted = "\n".join(findings)
        await self.page.wait_for_function("wanted => editor.listed().join('\\n') === wanted", arg=wanted)

    async def go_to_finding(self, code: str) -> None:
        """Put the cursor at a finding; waits for it and for its light bulb.

        Before that, VS Code may drop a menu that is asked for: it asks anew for the light bulb when it hears
        of findings.
        """
        await self.page.wait_for_function("code => editor.marked(code) !== undefined", arg=code)
        await self.call("goToFinding", code)
        await self.page.locator(BULB).first.wait_for()

    async def bulb(self) -> str:
        """The classes of the light bulb."""
        return await self.page.locator(BULB).first.get_attribute("class") or ""

    async def menu(self) -> list[str]:
        """The titles in the menu that is open; waits for it."""
        await self.page.locator(MENU).first.wait_for()
        return await self.page.locator(f"{MENU} .title").all_inner_texts()

    async def choose(self, title: str) -> None:
        """Choose an action from the menu that is open."""
        await self.page.locator(MENU).filter(has=self.page.get_by_text(title, exact=True)).click()

    async def hover(self) -> str:
        """The text beside the cursor, with the page of a rule in it."""
        await self.call("run", "editor.action.showHover")
        page = self.page.locator(".monaco-hover:visible", has=self.page.locator("h1"))
        return await page.inner_text()

    async def text(self) -> str:
        """The text that is shown."""
        return str(await self.call("text"))

    async def files(self) -> Tree:
        """The files as they are saved in the page."""
        contents = [await self.call("read", str(self.folder / name)) for name in self.names]
        return dict(zip(self.names, map(base64.b64decode, contents), strict=True))

    async def saved(self) -> Tree:
        """The files after everything is saved."""
        await self.call("saveAll")
        return await self.files()


@asynccontextmanager
async def opened(
    address: str, folder: Path, tree: Tree, settings: dict[str, object] | None = None
) -> AsyncIterator[Workbench]:
    """A window in which a folder with these files is open. At the end it is closed, and the server ends."""
    write_tree(folder, tree)
    servers = Servers([], [])
    faults: list[str] = []
    path = shutil.which("npu-migrate-lsp", path=path_with_server())
    files = {name: base64.b64encode(content).decode() for name, content in tree.items()}
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = await browser.new_page(viewport={"width": 1500, "height": 700})
        page.set_default_timeout(PATIENCE * 1000)
        page.on("pageerror", lambda error: faults.append(str(error)))
        await page.route_web_socket("**/server?*", lambda socket: servers.connect(socket))
        await page.expose_function("runProgram", run_program)
        await page.goto(address)
        await page.wait_for_function("window.editor !== undefined")
        window = Workbench(page, folder, tuple(tree))
        await window.call("start", str(folder), files, {"npuMigrate.path": path, **(settings or {})})
        try:
            yield window
        except BaseException:
            await page.screenshot(path=folder / "when_it_failed.png")
            raise
        await browser.close()
    await servers.end()
    assert faults == []


async def run_program(words: list[str]) -> dict[str, object]:
    process = await asyncio.create_subprocess_exec(*words, stdout=PIPE, stderr=PIPE)
    output, errors = await process.communicate()
    return {"code": process.returncode, "output": output.decode(), "errors": errors.decode()}


class Servers(NamedTuple):
    """The servers that a page has started, and what carries their messages to it."""

    processes: list[Process]
    carriers: list[asyncio.Task[None]]

    async def connect(self, socket: WebSocketRoute) -> None:
        """Start the server whose command is in the address of the socket."""
        words = [word for _, word in parse_qsl(urlsplit(socket.url).query)]
        process = await asyncio.create_subprocess_exec(*words, stdin=PIPE, stdout=PIPE)
        assert process.stdin is not None
        writer = process.stdin

        def carry(message: str | bytes) -> None:
            content = message.encode() if isinstance(message, str) else message
            writer.write(b"Content-Length: %d\r\n\r\n%b" % (len(content), content))

        socket.on_message(carry)
        self.processes.append(process)
        self.carriers.append(asyncio.create_task(carry_answers(process, socket)))

    async def end(self) -> None:
        """Close the connections; a server that nobody listens to has to end."""
        for process, carrier in zip(self.processes, self.carriers, strict=True):
            assert process.stdin is not None
            process.stdin.close()
            await asyncio.wait_for(process.wait(), PATIENCE)
            carrier.cancel()


async def carry_answers(process: Process, socket: WebSocketRoute) -> None:
    assert process.stdout is not None
    while head := await process.stdout.readline():
        name, _, value = head.decode().partition(":")
        if name == "Content-Length":
            await process.stdout.readuntil(b"\r\n\r\n")
            socket.send((await process.stdout.readexactly(int(value))).decode())


class Files(SimpleHTTPRequestHandler):
    """Serves files and tells nobody."""

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address at which the files of a folder are served."""
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()
