import { paths } from "@/lib/paths";
import { hasSessionCookie } from "./session-cookie";

/** The sign-in page that leads to `next`. Its address says so if the browser's session has ended. */
export const signInPath = (cookie: (name: string) => string | undefined, next?: string): string =>
  paths.login(next, hasSessionCookie(cookie) ? { notice: "ended" } : {});
