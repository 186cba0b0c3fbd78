/** The life of the server: one for all folders of a window. */

import * as os from "node:os";
import * as vscode from "vscode";
import {
  CloseAction,
  LanguageClient,
  State as ClientState,
  type LanguageClientOptions,
} from "vscode-languageclient/node";
import { showRule } from "./pages";
import { selectedInterpreters } from "./interpreters";
import { askVersion } from "./processes";
import { EXPLAIN, SECTION } from "./protocol";
import { findServer, serverCommands, shown, type Found } from "./search";
import { settingsFrom, type Settings } from "./settings";
import type { State } from "./status";

const DOCUMENTS = [
  { scheme: "file", language: "python" },
  { scheme: "vscode-notebook-cell", language: "python" },
];

/** The settings as they are now. */
export function currentSettings(): Settings {
  const configuration = vscode.workspace.getConfiguration(SECTION);
  return settingsFrom((key) => configuration.get(key), {
    home: os.homedir(),
    folder: vscode.workspace.workspaceFolders?.[0]?.uri.fsPath,
  });
}

/** The Pythons to look for npu-migrate in: the one in the settings, else those of the Python extension. */
export async function interpreters(settings: Settings): Promise<readonly string[]> {
  return settings.interpreter === "" ? selectedInterpreters() : [settings.interpreter];
}

/**
 * The server. `folder` is a folder without Python files, in which it starts. `tell` hears of every change of
 * its state.
 */
export class Server {
  private client: LanguageClient | undefined;
  private found: Found | undefined;
  private last: Promise<void> = Promise.resolve();

  constructor(
    private readonly folder: string,
    private readonly log: vscode.LogOutputChannel,
    private readonly tell: (state: State) => void,
  ) {}

  /** The server that runs or ran last. */
  get installation(): Found | undefined {
    return this.found;
  }

  get isRunning(): boolean {
    return this.client?.state === ClientState.Running;
  }

  /** Stops the server if it runs and starts it as the settings say. Restarts wait for each other. */
  restart(): Promise<void> {
    return this.next(async () => {
      await this.end();
      await this.start();
    });
  }

  stop(): Promise<void> {
    return this.next(() => this.end());
  }

  private next(step: () => Promise<void>): Promise<void> {
    this.last = this.last.then(step).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      this.log.error(reason);
      this.tell({ kind: "failed", reason });
    });
    return this.last;
  }

  private async start(): Promise<void> {
    const settings = currentSettings();
    if (!settings.enable) {
      this.tell({ kind: "disabled" });
      return;
    }
    this.tell({ kind: "starting" });
    const places = { path: settings.path, interpreters: await interpreters(settings), platform: process.platform };
    const { found, misses } = await findServer(serverCommands(places), (command) => askVersion(command, this.folder));
    for (const { command, reason } of misses) {
      this.log.info(`not here: ${shown(command)}: ${reason}`);
    }
    this.found = found;
    if (found === undefined) {
      this.tell({ kind: "missing" });
      return;
    }
    this.log.info(`found: ${shown(found.command)}, version ${found.version}`);
    const client = this.newClient(found, settings);
    this.client = client;
    try {
      await client.start();
    } catch (error) {
      this.log.error(String(error));
    }
    // The client does not always throw when its server dies at the start.
    if (!this.isRunning) {
      this.tell({ kind: "unstartable" });
    }
  }

  private newClient({ command, version }: Found, settings: Settings): LanguageClient {
    let wasRunning = false;
    const options: LanguageClientOptions = {
      documentSelector: DOCUMENTS,
      outputChannel: this.log,
      middleware: {
        // What the server offers at a finding is shown by VS Code itself.
        executeCommand: (command, args: unknown[], next): unknown =>
          command === EXPLAIN ? showRule(String(args[0])) : next(command, args),
      },
      errorHandler: {
        error: (...event) => usual.error(...event),
        // A server that ends before it has run would do so again.
        closed: () => (wasRunning ? usual.closed() : { action: CloseAction.DoNotRestart, handled: true }),
      },
    };
    const run = {
      command: command.program,
      args: [...command.args, ...settings.args],
      options: { cwd: this.folder },
    };
    const client = new LanguageClient(SECTION, "npu-migrate", run, options);
    const usual = client.createDefaultErrorHandler();
    client.onDidChangeState(({ newState }) => {
      wasRunning ||= newState === ClientState.Running;
      if (client !== this.client) {
        return;
      }
      if (newState === ClientState.Running) {
        this.tell({ kind: "running", version, command: shown(command) });
      } else if (newState === ClientState.Stopped) {
        this.tell({ kind: "failed", reason: "it ended; the log says more" });
      }
    });
    return client;
  }

  private async end(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    try {
      await client?.dispose();
    } catch (error) {
      // A server that has died cannot be ended properly. That must not keep the next one from starting.
      this.log.info(`the old server did not end properly: ${String(error)}`);
    }
  }
}
