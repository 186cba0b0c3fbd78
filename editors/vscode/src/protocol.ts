/** The names that the server and the extension share. */

/** The settings. The language client reads `trace.server` below it, the server asks for its own. */
export const SECTION = "npuMigrate";

/** The `source` of the server's diagnostics. */
export const SOURCE = "npu-migrate";

/** The code action that applies all safe fixes in a document. */
export const FIX_ALL = "source.fixAll.npuMigrate";

/** The server's command to explain a rule; its argument is the rule's code. */
export const EXPLAIN = "npuMigrate.explainRule";
