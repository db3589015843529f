import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = new URL("../../", import.meta.url);

/** Path of docs/licences.md, to which `npm run generate` writes the list. */
export const LICENCES_FILE = fileURLToPath(new URL("docs/licences.md", root));

interface Locked {
  version?: string;
  license?: string;
  dev?: boolean;
  optional?: boolean;
  devOptional?: boolean;
  link?: boolean;
}

/**
 * Markdown text that lists the packages of a running service by licence, without optional ones, from package-lock.json.
 */
export function renderLicences(): string {
  const lock = JSON.parse(readFileSync(new URL("package-lock.json", root), "utf8"));
  // The cast is safe: npm has written the file.
  const packages = Object.entries(lock.packages as Record<string, Locked>).filter(
    ([path, entry]) =>
      path.includes("node_modules/") && !entry.dev && !entry.optional && !entry.devOptional && !entry.link,
  );
  const rows = packages.map(([path, { version, license }]) => ({
    name: path.replace(/^.*node_modules\//, ""),
    version: version ?? "",
    licence: license ?? "not stated",
  }));
  const byLicence = new Map<string, typeof rows>();
  for (const row of rows) byLicence.set(row.licence, [...(byLicence.get(row.licence) ?? []), row]);
  const sections = [...byLicence]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([licence, of]) => {
      const names = [...new Set(of.map(({ name, version }) => `${name} ${version}`))].toSorted();
      return `## ${licence} (${names.length})\n\n${names.join(", ")}\n`;
    });
  return `# Licences\n\nOf every package that a running service consists of, without optional packages and those of the build. Written by\n\`npm run generate\`.\n\n${sections.join("\n")}`;
}
