import { z } from "zod";

const Colour = z.string().regex(/^#[0-9a-f]{6}$/);

/** The stored setting `brand`. A field that is null was not set by the operator. */
export const BrandSettings = z.object({
  name: z.string().min(1).nullable(),
  /** SHA-256 and type of the logo file. */
  logo: z
    .object({
      hash: z.string().regex(/^[0-9a-f]{64}$/),
      mediaType: z.enum(["image/png", "image/webp"]),
    })
    .nullable(),
  /** Link colour on light backgrounds, as `#rrggbb`. `accentDark`: on dark ones. */
  accentLight: Colour.nullable(),
  accentDark: Colour.nullable(),
  senderName: z.string().nullable(),
  senderAddress: z.string().nullable(),
  supportAddress: z.string().nullable(),
  shopUrl: z.string().nullable(),
});
export type BrandSettings = z.output<typeof BrandSettings>;

/** The brand of a new installation. */
export const NO_BRAND: BrandSettings = {
  name: null,
  logo: null,
  accentLight: null,
  accentDark: null,
  senderName: null,
  senderAddress: null,
  supportAddress: null,
  shopUrl: null,
};

/** Parses the stored brand. An unreadable value counts as no brand. */
export const parseBrandSettings = (value: unknown): BrandSettings =>
  BrandSettings.catch(NO_BRAND).parse(value);
