import { recordAttempt } from "@/lib/access/limits/attempt-limits";
import { HOUR_MS } from "@/lib/time";

/** New links per hour for one address and requesting network. */
export const SIGN_IN_LINKS_PER_HOUR = 3;
/** Maximum number of mails with the same link, including the first one. */
export const MAILS_PER_LINK = 3;
const LINK_REQUESTS_PER_HOUR_AND_NETWORK = 10;
const OIDC_STEPS_PER_HOUR_AND_NETWORK = 60;

/** Counts a network's request for a link. false: over the hourly limit. */
export async function recordSignInLinkRequest(network: string): Promise<boolean> {
  const guard = { limit: LINK_REQUESTS_PER_HOUR_AND_NETWORK, windowMs: HOUR_MS } as const;
  return (await recordAttempt(`link:${network}`, guard)).allowed;
}

/** Counts a redirect to or from the identity provider, two per sign-in. false: over the hourly limit. */
export async function recordOidcRedirect(network: string): Promise<boolean> {
  const guard = { limit: OIDC_STEPS_PER_HOUR_AND_NETWORK, windowMs: HOUR_MS } as const;
  return (await recordAttempt(`oidc:${network}`, guard)).allowed;
}
