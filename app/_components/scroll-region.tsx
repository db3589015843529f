import type { ReactNode } from "react";
import { classNames } from "./class-names";

/** Wraps content that may be wider than the screen, so that it scrolls by touch and keyboard and the page does not. */
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
    // A group and not a region: a page with ten code blocks must not have ten landmarks.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div role="group" aria-label={label} tabIndex={0} className={classNames("scroll-x", className)}>
      {children}
    </div>
  );
}
