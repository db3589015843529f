import { existsSync, readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";

/**
 * Returns a function that says whether Next serves a file at a path. The files of `public/` and of the build are listed
 * once.
 */
export function staticFileMatcher(root: string): (path: string) => boolean {
  const files = new Set([
    ...filesUnder(join(root, "public"), "/"),
    ...filesUnder(join(root, ".next", "static"), "/_next/static/"),
  ]);
  return (path) => files.has(path);
}

function filesUnder(folder: string, prefix: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => prefix + relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, "/"));
}
