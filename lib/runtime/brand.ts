import type { BrandSettings } from "./brand-settings";
import { DEFAULT_SERVICE_NAME, env } from "./env";
import { settingsCache } from "./settings-cache";

/** Name and appearance of the service on every page, mail and document. */
export interface Brand {
  name: string;
  /** Path of the operator's logo on this site; null: the built-in logo is used. */
  logoPath: string | null;
  /** Link colours on light and dark backgrounds; null: the built-in colours are used. */
  accent: { light: string; dark: string } | null;
  /** Sender of mails, as `Name <address>`. */
  mailFrom: string;
  /** Address for support requests; null: none. */
  supportAddress: string | null;
  /** Address where plans are sold; null: none. */
  shopUrl: string | null;
}

/** The style sheet's accent colours, used unless the operator chose others. */
export const DEFAULT_ACCENT = { light: "#2148b8", dark: "#9db2ff" } as const;

const EXTENSIONS = { "image/png": "png", "image/webp": "webp" } as const;

/** The current brand, from the settings cache, without waiting for the database. */
export const brand = (): Brand => brandOf(settingsCache().now.brand);

/** The brand that results from the stored settings. */
export function brandOf(settings: BrandSettings): Brand {
  const { logo, accentLight, accentDark } = settings;
  const config = env();
  const isPlain = accentLight === null && accentDark === null;
  return {
    name: settings.name ?? DEFAULT_SERVICE_NAME,
    logoPath: logo && `/brand/${logo.hash}.${EXTENSIONS[logo.mediaType]}`,
    accent: isPlain
      ? null
      : { light: accentLight ?? DEFAULT_ACCENT.light, dark: accentDark ?? DEFAULT_ACCENT.dark },
    mailFrom: senderOf(settings, config.mailFrom),
    supportAddress: settings.supportAddress,
    shopUrl: settings.shopUrl,
  };
}

/**
 * Sender of mails. The name is the set sender name, else the set service name, else the name in MAIL_FROM. The address
 * is the set one, else that of MAIL_FROM.
 */
function senderOf({ senderName, senderAddress, name }: BrandSettings, configured: string): string {
  const wanted = senderName ?? name;
  if (wanted === null && senderAddress === null) return configured;
  const [, configuredName = "", inBrackets] = /^(.*?)\s*<([^<>]+)>\s*$/.exec(configured) ?? [];
  const address = senderAddress ?? inBrackets ?? configured.trim();
  return `${quoted(wanted ?? (configuredName || DEFAULT_SERVICE_NAME))} <${address}>`;
}

/**
 * A display name for a From header (RFC 5322): put in quotation marks where needed. Quotation marks and backslashes
 * inside it are removed.
 */
const quoted = (name: string) => (/^[\w '+-]+$/.test(name) ? name : `"${name.replaceAll(/["\\]/g, "")}"`);
