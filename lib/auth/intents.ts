import { AppError } from "@/lib/wire/errors";
import { answerBrowser } from "./browser-answer";
import type { RouteHandler } from "./handler";

/**
 * One handler for all forms of a thing: `?intent=` in the form's address selects the form. Each form keeps its own
 * guard, so that their roles may differ.
 */
export function dispatchByIntent<P, N extends string>(
  forms: Readonly<Record<N, RouteHandler<P>>>,
): RouteHandler<P> & { forms: Readonly<Record<N, RouteHandler<P>>> } {
  const known = new Map(Object.entries<RouteHandler<P>>(forms));
  const handler: RouteHandler<P> = (request, context) => {
    const form = known.get(new URL(request.url).searchParams.get("intent") ?? "");
    return form ? form(request, context) : unknownForm(request);
  };
  return Object.assign(handler, { forms });
}

const unknownForm = (request: Request) =>
  answerBrowser(request, "form", () => {
    throw new AppError("not_found");
  });
