import type { BrandSettings } from "./brand-settings";
import { DEFAULT_NAME, env } from "./env";
import { settingsCache } from "./settings-cache";

/** What the service is called and how it looks, as every page, mail and document reads it. */
export interface Brand {
  name: string;
  /** Address of the operator's logo on this site; null: the mark that comes with the service. */
  logoPath: string | null;
  /** The colours of links; null: those that come with the service. */
  accent: { light: string; dark: string } | null;
  /** `Name <address>` that mails come from. */
  mailFrom: string;
  /** Where people who need help write; null: none is named. */
  supportAddress: string | null;
  /** Where plans are bought; null: nowhere. */
  shopUrl: string | null;
}

/** The colours where the operator chose none, as the style sheet has them. */
export const DEFAULT_ACCENT = { light: "#2148b8", dark: "#9db2ff" } as const;

const EXTENSIONS = { "image/png": "png", "image/webp": "webp" } as const;

/** The brand in force, of what is held: it is never waited for. */
export const brand = (): Brand => brandOf(settingsCache().now.brand);

/** What settings amount to, with the environment where they say nothing. */
export function brandOf(settings: BrandSettings): Brand {
  const { logo, accentLight, accentDark } = settings;
  const config = env();
  const isPlain = accentLight === null && accentDark === null;
  return {
    name: settings.name ?? DEFAULT_NAME,
    logoPath: logo && `/brand/${logo.hash}.${EXTENSIONS[logo.mediaType]}`,
    accent: isPlain
      ? null
      : { light: accentLight ?? DEFAULT_ACCENT.light, dark: accentDark ?? DEFAULT_ACCENT.dark },
    mailFrom: senderOf(settings, config.mailFrom),
    supportAddress: settings.supportAddress,
    shopUrl: settings.shopUrl,
  };
}

/** The sender of mails: each part by itself of the settings, of the name of the service, or of the environment. */
function senderOf({ senderName, senderAddress, name }: BrandSettings, configured: string): string {
  const wanted = senderName ?? name;
  if (wanted === null && senderAddress === null) return configured;
  const [, configuredName = "", inBrackets] = /^(.*?)\s*<([^<>]+)>\s*$/.exec(configured) ?? [];
  const address = senderAddress ?? inBrackets ?? configured.trim();
  return `${quoted(wanted ?? (configuredName || DEFAULT_NAME))} <${address}>`;
}

/** A display name as RFC 5322 writes it. Names with a quote or a backslash are refused before they come here. */
const quoted = (name: string) => (/^[\w '+-]+$/.test(name) ? name : `"${name.replaceAll(/["\\]/g, "")}"`);
