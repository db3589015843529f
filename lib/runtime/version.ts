/** Semantic version of the HTTP interface, in `GET /api/health` and the OpenAPI document. */
export const API_VERSION = "1.3.0";
