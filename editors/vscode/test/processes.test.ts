import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { askVersion, output } from "../src/processes";

const FOLDER = realpathSync(mkdtempSync(join(tmpdir(), "npu-migrate-")));

/** A program that runs these lines of shell. */
function program(name: string, lines: string): string {
  const path = join(FOLDER, name);
  writeFileSync(path, `#!/bin/sh\n${lines}\n`);
  chmodSync(path, 0o755);
  return path;
}

function ask(path: string, args: readonly string[] = []) {
  return askVersion({ program: path, args }, FOLDER);
}

test("a server says its version", async () => {
  assert.deepEqual(await ask(program("server", 'echo "npu-migrate-lsp 1.2.3"')), { version: "1.2.3" });
});

test("the arguments of the command come first", async () => {
  const echo = program("echo", 'echo "$@"');
  assert.equal(await output({ program: echo, args: ["-m", "a b"] }, ["--explain", "NPU101"], FOLDER), "-m a b --explain NPU101\n");
});

test("it starts in the folder it is given", async () => {
  assert.equal((await output({ program: program("where", "pwd -P"), args: [] }, [], FOLDER)).trim(), FOLDER);
});

test("what is no server has a reason", async () => {
  assert.deepEqual(await ask(join(FOLDER, "nothing")), { reason: "does not exist" });
  assert.deepEqual(await ask(program("silent", "true")), { reason: "printed no version" });
  const broken = program("broken", "echo Traceback >&2; echo 'No module named pygls' >&2; exit 1");
  assert.deepEqual(await ask(broken), { reason: "No module named pygls" });
});
