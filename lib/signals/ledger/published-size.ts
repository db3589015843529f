import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { env } from "@/lib/runtime/env";

/** What was published last, kept outside the database: a restored backup does not know it. */
const Published = z.object({ origin: z.string(), size: z.int().min(0), root: z.string() });
export type Published = z.output<typeof Published>;

const path = () => join(env().dataDir, "ledger-published.json");

/** What was published last from this DATA_DIR; null: nothing yet. Throws when the file cannot be understood. */
export function readPublished(): Published | null {
  let text: string;
  try {
    text = readFileSync(path(), "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
  return Published.parse(JSON.parse(text));
}

/** Keeps what is about to be published: on the disk before anyone can have seen it. */
export function writePublished(published: Published): void {
  mkdirSync(env().dataDir, { recursive: true });
  const draft = `${path()}.${process.pid}`;
  const file = openSync(draft, "w", 0o600);
  try {
    writeSync(file, JSON.stringify(published));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path());
}
