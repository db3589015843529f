import type { MailLinks } from "@/emails/frame";
import { hasTelegramBot } from "@/lib/outbound/telegram/bot-api";
import { adminPaths, paths } from "@/lib/paths";
import { type Brand, brand } from "@/lib/runtime/brand";
import { env } from "@/lib/runtime/env";
import { contactAddress } from "./contact";

/** The installation's values that a mail shows, and what its footer contains. */
export interface MailContext {
  baseUrl: string;
  brand: Pick<Brand, "name" | "logoPath" | "accent" | "mailFrom" | "supportAddress" | "shopUrl">;
  /** Whether the operator has set up a Telegram bot. */
  hasTelegramBot: boolean;
  /** Token of the unsubscribe link; null or missing: no such link. */
  unsubscribeToken?: string | null;
  /** Head of the ledger when the mail was queued; null or missing: not shown in this mail. */
  ledgerHead?: string | null;
}

export const mailContext = (): MailContext => ({
  baseUrl: env().baseUrl,
  brand: brand(),
  hasTelegramBot: hasTelegramBot(),
});

/**
 * Links in mails, under the configured base address (no trailing slash). Links to single pages of the portal go through
 * the sign-in page, which redirects a signed-in subscriber at once.
 */
export function mailLinks({ baseUrl, brand, unsubscribeToken, ledgerHead = null }: MailContext): MailLinks {
  return {
    service: brand.name,
    logo: `${baseUrl}${brand.logoPath ?? paths.mark()}`,
    accent: brand.accent,
    support: brand.supportAddress,
    contact: contactAddress(brand),
    home: baseUrl,
    portal: `${baseUrl}${paths.portal()}`,
    setup: `${baseUrl}${paths.login(paths.portalSetup())}`,
    shop: brand.shopUrl,
    preferences: `${baseUrl}${paths.login(paths.portalSettings())}`,
    decline: unsubscribeToken ? `${baseUrl}${paths.unsubscribe(unsubscribeToken)}` : null,
    witness: ledgerHead === null ? null : { head: ledgerHead, verify: `${baseUrl}${paths.verify()}` },
    webhooks: `${baseUrl}${paths.login(paths.portalDelivery())}`,
  };
}

/** Address for one-click unsubscription by a mail program (RFC 8058). */
export const oneClickUnsubscribeUrl = (baseUrl: string, token: string): string =>
  `${baseUrl}${paths.unsubscribeNow(token)}`;

/** The page with the button that creates a try-out key. */
export const tryOutUrl = (baseUrl: string, token: string): string => `${baseUrl}${paths.tryOut({ token })}`;

/** The page to which the links for administrators lead: it requests a code, or sets up an authenticator. */
export const adminLinkUrl = (baseUrl: string, token: string): string =>
  `${baseUrl}${adminPaths.signInLink(token)}`;

/** The page whose button confirms a change of an account. */
export const accountLinkUrl = (baseUrl: string, token: string): string =>
  `${baseUrl}${paths.accountLink(token)}`;

/** The page with an owner's alert settings. */
export const alertsUrl = (baseUrl: string): string => `${baseUrl}${adminPaths.alerts()}`;

/** The page whose button consumes a sign-in token and leads to `next`. */
export function signInUrl(baseUrl: string, token: string, next?: string): string {
  return `${baseUrl}${paths.confirmLink(token, next)}`;
}
