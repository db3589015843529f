/** `npm pack`: writes the package, one module without imports and its types, to a folder. */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const modules = join(here, "../../../node_modules");

/** Packages that are bundled into the client, each with the file of its types. */
const INSIDE: Record<string, string> = {
  "openapi-fetch": "dist/index.d.mts",
  "openapi-typescript-helpers": "dist/index.d.mts",
};

/** Writes the client as an npm package without dependencies into a folder, which it empties first. */
export async function makeClientPackage(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await build({
    entryPoints: [join(here, "index.ts")],
    outfile: join(folder, "index.js"),
    bundle: true,
    format: "esm",
    target: "es2022",
    platform: "neutral",
    mainFields: ["module", "main"],
    legalComments: "inline",
    logLevel: "warning",
  });
  emitTypes(folder);
  copyFileSync(join(here, "schema.d.ts"), join(folder, "schema.d.ts"));
  for (const [name, types] of Object.entries(INSIDE))
    copyFileSync(join(modules, name, types), join(folder, `${name}.d.ts`));
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".d.ts") && name !== "schema.d.ts"))
    writeFileSync(join(folder, file), beside(readFileSync(join(folder, file), "utf8")));
  writeFileSync(join(folder, "LICENSES.txt"), licencesInside());
}

function emitTypes(folder: string): void {
  const compiler = join(here, "node_modules/typescript/bin/tsc");
  const options = ["--declaration", "--emitDeclarationOnly", "--strict", "--skipLibCheck"];
  const modern = [
    "--target",
    "es2022",
    "--module",
    "esnext",
    "--moduleResolution",
    "bundler",
    "--types",
    "node",
  ];
  const { status, stdout } = spawnSync(
    process.execPath,
    [compiler, join(here, "index.ts"), ...options, ...modern, "--outDir", folder],
    { cwd: here, encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`could not generate the types: ${stdout}`);
}

/** Rewrites imports in a type file to `./NAME.js`, so that every kind of module resolution finds them. */
function beside(text: string): string {
  return text.replaceAll(/(from |import\()(["'])(?:\.\/)?([\w-]+)(?:\.js)?\2/g, '$1"./$3.js"');
}

function licencesInside(): string {
  const texts = Object.keys(INSIDE).map((name) => {
    const folder = join(modules, name);
    const licence = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
    return `${name}\n\n${licence ? readFileSync(join(folder, licence), "utf8") : "MIT"}`;
  });
  return texts.join("\n\n---\n\n");
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  await makeClientPackage(resolve(process.argv[2] ?? "dist"));
