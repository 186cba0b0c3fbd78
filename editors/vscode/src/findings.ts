/** The findings in an editor, in as much detail as the commands need. */

import { SOURCE } from "./protocol";

/** 0-based line and character. */
export interface Position {
  readonly line: number;
  readonly character: number;
}

/** A diagnostic as VS Code has it. */
export interface Diagnostic {
  readonly source?: string | undefined;
  readonly code?: string | number | { readonly value: string | number } | undefined;
  readonly range: { readonly start: Position; readonly end: Position };
}

const CODE = /^NPU\d+$/;

/** The rule of the finding at a place: of those around the cursor the smallest, else the first on its line. */
export function ruleAt(diagnostics: readonly Diagnostic[], place: Position): string | undefined {
  const ours = diagnostics.filter((diagnostic) => diagnostic.source === SOURCE).sort(bySize);
  const around = ours.find(({ range }) => !before(place, range.start) && !before(range.end, place));
  const beside = ours.find(({ range }) => range.start.line <= place.line && place.line <= range.end.line);
  const code = String(codeOf(around ?? beside));
  return CODE.test(code) ? code : undefined;
}

function codeOf(diagnostic: Diagnostic | undefined): string | number | undefined {
  const code = diagnostic?.code;
  return typeof code === "object" ? code.value : code;
}

function before(one: Position, other: Position): boolean {
  return one.line < other.line || (one.line === other.line && one.character < other.character);
}

function bySize(one: Diagnostic, other: Diagnostic): number {
  const [a, b] = [one.range, other.range];
  const lines = a.end.line - a.start.line - (b.end.line - b.start.line);
  return lines || a.end.character - a.start.character - (b.end.character - b.start.character);
}
