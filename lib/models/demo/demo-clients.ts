/**
 * Trading clients of the simulated market. They report positions on past and present signals through the functions that
 * handle real clients' reports, so that the portal of a demonstration looks like a subscriber's.
 */
import type { Database } from "@/db/client";
import { type DemoClient, insertDemoHeartbeat, listDemoClients } from "@/db/queries/demo-clients";
import { listFilteredExecutions } from "@/db/queries/executions";
import { HEARTBEAT_SPANS_PER_DAY, writeHeartbeats } from "@/db/queries/heartbeats";
import { recordSignalFetchAdvances } from "@/db/queries/signal-fetches";
import { type FollowableSignal, listFollowableSignals, listSignalsByIds } from "@/db/queries/signal-history";
import { listSlots, listSymbols } from "@/db/queries/slots";
import { isMadeLate } from "@/lib/executions/own-record/journey";
import { receiveReport } from "@/lib/executions/receive-report";
import type { Reporter } from "@/lib/executions/reporter";
import { isDemoSlot } from "@/lib/market/demo/demo-symbols";
import { type SignalPrices, signalPrices } from "@/lib/signals/signal-prices";
import { addDays, addMs, laterInstant, SECOND_MS } from "@/lib/time";

/** Length of the history that a new simulated client gets, in days. */
export const DEMO_HISTORY_DAYS = 30;
const FOLLOWED_TIMEFRAMES: ReadonlySet<string> = new Set(["H1", "H4"]);
/** Maximum number of positions that one step opens, and of open positions, the newest, that it may close. */
const FIRST_POSITIONS = 60;
const SIGNALS_READ = 1_000;
/** For a new client without an open position, a signal that is still open is searched in this many past days. */
const RUNNING_DAYS = 3;
/** Share of the signals that a simulated client follows. */
const FOLLOWED_SHARE = 0.1;
/** Loss at the stop that the volume of a position is chosen for, in dollars, without commission. */
const RISKED = 50;
const LOT_UNITS: Readonly<Record<string, number>> = { XAUUSD: 100, BTCUSD: 1 };
const LOT_UNITS_FX = 100_000;
const COMMISSION_PER_LOT = 7;
/** The ticket of a position is this plus the id of its signal. */
const FIRST_TICKET = 5_000_000;
/** Outage in the day of calls that a new client gets, in ten-minute spans before now; `to` is exclusive. */
const OUTAGE = { from: 50, to: 56 } as const;
const CLIENT = "SignalFollower, simulated";

/** Writes the reports and heartbeats of every simulated client up to `now`. Each step can be repeated. */
export async function advanceDemoClients(database: Database, now: Date, signal: AbortSignal): Promise<void> {
  const clients = await listDemoClients(database);
  if (clients.length === 0) return;
  for (const client of clients) {
    if (signal.aborted) return;
    await advanceDemoClient(database, client, now);
  }
  await writeHeartbeats(
    database,
    clients.map((client) => beat(client, now)),
  );
}

/**
 * Writes the reports of one simulated client up to `now`: opens positions on about a tenth of the signals of H1 and H4
 * since its newest position (for a new client, of the last 30 days), and closes positions whose signal has ended. A new
 * client also gets a day of calls, first fetches and an invalid report, and a signal that is still open is among those
 * that it follows if there is one.
 */
export async function advanceDemoClient(database: Database, client: DemoClient, now: Date): Promise<void> {
  const slots = (await listSlots(database)).filter(isDemoSlot);
  const slotIds = slots.flatMap(({ slotId, timeframe }) =>
    FOLLOWED_TIMEFRAMES.has(timeframe) ? [slotId] : [],
  );
  if (slotIds.length === 0) return;
  const own = { subscriptionId: client.subscriptionId };
  const newestFirst = { sort: "opened_at", descending: true } as const;
  const [[newest], open] = await Promise.all([
    listFilteredExecutions(database, own, newestFirst, { limit: 1 }),
    listFilteredExecutions(database, { ...own, state: "open" }, newestFirst, { limit: FIRST_POSITIONS }),
  ]);
  const after = newest?.openedAt ?? addDays(now, -DEMO_HISTORY_DAYS);
  const [fresh, followed] = await Promise.all([
    listFollowableSignals(database, { slotIds, after, limit: SIGNALS_READ }),
    listSignalsByIds(
      database,
      open.map(({ ticket }) => Number(ticket) - FIRST_TICKET),
    ),
  ]);
  const taken = fresh.filter(({ predId }) => spread(predId) < FOLLOWED_SHARE).slice(0, FIRST_POSITIONS);
  if (newest === undefined && taken.length > 0 && taken.every(({ endedAt }) => endedAt !== null)) {
    const all = { slotIds: slots.map(({ slotId }) => slotId), after: addDays(now, -RUNNING_DAYS) };
    const lately = await listFollowableSignals(database, { ...all, limit: SIGNALS_READ });
    const running = lately.find(({ endedAt }) => endedAt === null);
    if (running) taken.splice(0, taken.length, running, ...taken.slice(0, FIRST_POSITIONS - 1));
  }
  const isFirst = newest === undefined && taken.length > 0;
  if (isFirst) await writeFirstCalls(database, client, now);
  // Newest signals first: a visitor may open this client's portal before all its reports are written.
  const due = [...taken, ...followed.filter(({ endedAt }) => endedAt !== null)];
  if (due.length === 0) return;
  const [prices, symbols] = await Promise.all([signalPrices(database, due), listSymbols(database)]);
  const digits = new Map(symbols.map((symbol) => [symbol.symbol, symbol.digits]));
  const report = (body: object) =>
    receiveReport(database, reporterOf(client, now), JSON.stringify(body), new Set(digits.keys()));
  for (const followedSignal of due) {
    const body = reportOf(followedSignal, prices.get(followedSignal.predId), digits, now);
    if (body !== null) await report(body);
  }
  if (isFirst) await leaveFirstTraces(database, client, { taken, slotIds, now, report });
}

