import { answerNextAuth } from "@/lib/auth/call-next-auth";
import type { RouteHandler } from "@/lib/auth/handler";

/** The callback addresses of next-auth that this site uses. The site's forms use `callNextAuth`. */
const handler: RouteHandler<{ nextauth: string[] }> = async (request, context) =>
  answerNextAuth(request, (await context?.params)?.nextauth ?? []);

export { handler as GET, handler as POST };
