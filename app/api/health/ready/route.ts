import { respond } from "@/lib/api/answer";
import { route } from "@/lib/api/route";
import { readReadiness } from "@/lib/health/read-readiness";
import { NotReadyAnswer, ReadyAnswer } from "@/lib/wire/contracts/health";

/** GET /api/health/ready: whether a load balancer should send requests to this process. No rate limit applies. */
export const GET = route(async () => {
  const reason = await readReadiness();
  return reason === null
    ? respond(ReadyAnswer, { ready: true, reason })
    : respond(NotReadyAnswer, { ready: false, reason }, { status: 503 });
});
