// Installs and builds what is missing, then starts. Plain JavaScript without dependencies: on a fresh clone this
// is the only file that can run.
//
//   node lib/server/start.mjs [start | dev | build | worker]
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

export const root = fileURLToPath(new URL("../..", import.meta.url));
const OUT = join(root, ".build");

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

/** Builds the pages and the server unless the sources are those of the last build. */
export async function build() {
  const stamp = stampOfSources();
  if (isBuilt(stamp)) return;
  say("Building ...");
  const stampFile = join(OUT, "sources");
  rmSync(stampFile, { force: true });
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
  return existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp;
}

/** One file per process, with our own code inside and every package outside. */
async function bundle() {
  const { build: esbuild } = await import("esbuild");
  mkdirSync(OUT, { recursive: true });
  await esbuild({
    absWorkingDir: root,
    entryPoints: {
      server: "lib/server/server.ts",
      web: "lib/server/main.ts",
      processes: "lib/server/processes/main.ts",
      worker: "lib/server/worker/main.ts",
      "engine-thread": "lib/server/worker/engine-thread.ts",
      "render-mail": "lib/outbound/mail/render-mail.ts",
      backup: "lib/commands/backup.ts",
      restore: "lib/commands/restore.ts",
      doctor: "lib/commands/doctor.ts",
    },
    outdir: OUT,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    packages: "external",
    plugins: [{ name: "mails-apart", setup: leaveMailsApart }],
    // Before every other import: packages read the environment when they are imported.
    banner: { js: `import "./environment.mjs";` },
    sourcemap: true,
    logLevel: "warning",
  });
  copyFileSync(join(root, "lib/server/environment.mjs"), join(OUT, "environment.mjs"));
}

/** What writes mails is a file of its own that is loaded for the first one: esbuild would load its packages at the start. */
function leaveMailsApart({ onResolve }) {
  onResolve({ filter: /^\.\/render-mail$/ }, ({ kind }) =>
    kind === "dynamic-import" ? { path: "./render-mail.mjs", external: true } : undefined,
  );
}

/** Fingerprint of everything that a build is made of: equal sources, equal digest, on every machine. */
export function sourceDigest() {
  const hash = createHash("sha256");
  const add = (path) => hash.update(path).update(readFileSync(join(root, path)));
  const walk = (folder) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true }).sort((a, b) =>
      a.name < b.name ? -1 : 1,
    )) {
      const path = `${folder}/${entry.name}`;
      if (entry.name === "node_modules") continue;
      if (entry.isDirectory()) walk(path);
      else if (entry.isFile()) add(path);
    }
  };
  for (const folder of ["app", "db", "docs/operations", "emails", "lib", "public"])
    if (existsSync(join(root, folder))) walk(folder);
  for (const file of ["package-lock.json", "next.config.mjs", "postcss.config.mjs", "tsconfig.json"])
    add(file);
  return hash.digest("hex");
}

/**
 * Runs a command to its end and passes stop signals on to it. A build that was left running would block the next one.
 */
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
  if (mode === "dev") return run(process.execPath, ["--import", "tsx", join(root, "lib/server/dev.ts")]);
  if (mode === "build") return build();
  // In a process that ends: the memory of a build, and esbuild beside it, would stay as long as the service runs.
  if (!isBuilt(stampOfSources())) await run(process.execPath, [fileURLToPath(import.meta.url), "build"]);
  // Tells environment.mjs that a database and a market may be made up.
  globalThis[Symbol.for("signal-delivery-service.npm-start")] = true;
  await import(pathToFileURL(join(OUT, mode === "worker" ? "worker.mjs" : "server.mjs")).href);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  await main(process.argv[2] ?? "start");
