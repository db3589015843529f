import { Card } from "@/app/_components/card";
import { FactList, type FactListItem } from "@/app/_components/fact-list";
import { countWithNoun, formatNumber } from "@/app/_components/figures";
import { StatusPill } from "@/app/_components/status-pill";
import { Timestamp } from "@/app/_components/timestamp";
import { formatBytes } from "@/app/admin/_components/format-bytes";
import type { BackupFacts } from "@/lib/admin/read-schema-and-backup-state";
import { adminPaths } from "@/lib/paths";

/** The newest backup, the next one, and how to restore; without backups, how to turn them on. */
export function BackupCard({ plan, age, last, lastDrill }: BackupFacts) {
  return (
    <div id="backup" className="scroll-mt-24">
      {plan === null || age === null ? (
        <Card title="Backup" lead="Backups are off. Until they are on, a broken disk loses everything.">
          <ol className="list-decimal space-y-2 pl-5 text-sm">
            <li>
              Set the variable <code className="font-mono">BACKUP_PASSPHRASE</code> to a long random text,
              such as the output of <code className="font-mono">openssl rand -base64 32</code>.
            </li>
            <li>Keep a copy of the passphrase on another machine: without it no backup can be opened.</li>
            <li>Restart the service. The worker takes a backup, tests it, and this card shows the result.</li>
          </ol>
        </Card>
      ) : (
        <Card
          title="Backup"
          lead="A backup counts once it has been tested."
          footer={
            <>
              Restore: <code className="font-mono break-all">npm run restore -- FILE</code>, into an empty
              database. With <code className="font-mono">--drill</code> the command restores a file as a
              rehearsal and notes how long it took.
            </>
          }
        >
          <FactList
            facts={[
              {
                name: "State",
                value: age.isLate ? (
                  <StatusPill state="degraded" label="Late" />
                ) : last === null ? (
                  <StatusPill state="unknown" label="None yet" />
                ) : (
                  <StatusPill state="ok" label="Good" />
                ),
              },
              ...(last === null ? [] : newest(last)),
              {
                name: "Schedule",
                value: (
                  <a href={adminPaths.settingsPage("service")} className="link">
                    {plan.everyHours === 0
                      ? "By command only"
                      : `Every ${countWithNoun(plan.everyHours, "hour")}`}
                    , the newest {formatNumber(plan.keep)} kept
                  </a>
                ),
              },
              {
                name: "Last restore drill",
                value:
                  lastDrill === null ? (
                    "none yet"
                  ) : (
                    <>
                      <Timestamp at={new Date(lastDrill.at)} />,{" "}
                      {countWithNoun(Math.round(lastDrill.seconds), "second")}
                    </>
                  ),
              },
            ]}
          />
        </Card>
      )}
    </div>
  );
}

const newest = (last: NonNullable<BackupFacts["last"]>): FactListItem[] => [
  { name: "Newest backup", value: <Timestamp at={new Date(last.takenAt)} /> },
  {
    name: "File",
    value: (
      <span className="break-all">
        {last.file}, {formatBytes(last.bytes)}
      </span>
    ),
  },
  // The folder into which the worker wrote the backup; it can differ from this replica's setting.
  ...(last.dir === undefined
    ? []
    : [{ name: "Folder", value: <span className="break-all">{last.dir}</span> }]),
  { name: "Test", value: last.proof === "restored" ? "restored and compared" : "read back" },
];
