import { CircleAlert } from "lucide-react";
import { type ReactNode, useId } from "react";
import { classNames } from "@/app/_components/class-names";

export type FieldText = { label: string; hint?: ReactNode; error?: string; hideLabel?: boolean };

/** The attributes that tie a control to its label, hint and error. */
export type FieldWiring = {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": true | undefined;
  /** Set on a control with an error. The browser focuses the first such control of a rejected form. */
  autoFocus: true | undefined;
};

/** The frame of a control: label above, hint and error below, tied together by id. */
export function Field({
  label,
  hint,
  error,
  hideLabel = false,
  className,
  children,
}: FieldText & { className?: string; children: (wiring: FieldWiring) => ReactNode }) {
  const id = useId();
  const hintId = hint ? `${id}-hint` : undefined;
  const errorId = error ? `${id}-error` : undefined;
  return (
    <div className={classNames("min-w-0", className)}>
      <label htmlFor={id} className={hideLabel ? "sr-only" : "mb-1.5 block text-sm font-medium"}>
        {label}
      </label>
      {children({
        id,
        "aria-describedby": [hintId, errorId].filter(Boolean).join(" ") || undefined,
        "aria-invalid": error ? true : undefined,
        autoFocus: error ? true : undefined,
      })}
      {hint && (
        <p id={hintId} className="mt-1.5 text-sm text-muted">
          {hint}
        </p>
      )}
      {error && (
        <p id={errorId} className="mt-1.5 flex items-start gap-1.5 text-sm text-danger">
          <CircleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
          {fieldErrorAsSentence(error)}
        </p>
      )}
    </div>
  );
}

/**
 * A validation message of the API, which continues the name of its field (`must be a number`), as a sentence: `Must be
 * a number.`
 */
export const fieldErrorAsSentence = (message: string): string =>
  `${message.charAt(0).toUpperCase()}${message.slice(1)}${/[.?!]$/.test(message) ? "" : "."}`;

/** Class names of every control that takes text or a choice. */
export const controlClass =
  "block h-10 w-full rounded-md border border-edge/60 bg-raised px-3 text-base text-ink placeholder:text-faint hover:border-edge aria-invalid:border-danger disabled:bg-sunken disabled:text-faint sm:text-sm";
