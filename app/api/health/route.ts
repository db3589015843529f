import { respond } from "@/lib/api/answer";
import { route } from "@/lib/api/route";
import { readHealth } from "@/lib/health/read-health";
import { Health } from "@/lib/wire/contracts/health";

/**
 * GET /api/health: whether signals are produced on time; 503 with the same body if not. No rate limit applies, because all
 * requests share one measurement.
 */
export const GET = route(
  async () => {
    const health = await readHealth();
    return respond(Health, health, { status: health.status === "ok" ? 200 : 503 });
  },
  { anyOrigin: true },
);
