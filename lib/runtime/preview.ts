import { createHash } from "node:crypto";

/** Effects of a settings change, shown before it is stored. */
export interface Preview {
  /** Sentences, the most serious first. */
  lines: string[];
  /** Number of subscribers with access who would lose all of it. */
  cutsOff: number;
}

/** A change is previewed first. The `mark` of the preview confirms it. */
export type SettingChangeResult =
  | { outcome: "previewed"; preview: Preview; mark: string }
  | { outcome: "stored" }
  /** Another administrator changed the same setting after the form was loaded: nothing was stored. */
  | { outcome: "overtaken" }
  | { outcome: "unchanged" };

/** Hidden fields of a settings form. */
export interface SubmittedForm {
  /** Mark of the preview that is confirmed; missing on the first submission. */
  mark?: string | undefined;
  /** Version of the stored value that filled the form. */
  version?: string | undefined;
}

/** Version of a stored value: a hash that does not depend on the order of its keys. */
export function versionOf(stored: unknown): string {
  const inOrder = (_: string, value: unknown) =>
    value !== null && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value;
  return createHash("sha256")
    .update(JSON.stringify(stored, inOrder) ?? "")
    .digest("hex")
    .slice(0, 16);
}

/** Whether the stored value has changed since the form was filled. */
export const isStaleForm = ({ version }: SubmittedForm, stored: unknown): boolean =>
  version !== undefined && version !== versionOf(stored);

/**
 * The mark of a preview, which a confirmation sends back. It changes when the stored value or the effects change, for
 * example by a purchase; then the preview is shown again.
 */
export function previewRevision(change: { before: unknown; after: unknown; preview: Preview }): string {
  return createHash("sha256").update(JSON.stringify(change)).digest("hex").slice(0, 32);
}
