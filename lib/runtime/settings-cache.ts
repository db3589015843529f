import { createHash } from "node:crypto";
import { db } from "@/db/client";
import {
  type CachedSettingName,
  type CalendarDay,
  readCachedSettings,
  type SealedSecret,
  type SlotSetting,
  type StoredCalendar,
  type TextVersion,
} from "@/db/queries/cached-settings";
import { listPlans, type Plan } from "@/db/queries/plans";
import { listAliases } from "@/db/queries/symbols";
import { type BrandSettings, NO_BRAND, readBrand } from "./brand-settings";
import { errorFacts, log } from "./log";
import { processWide } from "./process-wide";
import { serverProcedure } from "./server-rpc";
import { isDatabaseMissing, isDatabaseUnavailable } from "./unavailable";

export type { Plan } from "@/db/queries/plans";

/** How old what is held may get: a change is in force everywhere within a second. */
const REREAD_MS = 500;

/** What the operator decides and every room needs at any moment, as the database had it half a second ago at most. */
export interface CachedSettings {
  /** The lowest first. */
  plans: readonly Plan[];
  /** What brokers call symbols beside what is understood by itself. */
  aliases: ReadonlyMap<string, string>;
  brand: BrandSettings;
  /** What the operator says of days of calendars. */
  calendarDays: readonly CalendarDay[];
  ownCalendars: readonly StoredCalendar[];
  /** What the operator says of single slots. */
  slotSettings: readonly SlotSetting[];
  /** Stored settings that are read at any moment; one that was never stored is missing. */
  settings: Partial<Record<CachedSettingName, unknown>>;
  /** Secrets of outer services that an owner entered, sealed. */
  serviceSecrets: readonly SealedSecret[];
  /** The newest version of each text that the operator wrote. */
  texts: readonly TextVersion[];
  /** Differs whenever any of it does: what was made of it is made anew. */
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

/** The settings of a new installation, as its migrations write them. */
export const INITIAL_SETTINGS: CachedSettings = {
  aliases: new Map(),
  brand: NO_BRAND,
  calendarDays: [],
  ownCalendars: [],
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
      forWhom: "Signals in your chat, with room to try the interface",
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

/** What is held of the operator's decisions, read again and again while the process lives. */
class SettingsCache {
  #held: CachedSettings | null = null;
  #reading: Promise<CachedSettings> | null = null;
  #timer: NodeJS.Timeout | null = null;
  readonly #listeners: ((held: CachedSettings) => void)[] = [];

  /** As held now; before the first reading what a new installation has. Who lets somebody in awaits `get` first. */
  get now(): CachedSettings {
    return this.#held ?? INITIAL_SETTINGS;
  }

  /** As held, read first where nothing is held. */
  async get(): Promise<CachedSettings> {
    return this.#held ?? this.read();
  }

  /** Reads them now. Those who ask meanwhile share the reading. */
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

  /** Reads again in this process alone. */
  async readAgainHere(): Promise<CachedSettings> {
    await this.#reading?.catch(() => undefined);
    return this.read();
  }

  /** Reads again after a change, here and in the front. The front reads twice a second anyway. */
  async readAgain(): Promise<CachedSettings> {
    const [held] = await Promise.all([this.readAgainHere(), serverReadsAgain().catch(() => undefined)]);
    return held;
  }

  /** Calls the listener with what is held, and whenever that becomes something else. */
  follow(listener: (held: CachedSettings) => void): void {
    this.#listeners.push(listener);
    listener(this.now);
  }

  /** Keeps them fresh until the returned function is called. What is held stays in force while the database is away. */
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
  const [plans, named, held] = await Promise.all([
    listPlans(db()),
    listAliases(db()),
    readCachedSettings(db()),
  ]);
  const stamp = createHash("sha256")
    .update(JSON.stringify([plans, named, held]))
    .digest("hex");
  const aliases = new Map(
    named.flatMap(({ symbol, aliases }) => aliases.map((alias) => [alias, symbol] as const)),
  );
  return { ...held, plans, aliases, brand: readBrand(held.brand), stamp };
}

/** A name that no database has is told by the start: migrations wait for the one that is being made, or end the process. */
function noteFailure(error: unknown): void {
  if (!isDatabaseUnavailable(error) && !isDatabaseMissing(error))
    log("error", "the settings could not be read", { error: errorFacts(error) });
}

/** A change that a page stored holds in the front as well when its form is answered. */
const serverReadsAgain = serverProcedure("settings-read-again", async () => {
  await settingsCache().readAgainHere();
});

/** The operator's settings as this process holds them. */
export function settingsCache(): SettingsCache {
  return processWide("settings-cache", () => new SettingsCache());
}
