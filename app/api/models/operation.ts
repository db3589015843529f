import type { OperationDeclaration } from "@/lib/api/openapi/operation";
import { ModelList } from "@/lib/wire/contracts/models";

export const GET: OperationDeclaration = {
  id: "listModels",
  tag: "Quality",
  summary: "The champion of each slot",
  description: "A slot has one champion, its active model. A change shows in the next request.",
  access: "key",
  ok: { status: 200, schema: ModelList, description: "One model per slot" },
  conditional: true,
};
