import { z } from "zod";
import type { Database, Handle } from "@/db/client";
import { readSetting, writeSetting } from "@/db/queries/settings";
import { type Actor, recordAudit } from "@/lib/runtime/audit";

const SETTING = "end_notice";
const BY_DEFAULT = [7, 3, 1];
const MOST_DAYS = 60;

const Setting = z.object({ days: z.array(z.int().min(1).max(MOST_DAYS)).min(1).max(6) });

/** The days before the end of access at which its subscriber is told, the most first. */
export async function readNoticeDays(handle: Handle): Promise<readonly number[]> {
  const stored = Setting.safeParse(await readSetting<unknown>(handle, SETTING));
  return stored.success ? inOrder(stored.data.days) : BY_DEFAULT;
}

/** Days as somebody types them, such as `7, 3, 1`; null when they are not one to six numbers of 1 to 60. */
export function parseNoticeDays(typed: string): number[] | null {
  const days = typed.split(/[\s,]+/).filter((part) => part !== "");
  const parsed = Setting.safeParse({
    days: days.map((day) => (/^[0-9]{1,2}$/.test(day) ? Number(day) : 0)),
  });
  return parsed.success ? inOrder(parsed.data.days) : null;
}

/** Changes when subscribers are told that their access ends. */
export async function saveNoticeDays(database: Database, days: number[], actor: Actor): Promise<void> {
  await database.transaction(async (tx) => {
    const before = await readNoticeDays(tx);
    await writeSetting(tx, SETTING, { days: inOrder(days) });
    await recordAudit(tx, {
      actor,
      action: "settings.notice_days",
      target: `setting/${SETTING}`,
      details: { before, after: inOrder(days) },
    });
  });
}

const inOrder = (days: readonly number[]): number[] => [...new Set(days)].sort((a, b) => b - a);
