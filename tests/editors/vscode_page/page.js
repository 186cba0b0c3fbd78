/** VS Code's workbench with the extension in it, and the handles by which a test works with both. */

import { getService, ICodeEditorService, initialize } from "@codingame/monaco-vscode-api";
import { ExtensionHostKind, registerExtension } from "@codingame/monaco-vscode-api/extensions";
import { URI } from "@codingame/monaco-vscode-api/vscode/vs/base/common/uri";
import bulkEdit from "@codingame/monaco-vscode-bulk-edit-service-override";
import configuration, { initUserConfiguration } from "@codingame/monaco-vscode-configuration-service-override";
import explorer from "@codingame/monaco-vscode-explorer-service-override";
import "@codingame/monaco-vscode-extension-api/localExtensionHost";
import {
  RegisteredFileSystemProvider,
  RegisteredMemoryFile,
  registerFileSystemOverlay,
} from "@codingame/monaco-vscode-files-service-override";
import keybindings from "@codingame/monaco-vscode-keybindings-service-override";
import languages from "@codingame/monaco-vscode-languages-service-override";
import markers from "@codingame/monaco-vscode-markers-service-override";
import model from "@codingame/monaco-vscode-model-service-override";
import "@codingame/monaco-vscode-python-default-extension";
import textmate from "@codingame/monaco-vscode-textmate-service-override";
import "@codingame/monaco-vscode-theme-defaults-default-extension";
import theme from "@codingame/monaco-vscode-theme-service-override";
import workbench from "@codingame/monaco-vscode-workbench-service-override";
import manifest from "manifest";
import * as vscode from "vscode";

window.MonacoEnvironment = {
  getWorkerUrl: (_, label) => new URL(label === "TextMateWorker" ? "textmate.js" : "editor.js", location.href).href,
  getWorkerOptions: () => ({ type: "module" }),
};

/** The parts of VS Code that are its own; the others are substitutes that do little. */
const SERVICES = [
  bulkEdit,
  configuration,
  explorer,
  keybindings,
  languages,
  markers,
  model,
  textmate,
  theme,
  workbench,
];

/** Opens a folder with copies of its files, by name and in Base64, and starts the extension. */
async function start(folder, files, settings) {
  const disk = new RegisteredFileSystemProvider(false);
  for (const [name, content] of Object.entries(files)) {
    const bytes = Uint8Array.from(atob(content), (character) => character.charCodeAt(0));
    disk.registerFile(new RegisteredMemoryFile(URI.file(`${folder}/${name}`), bytes));
  }
  registerFileSystemOverlay(1, disk);
  await initUserConfiguration(JSON.stringify(settings));
  await initialize(Object.assign({}, ...SERVICES.map((service) => service())), document.body, {
    workspaceProvider: { trusted: true, workspace: { folderUri: URI.file(folder) }, open: async () => false },
  });
  await registerExtension(manifest, ExtensionHostKind.LocalProcess).setAsDefaultApi();
  // In VS Code an extension that is not here shows Markdown.
  vscode.commands.registerCommand("markdown.showPreviewToSide", (uri) => vscode.window.showTextDocument(uri));
  const extension = await import("extension");
  await extension.activate({ extensionPath: "/extension", subscriptions: [] });
}

/** Opens a file in a tab. */
async function show(file) {
  await vscode.window.showTextDocument(vscode.Uri.file(file), { preview: false });
  // VS Code makes this when it has nothing else to do. A cursor that has come to a finding by then would have no
  // light bulb before it moves again.
  const editors = await getService(ICodeEditorService);
  editors.getActiveCodeEditor().getContribution("editor.contrib.codeActionController");
}

/** What the editor knows about the text that is shown: the code and the range of each finding. */
function findings() {
  const document = vscode.window.activeTextEditor?.document;
  return document === undefined
    ? []
    : vscode.languages.getDiagnostics(document.uri).map(({ code, range }) => ({ code, range }));
}

/** Puts the cursor at a place, lines and columns from 0. */
async function goTo(line, column) {
  const place = new vscode.Position(line, column);
  vscode.window.activeTextEditor.selection = new vscode.Selection(place, place);
  await vscode.commands.executeCommand("workbench.action.focusActiveEditorGroup");
}

/** The findings in the text that is shown, as "line: code" with lines from 1, in order. */
function listed() {
  return findings()
    .map(({ code, range }) => `${range.start.line + 1}: ${code}`)
    .sort();
}

/** The text at which there is a finding with this code. */
function marked(code) {
  const finding = findings().find((one) => one.code === code);
  return finding && vscode.window.activeTextEditor.document.getText(finding.range);
}

/** Puts the cursor at the beginning of the finding with this code. */
async function goToFinding(code) {
  const { start } = findings().find((one) => one.code === code).range;
  await goTo(start.line, start.character);
}

/** The text that is shown. */
function text() {
  return vscode.window.activeTextEditor.document.getText();
}

/** The content of a file of the page, in Base64. */
async function read(file) {
  const bytes = await vscode.workspace.fs.readFile(vscode.Uri.file(file));
  return btoa(String.fromCharCode(...bytes));
}

/** Runs a command without waiting for its end, which may be the end of a menu. */
function run(command) {
  void vscode.commands.executeCommand(command);
}

/** Saves all texts, also those that are not shown. */
async function saveAll() {
  const changed = vscode.workspace.textDocuments.filter((document) => document.isDirty);
  await Promise.all(changed.map((document) => document.save()));
}

window.editor = { start, show, goTo, goToFinding, listed, marked, text, read, run, saveAll };
