// `npm run package`: one archive with the server, the pages and their dependencies, which starts on a machine with
// Node alone and no network. Plain JavaScript, like start.mjs.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build, COMMANDS, copyPythonClient, install, root } from "./start.mjs";

process.chdir(root);
await install();
await build();
copyPythonClient();

const { name, version, dependencies, engines } = JSON.parse(readFileSync("package.json", "utf8"));
const title = `${name}-${version}`;
const out = join(root, "dist");
const tree = join(out, title);
rmSync(tree, { recursive: true, force: true });
mkdirSync(tree, { recursive: true });

const NPM = process.platform === "win32" ? "npm.cmd" : "npm";

/** Files of a build that only the next build reads. */
const OF_THE_BUILD = new Set(["cache", "trace", "trace-build", "diagnostics", "types", "build", "turbopack"]);
cpSync(".next", join(tree, ".next"), {
  recursive: true,
  verbatimSymlinks: true,
  filter: (path) => !(join(path, "..") === ".next" && OF_THE_BUILD.has(basename(path))),
});
for (const file of readdirSync(".build").filter((file) => file.endsWith(".mjs")))
  cpSync(join(".build", file), join(tree, ".build", file));
/**
 * Files and folders of the project that the archive contains. Without next.config.mjs, which Next reads at every start, the
 * pages would run with Next's defaults.
 */
const CARRIED = [
  "next.config.mjs",
  "public",
  "db/migrations",
  "deploy",
  "docs/operations",
  "docs/scaling.md",
  "docs/site",
  "CHANGELOG.md",
  ".env.example",
];
for (const path of [...CARRIED, "package-lock.json"]) cpSync(path, join(tree, path), { recursive: true });

// npm compares package.json with the lock file, so the project's own package.json is needed during the installation.
for (const path of ["package.json", "lib/api/client/package.json"]) cpSync(path, join(tree, path));
// Optional packages compile pages and pictures, which a finished build does not need.
run(NPM, [
  "ci",
  "--omit=dev",
  "--omit=optional",
  "--ignore-scripts",
  "--no-audit",
  "--no-fund",
  "--loglevel=error",
]);
// Software bill of materials in CycloneDX format.
writeFileSync(
  join(tree, "sbom.json"),
  output(NPM, ["sbom", "--sbom-format=cyclonedx", "--package-lock-only", "--omit=dev", "--omit=optional"]),
);
const [fullSize, files] = [sizeOf(join(tree, "node_modules")), dropUnread(join(tree, "node_modules"))];
rmSync(join(tree, "lib"), { recursive: true });
rmSync(join(tree, "package-lock.json"));
const scripts = {
  // exec, because npm's shell would not forward SIGTERM.
  start: "exec node .build/server.mjs",
  worker: "exec node .build/worker.mjs",
  ...Object.fromEntries(COMMANDS.map((command) => [command, `node .build/${command}.mjs`])),
};
writeFileSync(
  join(tree, "package.json"),
  `${JSON.stringify({ name, version, private: true, type: "module", engines, scripts, dependencies }, null, 2)}\n`,
);

const archive = join(out, `${title}.tar.gz`);
run("tar", ["--owner=0", "--group=0", "-czf", archive, "-C", out, title]);
const digest = createHash("sha256").update(readFileSync(archive)).digest("hex");
// In the format of `sha256sum --check`.
writeFileSync(`${archive}.sha256`, `${digest}  ${basename(archive)}\n`);
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
process.stdout.write(
  `${join("dist", basename(archive))}: ${megabytes(statSync(archive).size)}, unpacked ${megabytes(sizeOf(tree))}, ` +
    `of which node_modules ${megabytes(sizeOf(join(tree, "node_modules")))} (${megabytes(fullSize)} before ${files} files were removed that no process reads).\n` +
    `It carries ${[".build", ".next", "node_modules", "package.json", "sbom.json", ...CARRIED].join(", ")}; npm run ${Object.keys(scripts).join(", ")}.\n`,
);

function run(command, args) {
  output(command, args, "inherit");
}

function output(command, args, stdout = "pipe") {
  const ran = spawnSync(command, args, {
    cwd: tree,
    encoding: "utf8",
    maxBuffer: 64e6,
    stdio: ["inherit", stdout, "inherit"],
  });
  if (ran.status !== 0) {
    process.stderr.write(`${command} ${args[0]} failed\n`);
    process.exit(ran.status || 1);
  }
  return ran.stdout;
}

/**
 * Deletes files that no running process reads: source maps, types, texts other than licences, and Next's build-time
 * modules and documents. Returns the number of files.
 */
function dropUnread(packages) {
  const isUnread = ({ name, parentPath }) =>
    /\.(?:map|d\.[cm]?ts)$/.test(name) ||
    (/\.(?:md|markdown)$/i.test(name) && !/licen[cs]e|copying|notice|patent/i.test(name)) ||
    /[\\/]next[\\/]dist[\\/](?:docs|esm)(?:[\\/]|$)/.test(parentPath);
  const unread = readdirSync(packages, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && isUnread(entry),
  );
  for (const { parentPath, name } of unread) rmSync(join(parentPath, name));
  return unread.length;
}

function sizeOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
