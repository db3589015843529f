import { z } from "zod";
import { candleOpenMs } from "@/lib/market/timeframes";
import { getJson, refusalOf } from "./get-json";
import { type CandleStream, FeedFailure, type FeedSlot, type SentCandle } from "./source";

const MAX_LINE = 64 * 1024;

const Accounts = z.object({ accounts: z.array(z.object({ id: z.string().min(1) })).min(1) });
const quote = z.array(z.object({ price: z.string().transform(Number) })).min(1);
/** A price, or the heartbeat that comes every five seconds. */
const Line = z.discriminatedUnion("type", [
  z.object({ type: z.literal("PRICE"), time: z.string(), instrument: z.string(), bids: quote, asks: quote }),
  z.object({ type: z.literal("HEARTBEAT") }),
]);

/** One open answer, and who waits for its next line. */
interface Connection {
  ending: AbortController;
  waiting: Map<FeedSlot, { resolve(sent: SentCandle[]): void; reject(error: FeedFailure): void }>;
  /** Prices that came while nobody waited for them. */
  unread: Map<FeedSlot, SentCandle>;
  failure: FeedFailure | null;
}

/**
 * OANDA's stream of prices, at most four a second of each instrument. It tells when a candle has begun, so that the one
 * before is asked for at once; candles made of it would not be OANDA's own.
 */
export function oandaStream(
  slots: readonly FeedSlot[],
  { apiRoot, token }: { apiRoot: string; token: string },
): CandleStream {
  const headers = { Authorization: `Bearer ${token}`, "Accept-Datetime-Format": "RFC3339" };
  let connection: Connection | null = null;

  function open(): Connection {
    const opened: Connection = {
      ending: new AbortController(),
      waiting: new Map(),
      unread: new Map(),
      failure: null,
    };
    follow(opened).then(
      () => fail(opened, new FeedFailure("failed", "OANDA ended the stream")),
      (error: unknown) =>
        fail(
          opened,
          error instanceof FeedFailure ? error : new FeedFailure("failed", "OANDA's stream broke off"),
        ),
    );
    return opened;
  }

  async function follow({ ending, ...opened }: Connection): Promise<void> {
    const { signal } = ending;
    const { body } = await getJson(new URL(`${apiRoot}/v3/accounts`), headers, signal);
    const [account] = Accounts.safeParse(body).data?.accounts ?? [];
    if (account === undefined) throw new FeedFailure("refused", "OANDA names no account for this token");
    const url = new URL(
      `${streamRoot(apiRoot)}/v3/accounts/${encodeURIComponent(account.id)}/pricing/stream`,
    );
    url.searchParams.set("instruments", [...new Set(slots.map(({ instrument }) => instrument))].join(","));
    const response = await fetch(url, { headers, signal, redirect: "error" });
    if (!response.ok || response.body === null) throw refusalOf(response, url.host);
    for await (const line of linesOf(response.body)) tell(opened, line);
  }

  function tell({ waiting, unread }: Pick<Connection, "waiting" | "unread">, line: string): void {
    const parsed = Line.safeParse(readJson(line));
    if (!parsed.success) return;
    for (const slot of slots) {
      const sent = parsed.data.type === "PRICE" ? priceOf(slot, parsed.data) : null;
      const waiter = waiting.get(slot);
      if (waiter === undefined) {
        if (sent !== null) unread.set(slot, sent);
        continue;
      }
      waiting.delete(slot);
      waiter.resolve(sent === null ? [] : [sent]);
    }
  }

  function fail(ended: Connection, failure: FeedFailure): void {
    ended.failure = failure;
    for (const { reject } of ended.waiting.values()) reject(failure);
    ended.waiting.clear();
  }

  return {
    tellsCandles: false,
    async next(slot) {
      connection ??= open();
      const { unread, waiting, failure } = connection;
      if (failure !== null) throw failure;
      const sent = unread.get(slot);
      unread.delete(slot);
      return sent ? [sent] : new Promise((resolve, reject) => waiting.set(slot, { resolve, reject }));
    },
    async end() {
      connection?.ending.abort();
      connection = null;
    },
  };
}

/** OANDA streams from a host of its own; a stand-in does everything at one address. */
const streamRoot = (apiRoot: string) => apiRoot.replace(/^https:\/\/api-(fx[a-z]+\.)/, "https://stream-$1");

/** A price of the slot's instrument as a candle that has just begun; null for another instrument's. */
function priceOf(
  slot: FeedSlot,
  price: Extract<z.output<typeof Line>, { type: "PRICE" }>,
): SentCandle | null {
  const atMs = Date.parse(price.time);
  const mid = ((price.bids[0]?.price ?? Number.NaN) + (price.asks[0]?.price ?? Number.NaN)) / 2;
  if (price.instrument !== slot.instrument || Number.isNaN(atMs) || Number.isNaN(mid)) return null;
  const ts = new Date(candleOpenMs(atMs, slot.timeframe));
  return { ts, open: mid, high: mid, low: mid, close: mid, volume: null, isComplete: false };
}

async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > MAX_LINE) throw new FeedFailure("failed", "OANDA sent a line without an end");
    yield* lines.filter((line) => line !== "");
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
