import { z } from "zod";

const Colour = z.string().regex(/^#[0-9a-f]{6}$/);

/** The operator's brand as the setting `brand` holds it; null: what the installation has without it. */
export const BrandSettings = z.object({
  name: z.string().min(1).nullable(),
  /** SHA-256 of the logo's bytes, and what they are. */
  logo: z
    .object({
      hash: z.string().regex(/^[0-9a-f]{64}$/),
      mediaType: z.enum(["image/png", "image/webp"]),
    })
    .nullable(),
  /** The colour of links on light and on dark ground. */
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

/** The brand that a row holds; one that cannot be read is that of a new installation. */
export const readBrand = (value: unknown): BrandSettings => BrandSettings.catch(NO_BRAND).parse(value);
