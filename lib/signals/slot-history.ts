import type { z } from "zod";
import { db } from "@/db/client";
import { listSlotSignals } from "@/db/queries/signals";
import { writeBody } from "@/lib/api/answer";
import { windowCache } from "@/lib/runtime/window-cache";
import { roundProbability } from "@/lib/wire/contracts/shared";
import { SlotHistory } from "@/lib/wire/contracts/signals";

const MAX_BODIES = 200;

interface HistoryRequest {
  symbol: string;
  timeframe: string;
  limit: number;
  /** Version of the signals when the key was checked. */
  version: number;
}

/** The newest signals of one slot, newest first: the body of `/api/signals/{symbol}/{tf}`, kept until a signal arrives. */
export function getSlotHistoryBody(wanted: HistoryRequest, now: Date): Promise<string> {
  const { symbol, timeframe, limit, version } = wanted;
  const key = `${symbol}/${timeframe}/${limit}`;
  return windowCache<string>("slot-history", MAX_BODIES).get(key, version, now, async () => {
    const signals = await listSlotSignals(db(), { symbol, timeframe, limit });
    const body: z.output<typeof SlotHistory> = signals.map((signal) => ({
      ts: signal.ts,
      signal: signal.signal,
      confidence: roundProbability(signal.confidence),
      regime: signal.regime,
      expected_rr: signal.expectedRr,
    }));
    return { value: writeBody(SlotHistory, body), validUntil: null };
  });
}
