import { eq, sql } from "drizzle-orm";
import type { Handle } from "@/db/client";
import { settings } from "@/db/schema";

/** A setting's value, or null when it was never written. The caller knows the shape that it wrote. */
export async function readSetting<T>(handle: Handle, name: string): Promise<T | null> {
  const [row] = await handle.select({ value: settings.value }).from(settings).where(eq(settings.name, name));
  return row ? (row.value as T) : null;
}

/** Writes a setting, replacing the former value. */
export async function writeSetting(handle: Handle, name: string, value: unknown): Promise<void> {
  await handle
    .insert(settings)
    .values({ name, value })
    .onConflictDoUpdate({ target: settings.name, set: { value, updatedAt: sql`now()` } });
}
