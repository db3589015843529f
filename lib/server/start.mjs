// Installs and builds what is missing, then starts. Plain JavaScript without dependencies: on a fresh clone this is
// the only file that can run.
//
// node lib/server/start.mjs [start | dev | build | worker]
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { API_MODULES, writeApiModules } from "./write-api-modules.mjs";

export const root = fileURLToPath(new URL("../..", import.meta.url));
const OUT = join(root, ".build");

/** Commands of operators, which are built with the server and part of the archive. */
export const COMMANDS = ["backup", "restore", "doctor", "settings", "ingest", "ledger", "webhook", "ea"];

/** The Python client is a single file; its package contains a copy as a module. */
const PYTHON_MODULE = "public/ea-kit/python/signal_delivery/__init__.py";

/** Generated from other sources and not in git, so that they are not part of the hash of a build's sources. */
const GENERATED = new Set(["lib/api/client/schema.d.ts", PYTHON_MODULE, ...API_MODULES]);

/** Folder of generated scripts, which are not part of the hash of a build's sources. */
const BROWSER_SCRIPTS = "public/scripts";
const BROWSER_ENTRIES = { portal: "app/portal/_browser/portal.ts", admin: "app/admin/_browser/admin.ts" };

/** The generated files that the pages read when they start. */
const NEEDED_AT_START = Object.keys(BROWSER_ENTRIES).map((name) => `${BROWSER_SCRIPTS}/${name}.js`);

export function copyPythonClient() {
  copyFileSync(join(root, "public/ea-kit/signal_delivery.py"), join(root, PYTHON_MODULE));
}

/** Runs `npm ci` unless the installed packages match the lock file. */
export async function install() {
  if (isInstalled()) return;
  say("Installing dependencies ...");
  await run(process.platform === "win32" ? "npm.cmd" : "npm", [
    "ci",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
    "--include=dev",
  ]);
}

function isInstalled() {
  try {
    const wanted = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;
    const found = JSON.parse(readFileSync(join(root, "node_modules/.package-lock.json"), "utf8")).packages;
    return Object.entries(wanted).every(
      ([path, entry]) =>
        path === "" ||
        entry.link ||
        entry.extraneous ||
        entry.optional ||
        !path.includes("node_modules/") ||
        found[path]?.version === entry.version,
    );
  } catch {
    return false;
  }
}

/**
 * Builds the pages and the server unless the sources are those of the last build and its generated files are there.
 */
export async function build() {
  const stamp = stampOfSources();
  if (isBuilt(stamp)) return;
  copyPythonClient();
  writeApiModules(root);
  say("Building ...");
  const stampFile = join(OUT, "sources");
  rmSync(stampFile, { force: true });
  await bundleForBrowser();
  await run(process.execPath, [join(root, "node_modules/next/dist/bin/next"), "build"], {
    NODE_ENV: "production",
    NEXT_TELEMETRY_DISABLED: "1",
  });
  await bundle();
  writeFileSync(stampFile, stamp);
}

function stampOfSources() {
  return `${process.version} ${sourceDigest()}`;
}

function isBuilt(stamp) {
  const stampFile = join(OUT, "sources");
  if (!existsSync(stampFile) || readFileSync(stampFile, "utf8") !== stamp) return false;
  const missing = missingFiles(root);
  for (const path of missing) say(`${path} is missing.`);
  return missing.length === 0;
}

/** The generated files without which the pages do not start, and which are not in `folder`. */
export function missingFiles(folder) {
  return NEEDED_AT_START.filter((path) => !existsSync(join(folder, path)));
}

/** The scripts of the portal and the administrator's area, and the chart library that the portal's loads. */
export async function bundleForBrowser() {
  const { build: esbuild } = await import("esbuild");
  rmSync(join(root, BROWSER_SCRIPTS), { recursive: true, force: true });
  await esbuild({
    absWorkingDir: root,
    entryPoints: BROWSER_ENTRIES,
    outdir: BROWSER_SCRIPTS,
    bundle: true,
    splitting: true,
    chunkNames: "[name]-[hash]",
    format: "esm",
    target: "es2022",
    minify: true,
    logLevel: "warning",
  });
}

/**
 * One bundle per process, with shared and lazily loaded chunks. Packages stay outside, except those of which little
 * is used.
 */
