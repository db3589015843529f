import { createHash } from "node:crypto";
import { z } from "zod";
import type { Database } from "@/db/client";
import { type Picture, writePicture } from "@/db/queries/site";
import { LOGO_TYPES, type LogoType } from "@/lib/vocabulary";
import { invalidField } from "@/lib/wire/errors";

/** Stores an uploaded picture that can become the logo. Throws validation_failed unless it is a PNG or WebP. */
export async function storeLogo(
  database: Database,
  bytes: Buffer,
): Promise<{ hash: string; mediaType: LogoType }> {
  const picture = pictureOf(bytes);
  if (picture === null) throw invalidField("body", "logo", "must be a PNG or a WebP picture");
  await database.transaction((tx) => writePicture(tx, picture));
  const { hash, mediaType } = picture;
  return { hash, mediaType };
}

/** A logo in a settings file: the picture in base64. */
const LogoInFile = z.strictObject({ mediaType: z.enum(LOGO_TYPES), content: z.base64().max(90_000) });

/** The logo in a settings file; null unless its bytes are a picture of the stated type. */
export function logoInSettingsFile(sent: unknown): Picture | null {
  const parsed = LogoInFile.safeParse(sent);
  if (!parsed.success) return null;
  const picture = pictureOf(Buffer.from(parsed.data.content, "base64"));
  return picture?.mediaType === parsed.data.mediaType ? picture : null;
}

/** A picture with its hash, for storage; null if the bytes are neither PNG nor WebP. */
function pictureOf(bytes: Buffer): Picture | null {
  const mediaType = pictureType(bytes);
  if (mediaType === null) return null;
  const hash = createHash("sha256").update(bytes).digest("hex");
  return { hash, mediaType, content: bytes.toString("base64") };
}

/** Type of a picture by its first bytes; its name is ignored. */
function pictureType(bytes: Buffer): LogoType | null {
  if (bytes.subarray(0, 8).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])))
    return "image/png";
  const isWebp =
    bytes.subarray(0, 4).toString("latin1") === "RIFF" && bytes.subarray(8, 12).toString("latin1") === "WEBP";
  return isWebp ? "image/webp" : null;
}
