"use client";

import { Info } from "lucide-react";
import { type ReactNode, useId } from "react";

/** A small button that opens an explanation, by mouse, touch and keyboard, without JavaScript. */
export function Hint({ about, children }: { about: string; children: ReactNode }) {
  const id = useId();
  return (
    <span className="inline-flex">
      <button
        type="button"
        popoverTarget={id}
        aria-label={`About ${about}`}
        className="-m-1.5 grid size-6 place-items-center rounded-full text-faint hover:text-ink"
      >
        <Info aria-hidden="true" className="size-3.5" />
      </button>
      <span
        id={id}
        popover="auto"
        className="popover-beside max-w-72 rounded-md border bg-raised p-3 text-left text-sm font-normal tracking-normal whitespace-normal text-muted shadow-float"
      >
        {children}
      </span>
    </span>
  );
}
