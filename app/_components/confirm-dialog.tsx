import { type ReactNode, useId } from "react";
import { type ButtonSize, type ButtonVariant, buttonClass } from "./button";
import { classNames } from "./class-names";
import { TextInput } from "./form/text-input";

declare module "react" {
  /** Invoker Commands, which React passes through and its types do not contain yet. */
  interface ButtonHTMLAttributes<T> {
    command?: "show-modal" | "close";
    /** Id of the dialog. */
    commandfor?: string;
  }
}

/**
 * A button with a confirmation dialog that names the consequence; with `typedWord` the user must type it. Confirming
 * posts `fields` to `action`. The browser opens, validates and closes the dialog, so it works without scripts; it keeps
 * the focus inside, closes on Escape and returns the focus.
 */
export function ConfirmDialog({
  trigger,
  triggerVariant = "danger",
  triggerSize = "medium",
  title,
  consequence,
  confirmLabel,
  typedWord,
  action,
  fields = {},
  children,
}: {
  trigger: ReactNode;
  triggerVariant?: ButtonVariant;
  triggerSize?: ButtonSize;
  title: string;
  consequence: ReactNode;
  confirmLabel: string;
  /** Letters only: it becomes a regular expression. */
  typedWord?: string;
  action: string;
  fields?: Record<string, string>;
  children?: ReactNode;
}) {
  const dialogId = useId();
  const titleId = useId();
  const textId = useId();

  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        command="show-modal"
        commandfor={dialogId}
        className={buttonClass(triggerVariant, triggerSize)}
      >
        {trigger}
      </button>
      <dialog
        id={dialogId}
        aria-labelledby={titleId}
        aria-describedby={textId}
        className="m-auto w-[min(28rem,calc(100vw-2rem))] rounded-lg border bg-raised p-0 text-left text-base font-normal whitespace-normal text-ink shadow-float"
      >
        <form method="post" action={action} className="group/confirm p-6">
          {Object.entries(fields).map(([name, value]) => (
            <input key={name} type="hidden" name={name} value={value} />
          ))}
          {children}
          <h2 id={titleId} className="text-lg">
            {title}
          </h2>
          <div id={textId} className="mt-2 text-sm text-muted">
            {consequence}
          </div>
          {typedWord !== undefined && (
            <TextInput
              className="mt-5"
              label={`Type ${typedWord} to continue`}
              name="typed_word"
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              required
              pattern={`\\s*${typedWord}\\s*`}
              title={`Type ${typedWord}`}
            />
          )}
          <div className="mt-6 flex flex-wrap justify-end gap-2">
            <button type="button" command="close" commandfor={dialogId} className={buttonClass("secondary")}>
              Cancel
            </button>
            <button
              type="submit"
              className={classNames(
                buttonClass("danger"),
                "group-invalid/confirm:border-line group-invalid/confirm:bg-sunken group-invalid/confirm:text-faint",
              )}
            >
              {confirmLabel}
            </button>
          </div>
        </form>
      </dialog>
    </>
  );
}
