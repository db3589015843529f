import { z } from "zod";
import { db } from "@/db/client";
import { log } from "@/lib/runtime/log";
import { AppError } from "@/lib/wire/errors";
import { answerBrowser, FILE_MARK, otherAccount, readForm, requireOwnForm, seeOther } from "./browser-answer";
import { type Flash, leaveFlash } from "./flash";
import type { Guard, Sender } from "./guards";
import { type Call, type Handler, NUL, paramsOf } from "./handler";

/** Where the browser goes next, with what cookies, and what it finds there. */
export interface FormOutcome {
  /** Missing: the page that the form stands on. */
  to?: string;
  cookies?: readonly string[];
  /** Shown once by the page; only where the guard names a session that shows it. */
  flash?: Flash;
}

export interface Form<S extends Sender, F extends z.ZodObject, P> {
  /** In the log, and where the page finds what was wrong with its form. */
  name: string;
  guard: Guard<S>;
  fields: F;
  /** The page that the form stands on; `wrong` is the first field that did not hold. */
  page: (params: P, wrong?: string) => string;
  /** A text alone is shown on the form's page as what was done. */
  act: (
    call: Call<S, P> & { values: z.output<F>; sent: Record<string, string> },
  ) => Promise<FormOutcome | string>;
}

/** The fields of a form that is nothing but its button. */
export const NoFields = z.object({});

/**
 * The way of every form: sent by a page of this site, by a sender whom the guard lets in, with fields that hold; then
 * the verb, then a redirect, so that a reload never acts twice. Where a session shows how forms went, its next page
 * says what was wrong with what was typed still in the fields; elsewhere the page's address does.
 */
export function formRoute<S extends Sender, F extends z.ZodObject, P = Record<string, never>>(
  form: Form<S, F, P>,
): Handler<P> {
  return (request, context) =>
    answerBrowser(request, form.name, async (requestId) => {
      requireOwnForm(request);
      const params = await paramsOf(context);
      const sender = await admit(form, request, requestId, params);
      const sent = await readForm(request);
      requireSeenBy(sender, sent);
      const outcome = await judge(form, { ...sender, request, requestId, params }, sent);
      if (outcome.flash && sender.flashSession !== null)
        await leaveFlash(db(), sender.flashSession, outcome.flash);
      return seeOther(outcome.to ?? form.page(params), outcome.cookies);
    });
}

/** Ends the request of a page that showed another subscription than the session has now. */
function requireSeenBy({ subscriptionId }: Sender, sent: Record<string, string>): void {
  const { seen_by: seenBy } = sent;
  if (subscriptionId !== undefined && seenBy !== undefined && seenBy !== String(subscriptionId))
    throw otherAccount();
}

async function admit<S extends Sender, F extends z.ZodObject, P>(
  form: Form<S, F, P>,
  request: Request,
  requestId: string,
  params: P,
): Promise<S> {
  try {
    return await form.guard({ request, requestId, page: form.page(params), action: form.name });
  } catch (answer) {
    if (answer instanceof Response)
      log("info", "a form came without a live session", { requestId, action: form.name });
    throw answer;
  }
}

async function judge<S extends Sender, F extends z.ZodObject, P>(
  form: Form<S, F, P>,
  call: Call<S, P>,
  sent: Record<string, string>,
): Promise<FormOutcome> {
  const unstorable = Object.entries(sent).filter(([, value]) => value.includes(NUL));
  if (unstorable.length > 0) {
    const errors = Object.fromEntries(unstorable.map(([name]) => [name, "must be text"]));
    return comeBack(form, call.params, errors, sent);
  }
  const parsed = form.fields.safeParse(sent);
  if (!parsed.success) return comeBack(form, call.params, errorsOf(parsed.error), sent);
  try {
    const outcome = await form.act({ ...call, values: parsed.data, sent });
    return typeof outcome === "string" ? { flash: { kind: "done", text: outcome } } : outcome;
  } catch (error) {
    // A refusal of the verb is shown where the form stands; without a page that shows it, it is the answer.
    if (!(error instanceof AppError) || call.flashSession === null) throw error;
    const fields = Object.fromEntries(
      (error.errors ?? []).flatMap(({ loc: [, field], msg }) =>
        typeof field === "string" ? [[field, msg]] : [],
      ),
    );
    return Object.keys(fields).length > 0
      ? comeBack(form, call.params, fields, sent)
      : { flash: { kind: "failed", text: error.detail } };
  }
}

function comeBack<S extends Sender, F extends z.ZodObject, P>(
  form: Form<S, F, P>,
  params: P,
  errors: Record<string, string>,
  values: Record<string, string>,
): FormOutcome {
  const [first] = Object.keys(errors);
  // No browser shows a file in its field again, and no page a secret.
  const shown = Object.fromEntries(
    Object.entries(values).filter(([name, value]) => name !== "secret" && !value.startsWith(FILE_MARK)),
  );
  return { to: form.page(params, first), flash: { kind: "form", form: form.name, errors, values: shown } };
}

/** The first problem of each field, in the order of the fields. */
function errorsOf(error: z.ZodError): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const { path, message } of error.issues) errors[String(path[0] ?? "form")] ??= message;
  return errors;
}
