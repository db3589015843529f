import { and, asc, desc, eq, inArray, sql } from "drizzle-orm";
import type { DatabaseHandle, Transaction } from "@/db/client";
import { calendarDays, pictures, siteTexts, textAcceptances } from "@/db/schema";
import type { CalendarName, LogoType, SiteTextName } from "@/lib/vocabulary";
import type { TextVersion } from "./cached-settings";

export interface Picture {
  hash: string;
  mediaType: LogoType;
  /** Base64. */
  content: string;
}

const PICTURE = { hash: pictures.hash, mediaType: pictures.mediaType, content: pictures.content };

export async function findPicture(handle: DatabaseHandle, hash: string): Promise<Picture | null> {
  const [row] = await handle.select(PICTURE).from(pictures).where(eq(pictures.hash, hash));
  return row ?? null;
}

/** Stores a picture, unless one with the same bytes exists. */
export async function writePicture(tx: Transaction, picture: Picture): Promise<void> {
  await tx.insert(pictures).values(picture).onConflictDoNothing();
}

/** A version of one of the operator's texts, such as the terms, with its content. */
export interface SiteText extends Omit<TextVersion, "isAsked"> {
  content: string;
  createdAt: Date;
}

const TEXT = {
  id: siteTexts.id,
  name: siteTexts.name,
  version: siteTexts.version,
  content: siteTexts.content,
  createdAt: siteTexts.createdAt,
};

export async function findSiteText(handle: DatabaseHandle, id: number): Promise<SiteText | null> {
  const [row] = await handle.select(TEXT).from(siteTexts).where(eq(siteTexts.id, id));
  return row ?? null;
}

/** The newest 100 versions of a text, newest first. */
export async function listTextVersions(handle: DatabaseHandle, name: SiteTextName): Promise<SiteText[]> {
  return handle
    .select(TEXT)
    .from(siteTexts)
    .where(eq(siteTexts.name, name))
    .orderBy(desc(siteTexts.version))
    .limit(100);
}

/** The newest version of each text that the operator has stored. */
export async function listNewestTexts(handle: DatabaseHandle): Promise<SiteText[]> {
  return handle
    .selectDistinctOn([siteTexts.name], TEXT)
    .from(siteTexts)
    .orderBy(asc(siteTexts.name), desc(siteTexts.version));
}

/** Locks the table of texts against writes until commit, so that two new versions do not get the same number. */
export async function lockTexts(tx: Transaction): Promise<void> {
  await tx.execute(sql`lock table site_texts in share row exclusive mode`);
}

/** Stores a new version of a text; returns the number of the version. */
export async function addTextVersion(tx: Transaction, name: SiteTextName, content: string): Promise<number> {
  await lockTexts(tx);
  const [row] = await tx
    .insert(siteTexts)
    .values({
      name,
      content,
      version: sql`(select coalesce(max(version), 0) + 1 from site_texts where name = ${name})`,
    })
    .returning({ version: siteTexts.version });
  if (!row) throw new Error("a text was not stored");
  return row.version;
}

/** Those of these text versions that a person has accepted. */
export async function listAcceptedTexts(
  handle: DatabaseHandle,
  userId: string,
  textIds: readonly number[],
): Promise<number[]> {
  const rows = await handle
    .select({ textId: textAcceptances.textId })
    .from(textAcceptances)
    .where(and(eq(textAcceptances.userId, userId), inArray(textAcceptances.textId, [...textIds])));
  return rows.map(({ textId }) => textId);
}

/** Records which text versions a person accepted. Returns those that were not recorded before. */
export async function recordAcceptedTexts(
  tx: Transaction,
  userId: string,
  textIds: readonly number[],
): Promise<number[]> {
  const rows = await tx
    .insert(textAcceptances)
    .values(textIds.map((textId) => ({ userId, textId })))
    .onConflictDoNothing()
    .returning({ textId: textAcceptances.textId });
  return rows.map(({ textId }) => textId);
}

/** Number of people who accepted each version of a text, by the version's id. */
export async function countTextAcceptances(
  handle: DatabaseHandle,
  name: SiteTextName,
): Promise<Map<number, number>> {
  const rows = await handle
    .select({ textId: textAcceptances.textId, n: sql<number>`count(*)::int` })
    .from(textAcceptances)
    .innerJoin(siteTexts, eq(siteTexts.id, textAcceptances.textId))
    .where(eq(siteTexts.name, name))
    .groupBy(textAcceptances.textId);
  return new Map(rows.map(({ textId, n }) => [textId, n]));
}

/** The operator's override of a day in a trading calendar, with the reason. */
export type CalendarDayRow = Omit<typeof calendarDays.$inferSelect, "createdAt">;
type DayId = Pick<CalendarDayRow, "calendar" | "day">;

const DAY = {
  calendar: calendarDays.calendar,
  day: calendarDays.day,
  kind: calendarDays.kind,
  closesAt: calendarDays.closesAt,
  note: calendarDays.note,
};
const isDay = ({ calendar, day }: DayId) =>
  and(eq(calendarDays.calendar, calendar), eq(calendarDays.day, day));

/** The overridden days of one trading calendar, or of all. */
export async function listCalendarDays(
  handle: DatabaseHandle,
  calendar?: CalendarName,
): Promise<CalendarDayRow[]> {
  return handle
    .select(DAY)
    .from(calendarDays)
    .where(calendar === undefined ? undefined : eq(calendarDays.calendar, calendar))
    .orderBy(asc(calendarDays.calendar), asc(calendarDays.day));
}

/** The override of a day in a trading calendar, locked until commit; null: none. */
export async function lockCalendarDay(tx: Transaction, id: DayId): Promise<CalendarDayRow | null> {
  const [row] = await tx.select(DAY).from(calendarDays).where(isDay(id)).for("update");
  return row ?? null;
}

export async function writeCalendarDay(tx: Transaction, row: CalendarDayRow): Promise<void> {
  const { calendar: _, day: __, ...set } = row;
  await tx
    .insert(calendarDays)
    .values(row)
    .onConflictDoUpdate({ target: [calendarDays.calendar, calendarDays.day], set });
}

export async function deleteCalendarDay(tx: Transaction, id: DayId): Promise<void> {
  await tx.delete(calendarDays).where(isDay(id));
}