async function bundle() {
  const { build: esbuild } = await import("esbuild");
  mkdirSync(OUT, { recursive: true });
  for (const file of readdirSync(OUT)) if (/\.mjs(\.map)?$/.test(file)) rmSync(join(OUT, file));
  await esbuild({
    absWorkingDir: root,
    entryPoints: {
      server: "lib/server/main.ts",
      "page-server": "lib/server/pages/page-server.ts",
      worker: "lib/server/worker/main.ts",
      "signals-thread": "lib/server/worker/signals-thread.ts",
      "training-process": "lib/server/worker/training-process.ts",
      "training-thread": "lib/server/worker/training-thread.ts",
      ...Object.fromEntries(COMMANDS.map((name) => [name, `lib/commands/${name}.ts`])),
    },
    outdir: OUT,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    chunkNames: "shared-[hash]",
    platform: "node",
    format: "esm",
    target: "node20",
    packages: "external",
    plugins: [{ name: "used parts alone", setup: takeUsedParts }],
    // Before every other import: packages read the environment at import.
    banner: { js: `import "./environment.mjs";` },
    sourcemap: true,
    logLevel: "warning",
  });
  copyFileSync(join(root, "lib/server/environment.mjs"), join(OUT, "environment.mjs"));
}

/**
 * Marks the modules of `react-email` as free of side effects, so that esbuild drops the unused ones: Tailwind, Prism
 * and a JavaScript parser take a second of processor time and tens of megabytes. `@react-email/render` is included
 * because `react-email` re-exports all of it, and esbuild must know its names.
 */
function takeUsedParts({ onResolve }) {
  onResolve({ filter: /^(react-email|@react-email\/render)$/ }, ({ path }) => ({
    path: fileURLToPath(import.meta.resolve(path)),
    sideEffects: false,
  }));
}

/** Hash of all inputs of a build, the same on every machine. */
export function sourceDigest() {
  const hash = createHash("sha256");
  const add = (path) => hash.update(path).update(readFileSync(join(root, path)));
  const walk = (folder) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true }).sort((a, b) =>
      a.name < b.name ? -1 : 1,
    )) {
      const path = `${folder}/${entry.name}`;
      if (entry.name === "node_modules" || path === BROWSER_SCRIPTS) continue;
      if (entry.isDirectory()) walk(path);
      else if (entry.isFile() && !GENERATED.has(path)) add(path);
    }
  };
  for (const folder of ["app", "db", "emails", "lib", "public"])
    if (existsSync(join(root, folder))) walk(folder);
  for (const file of [
    "instrumentation.ts",
    "package-lock.json",
    "next.config.mjs",
    "postcss.config.mjs",
    "tsconfig.json",
  ])
    add(file);
  return hash.digest("hex");
}

/** Runs a command to its end and forwards stop signals: a build left running would block the next one. */
async function run(command, args, env = {}) {
  const child = spawn(command, args, { cwd: root, stdio: "inherit", env: { ...process.env, ...env } });
  const handOn = (signal) => child.kill(signal);
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, handOn);
  const [status] = await once(child, "exit").catch(() => [1]);
  for (const signal of ["SIGINT", "SIGTERM"]) process.off(signal, handOn);
  if (status !== 0) {
    process.stderr.write(`${command} ${args.join(" ")} failed\n`);
    process.exit(status || 1);
  }
}

function say(text) {
  process.stdout.write(`${text}\n`);
}

async function main(mode) {
  process.chdir(root);
  await install();
  if (existsSync(join(root, ".env"))) process.loadEnvFile(join(root, ".env"));
  if (mode === "dev") {
    writeApiModules(root);
    await bundleForBrowser();
    return run(process.execPath, ["--import", "tsx", join(root, "lib/server/dev.ts")]);
  }
  if (mode === "build") return build();
  // In a child process: otherwise the memory of the build, and esbuild, would stay as long as the service runs.
  if (!isBuilt(stampOfSources())) await run(process.execPath, [fileURLToPath(import.meta.url), "build"]);
  // Lets environment.mjs accept a start without DATABASE_URL and MARKET_FEED: on an embedded database with a simulated market.
  globalThis[Symbol.for("signal-delivery-service.npm-start")] = true;
  await import(pathToFileURL(join(OUT, mode === "worker" ? "worker.mjs" : "server.mjs")).href);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  await main(process.argv[2] ?? "start");
