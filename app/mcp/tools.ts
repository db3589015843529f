import { z } from "zod";
import type { ApiKey } from "@/lib/access/api-key";
import { narrowScope } from "@/lib/access/plans";
import { cachedSlotHistory } from "@/lib/api/cached-slot-history";
import { cachedStatistic } from "@/lib/api/cached-statistic";
import type { Tagged } from "@/lib/api/conditional";
import { parseRequestedSlot } from "@/lib/api/parse-requested-slot";
import { cachedRecord, requireRecordIsOn } from "@/lib/api/public-record";
import { requireInScope } from "@/lib/api/require-in-scope";
import { listAccountExecutions } from "@/lib/executions/list-account-executions";
import { readCalibration } from "@/lib/signals/quality/calibration";
import { readRecord } from "@/lib/signals/record/read-record";
import { getScanWithValidity, listPausedSlots, newestSeqInScope, newestSeqOfSlot } from "@/lib/signals/scan";
import { fetches } from "@/lib/subscribers/fetches";
import { AccountExecutionsQuery } from "@/lib/wire/contracts/executions";
import { CalibrationQuery, CalibrationReport } from "@/lib/wire/contracts/quality";
import { PublicRecord, RecordQuery } from "@/lib/wire/contracts/record";
import { ScanQuery, SlotHistoryQuery } from "@/lib/wire/contracts/signals";
import { parseValue } from "@/lib/wire/params";

interface Caller {
  request: Request;
  key: ApiKey;
}

type Sent = Record<string, string | number | undefined>;

/** Something that an agent may ask for. */
interface Tool {
  name: string;
  title: string;
  description: string;
  input: z.ZodType<Sent>;
  /** Throws AppError. */
  run(caller: Caller, sent: Sent): Promise<object>;
}

const symbol = z.string().max(40).describe("Such as EURUSD");
const timeframe = z.string().max(10).describe("Such as H1 or H4");
const days = (most: number) => z.int().min(1).max(most);
const day = z.string().max(10).describe("A UTC day as YYYY-MM-DD");

export const TOOLS: readonly Tool[] = [
  {
    name: "scan",
    title: "Newest signals",
    description:
      "The newest signal of every slot in the plan: direction (BUY, SELL or NO_TRADE), probabilities, until when it is valid, whether it is stale, and how far the price is said to move.",
    input: z.object({
      min_confidence: z.number().min(0).max(1).optional().describe("Leaves out signals below it"),
    }),
    run: async ({ key }, sent) => {
      const { min_confidence: minConfidence } = asked(ScanQuery, sent);
      const { versions, planTier, scope, seenAt, subscriptionId } = key;
      const wanted = { version: versions.signals, planTier, scope, minConfidence };
      const scan = await getScanWithValidity(wanted, seenAt, { withRange: true });
      const shown = { subscriptionId, way: "scan", slotId: 0, minConfidence, reach: 1 } as const;
      await fetches().note({ ...shown, lastSeq: versions.lastSeq, atMs: seenAt.getTime() }, () =>
        newestSeqInScope(versions, scope),
      );
      return { ...scan, paused_slots: await listPausedSlots(versions.signals, scope, seenAt) };
    },
  },
  {
    name: "slot_history",
    title: "Signals of one slot",
    description: "The signals of one slot in the plan, newest first.",
    input: z.object({
      symbol,
      timeframe,
      limit: z.int().min(1).max(1000).optional().describe("How many; 200 unless told"),
    }),
    run: async ({ key }, { symbol = "", timeframe = "", limit: sentLimit }) => {
      const slot = parseRequestedSlot(key, { symbol: String(symbol), tf: String(timeframe) });
      const { limit } = asked(SlotHistoryQuery, { limit: sentLimit });
      requireInScope(key, slot);
      const { versions, seenAt, subscriptionId } = key;
      const signals = readBody(await cachedSlotHistory(key, { ...slot, limit }));
      const newest = await newestSeqOfSlot(versions, slot);
      if (newest !== null) {
        const { slotId, newestSeq } = newest;
        const shown = { subscriptionId, way: "history", slotId, minConfidence: 0, reach: limit } as const;
        await fetches().note({ ...shown, lastSeq: newestSeq, atMs: seenAt.getTime() }, () => newestSeq);
      }
      return { ...slot, signals };
    },
  },
  {
    name: "record",
    title: "Public record",
    description:
      "How all published signals turned out, beside two simple bots, each figure with its number of results and its interval where there are enough. Made from a ledger that anyone can check.",
    input: z.object({
      symbol: symbol.optional(),
      timeframe: timeframe.optional(),
      from: day.optional(),
      to: day.optional(),
    }),
    run: async (_, sent) => {
      await requireRecordIsOn();
      const query = asked(RecordQuery, inQuery(sent));
      return {
        record: readBody(
          await cachedRecord("/api/public/record", PublicRecord, query, () => readRecord(query)),
        ),
      };
    },
  },
  {
    name: "calibration",
    title: "How well probabilities fit",
    description:
      "For each model in the plan: what was said, what came of it, the calibration error and the Brier score, with the number of signals.",
    input: z.object({
      symbol: symbol.optional(),
      timeframe: timeframe.optional(),
      days: days(365).optional().describe("The last so many days"),
    }),
    run: async ({ key }, sent) => {
      const { symbol, tf_code: timeframe, days, bins, expand } = asked(CalibrationQuery, inQuery(sent));
      const scope = narrowScope(key.scope, { symbol, timeframe });
      const under = {
        name: "calibration",
        key: `${scope.id}|${bins}|${expand ?? ""}`,
        days,
        version: key.versions.outcomes + key.versions.models,
        now: key.seenAt,
      };
      const kept = await cachedStatistic(key.subscriptionId, CalibrationReport, under, () =>
        readCalibration(scope, { days, bins, expand }, key.seenAt),
      );
      return { calibration: readBody(kept) };
    },
  },
  {
    name: "my_executions",
    title: "My executions",
    description:
      "What this subscriber's trading client reported: positions, newest opening first, with totals.",
    input: z.object({
      days: days(365).optional().describe("Opened in the last so many days; 30 unless told"),
      limit: z.int().min(1).max(1000).optional().describe("How many of them are listed; 100 unless told"),
    }),
    run: ({ key }, sent) =>
      listAccountExecutions(key.subscriptionId, asked(AccountExecutionsQuery, sent), key.seenAt),
  },
];

/** What was sent, read as the interface reads its parameters. Throws 422. */
function asked<S extends z.ZodType>(query: S, sent: Sent): z.output<S> {
  const given = Object.entries(sent).filter(([, value]) => value !== undefined);
  return parseValue(
    "arguments",
    query,
    Object.fromEntries(given.map(([name, value]) => [name, String(value)])),
  );
}

/** The interface's own name of a timeframe in a filter. */
const inQuery = ({ timeframe, ...others }: Sent): Sent => ({ ...others, tf_code: timeframe });

const decoder = new TextDecoder();
const readBody = ({ body }: Tagged): unknown => JSON.parse(decoder.decode(body));
