import type { NextRequest } from "next/server";
import NextAuth from "next-auth";
import { nextAuthOptions } from "@/lib/auth/next-auth-options";

interface Context {
  params: Promise<{ nextauth: string[] }>;
}

/** next-auth's own addresses. The forms of this site do the same through `callNextAuth`. */
const handler = (request: NextRequest, context: Context) => NextAuth(request, context, nextAuthOptions());

export { handler as GET, handler as POST };
