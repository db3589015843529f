import { respond } from "@/lib/api/answer";
import { requireOpenQuota } from "@/lib/api/require-quota";
import { route } from "@/lib/api/route";
import { readHealth } from "@/lib/health/read-health";
import { Health } from "@/lib/wire/contracts/health";

/** GET /api/health: whether signals flow. 503 with the same body when they do not. */
export const GET = route(
  async (request) => {
    await requireOpenQuota(request);
    const health = await readHealth();
    return respond(Health, health, { status: health.status === "ok" ? 200 : 503 });
  },
  { anyOrigin: true },
);
