import { ArrowRight, CircleAlert, CircleCheck, TriangleAlert } from "lucide-react";
import type { AttentionItem } from "@/lib/admin/attention";

const STYLES = {
  danger: { icon: CircleAlert, mark: "text-danger", edge: "before:bg-danger" },
  warn: { icon: TriangleAlert, mark: "text-warn", edge: "before:bg-warn" },
} as const;

/** Problems that an administrator must solve, worst first, each with a link. */
export function AttentionList({ items }: { items: readonly AttentionItem[] }) {
  if (items.length === 0) {
    return (
      <section
        aria-label="Needs attention"
        className="flex items-center gap-3 rounded-lg border bg-raised px-4 py-4 sm:px-6"
      >
        <CircleCheck aria-hidden="true" className="size-5 shrink-0 text-up" />
        <p>
          <span className="font-semibold">Nothing needs your attention.</span>{" "}
          <span className="text-muted">The checks of signals, mail and payments found no problem.</span>
        </p>
      </section>
    );
  }
  return (
    <section aria-labelledby="attention" className="overflow-hidden rounded-lg border bg-raised">
      <h2 id="attention" className="flex items-center gap-2 border-b px-4 py-3 text-base sm:px-6">
        Needs attention
        <span className="rounded-sm bg-sunken px-1.5 text-xs text-muted tabular-nums">{items.length}</span>
      </h2>
      <ul className="divide-y">
        {items.map((item) => {
          const { icon: Icon, mark, edge } = STYLES[item.tone];
          return (
            <li
              key={`${item.title}${item.text}`}
              className={`relative flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3.5 before:absolute before:inset-y-0 before:left-0 before:w-0.5 sm:px-6 ${edge}`}
            >
              <Icon aria-hidden="true" className={`size-5 shrink-0 ${mark}`} />
              <div className="min-w-0 flex-1 basis-64">
                <p className="font-semibold">
                  <span className="sr-only">{item.tone === "danger" ? "Urgent: " : "Warning: "}</span>
                  {item.title}
                </p>
                <p className="text-sm text-muted">{item.text}</p>
              </div>
              <a
                href={item.href}
                className="inline-flex min-h-8 items-center gap-1.5 text-sm font-medium text-accent hover:underline phone:ml-9"
              >
                {item.linkLabel}
                <ArrowRight aria-hidden="true" className="size-4" />
              </a>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
