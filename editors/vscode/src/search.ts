/** Where the server may be, and which of these places has it. */

import * as path from "node:path";

/** A program with the arguments that it always gets. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
}

/** What is known about the machine before the search. */
export interface Places {
  /** The setting `npuMigrate.path`; empty if it is not set. */
  readonly path: string;
  /** Pythons whose environments may have npu-migrate, the best first. */
  readonly interpreters: readonly string[];
  readonly platform: NodeJS.Platform;
}

/** A server that answered. */
export interface Found {
  readonly command: Command;
  /** What it says to `--version`. */
  readonly version: string;
}

/** A place without a server, and why it was passed over. */
export interface Miss {
  readonly command: Command;
  readonly reason: string;
}

/** What a command says to `--version`: its version, or why there is none. */
export type Answer = { readonly version: string } | { readonly reason: string };

const SERVER = "npu-migrate-lsp";
const TOOL = "npu-migrate";
const SERVER_MODULE = ["-m", "npu_migrate.lsp"];
const TOOL_MODULE = ["-m", "npu_migrate"];

/**
 * The commands to try, in this order: the setting alone if there is one; else, for each interpreter, the
 * program beside it and its module; at last the program on the PATH.
 */
export function serverCommands({ path: program, interpreters, platform }: Places): readonly Command[] {
  if (program !== "") {
    return [{ program, args: [] }];
  }
  const commands = [...new Set(interpreters)].flatMap((python) => [
    ...programsBeside(python, platform).map((beside) => ({ program: beside, args: [] })),
    { program: python, args: SERVER_MODULE },
  ]);
  return [...commands, { program: SERVER, args: [] }];
}

/** Where the environment of a Python keeps its programs. On Windows that depends on who made it. */
function programsBeside(python: string, platform: NodeJS.Platform): readonly string[] {
  if (platform !== "win32") {
    return [path.posix.join(path.posix.dirname(python), SERVER)];
  }
  const folder = path.win32.dirname(python);
  return [path.win32.join(folder, `${SERVER}.exe`), path.win32.join(folder, "Scripts", `${SERVER}.exe`)];
}

/** Asks the commands one after the other and takes the first that has a version. */
export async function findServer(
  commands: readonly Command[],
  ask: (command: Command) => Promise<Answer>,
): Promise<{ readonly found: Found | undefined; readonly misses: readonly Miss[] }> {
  const misses: Miss[] = [];
  for (const command of commands) {
    const answer = await ask(command);
    if ("version" in answer) {
      return { found: { command, version: answer.version }, misses };
    }
    misses.push({ command, reason: answer.reason });
  }
  return { found: undefined, misses };
}

/** The command line tool of the same installation; undefined if `npuMigrate.path` has a name of its own. */
export function toolBeside({ program, args }: Command): Command | undefined {
  if (args.length > 0) {
    return { program, args: TOOL_MODULE };
  }
  const match = /^(.*[\\/])?npu-migrate-lsp(\.exe)?$/i.exec(program);
  return match ? { program: `${match[1] ?? ""}${TOOL}${match[2] ?? ""}`, args: [] } : undefined;
}

/** A command as people read it. */
export function shown({ program, args }: Command): string {
  return [program, ...args].join(" ");
}
