import { respond } from "@/lib/api/answer";
import { route } from "@/lib/api/route";
import { LivenessAnswer } from "@/lib/wire/contracts/health";

/** GET /api/health/live: 200 if the process responds, for supervisors. No rate limit applies. */
export const GET = route(() => respond(LivenessAnswer, { live: true }));
