/** What the server is doing, and how the status bar says it. */

export type State =
  | { readonly kind: "disabled" }
  | { readonly kind: "starting" }
  | { readonly kind: "running"; readonly version: string; readonly command: string }
  | { readonly kind: "missing" }
  | { readonly kind: "unstartable" }
  | { readonly kind: "failed"; readonly reason: string };

/** The text of a status bar item, what it says when pointed at, and whether it stands out. */
export interface Status {
  readonly text: string;
  readonly tooltip: string;
  readonly warns: boolean;
}

export function statusOf(state: State): Status {
  switch (state.kind) {
    case "disabled":
      return status("$(circle-slash)", "switched off by the setting npuMigrate.enable");
    case "starting":
      return status("$(sync~spin)", "the server is starting");
    case "running":
      return status("$(check)", `version ${state.version}\n${state.command}`);
    case "missing":
      return status("$(warning)", "npu-migrate-lsp was not found", true);
    case "unstartable":
      return status("$(error)", "the server was found but does not start; the log says more", true);
    case "failed":
      return status("$(error)", `the server does not run: ${state.reason}`, true);
  }
}

function status(icon: string, tooltip: string, warns = false): Status {
  return { text: `${icon} npu-migrate`, tooltip: `npu-migrate: ${tooltip}`, warns };
}
