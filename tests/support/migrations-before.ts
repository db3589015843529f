import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defaultMigrationsFolder } from "@/db/migrate";
import journal from "@/db/migrations/meta/_journal.json" with { type: "json" };
import { temporaryDirectory } from "./temporary-directory";

/** Creates a folder with every migration before the named one (without its number). Returns its path. */
export function copyMigrationsBefore(name: string): string {
  const folder = temporaryDirectory(`${name}-`);
  mkdirSync(join(folder, "meta"));
  const place = journal.entries.findIndex(({ tag }) => tag.slice(5) === name);
  if (place < 0) throw new Error(`there is no migration ${name}`);
  const entries = journal.entries.slice(0, place);
  for (const { tag } of entries)
    cpSync(join(defaultMigrationsFolder(), `${tag}.sql`), join(folder, `${tag}.sql`));
  writeFileSync(join(folder, "meta/_journal.json"), JSON.stringify({ ...journal, entries }));
  return folder;
}
