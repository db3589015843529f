import { isDeepStrictEqual } from "node:util";
import type { Database, Transaction } from "@/db/client";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { type Asked, type Changed, isOvertaken, type Preview, previewMark } from "@/lib/runtime/preview";

/** How one thing is changed: what is stored now, what the change would do, and how it is written and recorded. */
export interface Change<T> {
  after: T;
  /** Locks the thing to the end of the transaction and reads it. */
  lock(tx: Transaction): Promise<T>;
  /** What a form of it was filled from, where that is not the thing itself. */
  filledFrom?(before: T): unknown;
  /** Throws for what cannot be, by what the database holds. */
  check?(tx: Transaction, before: T): Promise<void> | void;
  preview(tx: Transaction, before: T): Promise<Preview>;
  /** The figures of the preview change by themselves: only the change has to be the one that was shown. */
  isMoving?: boolean;
  write(tx: Transaction): Promise<unknown>;
  audit(before: T): { action: string; target: string; details?: Record<string, unknown> };
}

/**
 * Stores a change once its preview was confirmed: the mark of what was shown has to come back, and what the form was
 * filled from has to be what is stored. The change and its audit row are one transaction.
 */
export function confirmChange<T>(
  database: Database,
  change: Change<T>,
  asked: Asked,
  actor: Actor,
): Promise<Changed> {
  const { after } = change;
  return database.transaction(async (tx): Promise<Changed> => {
    const before = await change.lock(tx);
    if (isOvertaken(asked, change.filledFrom ? change.filledFrom(before) : before))
      return { outcome: "overtaken" };
    await change.check?.(tx, before);
    if (isDeepStrictEqual(before, after)) return { outcome: "unchanged" };
    const preview = await change.preview(tx, before);
    const mark = previewMark({ before, after, preview: change.isMoving ? NOTHING : preview });
    if (asked.mark !== mark) return { outcome: "previewed", preview, mark };
    await change.write(tx);
    await recordAudit(tx, { actor, details: { before, after }, ...change.audit(before) });
    return { outcome: "stored" };
  });
}

const NOTHING: Preview = { lines: [], cutsOff: 0 };
