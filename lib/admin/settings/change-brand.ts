import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Database, Handle } from "@/db/client";
import { lockSettings, readSetting, writeSetting } from "@/db/queries/settings";
import { findPicture, type Picture, writePicture } from "@/db/queries/site";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { brandOf } from "@/lib/runtime/brand";
import { type BrandSettings, NO_BRAND, readBrand } from "@/lib/runtime/brand-settings";
import { accentProblem } from "@/lib/runtime/colours";
import { operated } from "@/lib/runtime/operated";
import { type Asked, type Changed, isOvertaken, type Preview, previewMark } from "@/lib/runtime/preview";
import type { LogoType } from "@/lib/vocabulary";
import { invalidField } from "@/lib/wire/errors";

const SETTING = "brand";

/** The brand as it is stored. */
export const storedBrand = async (handle: Handle): Promise<BrandSettings> =>
  readBrand((await readSetting<unknown>(handle, SETTING)) ?? NO_BRAND);

export const writeBrand = (handle: Handle, brand: BrandSettings): Promise<void> =>
  writeSetting(handle, SETTING, brand);

/**
 * Stores what the service is called and how it looks, once what that does was confirmed. Throws validation_failed for
 * a colour in which text cannot be read, naming the contrast.
 */
export async function changeBrand(
  database: Database,
  after: BrandSettings,
  asked: Asked,
  actor: Actor,
): Promise<Changed> {
  const [problem] = brandProblems(after);
  if (problem) throw invalidField("body", problem.field, problem.text);
  const changed = await database.transaction(async (tx): Promise<Changed> => {
    await lockSettings(tx);
    const before = await storedBrand(tx);
    if (isOvertaken(asked, before)) return { outcome: "overtaken" };
    if (isDeepStrictEqual(before, after)) return { outcome: "unchanged" };
    const picture = after.logo && (await findPicture(tx, after.logo.hash));
    if (after.logo && picture?.mediaType !== after.logo.mediaType)
      throw invalidField("body", "logo", "must be a logo that was sent here");
    const preview = previewBrand(before, after);
    const mark = previewMark({ before, after, preview });
    if (asked.mark !== mark) return { outcome: "previewed", preview, mark };
    await writeBrand(tx, after);
    await recordAudit(tx, { actor, action: "brand.change", target: "brand", details: { before, after } });
    return { outcome: "stored" };
  });
  if (changed.outcome === "stored") await operated().readAgain();
  return changed;
}

/** What is wrong with a brand, by the field. */
export function brandProblems({ accentLight, accentDark }: BrandSettings): { field: string; text: string }[] {
  const light = accentLight && accentProblem("light", accentLight);
  const dark = accentDark && accentProblem("dark", accentDark);
  return [
    ...(light ? [{ field: "accent_light", text: light }] : []),
    ...(dark ? [{ field: "accent_dark", text: dark }] : []),
  ];
}

function previewBrand(before: BrandSettings, after: BrandSettings): Preview {
  const [was, would] = [brandOf(before), brandOf(after)];
  const lines = [
    was.mailFrom !== would.mailFrom &&
      `Mails come from ${would.mailFrom} instead of ${was.mailFrom}. Its domain must allow this service to send for it (SPF and DKIM), or mails are refused.`,
    was.name !== would.name &&
      `The service is called ${would.name} instead of ${was.name}: on every page, in every mail, in the feed and in the description of the interface.`,
    was.logoPath !== would.logoPath &&
      (would.logoPath === null ? "The logo is taken away." : "Every page shows the new logo."),
    !isDeepStrictEqual(was.accent, would.accent) &&
      "Links, marks and the buttons of mails have the new colours.",
    was.supportAddress !== would.supportAddress &&
      (would.supportAddress === null
        ? "No address for help is named any more."
        : `Readers who need help are sent to ${would.supportAddress}.`),
    was.shopUrl !== would.shopUrl &&
      (would.shopUrl === null
        ? "No page says any more where plans are bought."
        : `Plans are bought at ${would.shopUrl}.`),
  ].filter((line) => line !== false);
  return { lines: lines.length > 0 ? lines : ["Nothing that is shown changes."], cutsOff: 0 };
}

/** Keeps a picture for the logo, without showing it yet. Throws validation_failed for what is no PNG or WebP. */
export async function keepLogo(
  database: Database,
  bytes: Buffer,
): Promise<{ hash: string; mediaType: LogoType }> {
  const picture = pictureOf(bytes);
  if (picture === null) throw invalidField("body", "logo", "must be a PNG or a WebP picture");
  await database.transaction((tx) => writePicture(tx, picture));
  const { hash, mediaType } = picture;
  return { hash, mediaType };
}

/** Bytes as they are kept; null for what is no picture. */
export function pictureOf(bytes: Buffer): Picture | null {
  const mediaType = pictureType(bytes);
  if (mediaType === null) return null;
  const hash = createHash("sha256").update(bytes).digest("hex");
  return { hash, mediaType, content: bytes.toString("base64") };
}

/** What a picture is by its first bytes, whatever its name says. */
function pictureType(bytes: Buffer): LogoType | null {
  if (bytes.subarray(0, 8).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])))
    return "image/png";
  const isWebp =
    bytes.subarray(0, 4).toString("latin1") === "RIFF" && bytes.subarray(8, 12).toString("latin1") === "WEBP";
  return isWebp ? "image/webp" : null;
}
