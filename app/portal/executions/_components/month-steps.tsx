import { ChevronLeft, ChevronRight } from "lucide-react";
import { formatMonth } from "@/app/_components/times";

const BUTTON_CLASS = "inline-grid size-8 place-items-center rounded-md border text-muted";

/** Links to the previous and next month with a closed position. */
export function MonthNavigation({
  months,
  month,
  hrefOf,
}: {
  /** `2026-11`, oldest first. */
  months: readonly string[];
  month: string;
  hrefOf: (month: string) => string;
}) {
  const index = months.indexOf(month);
  const step = (target: string | undefined, word: string, Icon: typeof ChevronLeft) =>
    target ? (
      <a href={hrefOf(target)} data-keeps-scroll className={`${BUTTON_CLASS} hover:bg-sunken hover:text-ink`}>
        <Icon aria-hidden="true" className="size-4" />
        <span className="sr-only">
          {word}: {formatMonth(new Date(`${target}-01T00:00:00Z`))}
        </span>
      </a>
    ) : (
      <span aria-hidden="true" className={`${BUTTON_CLASS} opacity-40`}>
        <Icon className="size-4" />
      </span>
    );
  return (
    <nav aria-label="Months" className="flex gap-1.5">
      {step(months[index - 1], "Month before", ChevronLeft)}
      {step(months[index + 1], "Month after", ChevronRight)}
    </nav>
  );
}
