import { AppError } from "@/lib/wire/errors";
import { answerBrowser } from "./browser-answer";
import type { Handler } from "./handler";

/**
 * One handler for all forms of a thing: `?intent=` in the form's address selects the form. Each form keeps its own
 * guard, so that their roles may differ.
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
