import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { BackupCard } from "@/app/admin/(area)/operations/_components/backup-card";

const plan = { passphrase: "", formerPassphrases: [], dir: "/srv/backups", everyHours: 24, keep: 14 };
const last = {
  takenAt: "2026-11-26T10:00:00Z",
  file: "signals-20261126T100000Z.backup",
  dir: "/var/lib/worker/backups",
  bytes: 3_000_000,
  seconds: 4,
  tables: 60,
  rows: 187,
  proof: "restored" as const,
};
const textOf = (facts: Parameters<typeof BackupCard>[0]) =>
  renderToStaticMarkup(<BackupCard {...facts} />).replaceAll(/<[^>]+>/g, " ");

describe("the card of backups", () => {
  it("the card says how to turn on backups where none are configured", () => {
    const text = textOf({ plan: null, age: null, last: null, lastDrill: null });
    expect(text).toContain("BACKUP_PASSPHRASE");
    expect(text).toContain("Restart the service");
  });

  it("the card shows the newest backup, its test, the schedule and how to restore", () => {
    const text = textOf({ plan, age: { hours: 2, isLate: false }, last, lastDrill: null });
    for (const part of ["Good", last.file, "restored and compared", last.dir, "npm run restore", "none yet"])
      expect(text).toContain(part);
  });

  it("the card shows the folder of the worker that took the backup, not that of this replica", () => {
    const of = (state: Parameters<typeof BackupCard>[0]["last"]) =>
      textOf({ plan, age: { hours: 2, isLate: false }, last: state, lastDrill: null });
    expect(of(last)).toContain("/var/lib/worker/backups");
    expect(of(last)).not.toContain("/srv/backups");
    const { dir: _, ...former } = last;
    expect(of(former)).not.toContain("/srv/backups");
  });

  it("the card says that a backup is late", () => {
    expect(textOf({ plan, age: { hours: 60, isLate: true }, last, lastDrill: null })).toContain("Late");
  });
});
