"use client";

import { type ReactNode, useId, useRef, useState } from "react";
import { type ButtonSize, type ButtonVariant, buttonClass } from "./button";
import { TextInput } from "./form/text-input";

/**
 * A button that asks before it acts. The dialog names the consequence; with `typedWord` the reader types it first.
 * Confirming posts `fields` to `action`. The browser's own modal dialog keeps the focus inside, closes on Escape and
 * gives the focus back (decision 102).
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
}: {
  trigger: ReactNode;
  triggerVariant?: ButtonVariant;
  triggerSize?: ButtonSize;
  title: string;
  consequence: ReactNode;
  confirmLabel: string;
  typedWord?: string;
  action: string;
  fields?: Record<string, string>;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState("");
  const titleId = useId();
  const textId = useId();
  const ready = typedWord === undefined || typed.trim() === typedWord;

  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        onClick={() => dialog.current?.showModal()}
        className={buttonClass(triggerVariant, triggerSize)}
      >
        {trigger}
      </button>
      <dialog
        ref={dialog}
        aria-labelledby={titleId}
        aria-describedby={textId}
        onClose={() => setTyped("")}
        className="m-auto w-[min(28rem,calc(100vw-2rem))] rounded-lg border bg-raised p-0 text-left text-base font-normal whitespace-normal text-ink shadow-float"
      >
        <form method="post" action={action} className="p-6">
          {Object.entries(fields).map(([name, value]) => (
            <input key={name} type="hidden" name={name} value={value} />
          ))}
          <h2 id={titleId} className="text-lg">
            {title}
          </h2>
          <div id={textId} className="mt-2 text-sm text-muted">
            {consequence}
          </div>
          {typedWord !== undefined && (
            <TextInput
              className="mt-5"
              label={`Type ${typedWord} to go on`}
              name="typed_word"
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
          <div className="mt-6 flex flex-wrap justify-end gap-2">
            <button
              type="button"
              onClick={() => dialog.current?.close()}
              className={buttonClass("secondary")}
            >
              Cancel
            </button>
            <button type="submit" disabled={!ready} className={buttonClass("danger")}>
              {confirmLabel}
            </button>
          </div>
        </form>
      </dialog>
    </>
  );
}