/** Stores that a client called in the last 24 hours, with an outage, unless its key has called before. */
async function writeFirstCalls(database: Database, client: DemoClient, now: Date): Promise<void> {
  const spans = Array.from({ length: HEARTBEAT_SPANS_PER_DAY }, (_, index) => {
    const spansAgo = HEARTBEAT_SPANS_PER_DAY - 1 - index;
    return spansAgo < OUTAGE.from || spansAgo >= OUTAGE.to ? "1" : "0";
  });
  await insertDemoHeartbeat(database, { ...client, lastSeenAt: now, spans: spans.join(""), client: CLIENT });
}

/** Sends one invalid report, and stores that the client fetched the history of its slots. */
async function leaveFirstTraces(
  database: Database,
  client: DemoClient,
  {
    taken,
    slotIds,
    now,
    report,
  }: {
    taken: readonly FollowableSignal[];
    slotIds: readonly number[];
    now: Date;
    report: (body: object) => Promise<unknown>;
  },
): Promise<void> {
  const [newest] = taken;
  if (newest)
    await report({ ...identityOf(newest), ticket: FIRST_TICKET, entry_price: "market" }).catch(ignoreRefusal);
  await recordSignalFetchAdvances(
    database,
    slotIds.map((slotId) => ({
      ...{ subscriptionId: client.subscriptionId, way: "history", slotId, minConfidence: 0 },
      ...{ upTo: Math.max(0, ...taken.map(({ seq }) => seq)), reach: 1_000, atMs: now.getTime() },
    })),
  );
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof Error && "code" in error && error.code === "validation_failed")) throw error;
}

const beat = ({ keyId, subscriptionId }: DemoClient, lastSeenAt: Date) => ({
  ...{ keyId, subscriptionId, lastSeenAt, client: CLIENT, address: null, nCalls: 1 },
});

const reporterOf = ({ keyId, subscriptionId }: DemoClient, now: Date): Reporter => ({
  ...{ subscriptionId, keyId, requestId: "simulated-client", closeOnly: null, seenAt: now },
});

const identityOf = ({ symbol, timeframe, signal }: FollowableSignal) => ({ symbol, timeframe, signal });

/**
 * The report on a followed signal: an open position, or a closed one if the signal has ended with a known exit price.
 * Null without the signal's prices.
 */
function reportOf(
  followed: FollowableSignal,
  prices: SignalPrices | undefined,
  digits: ReadonlyMap<string, number>,
  now: Date,
): object | null {
  if (prices === undefined) return null;
  const { predId, symbol, signal, endedAt, exitPrice, exitReason } = followed;
  const side = signal === "BUY" ? 1 : -1;
  const distance = Math.abs(prices.entryPrice - prices.stopPrice);
  // The account is in dollars: the lot of a symbol that is not quoted in dollars is converted by its price.
  const perLot = (LOT_UNITS[symbol] ?? LOT_UNITS_FX) / (symbol.endsWith("USD") ? 1 : prices.entryPrice);
  const volume = Math.max(0.01, Math.round((100 * RISKED) / (distance * perLot)) / 100);
  const slip = (turn: number) => distance * 0.03 * spread(predId + turn);
  const price = (value: number) => Number(value.toFixed(digits.get(symbol) ?? 5));
  const entry = price(prices.entryPrice + side * slip(1));
  const madeAt = followableSince(followed);
  const openedAt = addMs(madeAt, Math.round((3 + 40 * spread(predId)) * SECOND_MS));
  // The position opens at `now` at the latest, but after its signal even if that was made after `now`.
  const latest = laterInstant(now, addMs(madeAt, SECOND_MS)) ?? now;
  const opening = {
    ...identityOf(followed),
    ticket: FIRST_TICKET + predId,
    pred_id: predId,
    confidence: followed.confidence,
    opened_at: (openedAt < latest ? openedAt : latest).toISOString(),
    entry_price: entry,
    volume,
    currency: "USD",
    comment: "simulated",
  };
  if (endedAt === null || exitPrice === null) return opening;
  const exit = price(exitPrice - side * slip(2));
  const commission = -COMMISSION_PER_LOT * volume;
  return {
    ...opening,
    closed_at: endedAt.toISOString(),
    exit_price: exit,
    commission: Number(commission.toFixed(2)),
    pnl: Number((side * (exit - entry) * perLot * volume + commission).toFixed(2)),
    result: exitReason,
  };
}

/**
 * The time from which a signal is followed: its creation, or the close of its candle if that is later. A signal that
 * was created more than a candle's length after the close is followed from the close.
 */
function followableSince({ ts, closesAt, createdAt }: FollowableSignal): Date {
  const times = { createdMs: createdAt.getTime(), closesMs: closesAt.getTime(), tsMs: ts.getTime() };
  return isMadeLate(times) || createdAt < closesAt ? closesAt : createdAt;
}

/** A number from 0 to below 1 that looks random and depends on the seed only. */
function spread(seed: number): number {
  let mixed = Math.imul(seed ^ (seed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
}
