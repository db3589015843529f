import type { ReactNode } from "react";
import { classNames } from "./class-names";
import { formatNumber } from "./figures";
import { Hint } from "./hint";
import { WithTerms } from "./term";

/**
 * One headline figure. `n` is the sample size, `hint` explains how the figure is computed, and `note` is a remark below
 * it. A `Stat` must be inside a `StatRow`, which renders the list element.
 */
export function Stat({
  label,
  value,
  unit,
  n,
  hint,
  note,
}: {
  label: string;
  value: ReactNode;
  unit?: string;
  n?: number;
  hint?: ReactNode;
  note?: ReactNode;
}) {
  return (
    <div className="flex min-w-0 flex-col bg-raised px-4 py-4 sm:px-5">
      <dt className="flex items-center gap-1.5 text-sm text-muted">
        <span>
          <WithTerms text={label} />
        </span>
        {hint && <Hint about={label}>{hint}</Hint>}
      </dt>
      <dd className="mt-1 text-xl font-semibold tracking-tight tabular-nums">
        {value}
        {unit && " "}
        {unit && (
          <span className="text-sm font-normal tracking-normal text-muted">
            <WithTerms text={unit} />
          </span>
        )}
      </dd>
      {(n !== undefined || note) && (
        <dd className="mt-1 text-xs text-faint">
          {n !== undefined && <span className="tabular-nums">n = {formatNumber(n)}</span>}
          {n !== undefined && note && " · "}
          {typeof note === "string" ? <WithTerms text={note} /> : note}
        </dd>
      )}
    </div>
  );
}

const COLUMNS = {
  2: "sm:grid-cols-2",
  3: "sm:grid-cols-3",
  4: "sm:grid-cols-2 lg:grid-cols-4",
  5: "sm:grid-cols-3 lg:grid-cols-5",
  6: "sm:grid-cols-3 xl:grid-cols-6",
} as const;

/** Headline figures side by side, separated by hairlines. */
export function StatRow({
  columns = 4,
  label,
  className,
  children,
}: {
  columns?: keyof typeof COLUMNS;
  label?: string;
  className?: string;
  children: ReactNode;
}) {
  return (
    <dl
      aria-label={label}
      className={classNames(
        // Hairlines are box shadows of the cells, because a gap with a background would also show at the right edge.
        "grid grid-cols-2 gap-px overflow-hidden rounded-lg border bg-raised [&>*]:shadow-[-1px_-1px_0_0_var(--color-line)]",
        "[&>*:last-child:nth-child(odd)]:phone:col-span-2",
        COLUMNS[columns],
        className,
      )}
    >
      {children}
    </dl>
  );
}
