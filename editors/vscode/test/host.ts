/**
 * A stand-in for VS Code: as much of its API as the extension and its language client touch when they start,
 * run and end. It remembers what the extension showed.
 */

import Module from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

type Listener = (event: unknown) => void;

/** What exists without doing anything: classes to derive from, functions to call, members of these. */
const ANYTHING: object = new Proxy({}, { get: (_, key) => (typeof key === "symbol" || key === "then" ? undefined : idle()) });

function idle(): unknown {
  const target = class {
    dispose(): void {
      // There is nothing to free.
    }
  };
  Object.setPrototypeOf(target, ANYTHING);
  Object.setPrototypeOf(target.prototype, ANYTHING);
  return new Proxy(target, { apply: () => new target() });
}

/** An object whose missing members exist without doing anything. */
function partly<T extends object>(known: T): T {
  return Object.assign(Object.create(ANYTHING) as object, known);
}

/** As `vscode.Uri`, for files and for pages of the extension. */
class Uri {
  private constructor(
    readonly scheme: string,
    readonly path: string,
  ) {}

  static file(path: string): Uri {
    return new Uri("file", path);
  }

  static from({ scheme, path }: { scheme: string; path: string }): Uri {
    return new Uri(scheme, path);
  }

  static parse(text: string): Uri {
    return Uri.file(fileURLToPath(text));
  }

  get fsPath(): string {
    return this.path;
  }

  toString(): string {
    return this.scheme === "file" ? pathToFileURL(this.path).toString() : `${this.scheme}:${this.path}`;
  }
}

/** As `vscode.EventEmitter`. */
class Emitter {
  private readonly listeners = new Set<Listener>();
  readonly event = (listener: Listener) => {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  };

  fire(event: unknown): void {
    for (const listener of this.listeners) {
      listener(event);
    }
  }

  dispose(): void {
    this.listeners.clear();
  }
}

/** As `vscode.CancellationTokenSource`, for work that nobody cancels. */
class CancellationTokenSource {
  readonly token = { isCancellationRequested: false, onCancellationRequested: new Emitter().event };

  dispose(): void {
    // There is nothing to free.
  }
}

class Position {
  constructor(
    readonly line: number,
    readonly character: number,
  ) {}
}

class Range {
  readonly start: Position;
  readonly end: Position;

  constructor(...numbers: [number, number, number, number]) {
    this.start = new Position(numbers[0], numbers[1]);
    this.end = new Position(numbers[2], numbers[3]);
  }
}

/** As `vscode.Diagnostic`; the client sets `code` and `source` after it has made one. */
export class Diagnostic {
  code: string | undefined;
  source: string | undefined;

  constructor(
    readonly range: Range,
    readonly message: string,
    readonly severity: number,
  ) {}
}

/** As `vscode.CodeActionKind`: words joined by dots. */
class CodeActionKind {
  static readonly Empty = new CodeActionKind("");
  static readonly QuickFix = new CodeActionKind("quickfix");
  static readonly Source = new CodeActionKind("source");

  constructor(readonly value: string) {}

  append(part: string): CodeActionKind {
    return new CodeActionKind(this.value === "" ? part : `${this.value}.${part}`);
  }
}

/** As `vscode.TabInputText`. */
class Tab {
  constructor(readonly uri: Uri) {}
}

interface Document {
  readonly uri: Uri;
  readonly languageId: string;
}

interface Filter {
  readonly scheme?: string;
  readonly language?: string;
}

/** One run of the extension: what the user set, and what the user saw. */
export class Host {
  readonly commands = new Map<string, (...args: unknown[]) => unknown>();
  readonly pages = new Map<string, { provideTextDocumentContent(page: unknown): Promise<string> }>();
  /** The kinds of code actions that the server offers. */
  readonly kinds: string[] = [];
  /** The commands of VS Code that the extension ran, each with its first argument. */
  readonly executed: [string, string][] = [];
  readonly log: string[] = [];
  readonly messages: string[] = [];
  readonly subscriptions: { dispose(): void }[] = [];
  readonly item = { text: "", tooltip: "", show: () => undefined, dispose: () => undefined };
  /** What the Problems panel shows, by file. */
  readonly problems = new Map<string, readonly Diagnostic[]>();
  private readonly changes = new Emitter();
  private readonly documents: Document[] = [];

  constructor(
    readonly settings: Record<string, unknown>,
    private readonly extensionPath: string,
  ) {}

