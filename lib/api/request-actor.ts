import type { Actor } from "@/lib/runtime/audit";
import { clientAddress } from "./client-address";
import { factsOf } from "./facts";

/** Actor for the audit log: the sender of a request with the administrator secret. */
export function adminSecretActor(request: Request): Actor {
  return {
    kind: "admin-secret",
    address: clientAddress(request.headers),
    requestId: factsOf(request).requestId,
  };
}

/** Actor for the audit log: a signed-in administrator, or the person who signed in with the secret. */
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

/** Actor for the audit log: the subscriber of the request's key or session. */
export function subscriberActor(request: Request, subscriptionId: number, requestId: string): Actor {
  return { kind: "subscriber", subscriptionId, address: clientAddress(request.headers), requestId };
}
