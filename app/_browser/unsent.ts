/**
 * Keeps what was typed into a form when the session has ended. A form that is sent after that leads to the sign-in
 * without its text. Chromium still has the text some steps back in the history; other browsers need not, because these
 * pages are not stored. So the session is checked first.
 */
const CHECK_TIMEOUT_MS = 10_000;
const checkingForms = new WeakSet<HTMLFormElement>();
const checkedForms = new WeakSet<HTMLFormElement>();

/** An address that redirects once the session has ended, and what its response must fulfil besides. */
export interface SessionCheck {
  address: string;
  isSameSession?: (response: Response) => Promise<boolean>;
}

/** Checks the session before a form with fields is posted. If it has ended, opens the dialog instead. */
export function checkSessionBeforeSending(check: SessionCheck): void {
  document.addEventListener(
    "submit",
    (event) => {
      const { target: form, submitter } = event;
      if (!(form instanceof HTMLFormElement) || form.method !== "post") return;
      if (form.querySelector("textarea, input:not([type=hidden])") === null || checkedForms.delete(form))
        return;
      event.preventDefault();
      if (!checkingForms.has(form)) void sendIfSignedIn(form, submitter, check);
    },
    // Before the listener that lets a form be sent only once.
    true,
  );
}

async function sendIfSignedIn(
  form: HTMLFormElement,
  submitter: HTMLElement | null,
  check: SessionCheck,
): Promise<void> {
  checkingForms.add(form);
  const result = await sessionState(check).catch(() => "failed" as const);
  checkingForms.delete(form);
  if (result !== "open") return openUnsentDialog(result);
  checkedForms.add(form);
  form.requestSubmit(submitter);
}

async function sessionState({ address, isSameSession }: SessionCheck): Promise<"open" | "ended" | "failed"> {
  const response = await fetch(address, {
    redirect: "manual",
    signal: AbortSignal.timeout(CHECK_TIMEOUT_MS),
  });
  if (response.type === "opaqueredirect") return "ended";
  if (!response.ok) return "failed";
  return isSameSession === undefined || (await isSameSession(response)) ? "open" : "ended";
}

/** Opens the dialog that says why a form was not sent. */
export function openUnsentDialog(reason: "ended" | "failed"): void {
  for (const part of document.querySelectorAll<HTMLElement>("[data-unsent-says]"))
    part.hidden = part.dataset.unsentSays !== reason;
  const dialog = document.querySelector<HTMLDialogElement>("[data-unsent]");
  if (!dialog?.open) dialog?.showModal();
}
