import { createHash } from "node:crypto";
import { db } from "@/db/client";
import {
  type CachedSettingName,
  readSettingsForCache,
  type SealedSecret,
  type SiteTextVersion,
  type SlotSetting,
  type StoredCalendar,
  type StoredDayOverride,
} from "@/db/queries/cached-settings";
import type { Plan } from "@/db/queries/plans";
import { type BrandSettings, NO_BRAND, parseBrandSettings } from "./brand-settings";
import { errorFacts, log } from "./log";
import { processWide } from "./process-wide";
import { serverProcedure } from "./server-rpc";
import { isDatabaseMissing, isDatabaseUnavailable } from "./unavailable";

export type { Plan } from "@/db/queries/plans";

/** Interval in ms between the starts of two reads of the settings, so that a process soon applies a change. */
const REREAD_MS = 500;

/** Settings of the operator, read twice a second. While the database is unavailable they stay as they were. */
export interface CachedSettings {
  /** In order of rank, the lowest first. */
  plans: readonly Plan[];
  /** The service's symbol by the broker's name for it, in addition to the built-in names. */
  aliases: ReadonlyMap<string, string>;
  brand: BrandSettings;
  /** Days for which the operator overrides a calendar. */
  calendarDays: readonly StoredDayOverride[];
  operatorCalendars: readonly StoredCalendar[];
  /** Settings of single slots that replace the general values. */
  slotSettings: readonly SlotSetting[];
  /** The other stored settings, by name. A setting that was never stored is missing. */
  settings: Partial<Record<CachedSettingName, unknown>>;
  /** Secrets of external services that an owner entered, encrypted. */
  serviceSecrets: readonly SealedSecret[];
  /** The newest version of each legal text that the operator wrote. */
  texts: readonly SiteTextVersion[];
  /** Hash of all settings, for cache keys. */
  stamp: string;
}

const THE_FOUR = {
  longPoll: true,
  stream: true,
  telegram: true,
  tradingClient: true,
  priceText: null,
  shopUrl: null,
};
const NARROW = { symbols: ["EURUSD", "GBPUSD", "XAUUSD"], timeframes: ["H1", "H4"], webhooks: false };
const WIDE = { symbols: null, timeframes: null, webhooks: true };

/** The settings of a new installation, as the migrations write them. */
export const INITIAL_SETTINGS: CachedSettings = {
  aliases: new Map(),
  brand: NO_BRAND,
  calendarDays: [],
  operatorCalendars: [],
  slotSettings: [],
  serviceSecrets: [],
  settings: {},
  texts: [],
  stamp: "",
  plans: [
    {
      ...THE_FOUR,
      ...NARROW,
      name: "telegram",
      title: "Telegram",
      tradingClient: false,
      forWhom: "Signals in Telegram, plus API access to try things out",
      rank: 100,
      rateLimitPerMin: 30,
      isShown: true,
    },
    {
      ...THE_FOUR,
      ...NARROW,
      name: "basic",
      title: "Basic",
      forWhom: "One trading client on the main symbols",
      rank: 200,
      rateLimitPerMin: 60,
      isShown: true,
    },
    {
      ...THE_FOUR,
      ...WIDE,
      name: "pro",
      title: "Pro",
      forWhom: "Every slot, several clients, your own analysis",
      rank: 300,
      rateLimitPerMin: 300,
      isShown: true,
    },
    {
      ...THE_FOUR,
      ...WIDE,
      name: "owner",
      title: "Owner",
      forWhom: "The operator's own",
      rank: 1_000_000,
      rateLimitPerMin: 1000,
      isShown: false,
    },
  ],
};

/** Cache of the operator's settings in this process, read again periodically after `keep`. */
class SettingsCache {
  #held: CachedSettings | null = null;
  #reading: Promise<CachedSettings> | null = null;
  #timer: NodeJS.Timeout | null = null;
  readonly #listeners: ((held: CachedSettings) => void)[] = [];

  /** The cached settings; INITIAL_SETTINGS before the first read. Access checks must await `get` first. */
  get now(): CachedSettings {
    return this.#held ?? INITIAL_SETTINGS;
  }

  /** The cached settings, read first if the cache is empty. */
  async get(): Promise<CachedSettings> {
    return this.#held ?? this.read();
  }

  /** Reads the settings now. Concurrent callers share the query. */
  read(): Promise<CachedSettings> {
    this.#reading ??= readEverySetting()
      .then((read) => {
        const isNews = this.#held?.stamp !== read.stamp;
        this.#held = read;
        if (isNews) for (const listener of this.#listeners) listener(read);
        return read;
      })
      .finally(() => {
        this.#reading = null;
      });
    return this.#reading;
  }

  /** Refreshes the cache of this process only. The read starts after this call, so it contains a change made before. */
  async readAgainHere(): Promise<CachedSettings> {
    await this.#reading?.catch(() => undefined);
    return this.read();
  }

  /**
   * Refreshes the caches of this process and of the HTTP server after a change. A failure of the HTTP server is
   * ignored, because it reads the settings twice a second anyway.
   */
  async readAgain(): Promise<CachedSettings> {
    const [held] = await Promise.all([this.readAgainHere(), serverReadsAgain().catch(() => undefined)]);
    return held;
  }

  /** Calls the listener with the settings of `now` at once, and again after each read that finds a change. */
  follow(listener: (held: CachedSettings) => void): void {
    this.#listeners.push(listener);
    listener(this.now);
  }

  /**
   * Refreshes the cache twice a second until the returned function is called. After a failed read the former settings
   * stay.
   */
  keep(): () => void {
    this.#timer ??= setInterval(() => this.read().catch(noteFailure), REREAD_MS);
    this.#timer.unref();
    return () => {
      if (this.#timer) clearInterval(this.#timer);
      this.#timer = null;
    };
  }
}

async function readEverySetting(): Promise<CachedSettings> {
  const held = await readSettingsForCache(db());
  const stamp = createHash("sha256").update(JSON.stringify(held)).digest("hex");
  const aliases = new Map(
    held.aliases.flatMap(({ symbol, aliases }) => aliases.map((alias) => [alias, symbol] as const)),
  );
  return { ...held, aliases, brand: parseBrandSettings(held.brand), stamp };
}

/** Logs a failed read of the settings, unless the database is unavailable or does not exist yet. */
function noteFailure(error: unknown): void {
  if (!isDatabaseUnavailable(error) && !isDatabaseMissing(error))
    log("error", "could not read the settings", { error: errorFacts(error) });
}

/**
 * Refreshes the cache of the HTTP server's process, so that a change made on a page applies there before the form is
 * answered.
 */
const serverReadsAgain = serverProcedure("settings-read-again", async () => {
  await settingsCache().readAgainHere();
});

/** The settings cache of this process. */
export function settingsCache(): SettingsCache {
  return processWide("settings-cache", () => new SettingsCache());
}
