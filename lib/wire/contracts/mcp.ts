import { z } from "zod";

/** One message of the Model Context Protocol, which is JSON-RPC; the protocol's library validates the rest. */
const McpMessage = z.looseObject({ jsonrpc: z.literal("2.0") });

/** Clients of version 2025-03-26 may send several messages in one request. */
const MAX_IN_BATCH = 20;
export const McpBody = z.union([McpMessage, z.array(McpMessage).min(1).max(MAX_IN_BATCH)]);
