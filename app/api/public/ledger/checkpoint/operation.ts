import { z } from "zod";
import type { OperationDeclaration } from "@/lib/api/openapi/operation";

export const GET: OperationDeclaration = {
  id: "getLedgerCheckpoint",
  tag: "Record",
  summary: "Size and root of the ledger, signed",
  description:
    "A signed note in the form of C2SP tlog-checkpoint; the key is at `/.well-known/signal-ledger`. A new one is signed whenever there are new entries.",
  access: "anyone",
  ok: { status: 200, schema: z.string(), description: "A signed note" },
  plain:
    "signals.example/ledger\n4711\nRcCI5XHbOb+mO6cn9p4bZJxpnj6V9h3DnUBsrXm9kxE=\n\n— signals.example/ledger 1FqB2gZk0bQw…\n",
  conditional: true,
  errors: ["not_found", "record_off"],
};
