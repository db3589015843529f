import { deliveryEffectLabel } from "@/app/admin/_components/payment-labels";
import { db } from "@/db/client";
import { MAX_SEARCH_LENGTH, searchEverything } from "@/lib/admin/search";
import { documentRoute } from "@/lib/auth/document-route";
import { adminOnly } from "@/lib/auth/guards";

/** GET: search results as JSON. */
export const GET = documentRoute({
  name: "search",
  guard: adminOnly,
  make: async ({ request }) => {
    const query = new URL(request.url).searchParams.get("q") ?? "";
    const found = await searchEverything(db(), query.slice(0, MAX_SEARCH_LENGTH), deliveryEffectLabel);
    return Response.json({ found }, { headers: { "Cache-Control": "no-store" } });
  },
});
