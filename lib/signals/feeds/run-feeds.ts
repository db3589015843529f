import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "@/db/client";
import { findLeadingFeed } from "@/db/queries/feeds";
import { ensureSlots, slotKey } from "@/db/queries/slots";
import { parseTimeframe } from "@/lib/market/timeframes";
import { type Env, env } from "@/lib/runtime/env";
import type { ConfiguredFeed, ConfiguredSlot } from "@/lib/runtime/feed-plan";
import { errorFacts, log } from "@/lib/runtime/log";
import { serviceSecret } from "@/lib/runtime/service-secrets";
import { isDatabaseUnavailable } from "@/lib/runtime/unavailable";
import { symbolDefaultsOf } from "@/lib/signals/ingest/symbol-defaults";
import { SECOND_MS } from "@/lib/time";
import type { Timeframe } from "@/lib/vocabulary";
import { ccxtSource, type LoadExchange } from "./ccxt";
import { watchFolder } from "./folder";
import { oandaSource } from "./oanda";
import { NON_LEADING_FEED_DELAY_MS, pollSource } from "./poll-source";
import type { CandleSource, FeedSlot } from "./source";

const AGAIN_MS = 5 * SECOND_MS;

export type FeedConfig = Pick<Env, "feeds" | "oandaApiRoot" | "ccxtApiRoot" | "feedBackfillCandles"> & {
  /** OANDA's token, read at each call; null: none. */
  oandaToken(): string | null;
};

interface FeedSettings {
  config: FeedConfig;
  loadExchange?: LoadExchange | undefined;
  /** Delay (ms) of readings after a candle's close for feeds that are not the leading one. */
  nonLeadingDelayMs: number;
}

/**
 * Runs every feed of MARKET_FEED, independently, until the signal aborts. Returns at once if there is none.
 * Only one process may run it.
 */
export async function runFeeds(
  database: Database,
  signal: AbortSignal,
  settings: Partial<FeedSettings> = {},
): Promise<void> {
  const whole: FeedSettings = {
    nonLeadingDelayMs: NON_LEADING_FEED_DELAY_MS,
    ...settings,
    config: settings.config ?? { ...env(), oandaToken: () => serviceSecret("OANDA_TOKEN") },
  };
  await Promise.all(
    whole.config.feeds.map(async (plan) => {
      while (!signal.aborted) {
        try {
          await runFeed(database, plan, whole, signal);
        } catch (error) {
          log(isDatabaseUnavailable(error) ? "info" : "error", "a feed stopped and starts again", {
            component: plan.name,
            error: errorFacts(error),
          });
        }
        await pause(AGAIN_MS, undefined, { signal }).catch(() => undefined);
      }
    }),
  );
}

async function runFeed(
  database: Database,
  plan: ConfiguredFeed,
  { config, loadExchange, nonLeadingDelayMs }: FeedSettings,
  signal: AbortSignal,
): Promise<void> {
  if (plan.kind === "folder") {
    const leads = (key: string) => isLeadingFeed(database, config.feeds, plan.name, key);
    return watchFolder(database, { name: plan.name, path: plan.path, clock: plan.clock, leads }, signal);
  }
  const source = sourceOf(plan, config, loadExchange);
  try {
    await pollSource(
      database,
      source,
      {
        leads: (slot) => namedLeader(config.feeds, slotKey(slot)) === plan.name,
        backfillCandles: config.feedBackfillCandles,
        nonLeadingDelayMs,
      },
      signal,
    );
  } finally {
    await source.close?.();
  }
}

function sourceOf(
  plan: Exclude<ConfiguredFeed, { kind: "folder" }>,
  config: FeedConfig,
  load: LoadExchange | undefined,
): CandleSource {
  const slots = plan.slots.map(readSlot);
  if (plan.kind === "ccxt") {
    const { exchange, name } = plan;
    return ccxtSource(name, slots, { exchange, apiRoot: config.ccxtApiRoot, ...(load ? { load } : {}) });
  }
  return oandaSource(slots, { apiRoot: config.oandaApiRoot, token: config.oandaToken });
}

function readSlot({ symbol, timeframe, instrument }: ConfiguredSlot): FeedSlot {
  const known: Timeframe | null = parseTimeframe(timeframe);
  if (known === null) throw new Error("unknown timeframe in the configuration");
  return { symbol, timeframe: known, instrument };
}

/** Name of the first feed of MARKET_FEED that lists a slot; null: none. */
function namedLeader(feeds: readonly ConfiguredFeed[], key: string): string | null {
  const leader = feeds.find(
    (plan) => plan.kind !== "folder" && plan.slots.some((slot) => `${slot.symbol}/${slot.timeframe}` === key),
  );
  return leader?.name ?? null;
}

/**
 * Whether a feed without a list of slots (a folder or a terminal) is the leading feed of a slot, given as `EURUSD/H1`:
 * MARKET_FEED lists no feed for the slot, and of the folders and terminals that delivered the slot in the last three
 * days this one began first, or there is none. Creates the slot if it is new.
 */
export async function isLeadingFeed(
  database: Database,
  feeds: readonly ConfiguredFeed[],
  feed: string,
  key: string,
): Promise<boolean> {
  if (namedLeader(feeds, key) !== null) return false;
  const [symbol = "", timeframe = ""] = key.split("/");
  const known = parseTimeframe(timeframe);
  if (known === null) return false;
  const slot = { symbol, timeframe: known };
  const ids = await ensureSlots(database, [slot], symbolDefaultsOf);
  const leader = await findLeadingFeed(database, ids.get(slotKey(slot)) ?? 0);
  return leader === null || leader === feed;
}
