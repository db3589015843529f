import { clientAddress } from "../api/client-address";
import type { Actor } from "../audit";

/** The signed-in subscriber as the one who did something. */
export function subscriberActor(request: Request, subscriptionId: number, requestId: string): Actor {
  return { kind: "subscriber", subscriptionId, address: clientAddress(request.headers), requestId };
}
