import { describe, expect, it } from "vitest";
import { call, makeKey } from "../support/api";
import { useDatabase } from "../support/database";

useDatabase();

const opening = {
  ticket: 1001,
  symbol: "EURUSD",
  timeframe: "H1",
  signal: "BUY",
  opened_at: "2026-11-20T10:00:00Z",
  entry_price: 1.1,
};

describe("POST /api/executions", () => {
  it("answers created to the first report of a ticket and updated to the next", async () => {
    const { key } = await makeKey();
    const first = await call("POST", "/api/executions", { key, body: opening });
    expect(first.status).toBe(201);
    expect(first.json).toEqual({ ok: true, action: "created", exec_id: expect.any(Number), ticket: 1001 });
    const second = await call("POST", "/api/executions", {
      key,
      body: { ticket: "1001", closed_at: "2026-11-20T12:00:00Z", pnl: 12.5 },
    });
    expect(second.status).toBe(201);
    expect(second.json).toMatchObject({ action: "updated", exec_id: first.json.exec_id });
  });
});
