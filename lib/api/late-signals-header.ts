import { db } from "@/db/client";
import { countLateSignals } from "@/db/queries/record";
import type { Scope } from "@/lib/access/plans";
import { addDays } from "@/lib/time";

/** The header that says how many of a statistic's signals were entered later; no header if there are none. */
export async function lateSignalsHeader(
  scope: Scope,
  days: number,
  now: Date,
): Promise<Record<string, string>> {
  const n = await countLateSignals(db("heavy"), { scope, since: addDays(now, -days) });
  return n === 0 ? {} : { "Signals-Entered-Later": String(n) };
}
