import type { Database } from "@/db/client";
import {
  findNewestCheckpoint,
  insertCheckpoint,
  lockLedger,
  readSubtreeHashes,
  setCheckpointRefusal,
} from "@/db/queries/ledger";
import { log } from "@/lib/runtime/log";
import { peaksOf, rootOf } from "./merkle-tree";
import {
  type PublishedCheckpoint,
  readPublishedCheckpoint,
  writePublishedCheckpoint,
} from "./published-checkpoint";
import { isOwnCheckpoint, loadOrCreateSigningKey, signCheckpoint } from "./signing";

/** The newest checkpoint, if this process has found its key available and the published checkpoint extended by it. */
let checkedNote: string | null = null;

/**
 * Signs and stores a checkpoint if the ledger has grown since the last one. Refuses, and stores why, if the key that
 * signed the last one is not available, or if the ledger does not extend the last published checkpoint, for example
 * after an older backup was restored: there would be two ledgers under one name. Returns whether a checkpoint was
 * signed.
 */
export async function publishCheckpoint(database: Database): Promise<boolean> {
  return database.transaction(async (tx) => {
    const state = await lockLedger(tx);
    const newest = await findNewestCheckpoint(tx);
    const isUnchanged = newest !== null && newest.size === state.size;
    if (isUnchanged && state.refusal === null && newest.note === checkedNote) return false;
    const rootAt = async (size: number) => rootOf(await readSubtreeHashes(tx, peaksOf(size)));
    const key = await loadOrCreateSigningKey(tx);
    const published = readPublishedCheckpoint();
    const refusal =
      key === null || (newest !== null && !(await isOwnCheckpoint(tx, newest.note)))
        ? "the newest checkpoint was signed with a key that is not available"
        : await whyNot(published?.origin === key.origin ? published : null, state.size, rootAt);
    if (refusal !== state.refusal) await setCheckpointRefusal(tx, refusal);
    if (key === null || refusal !== null) {
      if (state.refusal === null) log("error", "no checkpoint of the ledger is signed", { reason: refusal });
      return false;
    }
    if (isUnchanged) checkedNote = newest.note;
    if (state.size === 0 || isUnchanged) return false;
    const root = await rootAt(state.size);
    writePublishedCheckpoint({
      origin: key.origin,
      size: state.size,
      root: Buffer.from(root).toString("hex"),
    });
    await insertCheckpoint(tx, { size: state.size, root, note: signCheckpoint(state.size, root, key) });
    return true;
  });
}

/** Why no checkpoint of this size may be signed after `published`; null: it may be signed. */
async function whyNot(
  published: PublishedCheckpoint | null,
  size: number,
  rootAt: (size: number) => Promise<Uint8Array>,
): Promise<string | null> {
  if (published === null) return null;
  if (size < published.size)
    return `the ledger has ${size} entries, and ${published.size} were published: an older backup was restored`;
  const root = Buffer.from(await rootAt(published.size)).toString("hex");
  return root === published.root
    ? null
    : `the first ${published.size} entries of the ledger are not those that were published`;
}
