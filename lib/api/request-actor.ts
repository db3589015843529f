import type { Actor } from "@/lib/runtime/audit";
import { clientAddress } from "./client-address";
import { factsOf } from "./facts";

/** Who stands behind a request that carried the administrator secret. */
export function adminActor(request: Request): Actor {
  return {
    kind: "admin-secret",
    address: clientAddress(request.headers),
    requestId: factsOf(request).requestId,
  };
}

/** The administrator who is signed in. */
export function adminSessionActor(request: Request, sessionId: string, requestId: string): Actor {
  return { kind: "admin-session", sessionId, address: clientAddress(request.headers), requestId };
}

/** The subscriber whose key or session the request carried. */
export function subscriberActor(request: Request, subscriptionId: number, requestId: string): Actor {
  return { kind: "subscriber", subscriptionId, address: clientAddress(request.headers), requestId };
}
