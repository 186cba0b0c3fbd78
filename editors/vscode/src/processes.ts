/** Short runs of programs. */

import { execFile, type ExecFileException } from "node:child_process";
import type { Answer, Command } from "./search";

const MILLISECONDS = 20_000;

/**
 * What a command prints. `folder` must not hold Python files: `python -m` would take them for its modules.
 *
 * @throws Error with a text for the user if the command does not start, fails or takes too long.
 */
export function output({ program, args }: Command, more: readonly string[], folder: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { cwd: folder, timeout: MILLISECONDS, windowsHide: true };
    execFile(program, [...args, ...more], options, (error, stdout, stderr) => {
      if (error === null) {
        resolve(stdout);
      } else {
        reject(new Error(reasonOf(error, stderr)));
      }
    });
  });
}

function reasonOf(error: ExecFileException, stderr: string): string {
  if (error.code === "ENOENT") {
    return "does not exist";
  }
  if (error.killed === true) {
    return `gave no answer within ${String(MILLISECONDS / 1000)} seconds`;
  }
  const last = stderr.trim().split("\n").at(-1);
  return last === undefined || last === "" ? error.message : last;
}

/** Whether a command is a server: its version, or why it is none. */
export async function askVersion(command: Command, folder: string): Promise<Answer> {
  try {
    const match = /\d+\.\d+\S*/.exec(await output(command, ["--version"], folder));
    return match ? { version: match[0] } : { reason: "printed no version" };
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) };
  }
}
