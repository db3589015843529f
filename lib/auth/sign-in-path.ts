import { paths } from "@/lib/paths";
import { hasSessionCookie } from "./session-cookie";

/** The sign-in that leads on to `next`; it says so when the browser's session has ended. */
export const signInPath = (cookie: (name: string) => string | undefined, next?: string): string =>
  paths.login(next, hasSessionCookie(cookie) ? { notice: "ended" } : {});
