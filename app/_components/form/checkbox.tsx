import { type ComponentProps, type ReactNode, useId } from "react";
import { fieldErrorAsSentence } from "./field";

type Props = Omit<ComponentProps<"input">, "id" | "type"> & {
  label: ReactNode;
  hint?: ReactNode;
  error?: string;
};

/** A checkbox with its label next to it; clicking the label works too. */
export function Checkbox({ label, hint, error, className, ...input }: Props) {
  const id = useId();
  const hintId = hint ? `${id}-hint` : undefined;
  const errorId = error ? `${id}-error` : undefined;
  return (
    <div className={className}>
      <label htmlFor={id} className="inline-flex min-h-6 cursor-pointer items-start gap-2.5 text-sm">
        <input
          {...input}
          id={id}
          type="checkbox"
          aria-describedby={[hintId, errorId].filter(Boolean).join(" ") || undefined}
          aria-invalid={error ? true : undefined}
          className="mt-0.5 size-4 shrink-0 accent-accent"
        />
        <span>{label}</span>
      </label>
      {hint && (
        <p id={hintId} className="mt-1 pl-6.5 text-sm text-muted">
          {hint}
        </p>
      )}
      {error && (
        <p id={errorId} className="mt-1 pl-6.5 text-sm text-danger">
          {fieldErrorAsSentence(error)}
        </p>
      )}
    </div>
  );
}
