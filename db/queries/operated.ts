import { sql } from "drizzle-orm";
import type { Handle } from "@/db/client";
import { ACCEPTED_TEXTS, type CalendarDayKind, type CalendarName, type SiteTextName } from "@/lib/vocabulary";
import { columns, json, type Row } from "./columns";
import type { SlotSetting } from "./slot-settings";

export type { SlotSetting } from "./slot-settings";

/** What an operator says of a day of a calendar. */
export interface CalendarDay {
  calendar: CalendarName;
  /** `YYYY-MM-DD` on the calendar's clock. */
  day: string;
  kind: CalendarDayKind;
  /** `HH:MM` on that clock; of an early close alone. */
  closesAt: string | null;
}

/** The newest version of a text. */
export interface TextVersion {
  id: number;
  name: SiteTextName;
  version: number;
  /** Subscribers are asked to accept it. */
  isAsked: boolean;
}

const HELD = columns({
  brand: json<unknown>("(select value from settings where name = 'brand')"),
  calendarDays: json<CalendarDay[]>(sql`coalesce((
    select jsonb_agg(jsonb_build_object(
             'calendar', calendar, 'day', day, 'kind', kind, 'closesAt', closes_at) order by calendar, day)
      from calendar_days), '[]'::jsonb)`),
  slotSettings: json<SlotSetting[]>(sql`coalesce((
    select jsonb_agg(jsonb_build_object(
             'symbol', symbol, 'timeframe', timeframe, 'graceMinutes', grace_minutes,
             'isTrained', is_trained, 'trainEveryHours', train_every_hours) order by symbol, timeframe)
      from slot_settings), '[]'::jsonb)`),
  texts: json<TextVersion[]>(sql`coalesce((
    select jsonb_agg(jsonb_build_object(
             'id', t.id, 'name', t.name, 'version', t.version,
             'isAsked', t.name in (${sql.join(
               ACCEPTED_TEXTS.map((name) => sql`${name}`),
               sql`, `,
             )})) order by t.name)
      from (select distinct on (name) id, name, version from site_texts order by name, version desc) t), '[]'::jsonb)`),
});

/** What every process holds of the operator's settings beside plans and aliases. */
export async function readHeldSettings(handle: Handle): Promise<Row<typeof HELD>> {
  return HELD.one(handle, sql`select ${HELD.list}`);
}
