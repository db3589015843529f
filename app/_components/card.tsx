import { type ReactNode, useId } from "react";
import { classNames } from "./class-names";
import { WithTerms } from "./term";

/** A bordered region with a heading. `flush` removes the padding for a table or chart. */
export function Card({
  title,
  lead,
  actions,
  footer,
  flush = false,
  headingLevel: Heading = "h2",
  className,
  children,
}: {
  title?: ReactNode;
  lead?: ReactNode;
  actions?: ReactNode;
  footer?: ReactNode;
  flush?: boolean;
  headingLevel?: "h2" | "h3";
  className?: string;
  children: ReactNode;
}) {
  const titleId = useId();
  return (
    <section
      aria-labelledby={title ? titleId : undefined}
      className={classNames("flex min-w-0 flex-col overflow-hidden rounded-lg border bg-raised", className)}
    >
      {(title || actions) && (
        <div
          className={classNames(
            "flex flex-wrap items-start justify-between gap-x-6 gap-y-2 px-4 pt-4 sm:px-6 sm:pt-5",
            flush && "pb-4",
          )}
        >
          <div className="min-w-0">
            {title && (
              <Heading id={titleId} className="text-base">
                {typeof title === "string" ? <WithTerms text={title} /> : title}
              </Heading>
            )}
            {lead && <p className="mt-1 max-w-[68ch] text-sm text-muted">{lead}</p>}
          </div>
          {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </div>
      )}
      <div
        className={classNames(
          "grow",
          !flush && "px-4 py-4 sm:px-6 sm:py-5",
          flush && Boolean(title) && "border-t",
        )}
      >
        {children}
      </div>
      {footer && <div className="border-t bg-sunken/50 px-4 py-3 text-sm text-muted sm:px-6">{footer}</div>}
    </section>
  );
}
