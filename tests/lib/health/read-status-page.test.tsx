import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { Banner } from "@/app/(site)/status/_parts/banner";
import { readStatusPage } from "@/lib/health/read-status-page";
import type { SlotsAssessment } from "@/lib/market/assess-slots";
import { connectDirectly, useDatabase } from "@/tests/support/database";

useDatabase();

it("the status page claims no working components while a part of the database does not answer", async () => {
  const other = connectDirectly(1);
  const { health, troubled } = await other.begin(async (sql) => {
    await sql`lock table incidents in access exclusive mode`;
    return await readStatusPage();
  });
  await other.end();
  expect(troubled).toBeNull();

  const works: SlotsAssessment = { ...health, status: "ok", reasons: [] };
  const text = renderToStaticMarkup(<Banner health={works} troubled={troubled} posted={[]} />);
  expect(text).toContain("The state of the service is unknown.");
  expect(text).not.toContain("delivered normally");
  expect(text).not.toContain("Every component works");
});
