import type { Handle } from "@/db/client";
import { readSetting } from "@/db/queries/settings";
import { EndNotice } from "@/lib/runtime/setting-documents";

const BY_DEFAULT = [7, 3, 1];

/** The days before the end of access at which its subscriber is told, the most first. */
export async function readNoticeDays(handle: Handle): Promise<number[]> {
  const stored = EndNotice.safeParse(await readSetting<unknown>(handle, "end_notice"));
  return stored.success ? inOrder(stored.data.days) : BY_DEFAULT;
}

/** Days as somebody types them, such as `7, 3, 1`; null when they are not one to six numbers of 1 to 60. */
export function parseNoticeDays(typed: string): number[] | null {
  const days = typed.split(/[\s,]+/).filter((part) => part !== "");
  const parsed = EndNotice.safeParse({
    days: days.map((day) => (/^[0-9]{1,2}$/.test(day) ? Number(day) : 0)),
  });
  return parsed.success ? inOrder(parsed.data.days) : null;
}

const inOrder = (days: readonly number[]): number[] => [...new Set(days)].sort((a, b) => b - a);
