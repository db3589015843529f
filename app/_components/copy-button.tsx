import { Check, Copy } from "lucide-react";
import { buttonClass } from "./button";
import { classNames } from "./class-names";

/**
 * Copies a text to the clipboard and shows whether that worked; `public/enhance.js` does it. `what` completes "Copy ..."
 * for screen readers.
 */
export function CopyButton({ text, what }: { text: string; what: string }) {
  return (
    <button
      type="button"
      data-copy={text}
      className={classNames(buttonClass("secondary", "small"), "group/copy noscript:hidden")}
    >
      <Copy aria-hidden="true" className="group-data-[copied=yes]/copy:hidden" />
      <Check aria-hidden="true" className="hidden group-data-[copied=yes]/copy:block" />
      <span aria-live="polite" data-copy-word="">
        Copy
      </span>
      <span className="sr-only"> {what}</span>
    </button>
  );
}