  /** Loads and activates the bundled extension as VS Code does. */
  async activate(bundle: string): Promise<{ deactivate(): Promise<void> | undefined }> {
    const load = Module as unknown as { _load: (name: string, ...rest: unknown[]) => unknown };
    const original = load._load;
    load._load = (name, ...rest) => (name === "vscode" ? this.api() : original(name, ...rest));
    try {
      // eslint-disable-next-line @typescript-eslint/no-require-imports -- as VS Code loads an extension
      const extension = require(bundle) as {
        activate(context: unknown): Promise<void>;
        deactivate(): Promise<void> | undefined;
      };
      await extension.activate({ extensionPath: this.extensionPath, subscriptions: this.subscriptions });
      return extension;
    } finally {
      load._load = original;
      // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- the next host loads its own
      delete require.cache[bundle];
    }
  }

  /** Opens a file in an editor, before the extension is activated. */
  open(path: string, languageId: string, text: string): Document {
    const document = { uri: Uri.file(path), fileName: path, languageId, version: 1, getText: () => text };
    this.documents.push(document);
    return document;
  }

  /** Changes a setting and tells the extension. */
  set(key: string, value: unknown): void {
    this.settings[key] = value;
    this.changes.fire({ affectsConfiguration: (name: string) => name === `npuMigrate.${key}` });
  }

  private api(): unknown {
    const say = (text: string): Promise<undefined> => {
      this.messages.push(text);
      return Promise.resolve(undefined);
    };
    const write = (text: string): void => void this.log.push(text);
    const nothing = { dispose: () => undefined };
    return partly({
      version: "1.91.0",
      EventEmitter: Emitter,
      CancellationTokenSource,
      LogLevel: { Off: 0, Trace: 1, Debug: 2, Info: 3, Warning: 4, Error: 5 },
      TabInputText: Tab,
      CodeActionKind,
      Position,
      Range,
      Diagnostic,
      DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 },
      Uri,
      extensions: { getExtension: () => undefined },
      env: partly({ appName: "host", language: "en" }),
      commands: partly({
        executeCommand: (name: string, argument: unknown) => {
          this.executed.push([name, String(argument)]);
          return Promise.resolve(undefined);
        },
        registerCommand: (name: string, run: (...args: unknown[]) => unknown) => {
          this.commands.set(name, run);
          return { dispose: () => this.commands.delete(name) };
        },
      }),
      languages: partly({
        match: (filters: Filter[], document: Document) =>
          filters.some(
            ({ scheme, language }) =>
              (scheme ?? document.uri.scheme) === document.uri.scheme &&
              (language ?? document.languageId) === document.languageId,
          )
            ? 10
            : 0,
        registerCodeActionsProvider: (_: unknown, __: unknown, about: { providedCodeActionKinds?: CodeActionKind[] }) => {
          this.kinds.push(...(about.providedCodeActionKinds ?? []).map(({ value }) => value));
          return nothing;
        },
        createDiagnosticCollection: () =>
          partly({
            set: (file: { fsPath: string }, found: readonly Diagnostic[]) => this.problems.set(file.fsPath, found),
            clear: () => {
              this.problems.clear();
            },
          }),
      }),
      window: partly({
        createOutputChannel: () =>
          partly({ logLevel: 3, info: write, warn: write, error: write, append: write, appendLine: write, dispose: () => undefined }),
        createStatusBarItem: () => this.item,
        showWarningMessage: say,
        showInformationMessage: say,
        showErrorMessage: say,
        tabGroups: partly({ all: [{ tabs: this.documents.map(({ uri }) => ({ input: new Tab(uri) })) }] }),
        visibleTextEditors: [],
      }),
      workspace: partly({
        workspaceFolders: [{ uri: Uri.file(this.extensionPath), name: "project", index: 0 }],
        textDocuments: this.documents,
        notebookDocuments: [],
        getConfiguration: (section?: string) => ({
          get: (key: string, otherwise?: unknown) =>
            (section === undefined ? { npuMigrate: this.settings }[key] : this.settings[key]) ?? otherwise,
        }),
        onDidChangeConfiguration: this.changes.event,
        registerTextDocumentContentProvider: (
          scheme: string,
          provider: { provideTextDocumentContent(page: unknown): Promise<string> },
        ) => {
          this.pages.set(scheme, provider);
          return nothing;
        },
      }),
    });
  }
}
