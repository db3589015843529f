import type { MailLinks } from "@/emails/frame";
import { adminPaths, paths } from "@/lib/paths";
import { type Brand, brand } from "@/lib/runtime/brand";
import { env } from "@/lib/runtime/env";

/** The installation, as configured. */
export interface MailSite {
  baseUrl: string;
  brand: Pick<Brand, "name" | "logoPath" | "accent" | "supportAddress" | "shopUrl">;
  /** What the reader of this mail can decline it by; null or missing: nothing. */
  declineToken?: string | null;
  /** Head of the ledger when the mail was queued; null or missing: the mail names none. */
  ledgerHead?: string | null;
}

export const mailSite = (): MailSite => ({ baseUrl: env().baseUrl, brand: brand() });

/**
 * Pages that mails lead to, under the configured base address (no trailing slash). Links into the portal lead through
 * the sign-in page, which sends a reader who is signed in on to the wanted page at once.
 */
export function mailLinks({ baseUrl, brand, declineToken, ledgerHead = null }: MailSite): MailLinks {
  return {
    service: brand.name,
    logo: `${baseUrl}${brand.logoPath ?? paths.mark()}`,
    accent: brand.accent,
    support: brand.supportAddress,
    home: baseUrl,
    portal: `${baseUrl}${paths.portal()}`,
    setup: `${baseUrl}${paths.login(paths.portalSetup())}`,
    shop: brand.shopUrl,
    preferences: `${baseUrl}${paths.login(paths.portalSettings())}`,
    decline: declineToken ? `${baseUrl}${paths.declineMails(declineToken)}` : null,
    witness: ledgerHead === null ? null : { head: ledgerHead, verify: `${baseUrl}${paths.verify()}` },
    webhooks: `${baseUrl}${paths.login(paths.portalDelivery())}`,
  };
}

/** Where a mail program declines the mails of a kind by one request without a reader (RFC 8058). */
export const oneClickUrl = (baseUrl: string, token: string): string =>
  `${baseUrl}${paths.declineMailsNow(token)}`;

/** The page that gives a try-out key when its button is pressed. */
export const tryOutUrl = (baseUrl: string, token: string): string => `${baseUrl}${paths.tryOut({ token })}`;

/** The page that asks an administrator for the code. */
export const adminLinkUrl = (baseUrl: string, token: string): string =>
  `${baseUrl}${adminPaths.signInLink(token)}`;

/** The page that does what was asked for an account, when its button is pressed. */
export const accountLinkUrl = (baseUrl: string, token: string): string =>
  `${baseUrl}${paths.accountLink(token)}`;

/** The page where an owner chooses what to be told of. */
export const alertsUrl = (baseUrl: string): string => `${baseUrl}${adminPaths.alerts()}`;

/** The page that consumes a sign-in token when its button is pressed, and goes on to `next`. */
export function signInUrl(baseUrl: string, token: string, next?: string): string {
  return `${baseUrl}${paths.confirmLink(token, next)}`;
}
