import { createHash } from "node:crypto";

/** Whom a change of the settings touches, told before it is stored. */
export interface Preview {
  /** Sentences, the worst first. */
  lines: string[];
  /** How many with access would be left without anything. */
  cutsOff: number;
}

/** A change is shown first; with the mark of what was shown it is stored. */
export type Changed =
  | { outcome: "previewed"; preview: Preview; mark: string }
  | { outcome: "stored" }
  /** Another changed the same since the form was filled: nothing was stored. */
  | { outcome: "overtaken" }
  | { outcome: "unchanged" };

/** What a form sends back beside its fields. */
export interface SubmittedForm {
  /** Of the preview that is confirmed; none yet where a change is asked for. */
  mark?: string | undefined;
  /** Of what the form was filled from. */
  version?: string | undefined;
}

/** The version of what is stored, for a form that is filled from it. */
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

/** Whether what is stored is something else than what the form was filled from. */
export const isStaleForm = ({ version }: SubmittedForm, stored: unknown): boolean =>
  version !== undefined && version !== versionOf(stored);

/**
 * The mark of what was shown: who confirms sends it back. Where somebody bought, or another changed the same, since
 * then, it does not hold any more and the preview is shown again.
 */
export function previewRevision(change: { before: unknown; after: unknown; preview: Preview }): string {
  return createHash("sha256").update(JSON.stringify(change)).digest("hex").slice(0, 32);
}
