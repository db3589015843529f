import type { OperationDeclaration } from "@/lib/api/openapi/operation";
import { PublicStats } from "@/lib/wire/contracts/public-stats";

export const GET: OperationDeclaration = {
  id: "getPublicStats",
  tag: "Service",
  summary: "Figures for the landing page",
  description: "Counts of the last 24 hours, and the uptime of the last 30 days in percent.",
  access: "anyone",
  ok: { status: 200, schema: PublicStats, description: "Counts over the whole service" },
  conditional: true,
};
