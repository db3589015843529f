import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { DatabaseHandle } from "@/db/client";
import { listKeptMailIds } from "@/db/queries/mail";

const FILES_PER_QUESTION = 1_000;

/**
 * Deletes outbox files of mails that no longer exist or have lost their content: of deleted accounts, and past their
 * retention. Returns the number. Safe to repeat.
 */
export async function sweepLocalOutbox(handle: DatabaseHandle, dataDir: string): Promise<number> {
  const directory = join(dataDir, "outbox");
  const names = await readdir(directory).catch(() => []);
  const files = names.flatMap((name) => {
    const [, id] = /^([0-9]{1,15})-.*\.eml(?:\.part)?$/.exec(name) ?? [];
    return id === undefined ? [] : [{ name, mailId: Number(id) }];
  });
  let removed = 0;
  for (let from = 0; from < files.length; from += FILES_PER_QUESTION) {
    const some = files.slice(from, from + FILES_PER_QUESTION);
    const kept = await listKeptMailIds(
      handle,
      some.map(({ mailId }) => mailId),
    );
    for (const { name, mailId } of some) {
      if (kept.has(mailId)) continue;
      await rm(join(directory, name), { force: true });
      removed++;
    }
  }
  return removed;
}
