import { isDeepStrictEqual } from "node:util";
import { brandOf } from "@/lib/runtime/brand";
import type { BrandSettings } from "@/lib/runtime/brand-settings";

/** The effects of a new brand, for its preview. */
export function brandPreviewLines(before: BrandSettings, after: BrandSettings): string[] {
  const [was, would] = [brandOf(before), brandOf(after)];
  const lines = [
    was.mailFrom !== would.mailFrom &&
      `Mails come from ${would.mailFrom} instead of ${was.mailFrom}. Its domain must allow this service to send for it (SPF and DKIM), or mails are refused.`,
    was.name !== would.name &&
      `The service is called ${would.name} instead of ${was.name}: on every page, in every mail, in the feed and in the API description.`,
    was.logoPath !== would.logoPath &&
      (would.logoPath === null ? "The logo is removed." : "Every page shows the new logo."),
    !isDeepStrictEqual(was.accent, would.accent) && "Links and marks get the new colours, in mails too.",
    was.supportAddress !== would.supportAddress &&
      (would.supportAddress === null
        ? "No support address is shown any more."
        : `The support address is ${would.supportAddress}.`),
    was.shopUrl !== would.shopUrl &&
      (would.shopUrl === null ? "No shop is shown any more." : `Plans are bought at ${would.shopUrl}.`),
  ].filter((line) => line !== false);
  return lines.length > 0 ? lines : ["Nothing visible changes."];
}
