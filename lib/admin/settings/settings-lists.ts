import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { DatabaseHandle, Transaction } from "@/db/client";
import type { StoredCalendar } from "@/db/queries/cached-settings";
import { listOperatorCalendars, writeOperatorCalendar } from "@/db/queries/calendars";
import { listProducts } from "@/db/queries/payments";
import { listPlans, type Plan, writePlan } from "@/db/queries/plans";
import { type ProductRow, productKey, writeProduct } from "@/db/queries/products";
import { addTextVersion, listDayOverrides, listNewestTexts, writeDayOverride } from "@/db/queries/site";
import { listSlotSettings, writeSlotSetting } from "@/db/queries/slot-settings";
import { slotKey } from "@/db/queries/slots";
import { listSymbolSettings, type SymbolSettings, writeSymbol } from "@/db/queries/symbols";
import { previewPlanChange } from "@/lib/access/change-plan";
import { valueText } from "@/lib/admin/audit-text";
import { RequiredText } from "@/lib/admin/form-fields";
import { parseSymbol } from "@/lib/market/symbols";
import { NOT_A_WEB_ADDRESS } from "@/lib/settings/fields";
import {
  BUILT_IN_CALENDARS,
  BUILT_IN_PLAN_TIERS,
  CALENDAR_NAME_PATTERN,
  COST_UNITS,
  DAY_OVERRIDE_KINDS,
  PAYMENT_ADAPTERS,
  PLAN_NAME_PATTERN,
  SITE_TEXTS,
  TIMEFRAMES,
} from "@/lib/vocabulary";
import { operatorCalendarProblem } from "./change-calendar";
import { dayOverrideProblem } from "./change-day-override";
import { MAX_SITE_TEXT_LENGTH, siteTextProblem } from "./texts/change-text";

/**
 * Settings that are lists of rows: how a settings file names, checks and stores each list. Each list has its own
 * page.
 */

