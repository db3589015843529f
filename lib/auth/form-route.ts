import { z } from "zod";
import { db } from "@/db/client";
import { log } from "@/lib/runtime/log";
import { AppError } from "@/lib/wire/errors";
import {
  answerBrowser,
  readForm,
  redirectWithGet,
  requireSameOriginForm,
  UPLOADED_FILE_PREFIX,
  wrongSubscriptionResponse,
} from "./browser-answer";
import { type Flash, storeFlash } from "./flash";
import type { AuthorizedSender, RequestGuard } from "./guards";
import { type HandlerContext, NUL, paramsOf, type RouteHandler } from "./handler";

/** The result of a form: redirect, cookies and flash. */
export interface FormOutcome {
  /** Missing: the form's own page. */
  to?: string;
  cookies?: readonly string[];
  /** Message that the next page shows once; only possible if the guard returns a `flashSession`. */
  flash?: Flash;
}

export interface FormDefinition<S extends AuthorizedSender, F extends z.ZodObject, P> {
  /** Name of the form in the log and in the flash, by which the page finds the errors of its form. */
  name: string;
  guard: RequestGuard<S>;
  fields: F;
  /** Size limit of a form with a file; missing: enough for a long text. */
  maxBytes?: number;
  /** The form's page; `wrong` is the first invalid field. */
  page: (params: P, wrong?: string) => string;
  /** Runs the action. A text as its result becomes the flash of the form's page. */
  act: (
    call: HandlerContext<S, P> & { values: z.output<F>; sent: Record<string, string> },
  ) => Promise<FormOutcome | string>;
}

/** The fields of a form that is only a button. */
export const NoFields = z.object({});

/**
 * Handles every form: checks its origin, the sender by the guard, and its fields; then runs the verb and redirects, so
 * that a reload never repeats it. With a session, errors are shown on its next page with the submitted values. Without
 * one, the address of the form's page names the first invalid field, and an error of the verb is the response.
 */
export function formRoute<S extends AuthorizedSender, F extends z.ZodObject, P = Record<string, never>>(
  form: FormDefinition<S, F, P>,
): RouteHandler<P> {
  return (request, context) =>
    answerBrowser(request, form.name, async (requestId) => {
      requireSameOriginForm(request);
      const params = await paramsOf(context);
      const sender = await admit(form, request, requestId, params);
      const sent = await readForm(request, form.maxBytes);
      requireSeenBy(sender, sent);
      const outcome = await outcomeOf(form, { ...sender, request, requestId, params }, sent);
      if (outcome.flash && sender.flashSession !== null)
        await storeFlash(db(), sender.flashSession, outcome.flash);
      return redirectWithGet(outcome.to ?? form.page(params), outcome.cookies);
    });
}

/** Throws if the form's page showed another subscription than the session has now. */
function requireSeenBy({ subscriptionId }: AuthorizedSender, sent: Record<string, string>): void {
  const { seen_by: seenBy } = sent;
  if (subscriptionId !== undefined && seenBy !== undefined && seenBy !== String(subscriptionId))
    throw wrongSubscriptionResponse();
}

async function admit<S extends AuthorizedSender, F extends z.ZodObject, P>(
  form: FormDefinition<S, F, P>,
  request: Request,
  requestId: string,
  params: P,
): Promise<S> {
  try {
    return await form.guard({ request, requestId, page: form.page(params), action: form.name });
  } catch (answer) {
    if (answer instanceof Response)
      log("info", "a form came without a valid session", { requestId, action: form.name });
    throw answer;
  }
}

async function outcomeOf<S extends AuthorizedSender, F extends z.ZodObject, P>(
  form: FormDefinition<S, F, P>,
  call: HandlerContext<S, P>,
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
    // A verb's error is shown on the form's page; if there is no session for that, it is the response.
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

function comeBack<S extends AuthorizedSender, F extends z.ZodObject, P>(
  form: FormDefinition<S, F, P>,
  params: P,
  errors: Record<string, string>,
  values: Record<string, string>,
): FormOutcome {
  const [first] = Object.keys(errors);
  // Browsers cannot refill a file field, and no page shows a secret.
  const shown = Object.fromEntries(
    Object.entries(values).filter(
      ([name, value]) => name !== "secret" && !value.startsWith(UPLOADED_FILE_PREFIX),
    ),
  );
  return { to: form.page(params, first), flash: { kind: "form", form: form.name, errors, values: shown } };
}

/** The first problem of each field, in the order of the fields. */
function errorsOf(error: z.ZodError): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const { path, message } of error.issues) errors[String(path[0] ?? "form")] ??= message;
  return errors;
}
