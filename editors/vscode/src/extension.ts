/** The extension: its commands, its status, and when the server has to start anew. */

import * as vscode from "vscode";
import { explainRule, registerRulePages } from "./pages";
import { offerInstallation } from "./install";
import { onInterpreterChange } from "./interpreters";
import { FIX_ALL, SECTION } from "./protocol";
import { Server } from "./server";
import { statusOf, type State } from "./status";

/** The settings after whose change the server has to start anew. */
const STARTUP = ["enable", "path", "interpreter", "args"].map((key) => `${SECTION}.${key}`);

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel("npu-migrate", { log: true });
  const item = vscode.window.createStatusBarItem("npuMigrate.status", vscode.StatusBarAlignment.Right);
  item.name = "npu-migrate";
  item.command = "npuMigrate.showLog";
  item.show();

  const running = new Server(context.extensionPath, log, (state) => {
    show(item, state);
    if (state.kind === "missing" || state.kind === "unstartable") {
      void offerInstallation(state.kind, restart);
    }
  });
  const restart = (): void => void running.restart();
  server = running;

  context.subscriptions.push(
    log,
    item,
    registerRulePages(() => running.installation, context.extensionPath),
    vscode.commands.registerCommand("npuMigrate.restart", () => running.restart()),
    vscode.commands.registerCommand("npuMigrate.showLog", () => {
      log.show();
    }),
    vscode.commands.registerCommand("npuMigrate.explain", explainRule),
    vscode.commands.registerCommand("npuMigrate.fixAll", () => fixAll(running)),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (STARTUP.some((key) => event.affectsConfiguration(key))) {
        restart();
      }
    }),
  );
  await running.restart();
  context.subscriptions.push(await onInterpreterChange(restart));
}

export function deactivate(): Promise<void> | undefined {
  return server?.stop();
}

function show(item: vscode.StatusBarItem, state: State): void {
  const { text, tooltip, warns } = statusOf(state);
  item.text = text;
  item.tooltip = tooltip;
  item.backgroundColor = warns ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
}

async function fixAll(running: Server): Promise<void> {
  if (!running.isRunning) {
    void vscode.window.showWarningMessage("npu-migrate: the server does not run; the log says why.");
    return;
  }
  await vscode.commands.executeCommand("editor.action.codeAction", { kind: FIX_ALL, apply: "first" });
}
