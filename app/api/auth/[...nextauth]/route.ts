import { answerNextAuth } from "@/lib/auth/call-next-auth";
import type { Handler } from "@/lib/auth/handler";

/** next-auth's own addresses, as far as they belong to this site. The forms of this site use `callNextAuth`. */
const handler: Handler<{ nextauth: string[] }> = async (request, context) =>
  answerNextAuth(request, (await context?.params)?.nextauth ?? []);

export { handler as GET, handler as POST };
