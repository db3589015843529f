import { createHash } from "node:crypto";
import type { z } from "zod";
import type { LedgerSignal, OutboxRow, OverdueCommitment } from "@/db/queries/ledger";
import { LEVELS_RULE, OUTCOME_RULE } from "@/lib/engine/outcome";
import type { CandleSeries } from "@/lib/market/candles";
import { micro } from "@/lib/signals/record/fixed-point";
import type { DelayReason, LedgerKind } from "@/lib/vocabulary";
import type { ScanItem } from "@/lib/wire/contracts/signals";
import { writeInstant } from "@/lib/wire/json";
import type { Json } from "./canonical-json";
import { canonicalJson } from "./canonical-json";

/** Content of an entry, without its time and position. */
export interface Content {
  kind: LedgerKind;
  subject: string;
  body: Record<string, Json>;
}

export const signalSubject = (signal: Pick<LedgerSignal, "seq">): string => `signal/${signal.seq}`;
const slotName = (slot: { symbol: string; timeframe: string }) => `${slot.symbol}/${slot.timeframe}`;

/**
 * A signal as committed to and revealed. Fields that a release adds are omitted from signals without them, so
 * that earlier commitments still hold.
 */
export function signalJson(signal: LedgerSignal): Record<string, Json> {
  const fields: Record<keyof z.output<typeof ScanItem> | "seq" | "closes_at" | "created_at", Json> = {
    seq: signal.seq,
    symbol: signal.symbol,
    timeframe: signal.timeframe,
    signal: signal.signal,
    confidence: signal.confidence,
    prob_buy: signal.probBuy,
    prob_sell: signal.probSell,
    prob_no: signal.probNo,
    regime: signal.regime,
    expected_rr: signal.expectedRr,
    ...(signal.stop !== null && {
      stop: signal.stop,
      target: signal.target,
      horizon_candles: signal.horizonCandles,
    }),
    ts: writeInstant(signal.ts),
    closes_at: writeInstant(signal.closesAt),
    model_v: signal.modelV,
    created_at: writeInstant(signal.createdAt),
  };
  return fields;
}

/**
 * Commitment to a live signal, entered at once: it proves the content without showing it. The timeframe tells
 * when it must be revealed.
 */
export function commitmentContent(signal: LedgerSignal, salt: string): Content {
  const hash = createHash("sha256")
    .update(Buffer.from(salt, "hex"))
    .update(canonicalJson(signalJson(signal)))
    .digest("hex");
  const { seq, timeframe } = signal;
  return { kind: "commitment", subject: signalSubject(signal), body: { seq, timeframe, commitment: hash } };
}

/** Why a committed signal is not revealed yet. */
export function delayContent(late: OverdueCommitment, reason: DelayReason, simulated: boolean): Content {
  const { seq, symbol, timeframe, ts } = late;
  return {
    kind: "delay",
    subject: signalSubject(late),
    body: { seq, symbol, timeframe, ts: writeInstant(ts), reason, simulated },
  };
}

/** The signal itself, after its horizon. Without a salt there was no commitment: it was entered later. */
export function revealContent(signal: LedgerSignal, simulated: boolean): Content {
  return {
    kind: "reveal",
    subject: signalSubject(signal),
    body: { signal: signalJson(signal), salt: signal.salt, entered_later: signal.salt === null, simulated },
  };
}

/** A signal's outcome and what it is computed from; results in 1e-6 R. */
export function outcomeContent(signal: LedgerSignal): Content {
  const { outcome: judged } = signal;
  return {
    kind: "outcome",
    subject: signalSubject(signal),
    body:
      judged === null
        ? { label: null, void: signal.stop === null ? "no_history" : "levels" }
        : {
            label: judged.label,
            entry_price: judged.entryPrice,
            distance: judged.barrierDistance,
            buy_r: micro(judged.buyR),
            sell_r: micro(judged.sellR),
            cost_r: costMicroR(signal, judged),
            cost: { kind: signal.costKind, value: signal.costValue },
            result_r: judged.resultR === null ? null : micro(judged.resultR),
            exit_price: judged.exitPrice,
            exit_reason: judged.exitReason,
            ended_at: writeInstant(judged.endedAt),
            horizon_end: writeInstant(judged.horizonEnd),
            frequencies: signal.classFreq,
            rule: judged.ruleVersion,
            ...(judged.ruleVersion === LEVELS_RULE
              ? { horizon_candles: signal.horizonCandles }
              : {
                  atr_period: OUTCOME_RULE.atrPeriod,
                  atr_multiple: OUTCOME_RULE.atrMultiple,
                  horizon_candles: OUTCOME_RULE.horizonCandles,
                }),
          },
  };
}

/** Cost of a round trip in 1e-6 R. */
function costMicroR(
  { costKind, costValue }: Pick<LedgerSignal, "costKind" | "costValue">,
  { entryPrice, barrierDistance }: { entryPrice: number; barrierDistance: number },
): number {
  return micro((costKind === "absolute" ? costValue : costValue * entryPrice) / barrierDistance);
}

/** One candle in the form that is hashed. */
export function candleLine(ts: string, prices: readonly number[]): string {
  return `${ts},${prices.join(",")}\n`;
}

/** Hash of the lines of consecutive candles of a slot. */
export function candleRange(slot: { symbol: string; timeframe: string }, candles: CandleSeries): Content {
  const instant = (index: number) => writeInstant(new Date(candles.ts[index] ?? 0));
  const n = candles.ts.length;
  const hash = createHash("sha256");
  for (let i = 0; i < n; i++) {
    const { open, high, low, close } = candles;
    hash.update(candleLine(instant(i), [open[i] ?? 0, high[i] ?? 0, low[i] ?? 0, close[i] ?? 0]));
  }
  return {
    kind: "candles",
    subject: `candles/${slotName(slot)}/${instant(0)}`,
    body: {
      symbol: slot.symbol,
      timeframe: slot.timeframe,
      from: instant(0),
      to: instant(n - 1),
      n,
      sha256: hash.digest("hex"),
    },
  };
}

/** A promotion, claim or corrected candle, as stored in the transaction of its event. */
export function outboxContent({ id, kind, symbol, timeframe, content }: OutboxRow): Content {
  return {
    kind,
    subject:
      kind === "claim" ? `claim/${slotName({ symbol, timeframe })}/${content.model_v}` : `${kind}/${id}`,
    body: { symbol, timeframe, ...content },
  };
}
