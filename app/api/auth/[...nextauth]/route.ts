import { answerNextAuth } from "@/lib/auth/call-next-auth";
import type { RouteHandler } from "@/lib/auth/handler";

/** GET and POST of the next-auth URLs that this site uses, such as callbacks. The site's forms call `callNextAuth` instead. */
const handler: RouteHandler<{ nextauth: string[] }> = async (request, context) =>
  answerNextAuth(request, (await context?.params)?.nextauth ?? []);

export { handler as GET, handler as POST };
