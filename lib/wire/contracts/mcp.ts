import { z } from "zod";

/** One message of the Model Context Protocol, which is JSON-RPC; the protocol itself judges the rest. */
export const McpMessage = z.looseObject({ jsonrpc: z.literal("2.0") });
