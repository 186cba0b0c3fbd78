/** The bundled extension in a stand-in for VS Code, with a small language server of its own. */

import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";
import manifest from "../package.json" with { type: "json" };
import { ruleAt } from "../src/findings";
import { EXPLAIN, FIX_ALL } from "../src/protocol";
import { Host } from "./host";

const BUNDLE = resolve("dist/extension.js");

/** Answers the requests that start and end a session, and writes down what it was asked. */
const SERVER = `#!${process.execPath}
const { appendFileSync } = require("node:fs");
if (process.argv.includes("--version")) { console.log("npu-migrate-lsp 1.2.3"); process.exit(); }
const note = (value) => appendFileSync(__dirname + "/notes", JSON.stringify(value) + "\\n");
note({ argv: process.argv.slice(2), cwd: process.cwd(), pid: process.pid });
let pending = Buffer.alloc(0);
process.stdin.on("data", (data) => {
  pending = Buffer.concat([pending, data]);
  for (;;) {
    const match = /^Content-Length: (\\d+)\\r\\n(?:.*\\r\\n)*?\\r\\n/.exec(pending.toString("latin1"));
    if (!match || pending.length < match[0].length + Number(match[1])) { return; }
    const end = match[0].length + Number(match[1]);
    const message = JSON.parse(pending.subarray(match[0].length, end).toString());
    pending = pending.subarray(end);
    note({ method: message.method });
    if (message.method === "exit") { process.exit(0); }
    if (message.id !== undefined) {
      const result = message.method === "initialize" ? { capabilities: {} } : null;
      const text = JSON.stringify({ jsonrpc: "2.0", id: message.id, result });
      process.stdout.write("Content-Length: " + Buffer.byteLength(text) + "\\r\\n\\r\\n" + text);
    }
  }
});
`;

interface Note {
  readonly method?: string;
  readonly argv?: readonly string[];
  readonly cwd?: string;
  readonly pid?: number;
}

/** A folder with a server and a command line tool. */
class Installation {
  readonly folder = mkdtempSync(join(tmpdir(), "npu-migrate-"));
  readonly server = this.program("npu-migrate-lsp", SERVER);

  constructor() {
    this.program("npu-migrate", '#!/bin/sh\necho "# $2, explained"\n');
  }

  notes(): Note[] {
    const file = join(this.folder, "notes");
    return existsSync(file)
      ? readFileSync(file, "utf8").trim().split("\n").map((line) => JSON.parse(line) as Note)
      : [];
  }

  methods(): (string | undefined)[] {
    return this.notes().flatMap(({ method }) => (method === undefined ? [] : [method]));
  }

  private program(name: string, text: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, text);
    chmodSync(path, 0o755);
    return path;
  }
}

/** Waits until something is the case, for a minute at most. */
async function until(what: string, holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 1200 && !holds(); turn += 1) {
    await new Promise((done) => setTimeout(done, 50));
  }
  assert.ok(holds(), what);
}

function newHost(settings: Record<string, unknown>): Host {
  return new Host(settings, mkdtempSync(join(tmpdir(), "npu-migrate-extension-")));
}

test("the commands are those of the manifest", async () => {
  const host = newHost({ enable: false });
  const extension = await host.activate(BUNDLE);
  assert.deepEqual([...host.commands.keys()].sort(), manifest.contributes.commands.map(({ command }) => command).sort());
  assert.equal(host.item.text, "$(circle-slash) npu-migrate");
  await extension.deactivate();
});

test("a server is started, restarted and ended", async () => {
  const installation = new Installation();
  const host = newHost({ path: installation.server, args: ["--some", "option"] });
  const extension = await host.activate(BUNDLE);
  assert.equal(host.item.text, "$(check) npu-migrate");
  assert.match(host.item.tooltip, /version 1\.2\.3/);
  await until("initialized", () => installation.methods().includes("initialized"));
  const [start, initialize] = installation.notes();
  assert.deepEqual(start?.argv, ["--some", "option"]);
  assert.match(start.cwd ?? "", /npu-migrate-extension-/);
  assert.equal(initialize?.method, "initialize");

  host.set("args", []);
  const starts = () => installation.notes().filter(({ argv }) => argv !== undefined);
  await until("started again", () => starts().length === 2 && host.item.text === "$(check) npu-migrate");
  assert.deepEqual(starts()[1]?.argv, []);

  await extension.deactivate();
  await until("both ended", () => installation.methods().filter((method) => method === "exit").length === 2);
  assert.deepEqual(host.messages, []);
});

