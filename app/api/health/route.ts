import { respond } from "@/lib/api/answer";
import { route } from "@/lib/api/route";
import { readHealth } from "@/lib/health/read-health";
import { Health } from "@/lib/wire/contracts/health";

/**
 * GET /api/health: the state of the service; 503 with the same body unless the status is `ok`. No rate limit applies,
 * because the requests within a second share one measurement.
 */
export const GET = route(
  async () => {
    const health = await readHealth();
    return respond(Health, health, { status: health.status === "ok" ? 200 : 503 });
  },
  { anyOrigin: true },
);
