import { db } from "@/db/client";
import { countSignalsByDirection } from "@/db/queries/signal-history";
import type { Scope } from "@/lib/access/plans";
import { memoBy } from "@/lib/runtime/memo";
import { addDays } from "@/lib/time";

const SHARED_FOR_MS = 1_000;
const MAX_SCOPES = 200;

/** Number of signals of each direction in a scope in the last 24 hours, at most one second old. */
export const countDirectionsOfLast24Hours = memoBy(
  "directions-of-last-24-hours",
  { max: MAX_SCOPES, ttlMs: SHARED_FOR_MS },
  (scope: Scope) => scope.id,
  (scope) => countSignalsByDirection(db("heavy"), { scope, since: addDays(new Date(), -1) }),
);
