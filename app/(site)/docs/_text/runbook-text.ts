import { readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(process.cwd(), "docs/operations");

/** The runbook and its alert entries, without their titles. */
export function runbookText(): string {
  return `${read("README.md")}\n\n## Alerts {#alerts}\n\n${read("alerts.md")}`;
}

/**
 * Reads a file of the runbook without its title. Links to sections are kept; links to other files of the repository
 * become plain text, because the site does not serve those files.
 */
function read(name: string): string {
  return readFileSync(join(FOLDER, name), "utf8")
    .replace(/^# .*\n+/, "")
    .replaceAll(/\[([^\]]+)\]\(([^)]+)\)/g, (link: string, text: string, to: string) => {
      if (to === "alerts.md") return `[${text}](#alerts)`;
      return to.startsWith("#") ? link : text;
    });
}
