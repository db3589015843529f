import { respond } from "@/lib/api/answer";
import { parseQuery } from "@/lib/api/parse";
import { requireApiKey } from "@/lib/api/require-api-key";
import { requireQuota } from "@/lib/api/require-quota";
import { route } from "@/lib/api/route";
import { listAccountExecutions } from "@/lib/executions/list-account-executions";
import { AccountExecutions, AccountExecutionsQuery } from "@/lib/wire/contracts/executions";

/** GET /api/account/executions: the executions of the subscription, newest opening first, with totals. */
export const GET = route(async (request) => {
  const key = await requireApiKey(request, { tryOut: true });
  await requireQuota(request, key, "read");
  const wanted = parseQuery(request, AccountExecutionsQuery);
  return respond(AccountExecutions, await listAccountExecutions(key.subscriptionId, wanted, key.seenAt));
});
