import { z } from "zod";

/** A message of the Model Context Protocol, which is JSON-RPC. The protocol's library validates the other fields. */
const McpMessage = z.looseObject({ jsonrpc: z.literal("2.0") });

/** Maximum number of messages in a request. Clients of version 2025-03-26 of the protocol may send several. */
const MAX_IN_BATCH = 20;
export const McpBody = z.union([McpMessage, z.array(McpMessage).min(1).max(MAX_IN_BATCH)]);
