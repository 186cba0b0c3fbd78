/** The settings of the extension, and what becomes of them. */

/** The settings that decide which server runs, paths ready for use. The server asks for the others itself. */
export interface Settings {
  readonly enable: boolean;
  readonly path: string;
  readonly interpreter: string;
  readonly args: readonly string[];
}

/** What a path in the settings may refer to. */
export interface Surroundings {
  readonly home: string;
  /** The first folder of the workspace, if there is one. */
  readonly folder: string | undefined;
}

/** Reads the settings; `get` gives what the user wrote. A value of the wrong type counts as not set. */
export function settingsFrom(get: (key: string) => unknown, around: Surroundings): Settings {
  const text = (key: string): string => {
    const value = get(key);
    return typeof value === "string" ? expanded(value.trim(), around) : "";
  };
  const args = get("args");
  return {
    enable: get("enable") !== false,
    path: text("path"),
    interpreter: text("interpreter"),
    args: Array.isArray(args) ? args.filter((value) => typeof value === "string") : [],
  };
}

/** A path with `~` and `${workspaceFolder}` at its beginning replaced. */
export function expanded(path: string, { home, folder }: Surroundings): string {
  const fromHome = path.replace(/^~(?=$|[\\/])/, () => home);
  return folder === undefined ? fromHome : fromHome.replace(/^\$\{workspaceFolder\}/, () => folder);
}
