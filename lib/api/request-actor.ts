import type { Actor } from "../audit";
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

/** The subscriber whose key the request carried. */
export function subscriberActor(request: Request, subscriptionId: number): Actor {
  return {
    kind: "subscriber",
    subscriptionId,
    address: clientAddress(request.headers),
    requestId: factsOf(request).requestId,
  };
}
