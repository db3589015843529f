import { authenticateAdminSession, readAdminSessionToken } from "@/lib/auth/admin-session";
import { findVisitorOfPage } from "@/lib/auth/portal-view";
import { safeReturnPath } from "@/lib/auth/safe-return-path";
import { cookiesOf } from "@/lib/auth/session-cookie";
import { signInPath } from "@/lib/auth/sign-in-path";
import { adminPaths, paths } from "@/lib/paths";

/** A part of the page tree that requires a session: the portal or the administrator's area. */
interface Area {
  /** The path prefix of its pages. */
  root: string;
  /** Paths in the area that need no session. */
  open: readonly string[];
  /** The sign-in address for a visitor without a session who requested `address`; null with a session. */
  sendAway: (headers: Headers, address: string) => Promise<string | null>;
}

const AREAS: readonly Area[] = [
  {
    root: "/portal",
    open: [],
    sendAway: async (headers, address) => {
      const cookie = cookiesOf(headers);
      const found = await findVisitorOfPage(cookie);
      if (found.kind === "subscriber") return null;
      const wanted = safeReturnPath(address, paths.portal());
      const next = wanted === paths.portal() ? undefined : wanted;
      return found.kind === "no-access" ? paths.chooseSubscription(next) : signInPath(cookie, next);
    },
  },
  {
    root: "/admin",
    open: [adminPaths.signIn(), adminPaths.signInLinkPage(), adminPaths.signInByOidc()],
    sendAway: async (headers, address) => {
      const token = readAdminSessionToken(headers);
      if (await authenticateAdminSession(token)) return null;
      const { pathname, search } = new URL(address, "http://here.invalid");
      return adminPaths.signIn({ next: pathname + search, reason: token === null ? undefined : "ended" });
    },
  },
];

/**
 * The guard of the area that contains a path; null for a path that needs no session. Internal paths of Next, such as
 * the data forms of a page (`.rsc`, `.segments/…`), belong to the area of their page.
 */
export function guardOf(path: string): Area["sendAway"] | null {
  const area = AREAS.find(({ root }) => path.startsWith(root) && /^(?:$|[/.])/.test(path.slice(root.length)));
  return area && !area.open.includes(path) ? area.sendAway : null;
}
