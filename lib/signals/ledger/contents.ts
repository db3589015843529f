import { createHash } from "node:crypto";
import type { z } from "zod";
import type { LedgerOutboxRow, LedgerSignal, OverdueCommitment } from "@/db/queries/ledger";
import { LEVELS_RULE_VERSION, OUTCOME_RULE } from "@/lib/engine/outcome";
import type { CandleSeries } from "@/lib/market/candles";
import { toMicro } from "@/lib/signals/record/fixed-point";
import type { LedgerKind, RevealDelayReason } from "@/lib/vocabulary";
import type { ScanItem } from "@/lib/wire/contracts/signals";
import { writeInstant } from "@/lib/wire/json";
import type { Json } from "./canonical-json";
import { canonicalJson } from "./canonical-json";

/** A ledger entry without its time and position. */
export interface LedgerContent {
  kind: LedgerKind;
  subject: string;
  body: Record<string, Json>;
}

export const signalSubject = (signal: Pick<LedgerSignal, "seq">): string => `signal/${signal.seq}`;
const slotName = (slot: { symbol: string; timeframe: string }) => `${slot.symbol}/${slot.timeframe}`;

/**
 * The form of a signal that its commitment hashes and its reveal shows. Fields that later releases added are left out
 * of signals without them, so that earlier commitments stay valid.
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
 * The entry that commits to a new signal: a salted hash of its content, which proves the content later without showing
 * it now. The timeframe in the entry determines when the signal must be revealed.
 */
export function commitmentContent(signal: LedgerSignal, salt: string): LedgerContent {
  const hash = createHash("sha256")
    .update(Buffer.from(salt, "hex"))
    .update(canonicalJson(signalJson(signal)))
    .digest("hex");
  const { seq, timeframe } = signal;
  return { kind: "commitment", subject: signalSubject(signal), body: { seq, timeframe, commitment: hash } };
}

/** The entry that gives the reason why a committed signal is not revealed yet. */
export function delayContent(
  late: OverdueCommitment,
  reason: RevealDelayReason,
  simulated: boolean,
): LedgerContent {
  const { seq, symbol, timeframe, ts } = late;
  return {
    kind: "delay",
    subject: signalSubject(late),
    body: { seq, symbol, timeframe, ts: writeInstant(ts), reason, simulated },
  };
}

/**
 * The entry that reveals a signal after its horizon. A signal without a salt had no commitment, so it is marked as
 * entered later.
 */
export function revealContent(signal: LedgerSignal, simulated: boolean): LedgerContent {
  return {
    kind: "reveal",
    subject: signalSubject(signal),
    body: { signal: signalJson(signal), salt: signal.salt, entered_later: signal.salt === null, simulated },
  };
}

/**
 * The entry with a signal's outcome and the numbers that it is computed from, results in 1e-6 R. Without an outcome:
 * why none could be computed.
 */
export function outcomeContent(signal: LedgerSignal): LedgerContent {
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
            buy_r: toMicro(judged.buyR),
            sell_r: toMicro(judged.sellR),
            cost_r: costMicroR(signal, judged),
            cost: { kind: signal.costKind, value: signal.costValue },
            result_r: judged.resultR === null ? null : toMicro(judged.resultR),
            exit_price: judged.exitPrice,
            exit_reason: judged.exitReason,
            ended_at: writeInstant(judged.endedAt),
            horizon_end: writeInstant(judged.horizonEnd),
            frequencies: signal.classFreq,
            rule: judged.ruleVersion,
            ...(judged.ruleVersion === LEVELS_RULE_VERSION
              ? { horizon_candles: signal.horizonCandles }
              : {
                  atr_period: OUTCOME_RULE.atrPeriod,
                  atr_multiple: OUTCOME_RULE.atrMultiple,
                  horizon_candles: OUTCOME_RULE.horizonCandles,
                }),
          },
  };
}

/** Trading cost of a round trip in 1e-6 R. */
function costMicroR(
  { costKind, costValue }: Pick<LedgerSignal, "costKind" | "costValue">,
  { entryPrice, barrierDistance }: { entryPrice: number; barrierDistance: number },
): number {
  return toMicro((costKind === "absolute" ? costValue : costValue * entryPrice) / barrierDistance);
}

/**
 * The line of text that is hashed for one candle: its open time, then open, high, low and close, separated by commas.
 */
export function candleLine(ts: string, prices: readonly number[]): string {
  return `${ts},${prices.join(",")}\n`;
}

/** The entry with the hash of consecutive candles of a slot. */
export function candlesContent(
  slot: { symbol: string; timeframe: string },
  candles: CandleSeries,
): LedgerContent {
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

/**
 * The entry for a row of the ledger's outbox: a promoted model, a model's claimed figures, or a candle that was
 * corrected or added after the candles around it were hashed.
 */
export function ledgerOutboxContent({
  id,
  kind,
  symbol,
  timeframe,
  content,
}: LedgerOutboxRow): LedgerContent {
  return {
    kind,
    subject:
      kind === "claim" ? `claim/${slotName({ symbol, timeframe })}/${content.model_v}` : `${kind}/${id}`,
    body: { symbol, timeframe, ...content },
  };
}