/** Each rule with the sentence that the form of its page shows. */
const limited = (max: number) => z.string().max(max, `must have at most ${max} characters`);
const flag = z.boolean("must be true or false");
const whole = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`;
  return z.int(message).min(min, message).max(max, message);
};
const listOf = <S extends z.ZodType>(row: S, max: number, min = 0) => {
  const message = `must be a list of ${min} to ${max} entries`;
  return z.array(row).min(min, message).max(max, message);
};
const SymbolCode = z.string().refine((code) => parseSymbol(code) === code, "must be a symbol in capitals");

/** Plans, symbols and calendars after an import: the file's rows, and the stored rows that the file does not name. */
interface Whole {
  plans: ReadonlyMap<string, Plan>;
  symbols: ReadonlyMap<string, SymbolSettings>;
  calendars: ReadonlyMap<string, StoredCalendar>;
}

interface Rows<T extends object> {
  /** Key in a settings file. */
  section: string;
  /** A file may leave the section out. */
  isOptional: boolean;
  /** Prefix of a row's id in audit rows and in the import's summary. */
  kind: string;
  /** Names of the fields, as in the form of their page. */
  labels: Readonly<Record<keyof T, string>>;
  schema: z.ZodType<T>;
  idOf(row: T): string;
  /** Name of a row in error messages. Default: its id. */
  nameOf?(row: T): string;
  list(handle: DatabaseHandle): Promise<T[]>;
  write(tx: Transaction, row: T): Promise<unknown>;
  /** One line per contradiction: among the file's rows, with stored rows, or with a rule of the service. */
  problems?(rows: readonly T[], whole: Whole): string[];
  /** How the change from `before` to `after` harms subscribers, which an import needs permission for; null: not at all. */
  harm?(handle: DatabaseHandle, before: T, after: T): Promise<string | null>;
}

const rows = <T extends object>(entry: Rows<T>): Rows<T> => entry;

const PLANS = rows({
  section: "plans",
  isOptional: false,
  kind: "plan",
  labels: {
    name: "Name in the API",
    title: "Title",
    forWhom: "For whom",
    rank: "Rank",
    symbols: "Symbols",
    timeframes: "Timeframes",
    rateLimitPerMin: "Requests per minute",
    longPoll: "Long polling",
    stream: "The stream",
    webhooks: "Webhooks",
    telegram: "Signals in Telegram and Discord",
    tradingClient: "For trading clients",
    priceText: "Price shown",
    shopUrl: "Shop address",
    isShown: "Offered on the site",
  },
  schema: z
    .strictObject({
      name: z
        .string()
        .regex(PLAN_NAME_PATTERN, "must be 2 to 24 small letters, digits, - or _, a letter first"),
      title: RequiredText(60),
      forWhom: limited(200),
      rank: whole(1, 2_000_000),
      symbols: listOf(SymbolCode, 200, 1).nullable(),
      timeframes: listOf(z.enum(TIMEFRAMES), TIMEFRAMES.length, 1).nullable(),
      rateLimitPerMin: whole(1, 100_000),
      longPoll: flag,
      stream: flag,
      webhooks: flag,
      telegram: flag,
      tradingClient: flag.optional(),
      priceText: RequiredText(60).nullable(),
      shopUrl: z
        .url({ protocol: /^https?$/, error: NOT_A_WEB_ADDRESS })
        .max(500, "must have at most 500 characters")
        .nullable(),
      isShown: flag,
    })
    // Files of earlier releases lack this field: in them only the Telegram plan has no trading client.
    .transform((plan) => ({ ...plan, tradingClient: plan.tradingClient ?? plan.name !== "telegram" })),
  idOf: ({ name }) => name,
  list: listPlans,
  write: writePlan,
  problems: (_, { plans }) => {
    const rankOf = (name: string) => plans.get(name)?.rank ?? 0;
    const isInOrder = BUILT_IN_PLAN_TIERS.every(
      (name, i) => i === 0 || rankOf(name) > rankOf(BUILT_IN_PLAN_TIERS[i - 1] ?? name),
    );
    const owner = plans.get("owner");
    return [
      ...repeated([...plans.values()].map(({ rank }) => String(rank))).map(
        (rank) => `plans: two have the rank ${rank}`,
      ),
      ...(isInOrder ? [] : [`plans: ${BUILT_IN_PLAN_TIERS.join(", ")} must keep this order of rank`]),
      ...(owner?.symbols === null && owner.timeframes === null ? [] : ["plans: owner must not be narrowed"]),
      ...(plans.has("new") ? ["plans: new is not a name for a plan"] : []),
    ];
  },
  harm: async (handle, before, after) => {
    const { cutsOff } = await previewPlanChange(handle, before, after);
    return cutsOff === 0
      ? null
      : `plans: ${after.name} would cut off ${cutsOff} subscriber${cutsOff === 1 ? "" : "s"}; --cut-off stores it anyway`;
  },
});

const PRODUCTS = rows<ProductRow>({
  section: "products",
  isOptional: false,
  kind: "product",
  labels: {
    adapter: "Platform",
    externalId: "Id of the product",
    planTier: "Plan",
    periodDays: "Days that a payment buys",
    graceDays: "Days of grace",
    trialDays: "Days of a trial",
  },
  schema: z.strictObject({
    adapter: z.enum(PAYMENT_ADAPTERS),
    externalId: RequiredText(100),
    planTier: z.string(),
    periodDays: whole(1, 3660),
    graceDays: whole(0, 366),
    trialDays: whole(1, 366).nullable().default(null),
  }),
  idOf: productKey,
  list: (handle) => listProducts(handle),
  write: writeProduct,
  problems: (products, { plans }) =>
    products
      .filter(({ planTier }) => planTier === "owner" || !plans.has(planTier))
      .map(
        (product) =>
          `products: ${productKey(product)} buys ${product.planTier}, which is not a plan for sale`,
      ),
});

const CalendarCode = z.string().regex(CALENDAR_NAME_PATTERN, "must be a calendar");
const isCalendar = (name: string, { calendars }: Whole) =>
  calendars.has(name) || BUILT_IN_CALENDARS.some((builtIn) => builtIn === name);

const OPERATOR_CALENDARS = rows<StoredCalendar>({
  section: "calendars",
  isOptional: true,
  kind: "calendar",
  labels: {
    name: "Name",
    title: "Title",
    timeZone: "Time zone",
    hours: "Weekly hours",
    holidays: "Days without trading, each year",
  },
  schema: z.strictObject({
    name: CalendarCode,
    title: RequiredText(60),
    timeZone: RequiredText(64),
    hours: listOf(RequiredText(60), 50, 1),
    holidays: listOf(RequiredText(60), 100),
  }),
  idOf: ({ name }) => name,
  list: listOperatorCalendars,
  write: writeOperatorCalendar,
  problems: (calendars) =>
    calendars.flatMap((calendar) => {
      if (BUILT_IN_CALENDARS.some((builtIn) => builtIn === calendar.name))
        return [`calendars: ${calendar.name} is built in`];
      const problem = operatorCalendarProblem(calendar);
      return problem === null ? [] : [`calendars: ${calendar.name} ${problem.property} ${problem.text}`];
    }),
});

const SYMBOLS = rows({
  section: "symbols",
  isOptional: false,
  kind: "symbol",
  labels: {
    symbol: "Symbol",
    calendar: "Trading calendar",
    digits: "Decimals of a price",
    costKind: "Unit of the round-trip cost",
    costValue: "Round-trip cost",
    description: "Description",
    aliases: "Names at brokers",
    isGuessed: "Trading hours guessed",
  },
  schema: z.strictObject({
    symbol: SymbolCode,
    calendar: CalendarCode,
    digits: whole(0, 9),
    costKind: z.enum(COST_UNITS),
    costValue: z.number().min(0, "must not be negative"),
    description: RequiredText(200).nullable(),
    aliases: listOf(
      RequiredText(64).refine((alias) => alias === alias.toUpperCase(), "must be in capitals"),
      50,
    ),
    isGuessed: flag,
  }),
  idOf: ({ symbol }) => symbol,
  list: listSymbolSettings,
  write: writeSymbol,
  problems: (said, whole) => [
    ...said
      .filter(({ calendar }) => !isCalendar(calendar, whole))
      .map(({ symbol, calendar }) => `symbols: ${symbol} uses ${calendar}, which is not a calendar`),
    ...repeated([...whole.symbols.values()].flatMap(({ aliases }) => aliases)).map(
      (alias) => `symbols: ${alias} is an alias of two symbols`,
    ),
  ],
});

const TEXTS = rows({
  section: "texts",
  isOptional: true,
  kind: "text",
  labels: {
    name: "Name",
    content: "Content",
  },
  schema: z.strictObject({ name: z.enum(SITE_TEXTS), content: RequiredText(MAX_SITE_TEXT_LENGTH) }),
  idOf: ({ name }) => name,
  list: async (handle) => (await listNewestTexts(handle)).map(({ name, content }) => ({ name, content })),
  write: (tx, { name, content }) => addTextVersion(tx, name, content),
  problems: (texts) =>
    texts.flatMap(({ name, content }) => {
      const problem = siteTextProblem(content);
      return problem === null ? [] : [`texts: ${name} ${problem}`];
    }),
});

const CALENDAR_DAYS = rows({
  section: "calendarDays",
  isOptional: true,
  kind: "calendar",
  labels: {
    calendar: "Calendar",
    day: "Day",
    kind: "Trading",
    closesAt: "Closes at",
    note: "Note",
  },
  schema: z.strictObject({
    calendar: CalendarCode,
    day: z.iso.date("must be a day such as 2026-12-24"),
    kind: z.enum(DAY_OVERRIDE_KINDS),
    closesAt: z
      .string()
      .regex(/^(?:[01][0-9]|2[0-3]):[0-5][0-9]$/, "must be a time such as 13:00")
      .nullable(),
    note: limited(120).nullable(),
  }),
  idOf: ({ calendar, day }) => `${calendar}/${day}`,
  nameOf: ({ calendar, day }) => `${calendar} ${day}`,
  list: (handle) => listDayOverrides(handle),
  write: writeDayOverride,
  problems: (days, whole) =>
    days.flatMap((said) => {
      const at = `calendarDays: ${said.calendar} ${said.day}`;
      if (!isCalendar(said.calendar, whole)) return [`${at} has an unknown calendar`];
      if ((said.kind === "early") !== (said.closesAt !== null))
        return [`${at} needs closesAt for an early close, and for nothing else`];
      const problem = dayOverrideProblem(said);
      return problem === null ? [] : [`${at} ${problem.field === "day" ? "" : "closesAt "}${problem.text}`];
    }),
});

const SLOTS = rows({
  section: "slots",
  isOptional: true,
  kind: "slot",
  labels: {
    symbol: "Symbol",
    timeframe: "Timeframe",
    graceMinutes: "Minutes until stale",
    isTrained: "Training",
    trainEveryHours: "Hours between two trainings",
  },
  schema: z.strictObject({
    symbol: SymbolCode,
    timeframe: z.enum(TIMEFRAMES),
    graceMinutes: whole(0, 10_080).nullable(),
    isTrained: flag.nullable(),
    trainEveryHours: whole(1, 8_784).nullable(),
  }),
  idOf: (row) => slotKey(row),
  list: listSlotSettings,
  write: writeSlotSetting,
});

/** Every list, in the order in which an import stores them. */
export const SETTINGS_LISTS: readonly Rows<object>[] = [
  PLANS,
  PRODUCTS,
  OPERATOR_CALENDARS,
  SYMBOLS,
  TEXTS,
  CALENDAR_DAYS,
  SLOTS,
];

/** An entry of a settings file that differs from what is stored. */
export interface SettingDifference {
  kind: string;
  id: string;
  /** The change in the words of the settings pages. */
  line: string;
  before: unknown;
  after: unknown;
  write(tx: Transaction): Promise<unknown>;
}

/** A change as one line, such as `Plan basic: Requests per minute 60 → 90`. */
export function describeChange(
  title: string,
  before: object | null,
  after: object,
  fieldOf: (name: string) => { label: string; text(value: unknown): string },
): string {
  if (before === null) return `${title}: new`;
  const former = new Map<string, unknown>(Object.entries(before));
  const changes = Object.entries(after)
    .filter(([name, value]) => !isDeepStrictEqual(former.get(name), value))
    .map(([name, value]) => {
      const { label, text } = fieldOf(name);
      return `${label} ${text(former.get(name))} → ${text(value)}`;
    });
  return `${title}: ${changes.join(", ")}`;
}

/** One list's rows in a file, compared with the stored rows. */
export class ImportedRows {
  readonly #stored: ReadonlyMap<string, object>;

  constructor(
    readonly list: Rows<object>,
    readonly said: readonly object[],
    stored: readonly object[],
  ) {
    this.#stored = new Map(stored.map((row) => [list.idOf(row), row]));
  }

  /** The rows after the import, by id. */
  get after(): ReadonlyMap<string, object> {
    return new Map([...this.#stored, ...this.said.map((row) => [this.list.idOf(row), row] as const)]);
  }

  problems(whole: Whole): string[] {
    const { section, idOf, nameOf = idOf, problems } = this.list;
    return [
      ...repeated(this.said.map(nameOf)).map((name) => `${section}: ${name} is listed twice`),
      ...(problems?.(this.said, whole) ?? []),
    ];
  }

  async harms(handle: DatabaseHandle): Promise<string[]> {
    const harms: string[] = [];
    for (const { before, after } of this.differences())
      if (before !== null && this.list.harm) harms.push((await this.list.harm(handle, before, after)) ?? "");
    return harms.filter((harm) => harm !== "");
  }

  differences(): (SettingDifference & { before: object | null; after: object })[] {
    const { kind, labels, idOf, nameOf = idOf, write } = this.list;
    const title = (row: object) => `${kind.charAt(0).toUpperCase()}${kind.slice(1)} ${nameOf(row)}`;
    const fieldOf = (name: string) => ({
      label: (labels as Readonly<Record<string, string>>)[name] ?? name,
      text: valueText,
    });
    return this.said
      .map((after) => ({ id: idOf(after), after, before: this.#stored.get(idOf(after)) ?? null }))
      .filter(({ before, after }) => !isDeepStrictEqual({ ...before }, { ...after }))
      .map((difference) => ({
        ...difference,
        kind,
        line: describeChange(title(difference.after), difference.before, difference.after, fieldOf),
        write: (tx: Transaction) => write(tx, difference.after),
      }));
  }
}

const repeated = (names: readonly string[]): string[] => [
  ...new Set(names.filter((name, i) => names.indexOf(name) !== i)),
];
