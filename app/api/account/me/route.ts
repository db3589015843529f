import { respond } from "@/lib/api/answer";
import { requireApiKey } from "@/lib/api/require-api-key";
import { requireQuota } from "@/lib/api/require-quota";
import { route } from "@/lib/api/route";
import { describeAccount } from "@/lib/subscribers/account";
import { AccountMe } from "@/lib/wire/contracts/account";

/** GET /api/account/me: the key's subscription and the state of its client. */
export const GET = route(async (request) => {
  const key = await requireApiKey(request, { tryOut: true });
  await requireQuota(request, key, "read");
  return respond(AccountMe, await describeAccount(key, key.seenAt));
});
