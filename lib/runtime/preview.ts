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
  | { outcome: "unchanged" };

/**
 * The mark of what was shown: who confirms sends it back. Where somebody bought, or another changed the same, since
 * then, it does not hold any more and the preview is shown again.
 */
export function previewMark(change: { before: unknown; after: unknown; preview: Preview }): string {
  return createHash("sha256").update(JSON.stringify(change)).digest("hex").slice(0, 32);
}
