import { createHash } from "node:crypto";

/** Effects of a settings change, shown before it is stored. */
export interface SettingChangePreview {
  /** Sentences, the most serious first. */
  lines: string[];
  /** Number of subscribers who have access and would lose all of it. */
  cutsOff: number;
}

/**
 * Result of a submitted settings change. The first submission returns a preview with its `mark`; a second submission
 * that contains this `mark` stores the change.
 */
export type SettingChangeResult =
  | { outcome: "previewed"; preview: SettingChangePreview; mark: string }
  | { outcome: "stored" }
  /** The setting has changed since the form was loaded: nothing was stored. */
  | { outcome: "overtaken" }
  | { outcome: "unchanged" };

/** Hidden fields of a settings form. */
export interface SettingFormHiddenFields {
  /** The `mark` of the preview that this submission confirms; missing on the first submission. */
  mark?: string | undefined;
  /** Version of the stored value with which the form was filled; missing: not checked. */
  version?: string | undefined;
}

/** Version of a stored value: a hash that does not depend on the order of its keys. */
export function storedValueVersion(stored: unknown): string {
  const inOrder = (_: string, value: unknown) =>
    value !== null && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value;
  return createHash("sha256")
    .update(JSON.stringify(stored, inOrder) ?? "")
    .digest("hex")
    .slice(0, 16);
}

/** Whether the stored value has changed since the form was filled with it. */
export const isStaleForm = ({ version }: SettingFormHiddenFields, stored: unknown): boolean =>
  version !== undefined && version !== storedValueVersion(stored);

/**
 * Hash of a change and its preview, which the confirming form sends back as `mark`. If the stored value or the effects
 * have changed meanwhile, for example by a purchase, the hash differs and the preview is shown again.
 */
export function previewRevision(change: {
  before: unknown;
  after: unknown;
  preview: SettingChangePreview;
}): string {
  return createHash("sha256").update(JSON.stringify(change)).digest("hex").slice(0, 32);
}
