import { type ReactNode, useId } from "react";
import { classNames } from "@/app/_components/class-names";

/** One section of the landing page: its heading at the left, its text at the right. */
export function LandingSection({
  anchor,
  title,
  lead,
  wide = false,
  children,
}: {
  /** The fragment of an address that links to this section. */
  anchor?: string;
  title: string;
  lead?: ReactNode;
  wide?: boolean;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section id={anchor} aria-labelledby={id} className="scroll-mt-16 border-t">
      <div
        className={classNames(
          "mx-auto max-w-6xl px-4 py-16 sm:px-6 sm:py-20",
          !wide && "grid gap-x-16 gap-y-8 lg:grid-cols-[18rem_1fr]",
        )}
      >
        <div className={classNames(wide && "mb-10 max-w-2xl")}>
          <h2 id={id} className="text-2xl">
            {title}
          </h2>
          {lead && <p className="mt-3 text-muted">{lead}</p>}
        </div>
        <div className="min-w-0">{children}</div>
      </div>
    </section>
  );
}
