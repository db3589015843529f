import { adminToken, findAdminSession } from "@/lib/auth/admin-session";
import { findVisitorOfPage } from "@/lib/auth/portal-view";
import { safeNext } from "@/lib/auth/safe-next";
import { cookiesOf } from "@/lib/auth/session-cookie";
import { signInPath } from "@/lib/auth/sign-in-path";
import { adminPaths, paths } from "@/lib/paths";

/** A part of the page tree that is drawn for signed-in readers alone. */
interface Area {
  /** First part of its addresses. */
  root: string;
  /** Pages in it that must be reached without a session. */
  open: readonly string[];
  /** Where a reader without a session is sent, who asked for `address`; null: the reader has one. */
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
      const wanted = safeNext(address, paths.portal());
      const next = wanted === paths.portal() ? undefined : wanted;
      return found.kind === "no-access" ? paths.chooseSubscription(next) : signInPath(cookie, next);
    },
  },
  {
    root: "/admin",
    open: [adminPaths.signIn(), adminPaths.signInLinkPage(), adminPaths.signInByOidc()],
    sendAway: async (headers, address) => {
      const token = adminToken(headers);
      if (await findAdminSession(token)) return null;
      const { pathname, searchParams } = new URL(address, "http://here.invalid");
      // Next's router adds this parameter when it asks only for the data of a page.
      searchParams.delete("_rsc");
      const query = searchParams.size > 0 ? `?${searchParams}` : "";
      return adminPaths.signIn({ next: pathname + query, reason: token === null ? undefined : "ended" });
    },
  },
];

/**
 * The guard of the area that a path stands in; null outside of every area. Paths that only Next would know, such as the
 * data forms of a page (`.rsc`, `.segments/…`), stand in the area of their page.
 */
export function guardOf(path: string): Area["sendAway"] | null {
  const area = AREAS.find(({ root }) => path.startsWith(root) && /^(?:$|[/.])/.test(path.slice(root.length)));
  return area && !area.open.includes(path) ? area.sendAway : null;
}
