import { countAttempt } from "@/lib/access/limits/guards";
import { HOUR_MS } from "@/lib/time";

/** New links to one address per hour, for each network that asks. */
export const LINKS_PER_HOUR = 3;
/** Mails with one and the same link. */
export const MAILS_PER_LINK = 3;
const LINK_REQUESTS_PER_HOUR_AND_NETWORK = 10;
const OIDC_STEPS_PER_HOUR_AND_NETWORK = 60;

/** Counts a request for a link by this network. false: too many within the last hour. */
export async function takeLinkRequest(network: string): Promise<boolean> {
  const guard = { limit: LINK_REQUESTS_PER_HOUR_AND_NETWORK, windowMs: HOUR_MS } as const;
  return (await countAttempt(`link:${network}`, guard)).allowed;
}

/** Counts a way to the identity provider or back from it, two for each sign-in. false: too many within the last hour. */
export async function takeOidcStep(network: string): Promise<boolean> {
  const guard = { limit: OIDC_STEPS_PER_HOUR_AND_NETWORK, windowMs: HOUR_MS } as const;
  return (await countAttempt(`oidc:${network}`, guard)).allowed;
}
