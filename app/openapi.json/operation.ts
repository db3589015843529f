import { z } from "zod";
import type { OperationDeclaration } from "@/lib/api/openapi/operation";

export const GET: OperationDeclaration = {
  id: "getOpenapi",
  tag: "Service",
  summary: "This description",
  description: "Generated from the schemas that validate requests and responses.",
  access: "anyone",
  ok: {
    status: 200,
    schema: z.looseObject({ openapi: z.string().meta({ example: "3.1.0" }) }),
    description: "An OpenAPI 3.1 document",
  },
  conditional: true,
};