test("the page of a rule comes from the installation of the server", async () => {
  const host = newHost({ path: new Installation().server });
  const extension = await host.activate(BUNDLE);
  const [pages] = host.pages.values();
  assert.equal(await pages?.provideTextDocumentContent({ path: "/NPU101.md" }), "# NPU101, explained\n");
  await extension.deactivate();
});

test("a missing server is said, with the way to get it", async () => {
  const host = newHost({ interpreter: join(tmpdir(), "nowhere", "bin", "python") });
  const search = process.env.PATH;
  process.env.PATH = "";
  const extension = await host.activate(BUNDLE);
  process.env.PATH = search;
  assert.equal(host.item.text, "$(warning) npu-migrate");
  await until("a message", () => host.messages.length > 0);
  assert.match(host.messages[0] ?? "", /was not found.*nowhere.*pip install "npu-migrate\[lsp\]"/);
  assert.equal(host.log.filter((line) => line.startsWith("not here: ")).length, 3);
  await host.commands.get("npuMigrate.fixAll")?.();
  assert.match(host.messages[1] ?? "", /the server does not run/);
  await extension.deactivate();
});

test("a server that breaks down is started again", async () => {
  const installation = new Installation();
  const host = newHost({ path: installation.server });
  const extension = await host.activate(BUNDLE);
  const starts = () => installation.notes().flatMap(({ pid }) => pid ?? []);
  process.kill(starts()[0] ?? 0, "SIGKILL");
  await until("started again", () => starts().length === 2 && host.item.text === "$(check) npu-migrate");
  await extension.deactivate();
});

test("a wrong path in the settings is named", async () => {
  const host = newHost({ path: "/nowhere/npu-migrate-lsp" });
  const extension = await host.activate(BUNDLE);
  await until("a message", () => host.messages.length > 0);
  assert.match(host.messages[0] ?? "", /\/nowhere\/npu-migrate-lsp \(the setting npuMigrate\.path\)/);
  await extension.deactivate();
});

/** A Python that can import npu_migrate.lsp; `tests/editors/test_vscode.py` names one. */
const PYTHON = process.env.NPU_MIGRATE_PYTHON;

test("with npu-migrate itself: findings are shown, and rules explained", { skip: PYTHON === undefined }, async () => {
  const file = join(mkdtempSync(join(tmpdir(), "npu-migrate-project-")), "train.py");
  const text = "import tensorflow as tf\niterator = tf.data.Dataset.range(3).make_one_shot_iterator()\n";
  writeFileSync(file, text);
  const host = newHost({ interpreter: PYTHON });
  host.open(file.replace(".py", ".txt"), "plaintext", text);
  host.open(file, "python", text);
  const extension = await host.activate(BUNDLE);
  assert.equal(host.item.text, "$(check) npu-migrate", host.log.join("\n"));
  await until("findings", () => (host.problems.get(file) ?? []).length > 0);
  assert.deepEqual([...host.problems.keys()], [file]);
  const [finding] = host.problems.get(file) ?? [];
  assert.equal(finding?.range.start.line, 1);
  assert.equal(ruleAt([finding], finding.range.start), "NPU101");

  assert.ok(host.kinds.includes(FIX_ALL), host.kinds.join());
  await host.commands.get(EXPLAIN)?.("NPU101");
  assert.deepEqual(host.executed, [["markdown.showPreviewToSide", "npu-migrate-rule:/NPU101.md"]]);
  const [pages] = host.pages.values();
  assert.match((await pages?.provideTextDocumentContent({ path: "/NPU101.md" })) ?? "", /^# NPU101 /);
  await extension.deactivate();
});
