import { PageHeader } from "@/app/_components/page-header";
import { formatDay } from "@/app/_components/times";
import { CHANGELOG_ENTRIES } from "./entries";

export const metadata = { title: "Changelog", description: "Changes of the API, newest first." };

export default function Changelog() {
  return (
    <div className="mx-auto max-w-6xl px-4 py-12 sm:px-6 lg:py-16">
      <PageHeader
        title="Changelog"
        lead="Fields, headers and codes are added without notice and never renamed or removed within a major version. GET /api/health names the current version."
      />
      <div className="divide-y border-y">
        {CHANGELOG_ENTRIES.map((entry) => (
          <section
            key={entry.version}
            aria-labelledby={`v${entry.version}`}
            className="grid gap-x-16 gap-y-4 py-8 md:grid-cols-[11rem_1fr]"
          >
            <div>
              <h2 id={`v${entry.version}`} className="text-lg tabular-nums">
                {entry.version}
              </h2>
              <time dateTime={entry.date} className="text-sm text-muted">
                {formatDay(new Date(entry.date))}
              </time>
            </div>
            <ul className="list-disc space-y-2 pl-5 marker:text-faint">
              {entry.changes.map((change) => (
                <li key={change}>{change}</li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </div>
  );
}
