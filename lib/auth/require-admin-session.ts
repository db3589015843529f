import { cookies, headers } from "next/headers";
import { redirect } from "next/navigation";
import { cache } from "react";
import { adminPaths } from "@/lib/paths";
import { ADMIN_COOKIE, type AdminSession, findAdminSession } from "./admin-session";

const sessionOfRequest = cache(async () => {
  const token = (await cookies()).get(ADMIN_COOKIE)?.value ?? null;
  return { token, session: await findAdminSession(token) };
});

/**
 * The administrator's session of this page, checked in the database on every request. Without one it redirects to the
 * sign-in page.
 */
export async function requireAdminSession(next: string = adminPaths.overview()): Promise<AdminSession> {
  const { token, session } = await sessionOfRequest();
  if (session) return session;
  // Reading it makes Next render the page for each request and never at build time.
  await headers();
  redirect(adminPaths.signIn({ next, reason: token === null ? undefined : "ended" }));
}

/** Whether someone is signed in as the administrator; for the sign-in page and the frame. */
export async function isAdminSignedIn(): Promise<boolean> {
  return (await sessionOfRequest()).session !== null;
}
