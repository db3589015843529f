import { expect, it } from "vitest";
import { componentName } from "@/lib/health/read-status-page";
import { readServiceState } from "@/lib/health/service-state";
import { useDatabase } from "@/tests/support/database";

useDatabase({ TELEGRAM_BOT_TOKEN: "1234567:test-token-abcdefghij" });

it("readServiceState has each delivery channel as a separate component, which componentName names", async () => {
  const { components } = await readServiceState(new Date());
  const ways = components.filter(({ name }) => ["live", "mail", "webhooks", "telegram"].includes(name));
  expect(ways.map(({ name, status }) => [componentName(name), status])).toEqual([
    ["Live updates", "ok"],
    ["E-mail", "ok"],
    ["Webhooks", "ok"],
    ["Telegram", "ok"],
  ]);
});
