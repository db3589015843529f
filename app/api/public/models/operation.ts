import type { Declaration } from "@/lib/api/openapi/operation";
import { PublicModels, PublicModelsQuery } from "@/lib/wire/contracts/record";

export const GET: Declaration = {
  id: "listPublicModels",
  tag: "Record",
  summary: "Every model: its training, its sealed claim and its results",
  description:
    "A claim is written when a model becomes champion, entered into the ledger, and never changed.",
  access: "anyone",
  query: PublicModelsQuery,
  ok: { status: 200, schema: PublicModels, description: "Champions first, then by training" },
  conditional: true,
  errors: ["not_found", "record_off"],
};
