import { AppError } from "@/lib/wire/errors";
import { answerBrowser } from "./browser-answer";
import type { Handler } from "./handler";

/**
 * One handler for all forms of a thing: `?intent=` in the address of a form names the one that was sent. Each form
 * keeps its guard, so that a thing may have forms of several roles.
 */
export function intents<P, N extends string>(
  forms: Readonly<Record<N, Handler<P>>>,
): Handler<P> & { forms: Readonly<Record<N, Handler<P>>> } {
  const known = new Map(Object.entries<Handler<P>>(forms));
  const handler: Handler<P> = (request, context) => {
    const form = known.get(new URL(request.url).searchParams.get("intent") ?? "");
    return form ? form(request, context) : unknownForm(request);
  };
  return Object.assign(handler, { forms });
}

const unknownForm = (request: Request) =>
  answerBrowser(request, "form", () => {
    throw new AppError("not_found");
  });
