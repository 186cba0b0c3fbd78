/** The pages of the rules, shown as previews of Markdown. */

import * as vscode from "vscode";
import { ruleAt } from "./findings";
import { output } from "./processes";
import { toolBeside, type Found } from "./search";

const SCHEME = "npu-migrate-rule";

/**
 * Gives VS Code the page of a rule as the npu-migrate that is installed with the server has it. `folder` is
 * one without Python files.
 */
export function registerRulePages(server: () => Found | undefined, folder: string): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
    async provideTextDocumentContent(uri) {
      const code = uri.path.replace(/^\/|\.md$/g, "");
      const found = server();
      const tool = found && toolBeside(found.command);
      if (tool === undefined) {
        return `${code}: no npu-migrate was found beside the server.`;
      }
      return output(tool, ["--explain", code], folder);
    },
  });
}

/** Shows the page of a rule beside the text. */
export async function showRule(code: string): Promise<void> {
  const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${code}.md` });
  await vscode.commands.executeCommand("markdown.showPreviewToSide", uri);
}

/** Shows the page of the rule whose finding is at the cursor. */
export async function explainRule(): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const code = editor && ruleAt(vscode.languages.getDiagnostics(editor.document.uri), editor.selection.active);
  if (code === undefined) {
    void vscode.window.showInformationMessage("npu-migrate: there is no finding at the cursor.");
    return;
  }
  await showRule(code);
}
