import { ChevronRight } from "lucide-react";
import { ScrollRegion } from "@/app/_components/scroll-region";
import { PortalTime } from "@/app/portal/_components/portal-time";
import type { listRejectedReports } from "@/db/queries/execution-reports";
import type { WallClock } from "@/lib/market/clock";

type Report = Awaited<ReturnType<typeof listRejectedReports>>[number];

/** Rejected reports with the field, the reason, and the beginning of the body. */
export function RejectedReports({ reports, clock }: { reports: readonly Report[]; clock: WallClock }) {
  return (
    <ul className="divide-y">
      {reports.map((report) => (
        <li key={report.id} className="px-4 py-3 sm:px-6">
          <div className="flex flex-wrap items-baseline justify-between gap-x-4 text-sm">
            <p className="font-medium">{reasonOf(report)}</p>
            <p className="text-xs text-faint">
              <PortalTime at={report.at} clock={clock} />
            </p>
          </div>
          <details className="group mt-1 text-sm">
            <summary className="inline-flex min-h-6 items-center gap-1 text-muted hover:text-ink">
              <ChevronRight aria-hidden="true" className="size-3.5 group-open:rotate-90" />
              What was sent
            </summary>
            <ScrollRegion label="What was sent" className="mt-2 rounded-md border bg-sunken">
              <pre className="px-3 py-2 font-mono text-xs leading-5">
                {report.bodyExcerpt || "No readable body."}
              </pre>
            </ScrollRegion>
            <p className="mt-1 text-xs text-faint">
              Request id <code className="font-mono">{report.requestId}</code>
            </p>
          </details>
        </li>
      ))}
    </ul>
  );
}

function reasonOf(report: Report): string {
  if (report.errors.length === 0) return report.code;
  return report.errors
    .map((error) => `${error.loc.slice(1).join(".") || String(error.loc[0] ?? "body")}: ${error.msg}`)
    .join("; ");
}
