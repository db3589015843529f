/** The server's only imports from `app`. A test compares the mounts with the tree and the OpenAPI document. */
export { parseTheme } from "@/app/_components/theme";
export { guardOf } from "@/app/guarded-areas";
export { MOUNTS } from "@/app/mounts.generated";
export { cacheableQuery, hasFixedAddress, isCacheablePage } from "@/app/pages";
