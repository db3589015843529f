import type { DatabaseHandle } from "@/db/client";
import {
  ENCRYPTED_COLUMNS,
  type EncryptedColumn,
  listEncryptedValues,
  readReencryptionState,
  replaceEncryptedValues,
  writeReencryptionState,
} from "@/db/queries/encrypted-values";
import { env } from "@/lib/runtime/env";
import { errorFacts, log } from "@/lib/runtime/log";
import { currentEncryptionKeyPrefix, decrypt, encrypt } from "@/lib/runtime/secrets";
import { DAY_MS } from "@/lib/time";

const ROWS_PER_STEP = 200;

/**
 * Re-encrypts stored values with the current key. Does nothing while only one key is configured. After a pass that
 * changed nothing and could decrypt all, the next one is a day later: until every process has the new keys, one may
 * still encrypt with a former key.
 */
export async function reencryptStored(handle: DatabaseHandle, now: Date, signal: AbortSignal): Promise<void> {
  const { encryptionKeys } = env();
  if (encryptionKeys.length < 2) return;
  const { version } = encryptionKeys[0];
  const last = await readReencryptionState(handle);
  const isDone = last?.version === version && last.nResealed === 0 && last.nUnreadable === 0;
  if (isDone && now.getTime() - Date.parse(last.finishedAt) < DAY_MS) return;
  const count = { nResealed: 0, nUnreadable: 0 };
  // Object.keys of a constant returns exactly its names.
  for (const place of Object.keys(ENCRYPTED_COLUMNS) as EncryptedColumn[]) {
    if (!(await walk(handle, place, count, signal))) return;
  }
  await writeReencryptionState(handle, { version, finishedAt: now.toISOString(), ...count });
  if (count.nResealed > 0)
    log("info", "stored secrets were encrypted with the current key", { count: count.nResealed });
  if (count.nUnreadable > 0)
    log("error", "no configured key decrypts some stored secrets", { count: count.nUnreadable });
}

/** Re-encrypts one column row by row. false: the worker stopped. */
async function walk(
  handle: DatabaseHandle,
  place: EncryptedColumn,
  count: { nResealed: number; nUnreadable: number },
  signal: AbortSignal,
): Promise<boolean> {
  for (let after: string | null = null; ; ) {
    if (signal.aborted) return false;
    const step = await listEncryptedValues(handle, place, {
      after,
      prefix: currentEncryptionKeyPrefix(),
      limit: ROWS_PER_STEP,
    });
    const last = step.at(-1);
    if (last === undefined) return true;
    after = last.id;
    const changes = step.flatMap(({ id, sealed }) => {
      if (sealed === null) return [];
      const plain = opened(sealed);
      if (plain === null) count.nUnreadable++;
      return plain === null ? [] : [{ id, from: sealed, to: encrypt(plain) }];
    });
    if (changes.length > 0) await replaceEncryptedValues(handle, place, changes);
    count.nResealed += changes.length;
  }
}

function opened(sealed: string): string | null {
  try {
    return decrypt(sealed);
  } catch (error) {
    log("debug", "a stored secret cannot be decrypted", { error: errorFacts(error) });
    return null;
  }
}
