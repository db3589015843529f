import type { z } from "zod";
import { db } from "@/db/client";
import { adminSessionActor } from "@/lib/api/request-actor";
import { adminPaths } from "@/lib/paths";
import type { Actor } from "@/lib/runtime/audit";
import { log } from "@/lib/runtime/log";
import { AppError } from "@/lib/wire/errors";
import { adminToken, findAdminSession } from "./admin-session";
import { type Flash, leaveFlash } from "./flash";
import { answerBrowser, readForm, requireOwnForm, seeOther } from "./form-route";

export interface FormCall<V, P> {
  actor: Actor;
  values: V;
  params: P;
}

/** Where the browser goes next, and the flash that it is shown there. */
export interface FormOutcome {
  to: string;
  flash?: Flash;
}

type Handler<P> = (request: Request, context: { params: Promise<P> }) => Promise<Response>;

/**
 * Handles a form of the administrator's area: checks that our own page sent it and that the session is live, parses the
 * fields, calls the verb and redirects, so that a reload never acts twice. `back` is the page of the form: it shows
 * which fields were wrong and keeps what was typed.
 */
export function adminForm<S extends z.ZodObject, P = Record<string, never>>(options: {
  name: string;
  schema: S;
  back: (params: P) => string;
  act: (call: FormCall<z.output<S>, P>) => Promise<FormOutcome>;
}): Handler<P> {
  return (request, context) =>
    answerBrowser(
      request,
      async (requestId) => {
        requireOwnForm(request);
        const params = await context.params;
        const session = await findAdminSession(adminToken(request.headers));
        if (!session) {
          log("info", "a form came without a live session", { requestId, action: options.name });
          return seeOther(adminPaths.signIn({ next: options.back(params), reason: "ended" }));
        }
        const sent = await readForm(request);
        const parsed = options.schema.safeParse(sent);
        if (!parsed.success) {
          await leaveFlash(db(), session.sessionId, formFlash(options.name, errorsOf(parsed.error), sent));
          return seeOther(options.back(params));
        }
        const actor = adminSessionActor(request, session.sessionId, requestId);
        const outcome = await actOrExplain(options, sent, { actor, values: parsed.data, params });
        if (outcome.flash) await leaveFlash(db(), session.sessionId, outcome.flash);
        return seeOther(outcome.to);
      },
      options.name,
    );
}

/** An AppError of the verb is shown on the page of the form; any other error is thrown on. */
async function actOrExplain<S extends z.ZodObject, P>(
  options: {
    name: string;
    back: (params: P) => string;
    act: (call: FormCall<z.output<S>, P>) => Promise<FormOutcome>;
  },
  sent: Record<string, string>,
  call: FormCall<z.output<S>, P>,
): Promise<FormOutcome> {
  try {
    return await options.act(call);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const fields = (error.errors ?? []).flatMap(({ loc, msg }): [string, string][] => {
      const field = loc[1];
      return typeof field === "string" ? [[field, msg]] : [];
    });
    return {
      to: options.back(call.params),
      flash:
        fields.length > 0
          ? formFlash(options.name, Object.fromEntries(fields), sent)
          : { kind: "failed", text: error.detail },
    };
  }
}

function formFlash(form: string, errors: Record<string, string>, values: Record<string, string>): Flash {
  return { kind: "form", form, errors, values };
}

function errorsOf(error: z.ZodError): Record<string, string> {
  return Object.fromEntries(
    error.issues.map((issue) => [String(issue.path[0] ?? ""), issue.message]).toReversed(),
  );
}
