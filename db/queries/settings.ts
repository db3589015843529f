import { eq, inArray, sql } from "drizzle-orm";
import { ADVISORY_LOCKS } from "@/db/advisory-locks";
import type { Handle, Transaction } from "@/db/client";
import { settings } from "@/db/schema";

/** A setting's value; null: never written. The caller knows the stored shape. */
export async function readSetting<T>(handle: Handle, name: string): Promise<T | null> {
  const [row] = await handle.select({ value: settings.value }).from(settings).where(eq(settings.name, name));
  return row ? (row.value as T) : null;
}

/** The values of several settings by name; unwritten ones are missing. */
export async function readSettingRows(
  handle: Handle,
  names: readonly string[],
): Promise<ReadonlyMap<string, unknown>> {
  const rows = await handle
    .select({ name: settings.name, value: settings.value })
    .from(settings)
    .where(inArray(settings.name, [...names]));
  return new Map(rows.map(({ name, value }) => [name, value]));
}

/** Serialises changes of settings until commit. */
export async function lockSettings(tx: Transaction): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.settings})`);
}

/** Writes a setting and replaces its value. */
export async function writeSetting(handle: Handle, name: string, value: unknown): Promise<void> {
  await handle
    .insert(settings)
    .values({ name, value })
    .onConflictDoUpdate({ target: settings.name, set: { value, updatedAt: sql`now()` } });
}
