import { afterAll, expect, it, vi } from "vitest";
import { closePools } from "@/db/client";
import { flushLog } from "@/lib/runtime/log";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { createDatabase, testEnvironment } from "@/tests/support/database";
import { readLog } from "@/tests/support/portal";

afterAll(closePools);

it("a database that does not exist yet is no error for the settings cache, and another failure is logged", async () => {
  const database = await createDatabase();
  await database.drop();
  Object.assign(process.env, testEnvironment(database.url));
  const reading = vi.spyOn(settingsCache(), "read");
  const letGo = settingsCache().keep();
  try {
    await vi.waitFor(() => expect(reading.mock.results.length).toBeGreaterThan(1), 5_000);
    await expect(reading.mock.results[0]?.value).rejects.toMatchObject({ cause: { code: "3D000" } });
    await flushLog();
    expect(readLog()).not.toContain("could not read the settings");

    reading.mockRejectedValueOnce(new Error("a defect"));
    await vi.waitFor(() => expect(readLog()).toContain("could not read the settings"), 5_000);
  } finally {
    letGo();
  }
});
