import type { DatabaseHandle } from "@/db/client";
import { listSlotStates } from "@/db/queries/slots";
import {
  countTesterDecisions,
  listTesterDecisions,
  type TesterDecision,
} from "@/db/queries/tester-decisions";
import { signalValidUntil } from "@/lib/market/freshness";
import { addDays, addMs, MINUTE_MS } from "@/lib/time";
import type { Timeframe } from "@/lib/vocabulary";
import { AppError } from "@/lib/wire/errors";
import { isDemonstration } from "./record-rule";

/** The header that the kit's SignalTester.mqh expects. */
const COLUMNS = "seq,symbol,timeframe,ts,decided_at,valid_until,signal,confidence,expected_rr,committed";
const PER_PIECE = 500;
/** Later than every candle. */
const END = new Date("9999-01-01T00:00:00Z");

/** A file of decisions for the Strategy Tester, with its name. */
export interface StrategyTesterFile {
  name: string;
  pieces: AsyncGenerator<string, void>;
}

/**
 * The decisions of one slot from one UTC day to another, both included, with complete horizons: oldest first,
 * each with the time of its decision, the end of its validity, and whether it was committed in time. Throws
 * not_found if there are none.
 */
export async function strategyTesterFile(
  handle: DatabaseHandle,
  wanted: { symbol: string; timeframe: Timeframe; from: Date | null; to: Date | null },
  now: Date,
): Promise<StrategyTesterFile> {
  const { symbol, timeframe } = wanted;
  const slot = (await listSlotStates(handle)).find(
    (state) => state.symbol === symbol && state.timeframe === timeframe,
  );
  if (!slot) throw new AppError("not_found", { detail: "There is no such slot." });
  const stretch = {
    slotId: slot.slotId,
    from: wanted.from ?? new Date(0),
    to: wanted.to === null ? END : addDays(wanted.to, 1),
  };
  const { n, nInTime, first, last } = await countTesterDecisions(handle, stretch);
  if (first === null || last === null)
    throw new AppError("not_found", { detail: "No signal of this slot and time has a complete horizon." });

  const day = (at: Date) => at.toISOString().slice(0, 10);
  const simulated = isDemonstration();
  const label = ({ inTime }: TesterDecision) => (simulated ? "simulated" : inTime ? "in_time" : "late");
  const line = (row: TesterDecision) =>
    [
      ...[row.seq, symbol, timeframe, row.ts.toISOString().replace(".000", "")],
      ...[testerTime(row.decidedAt), testerTime(signalValidUntil(slot, row.ts)), row.signal],
      ...[row.confidence, row.expectedRr, label(row)],
    ].join(",");
  const head = [
    `# Decisions for ${symbol} ${timeframe}, candles of ${day(first)} to ${day(last)}, UTC. File of ${day(now)}.`,
    simulated
      ? `# Simulated market: a demonstration. ${n} decisions, none committed in time.`
      : `# ${nInTime} of ${n} decisions were committed in time; ${n - nInTime} were entered later (late) and prove nothing.`,
    COLUMNS,
  ];

  async function* pieces() {
    yield `${head.join("\r\n")}\r\n`;
    let rest = stretch;
    for (;;) {
      const rows = await listTesterDecisions(handle, rest, PER_PIECE);
      const newest = rows.at(-1);
      if (newest === undefined) return;
      yield rows.map((row) => `${line(row)}\r\n`).join("");
      if (rows.length < PER_PIECE) return;
      rest = { ...rest, from: addMs(newest.ts, 1) };
    }
  }
  const mark = simulated ? "-simulated" : "";
  return { name: `decisions-${symbol}-${timeframe}-${day(first)}-${day(last)}${mark}.csv`, pieces: pieces() };
}

/**
 * A UTC time in the form of both terminals: `2026.11.20 10:01`. Rounded up, so that no decision is known too
 * early.
 */
const testerTime = (at: Date): string =>
  new Date(Math.ceil(at.getTime() / MINUTE_MS) * MINUTE_MS)
    .toISOString()
    .slice(0, 16)
    .replaceAll("-", ".")
    .replace("T", " ");
