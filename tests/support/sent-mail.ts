import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Complete mails in the local outbox of a server's data directory, oldest first. */
export function sentMails(dataDir: string): { name: string; source: string }[] {
  const folder = join(dataDir, "outbox");
  return namesIn(folder)
    .filter((name) => name.endsWith(".eml"))
    .toSorted((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
    .map((name) => ({ name, source: readFileSync(join(folder, name), "utf8") }));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // The folder is created with the first mail.
    return [];
  }
}
