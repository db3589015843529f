import { respond } from "@/lib/api/answer";
import { route } from "@/lib/api/route";
import { LivenessAnswer } from "@/lib/wire/contracts/health";

/** GET /api/health/live: the process responds. For supervisors, never limited. */
export const GET = route(() => respond(LivenessAnswer, { live: true }));
