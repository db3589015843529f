import type { Actor } from "@/lib/runtime/audit";
import { clientAddress } from "./client-address";
import { requestFactsOf } from "./request-facts";

/** The actor for the audit log of a request with the administrator secret. */
export function adminSecretActor(request: Request): Actor {
  return {
    kind: "admin-secret",
    address: clientAddress(request.headers),
    requestId: requestFactsOf(request).requestId,
  };
}

/**
 * The actor for the audit log of a request of a signed-in administrator. `administratorId` null: signed in with the
 * administrator secret.
 */
export function adminSessionActor(
  request: Request,
  { sessionId, administratorId }: { sessionId: string; administratorId: number | null },
  requestId: string,
): Actor {
  const from = { address: clientAddress(request.headers), requestId };
  return administratorId === null
    ? { kind: "admin-session", sessionId, ...from }
    : { kind: "administrator", administratorId, ...from };
}

/** The actor for the audit log of a request of a subscriber. */
export function subscriberActor(request: Request, subscriptionId: number, requestId: string): Actor {
  return { kind: "subscriber", subscriptionId, address: clientAddress(request.headers), requestId };
}
