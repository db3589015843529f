import { LinkButton } from "@/app/_components/button";
import { countWithNoun, formatNumber } from "@/app/_components/figures";
import { Notice } from "@/app/_components/notice";
import { Timestamp } from "@/app/_components/timestamp";
import type { BulkExtension } from "@/db/queries/bulk-extensions";

/** Replaces a form that was sent before: what it did, and the link to a form that extends the same list again. */
export function ExtendedBefore({ done, again }: { done: BulkExtension; again: string }) {
  return (
    <Notice
      tone="info"
      title="This list was extended already"
      actions={
        <LinkButton href={again} size="small">
          Extend it again
        </LinkButton>
      }
    >
      {extensionProgress(done)}, <Timestamp at={done.createdAt} />. The dates on this page are the new ends.
    </Notice>
  );
}

/** The progress of an extension, and the number of subscribers that were left out. */
export function extensionProgress({ days, nSubscribers, nExtended, nRemaining }: BulkExtension): string {
  const nDone = nSubscribers - nRemaining;
  const nSkipped = nDone - nExtended;
  const skipped =
    nSkipped === 0 ? "" : `, ${formatNumber(nSkipped)} skipped: their access had ended or has no end date`;
  const running =
    nRemaining === 0 ? "" : `. Running: ${formatNumber(nDone)} of ${formatNumber(nSubscribers)} done`;
  return `${countWithNoun(days, "day")} for ${countWithNoun(nExtended, "subscriber")}${skipped}${running}`;
}
