// Bundles the extension into dist/, or with the argument "tests" each test file into out/.
import { readdirSync } from "node:fs";
import { build } from "esbuild";

const tests = process.argv[2] === "tests";
const files = readdirSync("test").filter((name) => name.endsWith(".test.ts"));

await build({
  entryPoints: tests ? files.map((name) => `test/${name}`) : ["src/extension.ts"],
  outdir: tests ? "out" : "dist",
  bundle: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  external: ["vscode"],
  minify: !tests,
  sourcemap: tests ? "inline" : false,
  logLevel: "warning",
});
