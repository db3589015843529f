import { sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import {
  type CalendarName,
  type DayOverrideKind,
  type SiteTextName,
  TEXTS_TO_ACCEPT,
} from "@/lib/vocabulary";
import { columns, json, type Row } from "./columns";
import { PLANS_AS_JSON, type Plan } from "./plans";
import type { SlotSetting } from "./slot-settings";

export type { SlotSetting } from "./slot-settings";

/** An operator's override of a calendar day. */
export interface StoredDayOverride {
  calendar: CalendarName;
  /** `YYYY-MM-DD` in the calendar's time zone. */
  day: string;
  kind: DayOverrideKind;
  /** `HH:MM` in that time zone; only for an early close. */
  closesAt: string | null;
}

/** A calendar that an operator defined. */
export interface StoredCalendar {
  name: string;
  title: string;
  timeZone: string;
  hours: string[];
  holidays: string[];
}

/** An encrypted secret of an external service that an owner entered. */
export interface SealedSecret {
  name: string;
  valueEncrypted: string;
  /** The previous secret, encrypted, which is still accepted; null: none. */
  formerEncrypted: string | null;
}

/** The newest version of one of the operator's texts, such as the terms, without its content. */
export interface SiteTextVersion {
  id: number;
  name: SiteTextName;
  version: number;
  /** Whether subscribers must accept it. */
  isAsked: boolean;
}

/** Names of the rows of `settings` that the settings cache contains as they are stored. `brand` is read separately. */
export const CACHED_SETTING_NAMES = [
  "backups",
  "public_record",
  "retention",
  "telegram_updates",
  "try_out",
] as const;
export type CachedSettingName = (typeof CACHED_SETTING_NAMES)[number];

/** SQL: these words, which must be written in the code, as a list of literals. */
const words = (list: readonly string[]) => sql.raw(list.map((word) => `'${word}'`).join(", "));

const HELD = columns({
  /** Every plan, the lowest first. */
  plans: json<Plan[]>(PLANS_AS_JSON),
  /** The symbols with stored aliases, which are names that brokers use for them. */
  aliases: json<{ symbol: string; aliases: string[] }[]>(sql`coalesce((
    select jsonb_agg(jsonb_build_object('symbol', symbol, 'aliases', aliases) order by symbol)
      from symbols where aliases <> '{}'), '[]'::jsonb)`),
  brand: json<unknown>("(select value from settings where name = 'brand')"),
  calendarDays: json<StoredDayOverride[]>(sql`coalesce((
    select jsonb_agg(jsonb_build_object(
             'calendar', calendar, 'day', day, 'kind', kind, 'closesAt', closes_at) order by calendar, day)
      from calendar_days), '[]'::jsonb)`),
  operatorCalendars: json<StoredCalendar[]>(sql`coalesce((
    select jsonb_agg(jsonb_build_object(
             'name', name, 'title', title, 'timeZone', time_zone, 'hours', hours, 'holidays', holidays) order by name)
      from calendars where time_zone is not null), '[]'::jsonb)`),
  slotSettings: json<SlotSetting[]>(sql`coalesce((
    select jsonb_agg(jsonb_build_object(
             'symbol', symbol, 'timeframe', timeframe, 'graceMinutes', grace_minutes,
             'isTrained', is_trained, 'trainEveryHours', train_every_hours) order by symbol, timeframe)
      from slot_settings), '[]'::jsonb)`),
  /** The stored settings by name; one that was never stored is missing. */
  settings: json<Partial<Record<CachedSettingName, unknown>>>(sql`coalesce((
    select jsonb_object_agg(name, value) from settings where name in (${words(CACHED_SETTING_NAMES)})), '{}'::jsonb)`),
  serviceSecrets: json<SealedSecret[]>(sql`coalesce((
    select jsonb_agg(jsonb_build_object(
             'name', name, 'valueEncrypted', value_encrypted, 'formerEncrypted', former_encrypted) order by name)
      from service_secrets), '[]'::jsonb)`),
  texts: json<SiteTextVersion[]>(sql`coalesce((
    select jsonb_agg(jsonb_build_object(
             'id', t.id, 'name', t.name, 'version', t.version,
             'isAsked', t.name in (${words(TEXTS_TO_ACCEPT)})) order by t.name)
      from (select distinct on (name) id, name, version from site_texts order by name, version desc) t), '[]'::jsonb)`),
});

/** Reads from the database what the settings cache contains, in one statement. */
export async function readSettingsForCache(handle: DatabaseHandle): Promise<Row<typeof HELD>> {
  return HELD.one(handle, sql`select ${HELD.list}`);
}
