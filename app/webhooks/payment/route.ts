import { route } from "@/lib/api/route";
import { generic } from "@/lib/payments/adapters/generic";
import { receive } from "./receive";

/** POST /webhooks/payment: the payment platform reports a change of an invoice. */
export const POST = route((request) => receive(generic, request));
