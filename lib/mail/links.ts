import type { MailLinks } from "@/emails/frame";

/** Pages that mails lead to, under the configured base address (no trailing slash). */
export function mailLinks(baseUrl: string): MailLinks {
  return {
    home: baseUrl,
    portal: `${baseUrl}/portal`,
    setup: `${baseUrl}/portal/setup`,
    preferences: `${baseUrl}/portal/settings`,
  };
}

/** The page that consumes a sign-in token when its button is pressed. */
export function signInUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/login/confirm?token=${encodeURIComponent(token)}`;
}
