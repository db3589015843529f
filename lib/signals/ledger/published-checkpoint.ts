import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { env } from "@/lib/runtime/env";

/** The last published checkpoint. It is stored outside the database, so that restoring a backup does not reset it. */
const PublishedCheckpoint = z.object({ origin: z.string(), size: z.int().min(0), root: z.string() });
export type PublishedCheckpoint = z.output<typeof PublishedCheckpoint>;

const path = () => join(env().dataDir, "ledger-published.json");

/** The last published checkpoint of this DATA_DIR; null: none. Throws if the file is invalid. */
export function readPublishedCheckpoint(): PublishedCheckpoint | null {
  let text: string;
  try {
    text = readFileSync(path(), "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
  return PublishedCheckpoint.parse(JSON.parse(text));
}

/** Stores a checkpoint in DATA_DIR as the last published one. Call it before the checkpoint is published. */
export function writePublishedCheckpoint(published: PublishedCheckpoint): void {
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
