import { z } from "zod";
import { db } from "@/db/client";
import { callingNetwork } from "@/lib/api/client-address";
import { formRoute, readForm, seeOther } from "@/lib/auth/form-route";
import { requestSignInLink } from "@/lib/auth/request-sign-in-link";
import { takeLinkRequest } from "@/lib/auth/sign-in-limits";
import { paths } from "@/lib/paths";

const Email = z.email().max(254);

/** POST /login/request-link: the same answer, after the same time, whoever asked. */
export const POST = formRoute(async (request) => {
  const { email = "" } = await readForm(request);
  const parsed = Email.safeParse(email.trim());
  if (!parsed.success) return seeOther(paths.login(undefined, { error: "email_malformed" }));
  if (!takeLinkRequest(callingNetwork(request.headers)))
    return seeOther(paths.login(undefined, { error: "too_many_links" }));

  await requestSignInLink(db(), parsed.data);

  return seeOther(paths.linkSent());
});
