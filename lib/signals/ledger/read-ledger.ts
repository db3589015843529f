import {
  findNewestCheckpoint,
  listLedgerEntryRows,
  readLedgerState,
  readSubtreeHashes,
} from "@/db/queries/ledger";
import { readAtReplica } from "@/db/replica";
import { withReadSnapshot } from "@/lib/signals/record/selection";
import {
  type LedgerConsistency,
  type LedgerEntries,
  type LedgerKey,
  type LedgerProof,
  MAX_LEDGER_ENTRIES_PER_ANSWER,
} from "@/lib/wire/contracts/record";
import { AppError } from "@/lib/wire/errors";
import { consistencyProof, type Hash, inclusionProof, peaksOf, rootOf } from "./merkle-tree";
import { signingKey, verifierKey } from "./signing";

const hex = (hash: Hash) => Buffer.from(hash).toString("hex");

/** The newest checkpoint as a signed note. Throws 404 if there is none yet. */
export async function readCheckpoint(): Promise<{ size: number; note: string }> {
  const newest = await readAtReplica(findNewestCheckpoint);
  if (newest === null) throw new AppError("not_found", { detail: "The ledger has no checkpoint yet." });
  return newest;
}

/** The entries with indexes from `start` to `end` (inclusive) that exist, at most MAX_LEDGER_ENTRIES_PER_ANSWER. */
export async function readEntries({ start, end }: { start: number; end: number }): Promise<LedgerEntries> {
  return withReadSnapshot(async (tx) => {
    const { size } = await readLedgerState(tx);
    const rows = await listLedgerEntryRows(tx, {
      start,
      end: Math.min(end, start + MAX_LEDGER_ENTRIES_PER_ANSWER - 1),
    });
    const items = rows.map(({ leafHash, ...row }) => ({ ...row, leaf_hash: leafHash }));
    return { size, count: items.length, items };
  });
}

/** Proof that an entry is in the tree of the first `size` entries. Throws 404 if the ledger has fewer. */
export async function readProof({ entry, size }: { entry: number; size: number }): Promise<LedgerProof> {
  return withReadSnapshot(async (tx) => {
    await requireSize(tx, size);
    const read = (nodes: Parameters<typeof readSubtreeHashes>[1]) => readSubtreeHashes(tx, nodes);
    const [leaf] = await read([{ level: 0, position: entry }]);
    const root = rootOf(await read(peaksOf(size)));
    const path = await inclusionProof(entry, size, read);
    return { entry, size, leaf_hash: hex(leaf ?? root), root: hex(root), path: path.map(hex) };
  });
}

/**
 * Proof that the tree of the first `second` entries extends that of the first `first`. Throws 404 if the ledger has
 * fewer.
 */
export async function readConsistency(wanted: { first: number; second: number }): Promise<LedgerConsistency> {
  const { first, second } = wanted;
  return withReadSnapshot(async (tx) => {
    await requireSize(tx, second);
    const read = (nodes: Parameters<typeof readSubtreeHashes>[1]) => readSubtreeHashes(tx, nodes);
    const [firstRoot, secondRoot] = [rootOf(await read(peaksOf(first))), rootOf(await read(peaksOf(second)))];
    const path = await consistencyProof(first, second, read);
    return {
      first,
      second,
      first_root: hex(firstRoot),
      second_root: hex(secondRoot),
      path: path.map(hex),
    };
  });
}

async function requireSize(tx: Parameters<typeof readLedgerState>[0], size: number): Promise<void> {
  const { size: there } = await readLedgerState(tx);
  if (size > there) throw new AppError("not_found", { detail: `The ledger has ${there} entries so far.` });
}

/** The public key that verifies checkpoints signed from now on; null: no key may sign at present. */
export async function ledgerKey(baseUrl: string): Promise<LedgerKey | null> {
  const key = await signingKey();
  if (key === null) return null;
  return {
    origin: key.origin,
    public_key: key.publicKey.toString("base64"),
    vkey: verifierKey(key),
    checkpoint: `${baseUrl}/api/public/ledger/checkpoint`,
  };
}
