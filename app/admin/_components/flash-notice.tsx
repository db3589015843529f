import { Notice } from "@/app/_components/notice";
import type { Flash } from "@/lib/auth/flash";

/** The result of the last form, shown once above the page. */
export function FlashNotice({ flash }: { flash: Flash | null }) {
  if (flash?.kind === "done") {
    return (
      <div className="mb-6">
        <Notice tone="done" announce>
          {flash.text}
        </Notice>
      </div>
    );
  }
  if (flash?.kind === "failed") {
    return (
      <div className="mb-6">
        <Notice tone="danger" title="Nothing was changed" announce>
          {flash.text}
        </Notice>
      </div>
    );
  }
  if (flash?.kind === "report") {
    return (
      <div className="mb-6">
        <Notice tone={flash.isGood ? "done" : "danger"} title={flash.title} announce>
          <ul>
            {flash.lines.map((line) => (
              <li key={line} className="break-words">
                {line}
              </li>
            ))}
          </ul>
        </Notice>
      </div>
    );
  }
  if (flash?.kind === "form") {
    return (
      <div className="mb-6">
        <Notice tone="danger" title="Some fields are not valid" announce>
          Nothing was changed.{" "}
          {"secret" in flash.errors
            ? "Type the secret again: it is never shown."
            : "What you typed is still in the form."}
        </Notice>
      </div>
    );
  }
  if (flash?.kind === "overtaken") {
    return (
      <div className="mb-6">
        <Notice tone="danger" title="Changed in the meantime" announce>
          A new version was stored while this form was open, by another administrator or in another tab, so
          nothing was stored. What you typed is still in the form. Preview it again to see what it would
          replace.
        </Notice>
      </div>
    );
  }
  return null;
}

export interface FormState {
  errors: Record<string, string>;
  values: Record<string, string>;
  /**
   * The form came back (rejected, as a preview, or because another version was stored first), so it shows the typed
   * values.
   */
  returned: boolean;
}

/** Errors and typed values of the form named `form` if the flash message is about it; otherwise empty. */
export function formState(flash: Flash | null, form: string): FormState {
  if (flash?.kind === "form" && flash.form === form)
    return { errors: flash.errors, values: flash.values, returned: true };
  if ((flash?.kind === "preview" || flash?.kind === "overtaken") && flash.form === form)
    return { errors: {}, values: flash.values, returned: true };
  return { errors: {}, values: {}, returned: false };
}
