import assert from "node:assert/strict";
import { test } from "node:test";
import { findServer, serverCommands, shown, toolBeside, type Answer, type Command } from "../src/search";

const NOWHERE: Answer = { reason: "does not exist" };

function tried(places: Partial<Parameters<typeof serverCommands>[0]>): string[] {
  return serverCommands({ path: "", interpreters: [], platform: "linux", ...places }).map(shown);
}

test("a path in the settings is the only place", () => {
  assert.deepEqual(tried({ path: "/opt/lsp", interpreters: ["/venv/bin/python"] }), ["/opt/lsp"]);
});

test("without any knowledge the PATH is searched", () => {
  assert.deepEqual(tried({}), ["npu-migrate-lsp"]);
});

test("each environment is searched before the PATH, and only once", () => {
  assert.deepEqual(tried({ interpreters: ["/a/bin/python", "/b/bin/python3", "/a/bin/python"] }), [
    "/a/bin/npu-migrate-lsp",
    "/a/bin/python -m npu_migrate.lsp",
    "/b/bin/npu-migrate-lsp",
    "/b/bin/python3 -m npu_migrate.lsp",
    "npu-migrate-lsp",
  ]);
});

test("on Windows programs are beside the interpreter or in Scripts", () => {
  assert.deepEqual(tried({ interpreters: ["C:\\env\\python.exe"], platform: "win32" }), [
    "C:\\env\\npu-migrate-lsp.exe",
    "C:\\env\\Scripts\\npu-migrate-lsp.exe",
    "C:\\env\\python.exe -m npu_migrate.lsp",
    "npu-migrate-lsp",
  ]);
});

test("the first command that answers is taken; the ones before it are told", async () => {
  const commands: Command[] = ["a", "b", "c"].map((program) => ({ program, args: [] }));
  const asked: string[] = [];
  const result = await findServer(commands, ({ program }) => {
    asked.push(program);
    return Promise.resolve(program === "b" ? { version: "1.2.3" } : NOWHERE);
  });
  assert.deepEqual(asked, ["a", "b"]);
  assert.deepEqual(result.found, { command: { program: "b", args: [] }, version: "1.2.3" });
  assert.deepEqual(result.misses, [{ command: { program: "a", args: [] }, reason: "does not exist" }]);
});

test("if none answers, nothing is found", async () => {
  const commands = [{ program: "a", args: [] }];
  const { found, misses } = await findServer(commands, () => Promise.resolve(NOWHERE));
  assert.equal(found, undefined);
  assert.equal(misses.length, 1);
});

test("the command line tool is in the same place as the server", () => {
  const beside = (program: string, args: readonly string[] = []): string => {
    const tool = toolBeside({ program, args });
    return tool === undefined ? "unknown" : shown(tool);
  };
  assert.equal(beside("/a/bin/npu-migrate-lsp"), "/a/bin/npu-migrate");
  assert.equal(beside("C:\\env\\Scripts\\npu-migrate-lsp.exe"), "C:\\env\\Scripts\\npu-migrate.exe");
  assert.equal(beside("npu-migrate-lsp"), "npu-migrate");
  assert.equal(beside("/a/bin/python", ["-m", "npu_migrate.lsp"]), "/a/bin/python -m npu_migrate");
  assert.equal(beside("/a/my-server"), "unknown");
});
