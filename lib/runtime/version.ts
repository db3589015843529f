/** Semantic version of the interface, as `GET /api/health` and the OpenAPI document state it. */
export const API_VERSION = "1.3.0";
