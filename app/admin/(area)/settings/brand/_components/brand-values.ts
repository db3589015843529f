import type { BrandSettings } from "@/lib/runtime/brand-settings";

/** A brand as the fields of its form. */
export const brandValues = (settings: BrandSettings): Record<string, string> => ({
  name: settings.name ?? "",
  logo: settings.logo ? logoValue(settings.logo) : "",
  accent_light: settings.accentLight ?? "",
  accent_dark: settings.accentDark ?? "",
  sender_name: settings.senderName ?? "",
  sender_address: settings.senderAddress ?? "",
  support_address: settings.supportAddress ?? "",
  shop_url: settings.shopUrl ?? "",
});

/** A kept logo as a field: its hash and its extension. */
export const logoValue = ({ hash, mediaType }: NonNullable<BrandSettings["logo"]>): string =>
  `${hash}.${mediaType.slice("image/".length)}`;
