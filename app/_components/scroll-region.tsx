import type { ReactNode } from "react";
import { classNames } from "./class-names";

/** What may be wider than the screen scrolls inside itself, by finger and by keyboard, never the page. */
export function ScrollRegion({
  label,
  className,
  children,
}: {
  label: string;
  className?: string;
  children: ReactNode;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section aria-label={label} tabIndex={0} className={classNames("scroll-x", className)}>
      {children}
    </section>
  );
}
