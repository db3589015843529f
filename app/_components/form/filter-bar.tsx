import type { ReactNode } from "react";
import { Button, buttonClass } from "@/app/_components/button";

/**
 * Filters as a plain GET form, so that the address contains them and no JavaScript is needed. `resetHref` is set only
 * while a filter is active.
 */
export function FilterBar({
  action,
  resetHref,
  label = "Filters",
  children,
}: {
  action: string;
  resetHref?: string;
  label?: string;
  children: ReactNode;
}) {
  return (
    <search aria-label={label}>
      <form
        action={action}
        method="get"
        // After Back, the fields show the filter of the address and not what was chosen last.
        autoComplete="off"
        className="flex flex-wrap items-end gap-3 [&>div]:min-w-32 sm:[&>div]:min-w-36 [&>div]:phone:flex-1 [&>div:has([type=date])]:phone:basis-full"
      >
        {children}
        <span className="flex gap-2">
          <Button type="submit">Apply</Button>
          {resetHref && (
            <a href={resetHref} className={buttonClass("quiet")}>
              Clear
            </a>
          )}
        </span>
      </form>
    </search>
  );
}
