import { db } from "@/db/client";
import { countLateSignals } from "@/db/queries/record";
import type { Scope } from "@/lib/access/plans";

/** The header that says how many of a statistic's signals were entered later; no header if there are none. */
export async function lateSignalsHeader(scope: Scope, since: Date): Promise<Record<string, string>> {
  const n = await countLateSignals(db("heavy"), { scope, since });
  return n === 0 ? {} : { "Signals-Entered-Later": String(n) };
}
