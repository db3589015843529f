import { isDeepStrictEqual } from "node:util";
import type { Database, Transaction } from "@/db/client";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import {
  isStaleForm,
  previewRevision,
  type SettingChangePreview,
  type SettingChangeResult,
  type SettingFormHiddenFields,
} from "@/lib/runtime/setting-change-preview";

/** A change of one setting or row. */
export interface ConfirmableChange<T> {
  after: T;
  /** Locks the row until the transaction ends, and reads it. */
  lock(tx: Transaction): Promise<T>;
  /**
   * The value that the form was filled with, such as the version of a text. Without this function it is the stored
   * value.
   */
  filledFrom?(before: T): unknown;
  /** Throws if the change contradicts stored data. */
  check?(tx: Transaction, before: T): Promise<void> | void;
  preview(tx: Transaction, before: T): Promise<SettingChangePreview>;
  /** Set if the preview's figures change all the time: the preview is then left out of the hash that confirms it. */
  isMoving?: boolean;
  write(tx: Transaction): Promise<unknown>;
  audit(before: T): { action: string; target: string; details?: Record<string, unknown> };
}

/**
 * Returns a preview of a change, and stores the change once the preview is confirmed, unless the stored value has
 * changed since the form was filled. The change and its audit row commit together.
 */
export function confirmChange<T>(
  database: Database,
  change: ConfirmableChange<T>,
  submitted: SettingFormHiddenFields,
  actor: Actor,
): Promise<SettingChangeResult> {
  const { after } = change;
  return database.transaction(async (tx): Promise<SettingChangeResult> => {
    const before = await change.lock(tx);
    if (isStaleForm(submitted, change.filledFrom ? change.filledFrom(before) : before))
      return { outcome: "overtaken" };
    await change.check?.(tx, before);
    if (isDeepStrictEqual(before, after)) return { outcome: "unchanged" };
    const preview = await change.preview(tx, before);
    const mark = previewRevision({ before, after, preview: change.isMoving ? NOTHING : preview });
    if (submitted.mark !== mark) return { outcome: "previewed", preview, mark };
    await change.write(tx);
    await recordAudit(tx, { actor, details: { before, after }, ...change.audit(before) });
    return { outcome: "stored" };
  });
}

const NOTHING: SettingChangePreview = { lines: [], cutsOff: 0 };
