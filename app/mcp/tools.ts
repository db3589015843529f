import { z } from "zod";
import type { ApiKey } from "@/lib/access/api-key";
import { narrowScope } from "@/lib/access/plans";
import { cachedSlotHistory } from "@/lib/api/cached-slot-history";
import { cachedStatistic } from "@/lib/api/cached-statistic";
import type { BodyWithEtag } from "@/lib/api/conditional";
import { parseSlotAndNoteUnserved } from "@/lib/api/parse-slot-and-note-unserved";
import { cachedRecordBody, requireRecordIsOn } from "@/lib/api/public-record";
import { requireInScope } from "@/lib/api/require-in-scope";
import { listAccountExecutions } from "@/lib/executions/list-account-executions";
import { readCalibration } from "@/lib/signals/quality/calibration";
import { readRecord } from "@/lib/signals/record/read-record";
import { getScanWithValidity, listPausedSlots, newestSeqInScope, newestSeqOfSlot } from "@/lib/signals/scan";
import { signalFetchBuffer } from "@/lib/subscribers/signal-fetches";
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

/** A tool that an MCP client can call. */
interface Tool {
  name: string;
  title: string;
  description: string;
  input: z.ZodType<Sent>;
  /** Returns the result of a call. Throws AppError, for example for invalid arguments. */
  run(caller: Caller, sent: Sent): Promise<object>;
}

const symbol = z.string().max(40).describe("Such as EURUSD");
const timeframe = z.string().max(10).describe("Such as H1 or H4");
const days = (max: number) => z.int().min(1).max(max);
const day = z.string().max(10).describe("A UTC day as YYYY-MM-DD");

export const TOOLS: readonly Tool[] = [
  {
    name: "scan",
    title: "Newest signals",
    description:
      "The newest signal of every slot in the plan: direction (BUY, SELL or NO_TRADE), probabilities, until when it is valid, whether it is stale, and the expected range of the price.",
    input: z.object({
      min_confidence: z.number().min(0).max(1).optional().describe("Leaves out signals below it"),
    }),
    run: async ({ key }, sent) => {
      const { min_confidence: minConfidence } = parseArguments(ScanQuery, sent);
      const { versions, planTier, scope, seenAt, subscriptionId } = key;
      const wanted = { version: versions.signals, planTier, scope, minConfidence };
      const scan = await getScanWithValidity(wanted, seenAt, { withRange: true });
      const shown = { subscriptionId, way: "scan", slotId: 0, minConfidence, reach: 1 } as const;
      await signalFetchBuffer().note({ ...shown, lastSeq: versions.lastSeq, atMs: seenAt.getTime() }, () =>
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
      limit: z.int().min(1).max(1000).optional().describe("Number of signals; default 200"),
    }),
    run: async ({ key }, { symbol = "", timeframe = "", limit: sentLimit }) => {
      const slot = parseSlotAndNoteUnserved(key, { symbol: String(symbol), tf: String(timeframe) });
      const { limit } = parseArguments(SlotHistoryQuery, { limit: sentLimit });
      requireInScope(key, slot);
      const { versions, seenAt, subscriptionId } = key;
      const signals = readBody(await cachedSlotHistory(key, { ...slot, limit }));
      const newest = await newestSeqOfSlot(versions, slot);
      if (newest !== null) {
        const { slotId, newestSeq } = newest;
        const shown = { subscriptionId, way: "history", slotId, minConfidence: 0, reach: limit } as const;
        await signalFetchBuffer().note(
          { ...shown, lastSeq: newestSeq, atMs: seenAt.getTime() },
          () => newestSeq,
        );
      }
      return { ...slot, signals };
    },
  },
  {
    name: "record",
    title: "Public record",
    description:
      "Results of all signals that were committed in time, compared with a coin and with the class frequencies; each figure has its number of results and, with enough of them, its interval. Computed from a ledger that anyone can check.",
    input: z.object({
      symbol: symbol.optional(),
      timeframe: timeframe.optional(),
      from: day.optional(),
      to: day.optional(),
    }),
    run: async (_, sent) => {
      await requireRecordIsOn();
      const query = parseArguments(RecordQuery, inQuery(sent));
      return {
        record: readBody(
          await cachedRecordBody("/api/public/record", PublicRecord, query, () => readRecord(query)),
        ),
      };
    },
  },
  {
    name: "calibration",
    title: "Calibration of probabilities",
    description:
      "For each model in the plan: forecasts, hit rates, the calibration error and the Brier score, with the number of signals.",
    input: z.object({
      symbol: symbol.optional(),
      timeframe: timeframe.optional(),
      days: days(365).optional().describe("Number of days"),
    }),
    run: async ({ key }, sent) => {
      const {
        symbol,
        tf_code: timeframe,
        days,
        bins,
        expand,
      } = parseArguments(CalibrationQuery, inQuery(sent));
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
      "Positions that this subscriber's trading client reported, newest opening first, with totals.",
    input: z.object({
      days: days(365).optional().describe("Days since the opening; default 30"),
      limit: z.int().min(1).max(1000).optional().describe("Number of positions listed; default 100"),
    }),
    run: ({ key }, sent) =>
      listAccountExecutions(key.subscriptionId, parseArguments(AccountExecutionsQuery, sent), key.seenAt),
  },
];

/** Parses the arguments of a tool by the schema of the API's query parameters. Throws a 422 if they are invalid. */
function parseArguments<S extends z.ZodType>(query: S, sent: Sent): z.output<S> {
  const given = Object.entries(sent).filter(([, value]) => value !== undefined);
  return parseValue(
    "arguments",
    query,
    Object.fromEntries(given.map(([name, value]) => [name, String(value)])),
  );
}

/** The arguments with `timeframe` renamed to `tf_code`, the API's query parameter. */
const inQuery = ({ timeframe, ...others }: Sent): Sent => ({ ...others, tf_code: timeframe });

const decoder = new TextDecoder();
const readBody = ({ body }: BodyWithEtag): unknown => JSON.parse(decoder.decode(body));
