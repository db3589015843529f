import type { OperationDeclaration } from "@/lib/api/openapi/operation";
import { PublicModels, PublicModelsQuery } from "@/lib/wire/contracts/record";

export const GET: OperationDeclaration = {
  id: "listPublicModels",
  tag: "Record",
  summary: "Every model: its training, its sealed claim and its results",
  description:
    "When a model becomes champion, its claim is written and entered into the ledger. It never changes.",
  access: "anyone",
  query: PublicModelsQuery,
  ok: {
    status: 200,
    schema: PublicModels,
    description: "By slot: the champion first, then the others by training, newest first",
  },
  conditional: true,
  errors: ["not_found", "record_off"],
};
