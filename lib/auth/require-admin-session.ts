import { cookies, headers } from "next/headers";
import { redirect } from "next/navigation";
import { cache } from "react";
import { roleForPage, roleIncludes } from "@/lib/access/people/roles";
import { adminPaths } from "@/lib/paths";
import { ADMIN_COOKIE, type AdminSession, authenticateAdminSession } from "./admin-session";

const sessionOfRequest = cache(async () => {
  const token = (await cookies()).get(ADMIN_COOKIE)?.value ?? null;
  return { token, session: await authenticateAdminSession(token) };
});

/**
 * The administrator's session for this page (`next`), checked in the database on every request. It redirects to the
 * sign-in page without a session, and to the overview without the role that the page needs.
 */
export async function requireAdminSession(next: string = adminPaths.overview()): Promise<AdminSession> {
  const { token, session } = await sessionOfRequest();
  if (session) {
    if (!roleIncludes(session.role, roleForPage(next))) redirect(adminPaths.overview({ reason: "role" }));
    return session;
  }
  // Reading the headers makes Next render the page per request and never at build time.
  await headers();
  redirect(adminPaths.signIn({ next, reason: token === null ? undefined : "ended" }));
}

/** The signed-in administrator, for the sign-in page; null: none. */
export async function currentAdmin(): Promise<AdminSession | null> {
  return (await sessionOfRequest()).session;
}
