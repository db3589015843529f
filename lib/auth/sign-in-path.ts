import { paths } from "@/lib/paths";
import { hasSessionCookie } from "./session-cookie";

/** Path of the sign-in page, which leads to `next` afterwards. With a session cookie it carries the notice `ended`. */
export const signInPath = (cookie: (name: string) => string | undefined, next?: string): string =>
  paths.login(next, hasSessionCookie(cookie) ? { notice: "ended" } : {});
