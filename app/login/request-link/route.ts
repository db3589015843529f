import { z } from "zod";
import { db } from "@/db/client";
import { callingNetwork } from "@/lib/api/client-address";
import { formRoute, readForm, seeOther } from "@/lib/auth/form-route";
import { requestSignInLink } from "@/lib/auth/request-sign-in-link";
import { safeNext } from "@/lib/auth/safe-next";
import { takeLinkRequest } from "@/lib/auth/sign-in-limits";
import { paths } from "@/lib/paths";

const Email = z.email().max(254);

/**
 * POST /login/request-link: queues a sign-in link. The answer and its time are the same for every address
 * (decision 84).
 */
export const POST = formRoute(async (request) => {
  const { email = "", next: wanted } = await readForm(request);
  const next = safeNext(wanted, undefined);
  const parsed = Email.safeParse(email.trim());
  if (!parsed.success) return seeOther(paths.login(next, { error: "email_malformed" }));
  if (!takeLinkRequest(callingNetwork(request.headers)))
    return seeOther(paths.login(next, { error: "too_many_links" }));

  await requestSignInLink(db(), parsed.data, next);

  return seeOther(paths.linkSent(next));
});
