import type { z } from "zod";
import type { OperationDeclaration } from "@/lib/api/openapi/operation";
import { IngestAnswer, IngestQuery } from "@/lib/wire/contracts/ingest";

/** The shared declaration of the ingest operations. */
export const declareIngest = (kind: string, schema: z.ZodType, example: unknown): OperationDeclaration => ({
  id: `ingest${kind.charAt(0).toUpperCase()}${kind.slice(1)}`,
  tag: "Ingest",
  summary: `Take in ${kind}, all or none`,
  description:
    "Up to 5000 items. The same again changes nothing and counts as a duplicate. With `check=true` nothing is stored.",
  access: "producer",
  query: IngestQuery,
  body: { schema, example: { items: [example] } },
  headers: ["Symbols-Without-Calendar"],
  ok: { status: 200, schema: IngestAnswer, description: "How many were new" },
});
