/** The pages of the rules, shown as previews of Markdown. */

import * as vscode from "vscode";
import { ruleAt } from "./findings";
import { output } from "./processes";
import { toolBeside } from "./search";
import type { Server } from "./server";

const SCHEME = "npu-migrate-rule";

/** Gives VS Code the page of a rule, as the installed npu-migrate has it. */
function rulePages(server: Server, folder: string): vscode.TextDocumentContentProvider {
  return {
    async provideTextDocumentContent(uri) {
      const code = uri.path.replace(/^\/|\.md$/g, "");
      const tool = server.installation && toolBeside(server.installation.command);
      if (tool === undefined) {
        return `${code}: no npu-migrate was found beside the server.`;
      }
      return output(tool, ["--explain", code], folder);
    },
  };
}

/** Makes the pages of the rules available; `folder` is one without Python files. */
export function registerRulePages(server: Server, folder: string): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(SCHEME, rulePages(server, folder));
}

/** Shows the page of the rule whose finding is at the cursor. */
export async function explainRule(): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const code = editor && ruleAt(vscode.languages.getDiagnostics(editor.document.uri), editor.selection.active);
  if (code === undefined) {
    void vscode.window.showInformationMessage("npu-migrate: there is no finding at the cursor.");
    return;
  }
  const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${code}.md` });
  await vscode.commands.executeCommand("markdown.showPreviewToSide", uri);
}
