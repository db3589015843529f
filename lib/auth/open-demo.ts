import type { Database } from "@/db/client";
import { DEMO_NOTES, type DemoClient } from "@/db/queries/demo-clients";
import { issueKey } from "@/lib/access/keys/issue-key";
import { recordAttempt } from "@/lib/access/limits/attempt-limits";
import { HOUR_MS } from "@/lib/time";
import { findSubscriber } from "./find-subscriber";
import { storeFlash } from "./flash";
import { cookiesOf } from "./session-cookie";
import { signIn } from "./sign-in";

const DEMO_KEYS_PER_HOUR_AND_NETWORK = 5;
/** Limit for all visitors together, which bounds the rows that demonstrations create. */
const DEMO_KEYS_PER_HOUR = 200;

export type OpenDemoResult =
  | { ok: true; cookies: string[]; client: DemoClient }
  | { ok: false; reason: "too_many_demos" | "unavailable" };

/**
 * Creates a subscription until `expiresAt` for a visitor, whose trading client is simulated, and signs the browser in.
 * The key is shown once. Returns `too_many_demos` after 5 in an hour from this network or 200 from all, and
 * `unavailable` if signing in fails. The caller has checked that the market is simulated.
 */
export async function openDemo(
  database: Database,
  request: Request,
  {
    network,
    now,
    expiresAt,
    subscribedAt,
  }: { network: string; now: Date; expiresAt: Date; subscribedAt: Date },
): Promise<OpenDemoResult> {
  for (const [who, limit] of [
    [`demo:${network}`, DEMO_KEYS_PER_HOUR_AND_NETWORK],
    ["demo:all", DEMO_KEYS_PER_HOUR],
  ] as const)
    if (!(await recordAttempt(who, { limit, windowMs: HOUR_MS })).allowed)
      return { ok: false, reason: "too_many_demos" };

  const { apiKey, ...client } = await issueKey(
    database,
    {
      userName: "Visitor",
      email: null,
      planTier: "pro",
      expiresAt,
      notes: DEMO_NOTES,
      symbolsAllowed: null,
      tfsAllowed: null,
      rateLimitPerMin: null,
      subscribedAt,
    },
    { kind: "command" },
    now,
  );
  const signedIn = await signIn(request, { provider: "key", apiKey });
  if (!signedIn.ok) return { ok: false, reason: "unavailable" };
  const cookie = signedIn.cookies.map((one) => one.split(";")[0]).join("; ");
  const found = await findSubscriber(cookiesOf(new Headers({ cookie })));
  if (found.kind !== "subscriber") return { ok: false, reason: "unavailable" };
  await storeFlash(database, found.subscriber.sessionId, { kind: "first-key", apiKey });
  return { ok: true, cookies: signedIn.cookies, client };
}
