/** What is offered when the server is missing. */

import * as vscode from "vscode";
import { SECTION } from "./protocol";
import { currentSettings, interpreters } from "./server";

const PACKAGE = "npu-migrate[lsp]";
const HINT = `pip install "${PACKAGE}"`;

/**
 * Says that the server is missing, or that it does not start because, most likely, packages are missing; and
 * how to get them. Calls `installed` after a successful installation.
 */
export async function offerInstallation(kind: "missing" | "unstartable", installed: () => void): Promise<void> {
  const settings = currentSettings();
  const problem = kind === "missing" ? "was not found" : "does not start; the log says more";
  if (settings.path !== "") {
    const text = `npu-migrate: ${settings.path} (the setting ${SECTION}.path) ${problem}.`;
    if ((await vscode.window.showWarningMessage(text, "Open Setting")) !== undefined) {
      await openSettings("path");
    }
    return;
  }
  const [python] = await interpreters(settings);
  const install = python === undefined ? [] : ["Install"];
  const where = python === undefined ? "a Python environment" : `the environment of ${python}`;
  const chosen = await vscode.window.showWarningMessage(
    `npu-migrate-lsp ${problem}. To install it into ${where}: ${HINT}`,
    ...install,
    "Copy Command",
    "Open Settings",
  );
  if (chosen === "Install" && python !== undefined) {
    await runInstallation(python, installed);
  } else if (chosen === "Copy Command") {
    await vscode.env.clipboard.writeText(HINT);
  } else if (chosen === "Open Settings") {
    await openSettings("");
  }
}

function openSettings(key: string): Thenable<unknown> {
  return vscode.commands.executeCommand("workbench.action.openSettings", `${SECTION}.${key}`);
}

/** Runs pip as a task, so that its output can be seen and no shell reads the command. */
async function runInstallation(python: string, installed: () => void): Promise<void> {
  const task = new vscode.Task(
    { type: SECTION },
    vscode.TaskScope.Workspace,
    "install",
    "npu-migrate",
    new vscode.ProcessExecution(python, ["-m", "pip", "install", PACKAGE]),
  );
  const execution = await vscode.tasks.executeTask(task);
  const waiting = vscode.tasks.onDidEndTaskProcess((event) => {
    if (event.execution === execution) {
      waiting.dispose();
      if (event.exitCode === 0) {
        installed();
      }
    }
  });
}
