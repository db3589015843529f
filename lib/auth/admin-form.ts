import type { z } from "zod";
import { adminPaths } from "../admin/paths";
import { readText } from "../api/body";
import { clientAddress } from "../api/client-address";
import { requestIdOf } from "../api/request-id";
import type { Actor } from "../audit";
import { AppError } from "../errors";
import { errorFacts, log } from "../log";
import { countCode } from "../metrics";
import { isDatabaseUnavailable } from "../unavailable";
import { type Flash, leaveFlash } from "./admin-flash";
import { adminToken, findAdminSession } from "./admin-session";
import { isOwnForm } from "./same-origin";

export interface FormCall<V, P> {
  actor: Actor;
  values: V;
  params: P;
  request: Request;
}

/** Where the browser goes next and what it finds there. */
export interface FormOutcome {
  to: string;
  flash?: Flash;
}

type Handler<P> = (request: Request, context: { params: Promise<P> }) => Promise<Response>;

/**
 * The way of every form of the administrator's area: sent by our own page, by a live session, with fields that
 * hold; then the verb, then a redirect, so that a reload never acts twice. `back` is the page that the form stands
 * on: it shows what was wrong with the fields, with what was typed still in them.
 */
export function adminForm<S extends z.ZodObject, P = Record<string, never>>(options: {
  name: string;
  schema: S;
  back: (params: P) => string;
  act: (call: FormCall<z.output<S>, P>) => Promise<FormOutcome>;
}): Handler<P> {
  return async (request, context) => {
    const params = await context.params;
    if (!isOwnForm(request)) {
      countCode("foreign_form");
      log("warn", "a form of another site was refused", { action: options.name });
      return plain(403, "This form was not sent by a page of this site. Nothing was changed.");
    }
    try {
      const session = await findAdminSession(adminToken(request.headers));
      if (!session) {
        log("info", "a form came without a live session", { action: options.name });
        return seeOther(adminPaths.signIn({ next: options.back(params), reason: "ended" }));
      }
      const sent = Object.fromEntries(new URLSearchParams(await readText(request)));
      const parsed = options.schema.safeParse(sent);
      if (!parsed.success) {
        await leaveFlash(session.sessionId, formFlash(options.name, errorsOf(parsed.error), sent));
        return seeOther(options.back(params));
      }
      const actor: Actor = {
        kind: "admin-session",
        sessionId: session.sessionId,
        address: clientAddress(request.headers),
        requestId: requestIdOf(request.headers),
      };
      const outcome = await actOrExplain(options, sent, { actor, values: parsed.data, params, request });
      if (outcome.flash) await leaveFlash(session.sessionId, outcome.flash);
      return seeOther(outcome.to);
    } catch (error) {
      return refuse(error, options.name);
    }
  };
}

/** A verb's refusal is shown where the form stands; only what nobody foresaw goes further. */
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

function refuse(error: unknown, action: string): Response {
  if (error instanceof AppError) return plain(error.status, error.detail);
  if (isDatabaseUnavailable(error))
    return plain(503, "The database does not answer just now. Nothing was changed. Try again shortly.");
  log("error", "a form of the administrator failed", { action, error: errorFacts(error) });
  return plain(500, "Something went wrong on our side. It has been recorded.");
}

/** A redirect after a form, relative, so that it holds behind any proxy. */
export function seeOther(location: string, headers: Record<string, string> = {}): Response {
  return new Response(null, {
    status: 303,
    headers: { Location: location, "Cache-Control": "no-store", ...headers },
  });
}

export function plain(status: number, text: string): Response {
  return new Response(`${text}\n`, {
    status,
    headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" },
  });
}
