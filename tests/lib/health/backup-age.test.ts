import { describe, expect, it } from "vitest";
import { backupAge } from "@/lib/health/backup-age";

const now = new Date("2026-11-29T12:00:00Z");
const plan = { dir: "backups", passphrase: "p", everyHours: 24, keep: 7 } as never;
const ageAfter = (startedAt: string, hasFailed: boolean) =>
  backupAge(plan, { last: null, firstTry: { startedAt, hasFailed } }, now);

describe("backupAge before the first backup", () => {
  it("is not late before the worker's first attempt", () => {
    expect(backupAge(plan, { last: null, firstTry: null }, now)).toEqual({ hours: null, isLate: false });
  });

  it("is not late in the first hour of an attempt", () => {
    expect(ageAfter("2026-11-29T11:10:00Z", false)).toEqual({ hours: null, isLate: false });
  });

  it("is late once an attempt failed or has lasted for an hour", () => {
    expect(ageAfter("2026-11-29T11:59:00Z", true)).toEqual({ hours: null, isLate: true });
    expect(ageAfter("2026-11-29T10:50:00Z", false)).toEqual({ hours: null, isLate: true });
  });
});
