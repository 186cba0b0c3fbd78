import assert from "node:assert/strict";
import { test } from "node:test";
import { statusOf, type State } from "../src/status";

test("every state has a text of its own, and troubles stand out", () => {
  const states: State[] = [
    { kind: "disabled" },
    { kind: "starting" },
    { kind: "running", version: "0.1.0", command: "/venv/bin/npu-migrate-lsp" },
    { kind: "missing" },
    { kind: "unstartable" },
    { kind: "failed", reason: "it ended" },
  ];
  const shown = states.map(statusOf);
  assert.equal(new Set(shown.map(({ tooltip }) => tooltip)).size, states.length);
  assert.ok(shown.every(({ text }) => text.endsWith(" npu-migrate")));
  assert.deepEqual(
    shown.map(({ warns }) => warns),
    [false, false, false, true, true, true],
  );
});

test("the version and the reason are said", () => {
  const running = statusOf({ kind: "running", version: "0.1.0", command: "/venv/bin/npu-migrate-lsp" });
  assert.equal(running.tooltip, "npu-migrate: version 0.1.0\n/venv/bin/npu-migrate-lsp");
  assert.match(statusOf({ kind: "failed", reason: "it ended" }).tooltip, /it ended$/);
});
