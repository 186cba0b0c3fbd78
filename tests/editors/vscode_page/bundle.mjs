// Bundles the page:  node bundle.mjs WORKBENCH EXTENSION TOOLS OUT
// WORKBENCH has the packages of this folder, EXTENSION is editors/vscode, TOOLS has its packages, and OUT is
// made and gets what a server has to serve.
import { copyFile, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const [workbench, extension, tools, out] = process.argv.slice(2);
const { build } = createRequire(join(tools, "/"))("esbuild");
const here = fileURLToPath(new URL(".", import.meta.url));

/** A file that the workbench wants to load later. esbuild would leave its address as it is. */
const LATER = /new URL\(\s*'(\.[^']+)',\s*import\.meta\.url\s*\)/g;

/** Puts these files into the bundle. */
const files = {
  name: "files that are loaded later",
  setup({ onLoad, onResolve }) {
    onLoad({ filter: /@codingame[\\/].*\.js$/ }, async ({ path }) => {
      const names = [];
      const text = (await readFile(path, "utf8")).replace(LATER, (_, file) => {
        names.push(file);
        return `new URL(fileLoadedLater${names.length}, import.meta.url)`;
      });
      const imports = names.map((name, index) => `import fileLoadedLater${index + 1} from "later:${name}";`);
      return names.length === 0 ? undefined : { contents: imports.join("") + text };
    });
    onResolve({ filter: /^later:/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path.slice("later:".length)),
      namespace: "later",
    }));
    onLoad({ filter: /./, namespace: "later" }, async ({ path }) => ({
      contents: await readFile(path),
      loader: "file",
    }));
  },
};

await build({
  entryPoints: {
    page: join(here, "page.js"),
    editor: "@codingame/monaco-vscode-api/workers/editor.worker",
    textmate: "@codingame/monaco-vscode-textmate-service-override/worker",
  },
  outdir: out,
  bundle: true,
  format: "esm",
  target: "es2024",
  nodePaths: [join(workbench, "node_modules"), join(tools, "node_modules")],
  alias: {
    // What the extension is built with, and what stands for it in a page.
    vscode: "@codingame/monaco-vscode-extension-api",
    "vscode-languageclient/node": join(here, "client.js"),
    "node:child_process": join(here, "machine.js"),
    "node:os": join(here, "machine.js"),
    "node:path": "@codingame/monaco-vscode-api/vscode/vs/base/common/path",
    extension: join(extension, "src", "extension.ts"),
    manifest: join(extension, "package.json"),
  },
  define: { "process.platform": '"linux"' },
  // A library has another way for Node.js, which no page takes.
  external: ["node:fs/promises"],
  loader: { ".html": "file", ".mp3": "file", ".png": "file", ".svg": "file", ".ttf": "file", ".wasm": "file" },
  plugins: [files],
  logLevel: "error",
});
await copyFile(join(here, "index.html"), join(out, "index.html"));
