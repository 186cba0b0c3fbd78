import assert from "node:assert/strict";
import { test } from "node:test";
import { expanded, settingsFrom } from "../src/settings";
import manifest from "../package.json" with { type: "json" };

const AROUND = { home: "/home/me", folder: "/home/me/project" };
const DEFAULTS = { enable: true, path: "", interpreter: "", args: [] };

function settings(written: Record<string, unknown>) {
  return settingsFrom((key) => written[key], AROUND);
}

test("nothing is set", () => {
  assert.deepEqual(settings({}), DEFAULTS);
});

test("the defaults in package.json are the same", () => {
  const declared = Object.entries(manifest.contributes.configuration.properties);
  const defaults = Object.fromEntries(declared.map(([name, { default: value }]) => [name.slice("npuMigrate.".length), value]));
  assert.deepEqual(settings(defaults), DEFAULTS);
  const others = ["unsafeFixes", "select", "ignore", "language", "trace.server"];
  assert.deepEqual(Object.keys(defaults).sort(), [...Object.keys(DEFAULTS), ...others].sort());
});

test("everything is set", () => {
  const written = {
    enable: false,
    path: " ~/bin/npu-migrate-lsp ",
    interpreter: "${workspaceFolder}/.venv/bin/python",
    args: ["--log", "${workspaceFolder}"],
  };
  assert.deepEqual(settings(written), {
    enable: false,
    path: "/home/me/bin/npu-migrate-lsp",
    interpreter: "/home/me/project/.venv/bin/python",
    args: ["--log", "${workspaceFolder}"],
  });
});

test("values of a wrong type count as not set", () => {
  assert.deepEqual(settings({ enable: "no", path: 1, interpreter: null, args: "x" }), DEFAULTS);
  assert.deepEqual(settings({ args: ["a", 1, "b"] }).args, ["a", "b"]);
});

test("paths are expanded at their beginning only", () => {
  assert.equal(expanded("~", AROUND), "/home/me");
  assert.equal(expanded("~me/x", AROUND), "~me/x");
  assert.equal(expanded("/a/~/b", AROUND), "/a/~/b");
  assert.equal(expanded("${workspaceFolder}/x", { home: "/h", folder: undefined }), "${workspaceFolder}/x");
  assert.equal(expanded("~/x", { home: "/$&", folder: undefined }), "/$&/x");
});
