import type { ReactNode } from "react";

/** `id` distinguishes facts with the same name. */
export type FactListItem = { id?: string | number; name: string; value: ReactNode };

/** Names and values under each other, the figures in one column. */
export function FactList({ facts, label }: { facts: readonly FactListItem[]; label?: string }) {
  return (
    <dl aria-label={label} className="divide-y text-sm">
      {facts.map(({ id, name, value }) => (
        <div
          key={id ?? name}
          className="flex flex-wrap items-center justify-between gap-x-6 gap-y-1 py-2.5 first:pt-0 last:pb-0"
        >
          <dt className="text-muted">{name}</dt>
          <dd className="min-w-0 text-right font-medium tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
