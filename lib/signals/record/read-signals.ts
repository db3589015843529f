import type { PublicSignals, PublicSignalsQuery } from "@/lib/wire/contracts/record";

/** One page of resolved signals, in the order in which they came into the ledger, or the newest first. */
export async function readResolvedSignals(_query: PublicSignalsQuery): Promise<PublicSignals> {
  throw new Error("not there yet");
}
