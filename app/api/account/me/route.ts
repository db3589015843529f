import { respond } from "@/lib/api/answer";
import { requireApiKey } from "@/lib/api/require-api-key";
import { requireQuota } from "@/lib/api/require-quota";
import { route } from "@/lib/api/route";
import { describeAccount } from "@/lib/subscribers/account";
import { AccountMe } from "@/lib/wire/contracts/account";

/** GET /api/account/me: what the key's subscription is and how its client is doing. */
export const GET = route(async (request) => {
  const key = await requireApiKey(request);
  await requireQuota(request, key, "read");
  return respond(AccountMe, await describeAccount(key, key.seenAt));
});
