import { asc, eq, isNotNull, sql } from "drizzle-orm";
import type { Handle, Transaction } from "@/db/client";
import { calendars } from "@/db/schema";
import type { StoredCalendar } from "./cached-settings";

const OWN = {
  name: calendars.name,
  title: calendars.title,
  // A check of the table ensures that both are set in an operator's row.
  timeZone: sql<string>`${calendars.timeZone}`,
  hours: sql<string[]>`${calendars.hours}`,
  holidays: calendars.holidays,
};

/** Every calendar with its title, the built-in ones first. */
export async function listCalendarNames(handle: Handle): Promise<{ name: string; title: string }[]> {
  return handle
    .select({ name: calendars.name, title: calendars.title })
    .from(calendars)
    .orderBy(sql`time_zone is not null`, asc(calendars.createdAt), asc(calendars.name));
}

/** The calendars that operators defined. */
export async function listCustomCalendars(handle: Handle): Promise<StoredCalendar[]> {
  return handle.select(OWN).from(calendars).where(isNotNull(calendars.timeZone)).orderBy(asc(calendars.name));
}

/** An operator's calendar, locked until commit; null: none. */
export async function lockCustomCalendar(tx: Transaction, name: string): Promise<StoredCalendar | null> {
  const [row] = await tx
    .select(OWN)
    .from(calendars)
    .where(sql`${calendars.name} = ${name} and ${calendars.timeZone} is not null`)
    .for("update");
  return row ?? null;
}

/** Inserts or replaces an operator's calendar. */
export async function writeCustomCalendar(tx: Transaction, row: StoredCalendar): Promise<void> {
  const { name: _, ...set } = row;
  await tx.insert(calendars).values(row).onConflictDoUpdate({ target: calendars.name, set });
}

/** Removes a calendar with its days. The database refuses one that a symbol uses. */
export async function deleteCustomCalendar(tx: Transaction, name: string): Promise<void> {
  await tx.delete(calendars).where(eq(calendars.name, name));
}
