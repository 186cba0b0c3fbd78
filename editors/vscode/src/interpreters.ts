/** The Python interpreters that the user selected in the Python extension. */

import * as vscode from "vscode";

/** As much of the Python extension's API as is used here; it is the same since 2023. */
interface PythonApi {
  readonly environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string };
    resolveEnvironment(environment: {
      readonly path: string;
    }): Promise<{ readonly executable: { readonly uri?: vscode.Uri } } | undefined>;
    readonly onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  };
}

async function pythonApi(): Promise<PythonApi | undefined> {
  const extension = vscode.extensions.getExtension<Partial<PythonApi>>("ms-python.python");
  // A Python extension that fails says so itself; here it counts as missing.
  const api = await extension?.activate().then((started) => started, () => undefined);
  return api?.environments === undefined ? undefined : { environments: api.environments };
}

/** The interpreter of each folder of the workspace; none without the Python extension. */
export async function selectedInterpreters(): Promise<readonly string[]> {
  const api = await pythonApi();
  if (api === undefined) {
    return [];
  }
  const folders = vscode.workspace.workspaceFolders?.map((folder) => folder.uri) ?? [undefined];
  const found = await Promise.all(
    folders.map(async (folder) => {
      const active = api.environments.getActiveEnvironmentPath(folder);
      const environment = await api.environments.resolveEnvironment(active);
      return environment?.executable.uri?.fsPath;
    }),
  );
  return found.filter((interpreter) => interpreter !== undefined);
}

/** Calls `changed` whenever the user selects another interpreter. */
export async function onInterpreterChange(changed: () => void): Promise<vscode.Disposable> {
  const api = await pythonApi();
  return api?.environments.onDidChangeActiveEnvironmentPath(changed) ?? new vscode.Disposable(() => undefined);
}
