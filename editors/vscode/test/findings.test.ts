import assert from "node:assert/strict";
import { test } from "node:test";
import { ruleAt, type Diagnostic } from "../src/findings";

function finding(code: Diagnostic["code"], line: number, start: number, end: number, source = "npu-migrate"): Diagnostic {
  return { source, code, range: { start: { line, character: start }, end: { line, character: end } } };
}

const FINDINGS = [
  finding("NPU101", 3, 4, 30),
  finding({ value: "NPU102" }, 3, 10, 20),
  finding("NPU301", 5, 0, 9),
  finding("NPU999", 7, 0, 9, "another tool"),
  finding("E501", 8, 0, 9),
];

function at(line: number, character: number): string | undefined {
  return ruleAt(FINDINGS, { line, character });
}

test("of the findings around the cursor the smallest counts", () => {
  assert.equal(at(3, 5), "NPU101");
  assert.equal(at(3, 12), "NPU102");
  assert.equal(at(3, 20), "NPU102");
  assert.equal(at(3, 21), "NPU101");
});

test("a finding elsewhere on the line will do", () => {
  assert.equal(at(5, 40), "NPU301");
});

test("lines without a finding of ours have no rule", () => {
  assert.equal(at(4, 0), undefined);
  assert.equal(at(7, 3), undefined);
  assert.equal(at(8, 3), undefined);
});
